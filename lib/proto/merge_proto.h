// Merges the original bytes of a message with the fields that edits changed.
#ifndef HLOROOF_LIB_PROTO_MERGE_PROTO_H_
#define HLOROOF_LIB_PROTO_MERGE_PROTO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline proto {

// Three forms of a message. `now` is written from the module, `before` from the module as it was read, and `original`
// is what was read. The last two are null for a new part.
struct MessageForms {
  const WireMessage* now = nullptr;
  const WireMessage* before = nullptr;
  const WireMessage* original = nullptr;
};

// The fields of the result in ascending order of their numbers: those of the original if `now` equals `before`, and
// otherwise those of `now`. `same` maps the alternatives of one fact, such as the members of a oneof, to one number, so
// that they are kept or replaced together. The result points into the messages.
std::vector<WireField> merged_fields(const MessageForms& forms, absl::FunctionRef<std::uint32_t(std::uint32_t)> same);

// Whether the fields that `same` maps to `number` are equal in both.
bool have_same_field(const WireMessage& a, const WireMessage& b, std::uint32_t number,
                     absl::FunctionRef<std::uint32_t(std::uint32_t)> same);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_MERGE_PROTO_H_

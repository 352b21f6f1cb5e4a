// The attributes of instructions in HLO text and in HloInstructionProto: one row for each, which the reader
// (instruction_text.cc) and the writer (encode_instruction.cc) walk. attribute.def has the names in the text.
#ifndef HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_
#define HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "lib/proto/attribute_forms.h"

namespace hloroof::internal::inline proto {

struct AttributeField {
  AttributeKey key;
  const ProtoForm* form;
  std::uint32_t number;
  // The message of the instruction that has the field, and the one in that; 0: the instruction itself.
  std::uint32_t message = 0;
  std::uint32_t inner = 0;
  absl::Span<const std::string_view> words = {};
  std::int64_t lowest = 0;   // a word with a lower number means the same as none; 0: the attribute is required
  std::int64_t missing = 0;  // the number in the proto without an attribute
  bool is_in_text = true;    // false: XLA does not print it, or append_called() does
};

// The rows of an opcode in the order of XLA's text; none for an unknown opcode.
absl::Span<const AttributeField> attribute_fields(Opcode opcode);

// The attributes of every opcode, by their place in the text.
struct CommonFields {
  absl::Span<const AttributeField> before_predecessors;  // the control predecessors
  absl::Span<const AttributeField> after_predecessors;
  absl::Span<const AttributeField> last;  // an operation that an asynchronous one wraps does not have them
  absl::Span<const AttributeField> all;
};
CommonFields common_fields();

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_INSTRUCTION_FIELDS_H_

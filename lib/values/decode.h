// Helpers that decode the text of an attribute, for the functions of hloroof/attributes.h and attribute_values.h.
#ifndef HLOROOF_LIB_VALUES_DECODE_H_
#define HLOROOF_LIB_VALUES_DECODE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/base/error_place.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/values/cursor.h"

namespace hloroof::internal::inline values {

// Decodes a text inside a module with `read(Cursor&, T*)`. nullopt unless `read` consumes the whole text.
template <typename T, typename Read>
std::optional<T> decode_text(std::string_view text, Read read) {
  if (text.empty()) return std::nullopt;
  Cursor cursor(text);
  std::optional<T> value(std::in_place);
  if (!read(cursor, &*value) || !cursor.at_end()) return std::nullopt;
  return value;
}

template <typename T, typename Read>
std::optional<T> decode(InstructionView instruction, AttributeKey key, Read read) {
  return decode_text<T>(instruction.text(key), read);
}

// The same for any text. Copies it in order to append a NUL.
template <typename T, typename Read>
absl::StatusOr<T> parse_text(std::string_view text, Read read) {
  const std::string copy(text);
  Cursor cursor(copy);
  T value;
  if (!read(cursor, &value)) {
    const ErrorRecord& error = cursor.errors().front();
    return located_error("<value>", copy, error.offset, error.message);
  }
  if (!cursor.at_end()) {
    return located_error("<value>", copy, cursor.offset(), "expects the end of the value");
  }
  return value;
}

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_DECODE_H_

// From the text of an attribute to its value: what the functions of attribute_values.h have in common.
#ifndef HLOROOF_LIB_TEXT_DECODE_H_
#define HLOROOF_LIB_TEXT_DECODE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/attribute.h"
#include "hloroof/module.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// The value that `read(Cursor&, T*)` gives for a text inside a module; nothing if it does not read all of the text.
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

// The same for a text of the caller's, which may lie anywhere: a copy supplies the NUL behind it.
template <typename T, typename Read>
absl::StatusOr<T> parse_text(std::string_view text, Read read) {
  const std::string copy(text);
  Cursor cursor(copy);
  T value;
  if (!read(cursor, &value)) {
    const ErrorRecord& error = cursor.errors().front();
    return invalid_argument(located_message("<value>", copy, error.offset, error.message));
  }
  if (!cursor.at_end()) {
    return invalid_argument(located_message("<value>", copy, cursor.offset(), "expects the end of the value"));
  }
  return value;
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_DECODE_H_

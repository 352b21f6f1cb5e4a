// Parses numbers, lists of numbers and strings.
#include <cmath>
#include <limits>

#include "lib/values/values.h"

namespace hloroof::internal::inline values {

// double := INT | DECIMAL | 'inf' | '-inf' | 'nan'
bool read_double(Cursor& cursor, double* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  Number number;
  if (!cursor.read_number(&number)) return false;
  double value = 0;
  switch (number.kind) {
    case Number::kInteger: value = static_cast<double>(number.integer); break;
    case Number::kDecimal:
      if (std::isinf(number.decimal)) {
        return cursor.fail(where, "constant is out of range for double (+/-1.79769e+308)");
      }
      value = number.decimal;
      break;
    case Number::kInfinity: value = std::numeric_limits<double>::infinity(); break;
    case Number::kNan: value = std::numeric_limits<double>::quiet_NaN(); break;
  }
  // The value of an integer includes the sign.
  if (number.negative && (number.kind == Number::kInfinity || number.kind == Number::kNan)) value = -value;
  if (out != nullptr) *out = value;
  return true;
}

// float := double within the range of f32; an infinity is outside
bool read_float(Cursor& cursor, double* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  double value = 0;
  if (!read_double(cursor, &value)) return false;
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    return cursor.fail(where, "value out of range for float");
  }
  if (out != nullptr) *out = value;
  return true;
}

bool read_int32(Cursor& cursor, std::int32_t* out) {
  cursor.skip_space();
  const char* where = cursor.at();
  std::int64_t value = 0;
  if (!read_integer(cursor, &value)) return false;
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
    return cursor.fail(where, "value out of range for int32_t");
  }
  if (out != nullptr) *out = static_cast<std::int32_t>(value);
  return true;
}

// integers := '{' list(INT) '}'
bool read_integer_list(Cursor& cursor, std::vector<std::int64_t>* out) {
  return read_list(cursor, '{', '}', [&] {
    std::int64_t value = 0;
    if (!read_integer(cursor, &value)) return false;
    if (out != nullptr) out->push_back(value);
    return true;
  });
}

// integer_lists := '{' list(integers) '}'
bool read_integer_list_list(Cursor& cursor, std::vector<std::vector<std::int64_t>>* out) {
  return read_list(cursor, '{', '}', [&] {
    if (out == nullptr) return read_integer_list(cursor, nullptr);
    return read_integer_list(cursor, &out->emplace_back());
  });
}

// bools := '{' list('true' | 'false') '}'
bool read_bool_list(Cursor& cursor, std::vector<bool>* out) {
  return read_list(cursor, '{', '}', [&] {
    bool value = false;
    if (!cursor.read_bool(&value)) return false;
    if (out != nullptr) out->push_back(value);
    return true;
  });
}

// bool_or_bools := 'true' | 'false' | bools
bool read_bool_or_list(Cursor& cursor, std::vector<bool>* out) {
  if (cursor.peek() == '{') return read_bool_list(cursor, out);
  bool value = false;
  if (!cursor.read_bool(&value)) return false;
  if (out != nullptr) out->push_back(value);
  return true;
}

// string_or_json := STRING | '{' balanced '}'
bool read_string_or_json(Cursor& cursor, std::string_view* out) {
  const char first = cursor.peek();
  const char* from = cursor.at();
  std::string_view raw;
  if (!(first == '{' ? cursor.read_json(&raw) : cursor.read_string(&raw))) return false;
  if (out != nullptr) *out = cursor.since(from);
  return true;
}

}  // namespace hloroof::internal::inline values

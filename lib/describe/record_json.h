// Described records as JSON objects; see record.h. `family` names the resources.
#ifndef HLOROOF_LIB_DESCRIBE_RECORD_JSON_H_
#define HLOROOF_LIB_DESCRIBE_RECORD_JSON_H_

#include <string>

#include "lib/describe/json_writer.h"
#include "lib/describe/record.h"

namespace hloroof::internal::inline describe {

// NOLINTBEGIN(misc-no-recursion): records nest as deeply as their types; the only tree is that of the terms of a
// formula
template <typename T>
void write_json_value(const T& value, JsonWriter& out, DeviceFamily family = DeviceFamily::kOther);

// The members alone, for an object that has further ones.
template <DescribedRecord T>
void write_json_members(const T& record, JsonWriter& out, DeviceFamily family) {
  for_each_field(record, [&out, family](const FieldInfo& info, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if (info.formats == Formats::kCsvOnly) return;
    if constexpr (IsOrAbsent<Value>::value) {
      if (value.value == nullptr) return;
      out.key(info.key);
      write_json_value(*value.value, out, family);
    } else {
      out.key(info.key);
      write_json_value(value, out, family);
    }
  });
}

template <typename T>
void write_json_value(const T& value, JsonWriter& out, DeviceFamily family) {
  if constexpr (WritesItself<T>) {
    value.write_json(out);
  } else if constexpr (DescribedRecord<T>) {
    out.begin_object();
    write_json_members(value, out, family);
    out.end_object();
  } else if constexpr (std::is_same_v<T, Settings>) {
    out.begin_object();
    for (const auto& [name, number] : value) out.member(name, number);
    out.end_object();
  } else if constexpr (IsVector<T>::value) {
    out.begin_array();
    for (const auto& element : value) write_json_value(element, out, family);
    out.end_array();
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      write_json_value(*value, out, family);
    } else {
      out.null();
    }
  } else if constexpr (NamedEnum<T>) {
    out.value(enum_name(value, family));
  } else {
    out.value(value);
  }
}
// NOLINTEND(misc-no-recursion)

// One object for a single record, an array for any other number, with a final line end.
template <DescribedRecord T>
std::string records_json(const std::vector<T>& records) {
  JsonWriter out;
  if (records.size() != 1) out.begin_array();
  for (const T& record : records) write_json_value(record, out);
  if (records.size() != 1) out.end_array();
  return out.take_document();
}

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_RECORD_JSON_H_

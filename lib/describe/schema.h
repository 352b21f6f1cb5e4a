// The description of a result as data, and the JSON schema and Python classes generated from it.
#ifndef HLOROOF_LIB_DESCRIBE_SCHEMA_H_
#define HLOROOF_LIB_DESCRIBE_SCHEMA_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lib/describe/record.h"

namespace hloroof::internal::inline describe {

// The type of a field in the JSON.
struct FieldType {
  enum class Kind { kText, kNumber, kInteger, kFlag, kRecord, kNumbersByName };
  Kind kind = Kind::kText;
  bool is_list = false;
  bool is_nullable = false;
  bool may_be_absent = false;
  std::string_view record;  // RecordInfo::name, for kRecord
};

struct FieldRow {
  FieldInfo info;
  FieldType type;
};

struct RecordTable {
  RecordInfo info;
  std::vector<FieldRow> fields;
};

struct ResultTable {
  std::string_view id;               // "hloroof.prediction/2"
  std::string_view title;            // one line about the format
  std::vector<RecordTable> records;  // the result itself first, then the records in it, each before those it contains
};

// The name in the id: "prediction" of "hloroof.prediction/2".
std::string result_name(const ResultTable& result);

// The JSON schema (draft 2020-12) of a result. tests/describe/schema has what it is to be.
std::string schema_json(const ResultTable& result);

// A Python module with a frozen dataclass for each record, such as _results of the package.
std::string python_classes(const ResultTable& result);

// NOLINTBEGIN(misc-no-recursion): over the types of nested records; add_record ends it at a record that is there
template <DescribedRecord T>
void add_record(ResultTable& result);

template <typename T>
FieldType field_type(ResultTable& result) {
  FieldType type;
  if constexpr (WritesItself<T>) {
    type = field_type<typename T::Value>(result);
  } else if constexpr (IsOptional<T>::value) {
    type = field_type<typename IsOptional<T>::Value>(result);
    type.is_nullable = true;
  } else if constexpr (IsOrAbsent<T>::value) {
    type = field_type<typename IsOrAbsent<T>::Value>(result);
    type.may_be_absent = true;
  } else if constexpr (IsVector<T>::value) {
    type = field_type<typename IsVector<T>::Value>(result);
    type.is_list = true;
  } else if constexpr (DescribedRecord<T>) {
    type.kind = FieldType::Kind::kRecord;
    type.record = Described<T>::kInfo.name;
    add_record<T>(result);
  } else if constexpr (std::is_same_v<T, Settings>) {
    type.kind = FieldType::Kind::kNumbersByName;
  } else if constexpr (std::is_same_v<T, bool>) {
    type.kind = FieldType::Kind::kFlag;
  } else if constexpr (std::is_integral_v<T>) {
    type.kind = FieldType::Kind::kInteger;
  } else if constexpr (std::is_floating_point_v<T>) {
    type.kind = FieldType::Kind::kNumber;
  }
  return type;
}

// Enums and, inside optionals, their texts are choices of the schema.
template <typename T>
std::span<const std::string_view> choices_of() {
  if constexpr (IsOptional<T>::value) {
    return choices_of<typename IsOptional<T>::Value>();
  } else if constexpr (NamedEnum<T>) {
    return EnumNames<T>::kNames;
  } else {
    return {};
  }
}

template <DescribedRecord T>
void add_record(ResultTable& result) {
  const RecordInfo info = Described<T>::kInfo;
  const auto is_same = [&](const RecordTable& record) { return record.info.name == info.name; };
  if (std::any_of(result.records.begin(), result.records.end(), is_same)) return;
  const std::size_t at = result.records.size();
  result.records.push_back({info, {}});
  const auto add = [&]<typename Get>(const Field<Get>& row) {
    using Value = std::decay_t<decltype(row.of(std::declval<const T&>()))>;
    FieldRow added = {row.info, field_type<Value>(result)};
    if (added.info.choices.empty()) added.info.choices = choices_of<Value>();
    if (added.info.formats != Formats::kCsvOnly) result.records[at].fields.push_back(added);
  };
  Described<T>::kFields.each(add);
}
// NOLINTEND(misc-no-recursion)

template <DescribedRecord T>
ResultTable describe_result(std::string_view id, std::string_view title) {
  ResultTable result = {id, title, {}};
  add_record<T>(result);
  return result;
}

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_SCHEMA_H_

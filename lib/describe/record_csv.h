// Described records as lines of CSV; see record.h.
#ifndef HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_
#define HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_

#include <string_view>
#include <vector>

#include "lib/describe/csv.h"
#include "lib/describe/record.h"

namespace hloroof::internal::inline describe {

// Calls visit(info, value) for each field that has a column.
template <DescribedRecord T, typename Visit>
void for_each_column(const T& record, Visit&& visit) {
  for_each_field(record, [&visit](const FieldInfo& info, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (is_scalar<Value>() || std::is_same_v<Value, Settings>) {
      if (info.formats != Formats::kJsonOnly) visit(info, value);
    }
  });
}

// Adds one cell, or for Settings one cell for each of them.
template <typename T>
void add_csv_cell(const T& value, DeviceFamily family, CsvLine& line) {
  if constexpr (std::is_same_v<T, Settings>) {
    for (const auto& [name, number] : value) line.add(number);
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      add_csv_cell(*value, family, line);
    } else {
      line.add_empty();
    }
  } else if constexpr (NamedEnum<T>) {
    line.add(enum_name(value, family));
  } else if constexpr (std::is_same_v<T, bool>) {
    line.add(std::int64_t{value});
  } else {
    line.add(value);
  }
}

// The titles of a record's columns. `sample` names the columns of Settings; nothing else of it is read, so that an
// empty list of records that point at their parts has titles too.
template <DescribedRecord T>
void add_csv_titles(const T& sample, CsvLine& line) {
  Described<T>::kFields.each([&](const auto& row) {
    using Value = std::decay_t<decltype(row.of(sample))>;
    if constexpr (std::is_same_v<Value, Settings>) {
      if (row.info.formats == Formats::kJsonOnly) return;
      for (const auto& [name, number] : row.of(sample)) line.add(name);
    } else if constexpr (is_scalar<Value>()) {
      if (row.info.formats != Formats::kJsonOnly) line.add(row.info.name);
    }
  });
}

template <DescribedRecord T>
void add_csv_cells(const T& record, CsvLine& line, DeviceFamily family = DeviceFamily::kOther) {
  for_each_column(record, [&](const FieldInfo&, const auto& value) { add_csv_cell(value, family, line); });
}

// The titles, and a line for each record. `sample` names the columns of Settings if there are no records.
template <DescribedRecord T>
std::string records_csv(const std::vector<T>& records, const T& sample = T()) {
  CsvLine line;
  add_csv_titles(records.empty() ? sample : records.front(), line);
  std::string out = line.take();
  for (const T& record : records) {
    add_csv_cells(record, line);
    out += line.take();
  }
  return out;
}

// The cells of `record` under the columns of the record type `Columns`: fields meet by name, and columns that `record`
// does not have stay empty.
template <DescribedRecord Columns, DescribedRecord T>
void add_csv_cells_under(const T& record, CsvLine& line) {
  for_each_column(Columns(), [&](const FieldInfo& column, const auto&) {
    bool found = false;
    for_each_column(record, [&](const FieldInfo& info, const auto& value) {
      if (info.name != column.name) return;
      found = true;
      add_csv_cell(value, DeviceFamily::kOther, line);
    });
    if (!found) line.add_empty();
  });
}

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_

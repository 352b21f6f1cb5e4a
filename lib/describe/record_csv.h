// Described records as lines of CSV; see record.h.
#ifndef HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_
#define HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/describe/csv.h"
#include "lib/describe/record.h"

namespace hloroof::internal::inline describe {

// Calls visit(row) for each row of the table of T that has a column. No record is read.
template <DescribedRecord T, typename Visit>
void for_each_column(Visit&& visit) {
  Described<T>::kFields.each([&visit](const auto& row) {
    using Value = std::decay_t<decltype(row.of(std::declval<const T&>()))>;
    if constexpr (is_scalar<Value>() || std::is_same_v<Value, Settings>) {
      if (row.info.formats != Formats::kJsonOnly) visit(row);
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

// The titles of a record's columns. `sample` names the columns of Settings; nothing else of it is read, so that it may
// be a record whose pointers are null.
template <DescribedRecord T>
void add_csv_titles(const T& sample, CsvLine& line) {
  for_each_column<T>([&](const auto& row) {
    if constexpr (std::is_same_v<std::decay_t<decltype(row.of(sample))>, Settings>) {
      for (const auto& [name, number] : row.of(sample)) line.add(name);
    } else {
      line.add(row.info.name);
    }
  });
}

template <DescribedRecord T>
void add_csv_cells(const T& record, CsvLine& line, DeviceFamily family = DeviceFamily::kOther) {
  for_each_column<T>([&](const auto& row) { add_csv_cell(row.of(record), family, line); });
}

// The titles, and a line for each record. The first record names the columns of Settings.
template <DescribedRecord T>
std::string records_csv(const std::vector<T>& records) {
  const T none{};
  CsvLine line;
  add_csv_titles(records.empty() ? none : records.front(), line);
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
  for_each_column<Columns>([&](const auto& column) {
    bool found = false;
    for_each_column<T>([&](const auto& row) {
      if (row.info.name != column.info.name) return;
      found = true;
      add_csv_cell(row.of(record), DeviceFamily::kOther, line);
    });
    if (!found) line.add_empty();
  });
}

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_RECORD_CSV_H_

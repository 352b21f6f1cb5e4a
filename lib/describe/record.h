// A result struct described once: a table with one row for each field. The JSON, the CSV columns, the JSON schema, the
// columns of the HTML page and the Python class all follow from that table.
//
//   template <>
//   struct Described<LiveBuffer> {
//     static constexpr RecordInfo kInfo = {"live_buffer", "LiveBuffer", "A buffer that is live at the memory peak."};
//     static constexpr auto kFields = fields(
//         field("name", "Instruction that defines the buffer.", &LiveBuffer::name),
//         field("bytes", Unit::kBytes, "Size with tile padding.", &LiveBuffer::bytes));
//   };
//
// To add a field to a result, add the member and its row. The C++ type of the row's value says what the field is in
// each format:
//
//   | C++ type                          | JSON                  | CSV                 | Python             |
//   |-----------------------------------|-----------------------|---------------------|--------------------|
//   | std::string, std::string_view     | string                | text                | str                |
//   | double                            | number                | number              | float              |
//   | std::int64_t                      | integer               | number              | int                |
//   | bool                              | boolean               | 0 or 1              | bool               |
//   | an enum with EnumNames            | string, of a fixed set | text               | str                |
//   | std::optional<T>                  | T or null             | T or empty          | Optional[T]        |
//   | OrAbsent<T>                       | T, or no member       | (not written)       | Optional[T]        |
//   | std::vector<T>                    | array                 | (not written)       | list[T]            |
//   | a described struct                | object                | (not written)       | its class          |
//   | Settings                          | object of numbers     | one column for each | dict[str, float]   |
//   | one that WritesItself             | that of its Value     | (not written)       | that of its Value  |
#ifndef HLOROOF_LIB_DESCRIBE_RECORD_H_
#define HLOROOF_LIB_DESCRIBE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "lib/describe/json_writer.h"

namespace hloroof::internal::inline describe {

// Unit of a number. kNone is for text, flags, records and plain numbers.
enum class Unit : std::uint8_t { kNone, kCount, kSeconds, kBytes, kFlops, kShare, kBytesPerSecond, kFlopsPerSecond };

// "s", "B", ...; empty for kNone.
std::string_view unit_symbol(Unit unit);

// The formats that include the field. The schema and Python follow the JSON.
enum class Formats : std::uint8_t { kAll, kJsonOnly, kCsvOnly };

struct RecordInfo {
  std::string_view name;          // in the schema's $defs: "live_buffer"
  std::string_view python_class;  // "LiveBuffer"
  std::string_view meaning;       // one sentence
};

// The part of a row that does not depend on the type of the value.
struct FieldInfo {
  std::string_view name;  // JSON member, CSV column and Python attribute
  Unit unit = Unit::kNone;
  std::string_view meaning;  // one sentence
  // Title of the column in the op table of the HTML page. Fields without one appear only in the details of an op.
  std::string_view title;
  Formats formats = Formats::kAll;
  double least = 0;  // a number outside these bounds violates the schema
  double most = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> choices;  // texts that the field may have; empty means any
  JsonKey key;                                // `name` in JSON

  // Returns a copy with another value of one member.
  template <typename T>
  constexpr FieldInfo with(T FieldInfo::*member, T value) const {
    FieldInfo copy = *this;
    copy.*member = value;
    return copy;
  }
};

// One row. `Get` is a pointer to member or a function of the record.
template <typename Get>
struct Field {
  FieldInfo info;
  Get get;

  template <typename Record>
  constexpr decltype(auto) of(const Record& record) const {
    if constexpr (std::is_member_object_pointer_v<Get>) {
      return (record.*get);
    } else {
      return get(record);
    }
  }

  constexpr Field titled(std::string_view title) const { return {info.with(&FieldInfo::title, title), get}; }
  constexpr Field only_in(Formats formats) const { return {info.with(&FieldInfo::formats, formats), get}; }
  constexpr Field at_least(double least) const { return {info.with(&FieldInfo::least, least), get}; }
  constexpr Field at_most(double most) const { return {info.with(&FieldInfo::most, most), get}; }
  constexpr Field may_be_negative() const { return at_least(-std::numeric_limits<double>::infinity()); }
  constexpr Field one_of(std::span<const std::string_view> choices) const {
    return {info.with(&FieldInfo::choices, choices), get};
  }
};

template <typename Get>
constexpr Field<Get> field(std::string_view name, Unit unit, std::string_view meaning, Get get) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  return Field<Get>{FieldInfo{name, unit, meaning, {}, Formats::kAll, 0, kNoLimit, {}, JsonKey(name)}, get};
}

// The row of a text, a flag, a record or a plain number, which has no unit.
template <typename Get>
constexpr Field<Get> field(std::string_view name, std::string_view meaning, Get get) {
  return field(name, Unit::kNone, meaning, get);
}

// The rows of a record, in order. std::tuple would do, but takes compilers several times as long for thirty rows.
template <std::size_t index, typename Row>
struct FieldAt {
  Row row;
};

template <typename Indices, typename... Rows>
struct FieldList;

template <std::size_t... indices, typename... Rows>
struct FieldList<std::index_sequence<indices...>, Rows...> : FieldAt<indices, Rows>... {
  // NOLINTBEGIN(misc-no-recursion): records nest as deeply as their types; the only tree is that of the terms of a
  // formula.
  //
  // Calls visit(row) for each row.
  template <typename Visit>
  constexpr void each(Visit&& visit) const {
    (visit(this->FieldAt<indices, Rows>::row), ...);
  }
  // NOLINTEND(misc-no-recursion)
  // Returns make(row...).
  template <typename Make>
  constexpr auto all(Make&& make) const {
    return make(this->FieldAt<indices, Rows>::row...);
  }
};

template <typename... Rows>
constexpr auto fields(const Rows&... rows) {
  return FieldList<std::index_sequence_for<Rows...>, Rows...>{{rows}...};
}

// The rows of `first`, then those of `second`, and so on.
template <typename First, typename Second, typename... More>
constexpr auto concatenated(const First& first, const Second& second, const More&... more) {
  const auto both = first.all([&](const auto&... before) {
    return second.all([&](const auto&... after) { return fields(before..., after...); });
  });
  if constexpr (sizeof...(More) == 0) {
    return both;
  } else {
    return concatenated(both, more...);
  }
}

// A row of a record as the row of one that points to it with kMember.
template <auto kMember, typename Get>
struct OfMember {
  Field<Get> row;

  template <typename Record>
  constexpr decltype(auto) operator()(const Record& record) const {
    return row.of(*(record.*kMember));
  }
};

// All rows of a record as those of one that points to it with kMember.
template <auto kMember, typename Rows>
constexpr auto fields_of(const Rows& rows) {
  return rows.all([]<typename... Gets>(const Field<Gets>&... each) {
    return fields(Field<OfMember<kMember, Gets>>{each.info, OfMember<kMember, Gets>{each}}...);
  });
}

// The first row of a document: the name and version of its format. `kSchema` is an array of this one text.
template <const auto& kSchema>
constexpr auto schema_field() {
  return field("schema", "Name and version of this format.", [](const auto&) { return kSchema[0]; }).one_of(kSchema);
}

// Specialized for each result struct, with kInfo and kFields as above.
template <typename T>
struct Described;

template <typename T>
concept DescribedRecord = requires {
  Described<T>::kInfo;
};

// NOLINTBEGIN(misc-no-recursion): as above
// Calls visit(info, value) for each field, in the order of the table.
template <DescribedRecord T, typename Visit>
void for_each_field(const T& record, Visit&& visit) {
  Described<T>::kFields.each([&](const auto& row) { visit(row.info, row.of(record)); });
}
// NOLINTEND(misc-no-recursion)

// A member that only some records have; nullptr leaves it out.
template <typename T>
struct OrAbsent {
  const T* value = nullptr;
};

// Numbers by name, such as the device parameters that --set changed.
using Settings = std::vector<std::pair<std::string, double>>;

// Text that may be absent: nullopt for an empty string.
inline std::optional<std::string_view> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::string_view(text);
}

// The value of a row for a member of which an empty text is null.
template <typename Record>
constexpr auto or_null(std::string Record::*text) {
  return [text](const Record& record) { return text_or_null(record.*text); };
}

// Specialized for each enum that results hold: kNames has the text of each value, by index.
template <typename E>
struct EnumNames;

template <typename E>
concept NamedEnum = requires {
  EnumNames<E>::kNames;
};

// Enums whose names depend on the family of the device have EnumNames<E>::name(), and all possible names in kNames.
template <NamedEnum E>
constexpr std::string_view enum_name(E value, DeviceFamily family) {
  if constexpr (requires { EnumNames<E>::name(value, family); }) {
    return EnumNames<E>::name(value, family);
  } else {
    return EnumNames<E>::kNames[static_cast<std::size_t>(value)];
  }
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Value = T;
};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {
  using Value = T;
};
template <>
struct IsVector<Settings> : std::false_type {};
template <typename T>
struct IsOrAbsent : std::false_type {};
template <typename T>
struct IsOrAbsent<OrAbsent<T>> : std::true_type {
  using Value = T;
};

// A value that writes itself as a T::Value to JSON.
template <typename T>
concept WritesItself = requires(const T& value, JsonWriter& out) {
  typename T::Value;
  value.write_json(out);
};

// True for types that a CSV cell can hold.
template <typename T>
constexpr bool is_scalar() {
  if constexpr (IsOptional<T>::value) {
    return is_scalar<typename IsOptional<T>::Value>();
  } else {
    return std::is_arithmetic_v<T> || NamedEnum<T> || std::is_convertible_v<const T&, std::string_view>;
  }
}

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_RECORD_H_

// Metadata and what else instructions have that says nothing about what they compute: frontend attributes, statistics,
// accuracies, original values; and the tables of stack frames.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/attribute_forms.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/proto/message_rows.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {

using Statistic = std::pair<std::string, double>;
template <>
constexpr auto kMembers<Statistic> = std::tuple(&Statistic::first, &Statistic::second);
template <>
constexpr auto kMembers<Statistics> = std::tuple(&Statistics::visualizing_index, &Statistics::values);
template <>  // of its tolerance
constexpr auto kMembers<ResultAccuracy> = std::tuple(&ResultAccuracy::absolute, &ResultAccuracy::relative,
                                                     &ResultAccuracy::ulps);

namespace {

// ---- Metadata ----------------------------------------------------------------------------------------------------

struct MetadataField {
  const char* name;
  std::uint32_t number;
  std::string Metadata::*text = nullptr;
  std::int32_t Metadata::*integer = nullptr;  // without either, it is the list of profile types
};

// In the order of XLA's text.
constexpr std::array kMetadataFields = {
    MetadataField{"op_type", 1, &Metadata::op_type},
    MetadataField{"op_name", 2, &Metadata::op_name},
    MetadataField{"source_file", 3, &Metadata::source_file},
    MetadataField{"source_line", 4, nullptr, &Metadata::source_line},
    MetadataField{"source_end_line", 17, nullptr, &Metadata::source_end_line},
    MetadataField{"source_column", 18, nullptr, &Metadata::source_column},
    MetadataField{"source_end_column", 19, nullptr, &Metadata::source_end_column},
    MetadataField{"profile_type", 5},
    MetadataField{"deduplicated_name", 12, &Metadata::deduplicated_name},
    MetadataField{"scheduling_name", 16, &Metadata::scheduling_name},
    MetadataField{"stack_frame_id", 15, nullptr, &Metadata::stack_frame_id},
    MetadataField{"metadata_payload", 20, &Metadata::metadata_payload},
};

constexpr std::array kMetadataByNumber = [] {
  std::array fields = kMetadataFields;
  std::sort(fields.begin(), fields.end(),
            [](const MetadataField& a, const MetadataField& b) { return a.number < b.number; });
  return fields;
}();

// {op_type="…" op_name="…" source_file="…" source_line=I …}, omitted if it is empty
bool print_metadata(const ProtoAttribute& a) {
  const WireMessage metadata = a.message();
  const char* separator = "{";
  const auto name = [&](const MetadataField& field) {
    if (*separator == '{') a.named();
    absl::StrAppend(&a.out, separator, field.name, "=");
    separator = " ";
  };
  for (const MetadataField& field : kMetadataFields) {
    const bool is_payload = field.text == &Metadata::metadata_payload;
    if (field.text != nullptr) {
      const std::string_view text =
          is_payload ? payload_text(metadata.message(field.number), a.names) : metadata.bytes(field.number);
      if (text.empty()) continue;
      name(field);
      append_quoted(text, a.out);
    } else if (field.integer != nullptr) {
      const std::int64_t value = metadata.integer(field.number);
      if (value == 0 || (field.integer == &Metadata::stack_frame_id && !a.names.has_stack_frames)) continue;
      name(field);
      absl::StrAppend(&a.out, value);
    } else if (const std::vector<std::int64_t> types = metadata.integers(field.number); !types.empty()) {
      name(field);
      a.out += '{';
      append_list(types, a.out);
      a.out += '}';
    }
  }
  if (*separator != '{') a.out += '}';
  return true;
}

// ---- Original values ---------------------------------------------------------------------------------------------

// leaf := '{' '}' | '{' STRING ( ' ' '{' list(INT) '}' )? '}'
void append_original_leaf(const WireMessage& element, std::string& out) {
  namespace o = fields::original_value;
  out += '{';
  if (element.has(o::kArray)) {
    const WireMessage array = element.message(o::kArray);
    append_quoted(array.bytes(o::kInstruction), out);
    const std::vector<std::int64_t> index = array.integers(o::kIndex);
    if (!index.empty()) {
      out += " {";
      append_list(index, out);
      out += '}';
    }
  }
  out += '}';
}

// leaf := '{' '}' | '{' (STRING | WORD) index? '}', as OriginalValueElementProto
bool append_original(Cursor& cursor, absl::Span<const std::int64_t> place, WireWriter& out) {
  namespace f = fields::original_value;
  if (!cursor.expect('{')) return false;
  WireWriter element;
  element.packed(f::kPlace, place);
  if (cursor.peek() != '}') {
    std::string name(cursor.accept_name());
    std::string_view raw;
    if (name.empty()) {
      if (!cursor.read_string(&raw)) return false;
      name = unescape(raw);
    }
    ShapeIndex index;
    if (cursor.peek() == '{' && !read_shape_index(cursor, &index)) return false;
    WireWriter array;
    array.text(f::kInstruction, name);
    array.packed(f::kIndex, index);
    element.bytes(f::kArray, array.view());
  }
  out.bytes(f::kElements, element.view());
  return cursor.expect('}');
}

// {({"a" {0}}, ({}, {"b"}))}: the elements at their places in nested tuples, in depth-first order
bool append_original_value(const WireMessage& value, std::string& out) {
  namespace o = fields::original_value;
  if (value.flag(o::kIsSyntheticCall)) {
    out += "{[synthetic_call]}";
    return value.ok();
  }
  out += '{';
  std::vector<std::int64_t> place;
  bool is_first = true;
  for (std::string_view bytes : value.all(o::kElements)) {
    const WireMessage element(bytes);
    const std::vector<std::int64_t> next = element.integers(o::kPlace);
    std::size_t same = 0;
    if (!is_first) {
      same = static_cast<std::size_t>(std::mismatch(place.begin(), place.end(), next.begin(), next.end()).first -
                                      place.begin());
      // The place of an array is neither that of another nor inside it.
      if (same == place.size() || same == next.size() || next[same] < place[same]) return false;
      out.append(place.size() - same - 1, ')');
      out += ", ";
    }
    out.append(next.size() - same - (is_first ? 0 : 1), '(');
    append_original_leaf(element, out);
    place = next;
    is_first = false;
  }
  out += is_first ? "()" : std::string(place.size(), ')');
  out += '}';
  return value.ok();
}

// origin := '{' ('[' 'synthetic_call' ']' | tree)? '}'     tree := leaf | '(' list(tree) ')'
std::optional<std::string> original_value_proto(std::string_view text) {
  Cursor cursor(text);
  WireWriter out;
  if (!cursor.expect('{')) return std::nullopt;
  if (cursor.accept('[')) {
    if (!cursor.accept_keyword("synthetic_call") || !cursor.expect(']')) return std::nullopt;
    out.integer(fields::original_value::kIsSyntheticCall, 1);
  } else if (cursor.peek() != '}') {
    std::vector<std::int64_t> place;  // the index in each open tuple
    do {
      if (cursor.accept('(')) {
        place.push_back(0);
        if (cursor.peek() != ')') continue;
      } else if (!append_original(cursor, place, out)) {
        return std::nullopt;
      }
      while (!place.empty() && cursor.accept(')')) place.pop_back();
      if (!place.empty()) {
        if (!cursor.expect(',')) return std::nullopt;
        ++place.back();
      }
    } while (!place.empty());
  }
  if (!cursor.expect('}') || !cursor.at_end()) return std::nullopt;
  return out.take();
}

// ---- Stack frames ------------------------------------------------------------------------------------------------

// A column of a table: its name in the text, and its field.
struct Column {
  std::string_view name;
  std::uint32_t number;
  std::int64_t more_in_text = 0;
};
constexpr Column kLocations[] = {{"file_name_id", 1}, {"function_name_id", 2}, {"line", 3},
                                 {"end_line", 5},     {"column", 4},           {"end_column", 6}};
// XLA prints the number of the parent plus 1, so the first frame, which has no parent, names itself.
constexpr Column kFrames[] = {{"file_location_id", 1}, {"parent_frame_id", 2, 1}};

void append_strings(const char* title, const std::vector<std::string_view>& strings, std::string& out) {
  absl::StrAppend(&out, title, "\n");
  for (std::size_t i = 0; i < strings.size(); ++i) {
    absl::StrAppend(&out, i + 1, " \"", absl::CEscape(to_absl(strings[i])), "\"\n");
  }
  out += '\n';
}

void append_rows(const char* title, absl::Span<const Column> columns, const std::vector<std::string_view>& rows,
                 std::string& out) {
  absl::StrAppend(&out, title, "\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const WireMessage row(rows[i]);
    const char* separator = " {";
    absl::StrAppend(&out, i + 1);
    for (const Column& column : columns) {
      absl::StrAppend(&out, separator, to_absl(column.name), "=", row.integer(column.number) + column.more_in_text);
      separator = " ";
    }
    out += "}\n";
  }
  out += '\n';
}

bool append_names(Cursor& cursor, std::uint32_t field, WireWriter& out) {
  std::int64_t number = 0;
  std::string_view raw;
  while (is_digit(cursor.peek())) {
    if (!read_integer(cursor, &number) || !cursor.read_string(&raw)) return false;
    out.bytes(field, unescape(raw));
  }
  return true;
}

// rows := (INT '{' fields '}')*
bool append_rows(Cursor& cursor, absl::Span<const Column> columns, std::uint32_t table, WireWriter& out) {
  std::int64_t number = 0;
  while (is_digit(cursor.peek())) {
    std::array<std::int64_t, 8> values{};
    const auto read_column = [&](std::string_view name, const char*) {
      const auto* const column =
          std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
      return column != columns.end() && read_integer(cursor, &values[column->number]);
    };
    if (!read_integer(cursor, &number) || !read_fields(cursor, read_column)) return false;
    WireWriter row;
    for (const Column& column : columns) values[column.number] -= column.more_in_text;
    for (std::uint32_t field = 1; field < values.size(); ++field) row.integer(field, values[field]);
    out.bytes(table, row.view());
  }
  return true;
}

}  // namespace

std::int64_t Payloads::number_of(std::string_view text) {
  const std::ptrdiff_t number = std::find(texts_.begin(), texts_.end(), text) - texts_.begin();
  if (number == static_cast<std::ptrdiff_t>(texts_.size())) texts_.emplace_back(text);
  return number;
}

std::string_view payload_text(const WireMessage& payload, const Names& names) {
  if (payload.has(fields::payload::kValue)) return payload.bytes(fields::payload::kValue);
  const WireField* id = payload.find(fields::payload::kId);
  if (id == nullptr || id->type != WireType::kVarint || id->value >= names.payloads.size()) return {};
  return names.payloads[static_cast<std::size_t>(id->value)];
}

std::string metadata_proto(const Metadata& metadata, Payloads& payloads) {
  WireWriter out;
  for (const MetadataField& field : kMetadataByNumber) {
    if (field.text == &Metadata::metadata_payload) {
      if (metadata.metadata_payload.empty()) continue;
      WireWriter payload;
      payload.present(fields::payload::kId, payloads.number_of(metadata.metadata_payload));
      out.bytes(field.number, payload.view());
    } else if (field.text != nullptr) {
      out.text(field.number, metadata.*field.text);
    } else if (field.integer != nullptr) {
      out.integer(field.number, metadata.*field.integer);
    } else {
      out.packed(field.number, metadata.profile_types);
    }
  }
  return out.take();
}

void append_frontend_attributes(const WireMessage& attributes, std::string& out) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (std::string_view bytes : attributes.all(1)) {
    const WireMessage entry(bytes);
    entries.emplace_back(entry.bytes(fields::map_entry::kKey), entry.bytes(fields::map_entry::kValue));
  }
  std::sort(entries.begin(), entries.end());
  const char* separator = "{";
  for (const auto& [key, value] : entries) {
    absl::StrAppend(&out, separator, to_absl(key), "=");
    append_json_or_quoted(value, out);
    separator = ",";
  }
  out += entries.empty() ? "{}" : "}";
}

std::string frontend_attributes_proto(const FrontendAttributes& attributes) {
  WireWriter out;
  for (const auto& [key, value] : attributes) {
    WireWriter entry;
    entry.bytes(fields::map_entry::kKey, key);
    entry.bytes(fields::map_entry::kValue, value);
    out.bytes(1, entry.view());
  }
  return out.take();
}

// FileNames, FunctionNames, FileLocations, StackFrames: numbered from 1.
void append_stack_frames(const WireMessage& stack, std::string& out) {
  namespace f = fields::stack;
  const std::vector<std::string_view> files = stack.all(f::kFiles);
  if (files.empty()) return;
  append_strings("FileNames", files, out);
  append_strings("FunctionNames", stack.all(f::kFunctions), out);
  append_rows("FileLocations", kLocations, stack.all(f::kLocations), out);
  append_rows("StackFrames", kFrames, stack.all(f::kFrames), out);
  out += '\n';
}

// tables := 'FileNames' names 'FunctionNames' names 'FileLocations' rows 'StackFrames' rows
std::optional<std::string> stack_frames_proto(std::string_view tables) {
  namespace f = fields::stack;
  Cursor cursor(tables);
  WireWriter out;
  const bool ok = cursor.accept_keyword("FileNames") && append_names(cursor, f::kFiles, out) &&
                  cursor.accept_keyword("FunctionNames") && append_names(cursor, f::kFunctions, out) &&
                  cursor.accept_keyword("FileLocations") && append_rows(cursor, kLocations, f::kLocations, out) &&
                  cursor.accept_keyword("StackFrames") && append_rows(cursor, kFrames, f::kFrames, out);
  if (!ok) return std::nullopt;
  return out.take();
}

namespace forms {
namespace {

bool write(const ModuleAttribute& a, const std::optional<std::string>& message) {
  if (message) a.out.bytes(a.field.number, *message);
  return message.has_value();
}

}  // namespace

const ProtoForm kMetadata = {
    print_metadata,
    [](const ModuleAttribute& a) {
      const std::optional<Metadata> value = metadata(a.i);
      return value && write(a, metadata_proto(*value, a.payloads));
    },
};

const ProtoForm kFrontendAttributes = {
    [](const ProtoAttribute& a) {
      const WireMessage attributes = a.message();
      if (!attributes.fields().empty()) append_frontend_attributes(attributes, a.named());
      return true;
    },
    [](const ModuleAttribute& a) { return write(a, frontend_attributes_proto(frontend_attributes(a.i))); },
};

// {visualizing_index=0,name=1.5}, omitted if there are none
const ProtoForm kStatistics = {
    [](const ProtoAttribute& a) {
      const Statistics statistics = read_message<Statistics>(a.message());
      if (statistics.values.empty()) return true;
      absl::StrAppend(&a.named(), "{visualizing_index=", statistics.visualizing_index);
      for (const auto& [name, value] : statistics.values) absl::StrAppend(&a.out, ",", name, "=", value);
      a.out += '}';
      return true;
    },
    [](const ModuleAttribute& a) {
      const std::optional<Statistics> value = statistics(a.i);
      return value && write(a, message_proto(*value));
    },
};

// {mode=highest} or {tolerance={atol=F,rtol=F,ulps=I}}
const ProtoForm kResultAccuracy = {
    [](const ProtoAttribute& a) {
      namespace f = fields::result_accuracy;
      const WireMessage accuracy = a.message();
      if (!accuracy.has(f::kTolerance)) return accuracy.integer(f::kMode) != 1 || a.print("{mode=highest}");
      const auto tolerance = read_message<ResultAccuracy>(accuracy.message(f::kTolerance));
      absl::StrAppend(&a.named(), "{tolerance={atol=", tolerance.absolute, ",rtol=", tolerance.relative,
                      ",ulps=", tolerance.ulps, "}}");
      return true;
    },
    [](const ModuleAttribute& a) {
      namespace f = fields::result_accuracy;
      const std::optional<ResultAccuracy> value = result_accuracy(a.i);
      if (!value) return false;
      WireWriter accuracy;
      if (value->mode == ResultAccuracy::Mode::kTolerance) {
        accuracy.bytes(f::kTolerance, message_proto(*value));
      } else {
        accuracy.present(f::kMode, value->mode == ResultAccuracy::Mode::kHighest ? 1 : 0);
      }
      return write(a, accuracy.view());
    },
};

const ProtoForm kOrigin = {
    [](const ProtoAttribute& a) { return !a.has() || append_original_value(a.message(), a.named()); },
    [](const ModuleAttribute& a) { return write(a, original_value_proto(a.text())); },
};

}  // namespace forms

}  // namespace hloroof::internal::inline proto

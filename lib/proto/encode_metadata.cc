// Metadata, frontend attributes, statistics, original values and the tables of stack frames.
#include <algorithm>
#include <array>
#include <cstring>

#include "lib/proto/encode.h"
#include "lib/proto/fields.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {
namespace {

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

// row := INT '{' fields '}'
bool append_row(Cursor& cursor, absl::Span<const std::pair<std::string_view, std::uint32_t>> columns,
                std::int64_t one_more_than_proto, WireWriter& out) {
  std::int64_t number = 0;
  if (!read_integer(cursor, &number)) return false;
  std::array<std::int64_t, 8> values{};
  const bool ok = read_fields(cursor, [&](std::string_view name, const char*) {
    for (const auto& [text, field] : columns) {
      if (text == name) return read_integer(cursor, &values[field]);
    }
    return false;
  });
  if (!ok) return false;
  if (one_more_than_proto != 0) --values[static_cast<std::size_t>(one_more_than_proto)];
  for (std::uint32_t field = 1; field < values.size(); ++field) out.integer(field, values[field]);
  return true;
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

}  // namespace

std::int64_t Payloads::number_of(std::string_view text) {
  const std::ptrdiff_t number = std::find(texts_.begin(), texts_.end(), text) - texts_.begin();
  if (number == static_cast<std::ptrdiff_t>(texts_.size())) texts_.emplace_back(text);
  return number;
}

std::string metadata_proto(const Metadata& metadata, Payloads& payloads) {
  namespace f = fields::metadata;
  WireWriter out;
  out.text(f::kOpType, metadata.op_type);
  out.text(f::kOpName, metadata.op_name);
  out.text(f::kSourceFile, metadata.source_file);
  out.integer(f::kSourceLine, metadata.source_line);
  out.packed(f::kProfileType, metadata.profile_types);
  out.text(f::kDeduplicatedName, metadata.deduplicated_name);
  out.integer(f::kStackFrame, metadata.stack_frame_id);
  out.text(f::kSchedulingName, metadata.scheduling_name);
  out.integer(f::kSourceEndLine, metadata.source_end_line);
  out.integer(f::kSourceColumn, metadata.source_column);
  out.integer(f::kSourceEndColumn, metadata.source_end_column);
  if (!metadata.metadata_payload.empty()) {
    WireWriter payload;
    payload.present(fields::payload::kId, payloads.number_of(metadata.metadata_payload));
    out.bytes(f::kPayload, payload.view());
  }
  return out.take();
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

std::string statistics_proto(const Statistics& statistics) {
  namespace f = fields::statistics;
  WireWriter out;
  out.integer(f::kShown, statistics.visualizing_index);
  for (const auto& [name, value] : statistics.values) {
    WireWriter statistic;
    statistic.text(f::kName, name);
    statistic.floating(f::kValue, value);
    out.bytes(f::kStatistics, statistic.view());
  }
  return out.take();
}

std::string result_accuracy_proto(const ResultAccuracy& accuracy) {
  namespace f = fields::result_accuracy;
  WireWriter out;
  if (accuracy.mode != ResultAccuracy::Mode::kTolerance) {
    out.present(f::kMode, accuracy.mode == ResultAccuracy::Mode::kHighest ? 1 : 0);
    return out.take();
  }
  WireWriter tolerance;
  tolerance.floating(f::kAbsolute, accuracy.absolute);
  tolerance.floating(f::kRelative, accuracy.relative);
  tolerance.integer(f::kUlps, accuracy.ulps);
  out.bytes(f::kTolerance, tolerance.view());
  return out.take();
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

// tables := 'FileNames' names 'FunctionNames' names 'FileLocations' row* 'StackFrames' row*
std::optional<std::string> stack_frames_proto(std::string_view tables) {
  namespace f = fields::stack;
  constexpr std::pair<std::string_view, std::uint32_t> kLocation[] = {
      {"file_name_id", f::kFile}, {"function_name_id", f::kFunction}, {"line", f::kLine}, {"end_line", f::kEndLine},
      {"column", f::kColumn},     {"end_column", f::kEndColumn}};
  constexpr std::pair<std::string_view, std::uint32_t> kFrame[] = {{"file_location_id", f::kLocation},
                                                                   {"parent_frame_id", f::kParent}};
  Cursor cursor(tables);
  WireWriter out;
  const bool names = cursor.accept_keyword("FileNames") && append_names(cursor, f::kFiles, out) &&
                     cursor.accept_keyword("FunctionNames") && append_names(cursor, f::kFunctions, out);
  if (!names || !cursor.accept_keyword("FileLocations")) return std::nullopt;
  while (is_digit(cursor.peek())) {
    WireWriter row;
    if (!append_row(cursor, kLocation, 0, row)) return std::nullopt;
    out.bytes(f::kLocations, row.view());
  }
  if (!cursor.accept_keyword("StackFrames")) return std::nullopt;
  while (is_digit(cursor.peek())) {
    WireWriter row;
    // XLA prints the number of the parent plus 1.
    if (!append_row(cursor, kFrame, f::kParent, row)) return std::nullopt;
    out.bytes(f::kFrames, row.view());
  }
  return out.take();
}

}  // namespace hloroof::internal::inline proto

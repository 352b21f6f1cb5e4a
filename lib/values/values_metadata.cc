// Parses metadata, frontend_attributes, statistics and result_accuracy.
#include <string>

#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

enum MetadataField : std::uint8_t {
  kOpType,
  kOpName,
  kSourceFile,
  kSourceLine,
  kSourceEndLine,
  kSourceColumn,
  kSourceEndColumn,
  kProfileType,
  kDeduplicatedName,
  kSchedulingName,
  kStackFrameId,
  kPayload,
  kUnknownField,
};

// Most frequent first: half of all attribute values in dumps are a metadata with the first two fields.
constexpr std::pair<std::string_view, MetadataField> kMetadataFields[] = {
    {"op_name", kOpName},
    {"stack_frame_id", kStackFrameId},
    {"source_file", kSourceFile},
    {"source_line", kSourceLine},
    {"scheduling_name", kSchedulingName},
    {"op_type", kOpType},
    {"source_end_line", kSourceEndLine},
    {"source_column", kSourceColumn},
    {"source_end_column", kSourceEndColumn},
    {"profile_type", kProfileType},
    {"deduplicated_name", kDeduplicatedName},
    {"metadata_payload", kPayload},
};

MetadataField metadata_field(std::string_view name) {
  for (const auto& [text, field] : kMetadataFields) {
    if (text == name) return field;
  }
  return kUnknownField;
}

bool read_text(Cursor& cursor, std::string* out) {
  std::string_view raw;
  if (!cursor.read_string(&raw)) return false;
  if (out != nullptr) *out = unescape(raw);
  return true;
}

// Skips the value of an unknown field, which is a token or a braced list.
bool skip_unknown_field(Cursor& cursor) {
  std::string_view raw;
  switch (cursor.peek()) {
    case '{': return cursor.read_json(&raw);
    case '"':
    case '\'': return cursor.read_string(&raw);
    default: break;
  }
  if (!cursor.accept_word().empty()) return true;
  Number number;
  return cursor.read_number(&number);
}

// profile_types := '{' list(0 | 1 | 2 | 3) '}'
bool read_profile_types(Cursor& cursor, std::vector<std::int64_t>* out) {
  return read_list(cursor, '{', '}', [&] {
    cursor.skip_space();
    const char* where = cursor.at();
    std::int64_t value = 0;
    if (!read_integer(cursor, &value)) return false;
    if (value < 0 || value > 3) return cursor.fail(where, "profile type is not 0 to 3");
    if (out != nullptr) out->push_back(value);
    return true;
  });
}

bool read_metadata_field(Cursor& cursor, MetadataField field, Metadata* out) {
  switch (field) {
    case kOpType: return read_text(cursor, out == nullptr ? nullptr : &out->op_type);
    case kOpName: return read_text(cursor, out == nullptr ? nullptr : &out->op_name);
    case kSourceFile: return read_text(cursor, out == nullptr ? nullptr : &out->source_file);
    case kDeduplicatedName: return read_text(cursor, out == nullptr ? nullptr : &out->deduplicated_name);
    case kSchedulingName: return read_text(cursor, out == nullptr ? nullptr : &out->scheduling_name);
    case kPayload: return read_text(cursor, out == nullptr ? nullptr : &out->metadata_payload);
    case kSourceLine: return read_int32(cursor, out == nullptr ? nullptr : &out->source_line);
    case kSourceEndLine: return read_int32(cursor, out == nullptr ? nullptr : &out->source_end_line);
    case kSourceColumn: return read_int32(cursor, out == nullptr ? nullptr : &out->source_column);
    case kSourceEndColumn: return read_int32(cursor, out == nullptr ? nullptr : &out->source_end_column);
    case kStackFrameId: return read_int32(cursor, out == nullptr ? nullptr : &out->stack_frame_id);
    case kProfileType: return read_profile_types(cursor, out == nullptr ? nullptr : &out->profile_types);
    case kUnknownField: return skip_unknown_field(cursor);
  }
  return false;
}

}  // namespace

// metadata := '{' (','? field)* '}'
// field    := ('op_type=' | 'op_name=' | 'source_file=' | 'deduplicated_name=' | 'scheduling_name=' |
//              'metadata_payload=') STRING
//           | ('source_line=' | 'source_end_line=' | 'source_column=' | 'source_end_column=' | 'stack_frame_id=') INT32
//           | 'profile_type=' profile_types
//
// Each field occurs at most once. Skips unknown fields, which other versions of XLA print.
bool read_metadata(Cursor& cursor, Metadata* out) {
  std::uint32_t seen = 0;
  return read_fields(cursor, [&](std::string_view name, const char* where) {
    const MetadataField field = metadata_field(name);
    const std::uint32_t bit = std::uint32_t{1} << field;
    if (field != kUnknownField && (seen & bit) != 0) {
      return cursor.fail(where, "attribute " + std::string(name) + " already exists");
    }
    seen |= bit;
    return read_metadata_field(cursor, field, out) ||
           cursor.fail(where, "error parsing attribute " + std::string(name.substr(0, 64)));
  });
}

// frontend_attributes := '{' list(NAME'='(STRING | json)) '}'
bool read_frontend_attributes(Cursor& cursor, FrontendAttributes* out) {
  return read_list(cursor, '{', '}', [&] {
    const std::string_view key = cursor.accept_attribute_name();
    if (key.empty()) return cursor.fail_expects("an attribute name");
    std::string_view value;
    if (!read_string_or_json(cursor, &value)) return false;
    if (out == nullptr) return true;
    const bool json = value.front() == '{';
    out->emplace_back(std::string(key), json ? std::string(value) : unescape(value.substr(1, value.size() - 2)));
    return true;
  });
}

// statistics := '{' list(NAME'='(INT | DECIMAL)) '}'         the first is visualizing_index=INT
bool read_statistics(Cursor& cursor, Statistics* out) {
  bool first = true;
  return read_list(cursor, '{', '}', [&] {
    const std::string_view name = cursor.accept_attribute_name();
    if (name.empty()) return cursor.fail_expects("an attribute name");
    cursor.skip_space();
    const char* where = cursor.at();
    Number number;
    if (!cursor.read_number(&number)) return false;
    if (number.kind == Number::kInfinity) return cursor.fail(where, "expects an integer or decimal");
    const double value = number.kind == Number::kInteger ? static_cast<double>(number.integer)
                         : number.kind == Number::kNan   ? __builtin_nan("")
                                                         : number.decimal;
    if (out != nullptr) {
      if (first && name == "visualizing_index") {
        out->visualizing_index = number.integer;
      } else {
        out->values.emplace_back(std::string(name), value);
      }
    }
    first = false;
    return true;
  });
}

// accuracy  := '{' ('mode=' ('default' | 'highest') | 'tolerance=' tolerance) '}'        the mode in any case
// tolerance := '{' list(('atol=' | 'rtol=' | 'ulps=') NUMBER) '}'                        none negative
bool read_result_accuracy(Cursor& cursor, ResultAccuracy* out) {
  if (!cursor.expect('{')) return false;
  cursor.skip_space();
  const char* where = cursor.at();
  const std::string_view kind = cursor.accept_attribute_name();
  if (kind.empty()) return cursor.fail_expects("mode= or tolerance=");
  ResultAccuracy accuracy;
  if (kind == "mode") {
    std::size_t index = 0;
    if (!read_accuracy_mode(cursor, &index)) return false;
    accuracy.mode = index == 0 ? ResultAccuracy::Mode::kDefault : ResultAccuracy::Mode::kHighest;
  } else if (kind == "tolerance") {
    accuracy.mode = ResultAccuracy::Mode::kTolerance;
    const bool ok = read_list(cursor, '{', '}', [&] {
      const std::string_view name = cursor.accept_attribute_name();
      if (name.empty()) return cursor.fail_expects("atol=, rtol= or ulps=");
      double value = 0;
      const char* at = cursor.at();
      if (!read_double(cursor, &value)) return false;
      if (value < 0) return cursor.fail(at, "a tolerance must not be negative");
      if (name == "atol") {
        accuracy.absolute = value;
      } else if (name == "rtol") {
        accuracy.relative = value;
      } else if (name == "ulps") {
        if (!(value < 0x1p63)) return cursor.fail(at, "ulps is out of range");
        accuracy.ulps = static_cast<std::int64_t>(value);
      } else {
        return cursor.fail(name.data(), "invalid attribute name: " + std::string(name.substr(0, 64)));
      }
      return true;
    });
    if (!ok) return false;
  } else {
    return cursor.fail(where, "invalid attribute name: " + std::string(kind.substr(0, 64)));
  }
  if (out != nullptr) *out = accuracy;
  return cursor.expect('}');
}

}  // namespace hloroof::internal::inline values

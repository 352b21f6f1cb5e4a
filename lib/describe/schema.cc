#include "lib/describe/schema.h"

#include <cmath>

#include "lib/base/decimal.h"
#include "lib/describe/table.h"

namespace hloroof::internal::inline describe {
namespace {

using Kind = FieldType::Kind;

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// ---- JSON schema ----

constexpr std::size_t kWidth = 120;

// `parts` between brackets on one line, or wrapped to several if they do not fit.
std::string list(const std::vector<std::string>& parts, std::size_t indent) {
  std::string line = "[" + joined(parts, ", ") + "]";
  if (indent + line.size() + 12 <= kWidth) return line;
  const std::string pad(indent + 2, ' ');
  return "[\n" + pad + wrap(joined(parts, ", "), kWidth, indent + 2) + "\n" + std::string(indent, ' ') + "]";
}

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::kText: return "string";
    case Kind::kNumber: return "number";
    case Kind::kInteger: return "integer";
    case Kind::kFlag: return "boolean";
    case Kind::kRecord:
    case Kind::kNumbersByName: return "object";
  }
  return "object";
}

// The members of a schema object that describes one value of the field's type.
std::vector<std::string> value_schema(const FieldRow& row, std::size_t indent) {
  const FieldType& type = row.type;
  const FieldInfo& info = row.info;
  if (type.kind == Kind::kRecord) {
    const std::string reference = "\"$ref\": \"#/$defs/" + std::string(type.record) + "\"";
    if (!type.is_nullable) return {reference};
    return {"\"anyOf\": [{" + reference + "}, {\"type\": \"null\"}]"};
  }
  if (info.choices.size() == 1) return {"\"const\": " + json_text(info.choices[0])};
  if (!info.choices.empty()) {
    std::vector<std::string> choices;
    for (const std::string_view choice : info.choices) choices.push_back(json_text(choice));
    if (type.is_nullable) choices.emplace_back("null");
    return {"\"enum\": " + list(choices, indent)};
  }
  std::vector<std::string> parts;
  const std::string name = json_text(type_name(type.kind));
  parts.push_back("\"type\": " + (type.is_nullable ? "[" + name + ", \"null\"]" : name));
  if (type.kind == Kind::kNumbersByName) parts.emplace_back("\"additionalProperties\": {\"type\": \"number\"}");
  if (type.kind == Kind::kNumber || type.kind == Kind::kInteger) {
    if (std::isfinite(info.least)) parts.push_back("\"minimum\": " + shortest(info.least));
    if (std::isfinite(info.most)) parts.push_back("\"maximum\": " + shortest(info.most));
  }
  return parts;
}

std::string property(const FieldRow& row, std::size_t indent) {
  std::vector<std::string> parts = value_schema(row, indent + 2);
  if (row.type.is_list) parts = {"\"type\": \"array\"", "\"items\": {" + joined(parts, ", ") + "}"};
  if (const std::string_view unit = unit_symbol(row.info.unit); !unit.empty()) {
    parts.push_back("\"unit\": " + json_text(unit));
  }
  if (!row.info.meaning.empty()) parts.push_back("\"description\": " + json_text(row.info.meaning));
  const std::string start = std::string(indent, ' ') + json_text(row.info.name) + ": {";
  std::string line = start + joined(parts, ", ") + "}";
  if (line.size() < kWidth && line.find('\n') == std::string::npos) return line;
  const std::string pad = "\n" + std::string(indent + 2, ' ');
  return start + pad + joined(parts, "," + pad) + "\n" + std::string(indent, ' ') + "}";
}

// The members of a record's schema, each line indented.
std::string record_schema(const RecordTable& record, std::size_t indent) {
  const std::string pad(indent, ' ');
  std::vector<std::string> required;
  std::vector<std::string> properties;
  for (const FieldRow& row : record.fields) {
    if (!row.type.may_be_absent) required.push_back(json_text(row.info.name));
    properties.push_back(property(row, indent + 2));
  }
  return pad + "\"type\": \"object\",\n" + pad + "\"additionalProperties\": false,\n" + pad +
         "\"required\": " + list(required, indent) + ",\n" + pad + "\"properties\": {\n" + joined(properties, ",\n") +
         "\n" + pad + "}";
}

// ---- Python ----

std::string python_type(const ResultTable& result, const FieldType& type) {
  std::string name;
  switch (type.kind) {
    case Kind::kText: name = "str"; break;
    case Kind::kNumber: name = "float"; break;
    case Kind::kInteger: name = "int"; break;
    case Kind::kFlag: name = "bool"; break;
    case Kind::kNumbersByName: name = "dict[str, float]"; break;
    case Kind::kRecord:
      for (const RecordTable& record : result.records) {
        if (record.info.name == type.record) name = record.info.python_class;
      }
      break;
  }
  if (type.is_list) name = "list[" + name + "]";
  return type.is_nullable || type.may_be_absent ? "Optional[" + name + "]" : name;
}

std::string python_default(const FieldRow& row, bool is_last) {
  if (row.type.may_be_absent) return " = None";
  if (row.type.kind == Kind::kNumbersByName && is_last) return " = field(default_factory=dict)";
  if (row.type.kind == Kind::kRecord && row.type.is_list) return " = field(repr=False)";
  return "";
}

// The meaning, with Python's word for null, and the choices.
std::string python_note(const FieldInfo& info) {
  std::string note(info.meaning);
  if (const std::size_t at = note.find("null"); at != std::string::npos) note.replace(at, 4, "None");
  if (info.choices.size() > 1) {
    std::vector<std::string> choices(info.choices.begin(), info.choices.end());
    note += (note.empty() ? "One of " : " One of ") + joined(choices, ", ") + ".";
  }
  return note;
}

std::string python_class(const ResultTable& result, const RecordTable& record) {
  std::string out = "@dataclass(frozen=True)\nclass " + std::string(record.info.python_class) + ":\n";
  out += "    \"\"\"" + std::string(record.info.meaning) + "\"\"\"\n\n";
  for (const FieldRow& row : record.fields) {
    const bool is_last = &row == &record.fields.back();
    out += "    " + std::string(row.info.name) + ": " + python_type(result, row.type) + python_default(row, is_last) +
           "\n";
    if (const std::string note = python_note(row.info); !note.empty()) {
      out += "    \"\"\"" + wrap(note, kWidth - 3, 4) + "\"\"\"\n";
    }
  }
  return out;
}

}  // namespace

std::string_view unit_symbol(Unit unit) {
  switch (unit) {
    case Unit::kNone: return "";
    case Unit::kCount: return "1";
    case Unit::kSeconds: return "s";
    case Unit::kBytes: return "B";
    case Unit::kFlops: return "flop";
    case Unit::kShare: return "share";
    case Unit::kBytesPerSecond: return "B/s";
    case Unit::kFlopsPerSecond: return "flop/s";
  }
  return "";
}

std::string result_name(const ResultTable& result) {
  const std::size_t begin = result.id.find('.') + 1;
  return std::string(result.id.substr(begin, result.id.find('/') - begin));
}

std::string schema_json(const ResultTable& result) {
  const RecordTable& root = result.records.front();
  std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n";
  out += "  \"$id\": " + json_text(result.id) + ",\n  \"title\": " + json_text(result.title) + ",\n";
  out += "  \"description\": " + json_text(root.info.meaning) + ",\n";
  out += record_schema(root, 2);
  std::vector<std::string> definitions;
  for (std::size_t i = 1; i < result.records.size(); ++i) {
    const RecordTable& record = result.records[i];
    definitions.push_back("    " + json_text(record.info.name) + ": {\n      \"description\": " +
                          json_text(record.info.meaning) + ",\n" + record_schema(record, 6) + "\n    }");
  }
  if (!definitions.empty()) out += ",\n  \"$defs\": {\n" + joined(definitions, ",\n") + "\n  }";
  return out + "\n}\n";
}

std::string python_classes(const ResultTable& result) {
  std::string out =
      "\"\"\"The records of the JSON " + std::string(result.id) +
      ", with its names, in SI units.\n\nThe build generates this file from the fields of the records. A fact that is "
      "not known is None.\n\"\"\"\n\n"
      "from __future__ import annotations\n\nfrom dataclasses import dataclass, field\nfrom typing import Optional\n";
  out += "\n# What `schema` of a document is.\nSCHEMA = " + json_text(result.id) + "\n";
  for (const RecordTable& record : result.records) out += "\n\n" + python_class(result, record);
  out += "\n\n# Classes of the members that are records or lists of records.\nRECORD_OF_MEMBER: dict[str, type] = {\n";
  std::vector<std::string> members;
  for (const RecordTable& record : result.records) {
    for (const FieldRow& row : record.fields) {
      if (row.type.kind != Kind::kRecord) continue;
      FieldType one = row.type;
      one.is_list = one.is_nullable = one.may_be_absent = false;
      std::string member = "    " + json_text(row.info.name) + ": " + python_type(result, one) + ",\n";
      if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(std::move(member));
    }
  }
  out += joined(members, "");
  return out + "}\n";
}

}  // namespace hloroof::internal::inline describe

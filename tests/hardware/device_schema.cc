#include "tests/hardware/device_schema.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/device_file.h"
#include "lib/hardware/names.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kHead = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "%SCHEMA%",
  "title": "hloroof device file",
  "description": "The numbers of one device, as their sources give them. README.md in the same folder explains them.",
  "type": "object",
  "required": ["schema", "name"],
  "additionalProperties": false,
  "properties": {
    "schema": {"const": "%SCHEMA%"},
    "name": {"type": "string", "pattern": "^[a-z0-9_]+$"},
    "extends": {"type": "string", "minLength": 1, "description": "the built-in file whose numbers hold unless given here"},
    "abstract": {"type": "boolean", "description": "of built-in files: only there to be extended"},
    "display_name": {"$ref": "#/$defs/text"},
    "vendor": {"$ref": "#/$defs/text"},
    "family": {"enum": [%FAMILY%]},
    "architecture": {"$ref": "#/$defs/text"},
    "aliases": {"type": "array", "items": {"$ref": "#/$defs/text"}},
    "notes": {"type": "array", "items": {"$ref": "#/$defs/text"}},
    "sources": {"type": "object", "additionalProperties": {"$ref": "#/$defs/text"}},
    "accuracy": {"description": "errors of predictions over held-back measurements; not inherited", "type": "array", "minItems": 1, "items": {"$ref": "#/$defs/accuracy"}},
)";

constexpr std::string_view kTail = R"(
  },
  "$defs": {
%QUANTITIES%    "text": {"type": "string", "minLength": 1},
    "box": {"type": "string", "pattern": "^[0-9]+([xX][0-9]+){0,7}$"},
    "kind": {"enum": [%KIND%]},
    "per": {"enum": ["device", "chip", "core"]},
    "positive": {"type": "number", "exclusiveMinimum": 0},
    "from_zero": {"type": "number", "minimum": 0},
    "fraction": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "count": {"type": "integer", "minimum": 1, "maximum": 1000000000},
    "flag": {"type": "boolean"},
    "weight": {
      "type": "object",
      "required": ["vector_ops", "kind", "source"],
      "additionalProperties": false,
      "properties": {
        "vector_ops": {"$ref": "#/$defs/from_zero"},
        "transcendentals": {"$ref": "#/$defs/from_zero"},
        "kind": {"$ref": "#/$defs/kind"},
        "source": {"$ref": "#/$defs/text"},
        "note": {"$ref": "#/$defs/text"},
        "measured_on": {"$ref": "#/$defs/text"}
      }
    },
    "torus": {
      "type": "object",
      "required": ["wrap", "slices", "kind", "source"],
      "additionalProperties": false,
      "properties": {
        "wrap": {"enum": [%WRAP%]},
        "slices": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/box"}},
        "pod_shape": {"$ref": "#/$defs/box"},
        "cube_edge": {"$ref": "#/$defs/count"},
        "kind": {"$ref": "#/$defs/kind"},
        "source": {"$ref": "#/$defs/text"},
        "note": {"$ref": "#/$defs/text"}
      }
    },
    "accuracy": {
      "type": "object",
      "required": ["what", "rows", "median", "p90"],
      "additionalProperties": false,
      "properties": {
        "what": {"enum": [%MEASURED%]},
        "rows": {"$ref": "#/$defs/count"},
        "median": {"$ref": "#/$defs/from_zero"},
        "p90": {"$ref": "#/$defs/from_zero"}
      }
    }
  }
}
)";

std::string_view range_name(FieldRange range) {
  switch (range) {
    case FieldRange::kPositive: return "positive";
    case FieldRange::kNonNegative: return "from_zero";
    case FieldRange::kFraction: return "fraction";
    case FieldRange::kCount: return "count";
    case FieldRange::kFlag: return "flag";
  }
  return "?";
}

template <typename Enum, size_t n>
std::string quoted(const Word<Enum> (&words)[n]) {
  return absl::StrJoin(words, ", ", [](std::string* out, const Word<Enum>& word) {
    absl::StrAppend(out, "\"", to_absl(word.word), "\"");
  });
}

// Numbers of the same range, unit and scope share a definition: "positive_B_per_s_shared".
std::string definition_name(const DeviceField& field) {
  return absl::StrCat(to_absl(range_name(field.range)), "_",
                      absl::StrReplaceAll(to_absl(field.unit), {{"/", "_per_"}, {"B^0.5", "root_B"}, {"1", "number"}}),
                      field.scope == FieldScope::kShared ? "_shared" : "");
}

// The definition of a quantity: null, an object with value, unit, kind and source, or an object whose value is "none"
// and which needs no unit.
std::string definition_of(const DeviceField& field) {
  const bool shared = field.scope == FieldScope::kShared;
  return absl::StrCat("    \"", definition_name(field), "\": {\n      \"type\": [\"object\", \"null\"],\n",
                      "      \"required\": [\"value\", \"kind\", \"source\"],\n",
                      "      \"if\": {\"properties\": {\"value\": {\"const\": \"none\"}}},\n",
                      "      \"else\": {\"required\": [\"unit\"", shared ? ", \"per\"" : "", "]},\n",
                      "      \"additionalProperties\": false,\n      \"properties\": {\n",
                      "        \"value\": {\"anyOf\": [{\"const\": \"none\"}, {\"$ref\": \"#/$defs/",
                      to_absl(range_name(field.range)), "\"}]},\n", "        \"unit\": {\"const\": \"",
                      to_absl(field.unit), "\"},\n", shared ? "        \"per\": {\"$ref\": \"#/$defs/per\"},\n" : "",
                      "        \"kind\": {\"$ref\": \"#/$defs/kind\"},\n",
                      "        \"source\": {\"$ref\": \"#/$defs/text\"},\n",
                      "        \"note\": {\"$ref\": \"#/$defs/text\"},\n",
                      "        \"measured_on\": {\"$ref\": \"#/$defs/text\"}\n      }\n    },\n");
}

// Appends the fields as nested objects. Fields with the same dotted prefix are adjacent in the table, so an object
// opens or closes when the prefix changes.
void append_fields(std::string& out) {
  std::vector<std::string> open;
  const auto indent = [&open] { return std::string(4 + 4 * open.size(), ' '); };
  bool first_in_group = true;
  for (const DeviceField& field : device_fields()) {
    std::vector<std::string> groups = absl::StrSplit(to_absl(field.path), '.');
    const std::string name = groups.back();
    groups.pop_back();
    size_t same = 0;
    while (same < open.size() && same < groups.size() && open[same] == groups[same]) ++same;
    while (open.size() > same) {
      open.pop_back();
      absl::StrAppend(&out, "\n", indent(), "  }\n", indent(), "}");
      first_in_group = false;
    }
    if (!first_in_group) absl::StrAppend(&out, ",\n");
    while (open.size() < groups.size()) {
      const std::string& group = groups[open.size()];
      absl::StrAppend(&out, indent(), "\"", group, "\": {\n", indent(), "  \"type\": \"object\",\n", indent(),
                      "  \"additionalProperties\": false,\n", indent(), "  \"properties\": {\n");
      open.push_back(group);
      if (open.size() == 1 && group == "ici") {
        absl::StrAppend(&out, indent(), "\"torus\": {\"$ref\": \"#/$defs/torus\"},\n");
      }
      if (open.size() == 1 && group == "vector") {
        absl::StrAppend(
            &out, indent(),
            "\"weights\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/weight\"}},\n");
      }
    }
    absl::StrAppend(&out, indent(), "\"", name, "\": {\"description\": \"", to_absl(field.meaning),
                    "\", \"$ref\": \"#/$defs/", definition_name(field), "\"}");
    first_in_group = false;
  }
  while (!open.empty()) {
    open.pop_back();
    absl::StrAppend(&out, "\n", indent(), "  }\n", indent(), "}");
  }
}

void replace(std::string_view placeholder, const std::string& by, std::string& text) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += by.size()) {
    text.replace(at, placeholder.size(), by);
  }
}

}  // namespace

std::string device_schema_json() {
  std::string out(kHead);
  append_fields(out);
  out += kTail;
  std::map<std::string, std::string> definitions;
  for (const DeviceField& field : device_fields()) definitions.emplace(definition_name(field), definition_of(field));
  std::string quantities;
  for (const auto& [name, definition] : definitions) quantities += definition;
  replace("%QUANTITIES%", quantities, out);
  replace("%SCHEMA%", std::string(kDeviceSchema), out);
  replace("%FAMILY%", quoted(kFamilyWords), out);
  replace("%KIND%", quoted(kProvenanceWords), out);
  replace("%MEASURED%", quoted(kMeasuredWords), out);
  replace("%WRAP%", quoted(kWrapWords), out);
  return out;
}

}  // namespace hloroof::internal

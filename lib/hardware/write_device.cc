#include "lib/hardware/write_device.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/decimal.h"
#include "lib/base/json.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/device_file.h"
#include "lib/hardware/names.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal::inline hardware {
namespace {

constexpr std::int64_t kMostBytesOfFile = std::int64_t{1} << 24;

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&out, absl::StrFormat("\\u%04x", static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string source_members(const ParameterSource& source) {
  std::string out = absl::StrCat("\"kind\": ", json_string(word_of(kProvenanceWords, source.kind)),
                                 ", \"source\": ", json_string(source.source.empty() ? "not said" : source.source));
  if (!source.note.empty()) absl::StrAppend(&out, ", \"note\": ", json_string(source.note));
  return out;
}

std::string quantity(const DeviceField& field, const Fact<double>& value, const ParameterSource& source) {
  if (is_unknown(value)) return "null";
  if (value.is_none()) return absl::StrCat("{\"value\": \"none\", ", source_members(source), "}");
  const std::string shown = field.range == FieldRange::kFlag ? (*value != 0 ? "true" : "false") : shortest(*value);
  return absl::StrCat("{\"value\": ", shown, ", \"unit\": ", json_string(field.unit),
                      field.scope == FieldScope::kShared ? ", \"per\": \"device\"" : "", ", ", source_members(source),
                      "}");
}

// Writes the members of nested objects by their dotted paths. The paths of one group must be adjacent.
class ObjectWriter {
 public:
  void add(std::string_view path, std::string_view value) {
    std::vector<std::string> groups = absl::StrSplit(to_absl(path), '.');
    const std::string key = groups.back();
    groups.pop_back();
    size_t same = 0;
    while (same < open_.size() && same < groups.size() && open_[same] == groups[same]) ++same;
    while (open_.size() > same) close();
    while (open_.size() < groups.size()) {
      begin_member(groups[open_.size()]);
      out_ += "{";
      open_.push_back(groups[open_.size()]);
      first_ = true;
    }
    begin_member(key);
    absl::StrAppend(&out_, to_absl(value));
    first_ = false;
  }

  std::string finish() {
    while (!open_.empty()) close();
    return out_ + "\n}\n";
  }

 private:
  void begin_member(std::string_view key) {
    absl::StrAppend(&out_, first_ ? "\n" : ",\n", std::string(2 + 2 * open_.size(), ' '), json_string(key), ": ");
  }
  void close() {
    open_.pop_back();
    absl::StrAppend(&out_, "\n", std::string(2 + 2 * open_.size(), ' '), "}");
    first_ = false;
  }

  std::string out_ = "{";
  std::vector<std::string> open_;
  bool first_ = true;
};

// Returns the weights in which two vector units differ, as a JSON object; empty if there are none.
std::string changed_weights(const VectorUnit& unit, const VectorUnit& original) {
  std::string out;
  for (const OpWeight& weight : unit.weights) {
    const OpWeight before = op_weight(original, weight.op);
    if (weight.vector_ops == before.vector_ops && weight.transcendentals == before.transcendentals) continue;
    absl::StrAppend(
        &out, out.empty() ? "{" : ", ", json_string(weight.op), ": {\"vector_ops\": ", shortest(weight.vector_ops),
        ", \"transcendentals\": ", shortest(weight.transcendentals), ", ", source_members(weight.source), "}");
  }
  return out.empty() ? out : out + "}";
}

std::string accuracies(const std::vector<Accuracy>& list) {
  std::string out;
  for (const Accuracy& accuracy : list) {
    absl::StrAppend(&out, out.empty() ? "[" : ",",
                    "\n    {\"what\": ", json_string(word_of(kMeasuredWords, accuracy.what)),
                    ", \"rows\": ", accuracy.rows, ", \"median\": ", shortest(accuracy.median),
                    ", \"p90\": ", shortest(accuracy.p90), "}");
  }
  return out + "\n  ]";
}

bool is_abstract_file(std::string_view name) {
  const std::string file = std::string(name) + ".json";
  const std::optional<std::string_view> text = embedded_hardware_text(file);
  if (!text) return false;
  const absl::StatusOr<OrderedJson> json = parse_json(*text, file);
  const OrderedJson* abstract = json.ok() ? find(*json, {"abstract"}) : nullptr;
  return abstract != nullptr && *abstract == true;
}

}  // namespace

absl::StatusOr<std::string> extended_by(const std::string& path) {
  const auto text = SourceText::read(path, kMostBytesOfFile);
  if (!text.ok()) return text.status();
  const absl::StatusOr<OrderedJson> json = parse_json((*text)->view(), path);
  if (!json.ok()) return json.status();
  const OrderedJson* base = find(*json, {"extends"});
  if (base != nullptr && base->is_string()) return base->get<std::string>();
  return invalid_argument(path + " extends no built-in device, and a fitted file must");
}

absl::StatusOr<std::string> write_device_file(const Device& device, std::string_view base, std::string_view name,
                                              std::string_view display_name) {
  absl::StatusOr<Device> original = find_device(base);
  const bool is_abstract = !original.ok() && is_abstract_file(base);
  if (is_abstract) {
    original = Device();
    original->name = std::string(base);
  }
  if (!original.ok()) return original.status();
  std::vector<std::pair<std::string, std::string>> members = {{"schema", json_string(kDeviceSchema)},
                                                              {"name", json_string(name)},
                                                              {"extends", json_string(original->name)},
                                                              {"display_name", json_string(display_name)}};
  if (is_abstract && !device.vendor.empty()) members.emplace_back("vendor", json_string(device.vendor));
  // Not inherited, and therefore written even if it is that of `original`.
  if (!device.accuracy.empty()) members.emplace_back("accuracy", accuracies(device.accuracy));
  const std::span<const DeviceField> fields = device_fields();
  size_t after_vector = members.size();  // the position for the weights, adjacent to the rest of their group
  for (size_t i = 0; i < fields.size(); ++i) {
    const Fact<double> value = get_field(fields[i], device);
    const bool is_left_out = is_abstract ? is_unknown(value) || !exists(fields[i], device.family())
                                         : value == get_field(fields[i], *original);
    if (is_left_out) continue;
    const ParameterSource source = i < device.sources.size() ? device.sources[i] : ParameterSource();
    members.emplace_back(fields[i].path, quantity(fields[i], value, source));
    const bool at_most_vector = fields[i].path.find('.') == std::string_view::npos ||
                                fields[i].path.starts_with("matrix.") || fields[i].path.starts_with("vector.");
    if (at_most_vector) after_vector = members.size();
  }
  if (const std::string weights = changed_weights(device.vector, original->vector); !weights.empty()) {
    members.insert(members.begin() + static_cast<std::ptrdiff_t>(after_vector), {"vector.weights", weights});
  }
  ObjectWriter writer;
  for (const auto& [path, value] : members) writer.add(path, value);
  std::string text = writer.finish();
  if (absl::Status valid = check_device_file(text, name); !valid.ok()) return valid;
  return text;
}

}  // namespace hloroof::internal::inline hardware

#include "lib/hardware/device_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/json.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/names.h"

namespace hloroof::internal::inline hardware {
namespace {

constexpr size_t kMaxProblems = 20;  // reported in one message
constexpr size_t kMaxShown = 60;     // characters of an invalid value in a message

constexpr std::string_view kNone = "none";  // the value of a number that the device lacks

constexpr Word<FieldPer> kPerWords[] = {
    {"device", FieldPer::kDevice}, {"chip", FieldPer::kChip}, {"core", FieldPer::kCore}};

// Formats a value for a message.
std::string show(const OrderedJson& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return absl::StrCat("\"", text.substr(0, kMaxShown), text.size() > kMaxShown ? "..." : "", "\"");
  }
  if (value.is_number()) return absl::StrCat(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  return std::string(kind_text(value));
}

// The text of a string; an empty one of anything else.
std::string text_of(const OrderedJson& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::string join(std::string_view group, std::string_view key) {
  return group.empty() ? std::string(key) : absl::StrCat(to_absl(group), ".", to_absl(key));
}

// Reads one file. Continues after a problem, so that one message reports all of them.
class Reader {
 public:
  explicit Reader(std::string_view path) : path_(path) { file_.quantities.resize(device_fields().size()); }

  absl::StatusOr<DeviceFile> read(const OrderedJson& root) {
    if (!root.is_object()) {
      problem("", root, "an object");
    } else {
      const OrderedJson* schema = find(root, {"schema"});
      if (schema == nullptr) {
        missing("", "schema", absl::StrCat("\"", to_absl(kDeviceSchema), "\""));
      } else if (text_of(*schema) != kDeviceSchema) {
        problem("schema", *schema, absl::StrCat("\"", to_absl(kDeviceSchema), "\""));
      }
      read_members(root);
      if (!file_.abstract && !file_.measured_on.empty()) {
        problem(join(file_.measured_on.begin()->first, "measured_on"), "only for files that are abstract");
      }
    }
    if (problems_.empty()) return std::move(file_);
    std::string message;
    for (size_t i = 0; i < problems_.size(); ++i) {
      if (i == kMaxProblems) {
        absl::StrAppend(&message, "\n", to_absl(path_), ": and ", problems_.size() - i, " more problems");
        break;
      }
      absl::StrAppend(&message, i == 0 ? "" : "\n", problems_[i]);
    }
    return invalid_argument(message);
  }

 private:
  void problem(std::string_view at, std::string_view what) {
    problems_.push_back(absl::StrCat(to_absl(path_), ": ", at.empty() ? "" : "at ", to_absl(at), at.empty() ? "" : ": ",
                                     to_absl(what)));
  }
  void problem(std::string_view at, const OrderedJson& found, std::string_view expected) {
    problem(at, absl::StrCat("found ", show(found), "; expected ", to_absl(expected)));
  }
  void missing(std::string_view at, std::string_view key, std::string_view expected) {
    problem(at, absl::StrCat("\"", to_absl(key), "\" is missing; expected ", to_absl(expected)));
  }

  // Reads the top-level members of the file, then those of its groups of numbers.
  void read_members(const OrderedJson& root) {
    std::vector<std::pair<std::string, const OrderedJson*>> groups = {{"", &root}};
    for (size_t i = 0; i < groups.size(); ++i) {  // the loop appends to `groups`
      const auto [group, object] = groups[i];
      for (const auto& [key, value] : object->items()) {
        const std::string at = join(group, key);
        if (group.empty() && read_identity(key, value)) continue;
        if (const std::optional<size_t> field = find_field(at)) {
          read_quantity(*field, value);
        } else if (at == "ici.torus") {
          read_torus(at, value);
        } else if (at == "vector.weights") {
          read_weights(at, value);
        } else if (!is_group(at)) {
          unknown(at, group);
        } else if (value.is_object()) {
          groups.emplace_back(at, &value);
        } else {
          problem(at, value, "an object");
        }
      }
    }
  }

  static bool is_group(std::string_view at) {
    for (const DeviceField& field : device_fields()) {
      if (field.path.size() > at.size() && field.path.starts_with(at) && field.path[at.size()] == '.') return true;
    }
    return false;
  }

  void unknown(std::string_view at, std::string_view group) {
    // Problems that are only counted need no suggestion, which takes long to find.
    if (problems_.size() >= kMaxProblems) return problem(at.substr(0, kMaxShown), "no such member");
    std::vector<std::string> known;
    for (const DeviceField& field : device_fields()) {
      if (field.path.starts_with(group)) known.emplace_back(field.path);
    }
    const std::vector<std::string> nearest = nearest_names(at, known, 1);
    problem(at.substr(0, kMaxShown), nearest.empty()
                                         ? std::string("no such member")
                                         : absl::StrCat("no such member; the nearest is \"", nearest[0], "\""));
  }

  // Reads a member that is not a number. Returns whether `key` is such a member.
  bool read_identity(const std::string& key, const OrderedJson& value) {
    if (key == "schema") return true;  // read() has checked it
    if (key == "name") {
      if (read_string(key, value, file_.name) && !is_name(file_.name)) {
        problem(key, value, "lower-case letters, digits and underscores");
      }
    } else if (key == "display_name") {
      read_string(key, value, file_.display_name);
    } else if (key == "vendor") {
      read_string(key, value, file_.vendor);
    } else if (key == "architecture") {
      read_string(key, value, file_.architecture);
    } else if (key == "extends") {
      read_string(key, value, file_.extends);
    } else if (key == "family") {
      std::string word;
      if (read_string(key, value, word)) {
        file_.family = value_of(kFamilyWords, word);
        if (!file_.family) problem(key, value, list_words(kFamilyWords));
      }
    } else if (key == "abstract") {
      if (value.is_boolean()) {
        file_.abstract = value.get<bool>();
      } else {
        problem(key, value, "true or false");
      }
    } else if (key == "aliases") {
      read_strings(key, value, file_.aliases);
    } else if (key == "notes") {
      read_strings(key, value, file_.notes);
    } else if (key == "accuracy") {
      read_accuracies(key, value);
    } else if (key == "sources") {
      if (!value.is_object()) {
        problem(key, value, "an object of titles by key");
      } else {
        for (const auto& [source, title] : value.items()) read_string(join(key, source), title, file_.sources[source]);
      }
    } else {
      return false;
    }
    return true;
  }

  static bool is_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  bool read_string(std::string_view at, const OrderedJson& value, std::string& out) {
    if (text_of(value).empty()) {
      problem(at, value, "a string that is not empty");
      return false;
    }
    out = value.get<std::string>();
    return true;
  }

  void read_strings(std::string_view at, const OrderedJson& value, std::vector<std::string>& out) {
    if (!value.is_array()) {
      problem(at, value, "an array of strings");
      return;
    }
    for (const OrderedJson& element : value) {
      std::string text;
      if (read_string(at, element, text)) out.push_back(std::move(text));
    }
  }

  // Reads kind, source, note and measured_on, which every number has.
  bool read_source_member(std::string_view at, const std::string& key, const OrderedJson& value,
                          ParameterSource& source) {
    if (key == "kind") {
      std::string word;
      if (read_string(join(at, key), value, word)) {
        const std::optional<Provenance> kind = value_of(kProvenanceWords, word);
        if (!kind) problem(join(at, key), value, list_words(kProvenanceWords));
        source.kind = kind.value_or(Provenance::kAssumed);
      }
    } else if (key == "source") {
      read_string(join(at, key), value, source.source);
    } else if (key == "note") {
      read_string(join(at, key), value, source.note);
    } else if (key == "measured_on") {
      read_string(join(at, key), value, file_.measured_on[std::string(at)]);
    } else {
      return false;
    }
    return true;
  }

  void require_source(std::string_view at, const OrderedJson& object) {
    if (!object.contains("kind")) missing(at, "kind", list_words(kProvenanceWords));
    if (!object.contains("source")) missing(at, "source", "the key of a source, or what the number comes from");
  }

  // Quantity = null | { "value": number, "unit": ..., ["per": ...,] "kind": ..., "source": ..., ["note": ...,]
  //              ["measured_on": device] }
  //          | { "value": "none", "kind": ..., "source": ..., ["note": ...] }
  void read_quantity(size_t index, const OrderedJson& value) {
    const DeviceField& field = device_fields()[index];
    const std::string_view at = field.path;
    Quantity quantity;
    if (value.is_null()) {
      file_.quantities[index] = quantity;
      return;
    }
    if (!value.is_object()) {
      problem(at, value, "an object with value, unit, kind and source, or null");
      return;
    }
    const OrderedJson* const stated = find(value, {"value"});
    const bool is_none = stated != nullptr && text_of(*stated) == kNone;
    for (const auto& [key, member] : value.items()) {
      if (key == "value") {
        quantity.value = is_none ? Fact<double>::none() : read_number(at, member, field.range);
      } else if (key == "unit") {
        if (text_of(member) != field.unit) {
          problem(join(at, key), member, absl::StrCat("\"", to_absl(field.unit), "\""));
        }
      } else if (key == "per" && field.scope == FieldScope::kShared) {
        const std::optional<FieldPer> per = value_of(kPerWords, text_of(member));
        if (!per) problem(join(at, key), member, list_words(kPerWords));
        quantity.per = per.value_or(FieldPer::kDevice);
      } else if (!read_source_member(at, key, member, quantity.source)) {
        problem(join(at, key).substr(0, kMaxShown + at.size()), "no such member of a number");
      }
    }
    if (stated == nullptr) missing(at, "value", range_text(field.range));
    if (!is_none && !value.contains("unit")) missing(at, "unit", absl::StrCat("\"", to_absl(field.unit), "\""));
    if (!is_none && field.scope == FieldScope::kShared && !value.contains("per")) {
      missing(at, "per", list_words(kPerWords));
    }
    require_source(at, value);
    file_.quantities[index] = std::move(quantity);
  }

  Fact<double> read_number(std::string_view at, const OrderedJson& value, FieldRange range) {
    Fact<double> number;
    if (range == FieldRange::kFlag) {
      if (value.is_boolean()) number = Fact<double>(value.get<bool>() ? 1 : 0);
    } else if (value.is_number() && in_range(range, value.get<double>())) {
      number = Fact<double>(value.get<double>());
    }
    if (!number) problem(join(at, "value"), value, range_text(range));
    return number;
  }

  // Weights = { opcode: { "vector_ops": number, ["transcendentals": number,] "kind": ..., "source": ... } ... }
  void read_weights(std::string_view at, const OrderedJson& value) {
    if (!value.is_object()) {
      problem(at, value, "an object of weights by opcode");
      return;
    }
    for (const auto& [op, weight] : value.items()) {
      const std::string here = join(at, op.substr(0, kMaxShown));
      if (!weight.is_object()) {
        problem(here, weight, "an object with vector_ops, kind and source");
        continue;
      }
      OpWeight out;
      out.op = op;
      for (const auto& [key, member] : weight.items()) {
        if (key == "vector_ops" || key == "transcendentals") {
          double& number = key == "vector_ops" ? out.vector_ops : out.transcendentals;
          if (member.is_number() && in_range(FieldRange::kNonNegative, member.get<double>())) {
            number = member.get<double>();
          } else {
            problem(join(here, key), member, range_text(FieldRange::kNonNegative));
          }
        } else if (!read_source_member(here, key, member, out.source)) {
          problem(join(here, key.substr(0, kMaxShown)), "no such member of a weight");
        }
      }
      if (!weight.contains("vector_ops")) missing(here, "vector_ops", range_text(FieldRange::kNonNegative));
      require_source(here, weight);
      file_.weights.push_back(std::move(out));
    }
  }

  // Torus = { "wrap": ..., "slices": [box...], ["pod_shape": box,] ["cube_edge": count,] "source": ..., ["note": ...] }
  void read_torus(std::string_view at, const OrderedJson& value) {
    if (!value.is_object()) {
      problem(at, value, "an object with wrap and slices");
      return;
    }
    TorusSpec torus;
    ParameterSource source;
    for (const auto& [key, member] : value.items()) {
      const std::string here = join(at, key.substr(0, kMaxShown));
      if (key == "wrap") {
        const std::optional<WrapRule> wrap = value_of(kWrapWords, text_of(member));
        if (!wrap) problem(here, member, list_words(kWrapWords));
        torus.wrap = wrap.value_or(WrapRule::kNone);
      } else if (key == "pod_shape") {
        if (auto shape = read_box(here, member)) torus.pod_shape = std::move(*shape);
      } else if (key == "cube_edge") {
        const bool is_count = member.is_number() && in_range(FieldRange::kCount, member.get<double>());
        if (!is_count) problem(here, member, range_text(FieldRange::kCount));
        torus.cube_edge = is_count ? static_cast<int64_t>(member.get<double>()) : 1;
      } else if (key == "slices") {
        if (!member.is_array()) {
          problem(here, member, "an array of slice shapes, the smallest first");
          continue;
        }
        for (const OrderedJson& element : member) {
          if (auto shape = read_box(here, element)) torus.slices.push_back(std::move(*shape));
        }
      } else if (!read_source_member(at, key, member, source)) {
        problem(here, "no such member of a torus");
      }
    }
    if (!value.contains("wrap")) missing(at, "wrap", list_words(kWrapWords));
    require_source(at, value);
    check_torus(at, torus);
    file_.torus = std::move(torus);
  }

  std::optional<std::vector<int64_t>> read_box(std::string_view at, const OrderedJson& value) {
    std::optional<std::vector<int64_t>> shape;
    if (value.is_string()) shape = parse_box(value.get<std::string>());
    if (shape && !box_size(*shape)) shape.reset();
    if (!shape) problem(at, value, "a shape such as \"4x4x8\"");
    return shape;
  }

  // Checks that all shapes of one torus have the same number of axes, and that slices are sorted by size. The search
  // for a slice relies on this order.
  void check_torus(std::string_view at, TorusSpec& torus) {
    if (torus.slices.empty()) {
      missing(at, "slices", "an array of slice shapes, the smallest first");
      return;
    }
    torus.dims = static_cast<int64_t>(torus.slices[0].size());
    int64_t before = 0;
    for (const std::vector<int64_t>& slice : torus.slices) {
      const int64_t size = box_size(slice).value_or(0);
      if (slice.size() != torus.slices[0].size() || size < before) {
        problem(join(at, "slices"), absl::StrCat("found \"", print_box(slice), "\"; expected ", torus.dims,
                                                 " axes each and the smallest slice first"));
      }
      before = size;
    }
    if (!torus.pod_shape.empty() && torus.pod_shape.size() != torus.slices[0].size()) {
      problem(join(at, "pod_shape"), absl::StrCat("found \"", print_box(torus.pod_shape), "\"; expected ", torus.dims,
                                                  " axes, as the slices have"));
    }
    if (torus.wrap == WrapRule::kFullAxis && torus.pod_shape.empty()) {
      missing(at, "pod_shape", "the shape of the pod, which full_axis goes by");
    }
    if (torus.wrap == WrapRule::kWholeCubes && torus.cube_edge == 0) {
      missing(at, "cube_edge", "the chips along the edge of a cube, which whole_cubes goes by");
    }
  }

  // Accuracies = [ { "what": ..., "rows": count, "median": number, "p90": number } ... ], each kind at most once
  void read_accuracies(std::string_view at, const OrderedJson& value) {
    if (!value.is_array() || value.empty()) {
      problem(at, value, "an array of objects with what, rows, median and p90");
      return;
    }
    for (size_t i = 0; i < value.size(); ++i) {
      read_accuracy(absl::StrCat(to_absl(at), "[", i, "]"), value[i]);
    }
    std::sort(file_.accuracy.begin(), file_.accuracy.end(),
              [](const Accuracy& a, const Accuracy& b) { return a.what < b.what; });
  }

  void read_accuracy(std::string_view at, const OrderedJson& value) {
    if (!value.is_object()) {
      problem(at, value, "an object with what, rows, median and p90");
      return;
    }
    Accuracy accuracy;
    for (const auto& [key, member] : value.items()) {
      const std::string here = join(at, key.substr(0, kMaxShown));
      if (key == "what") {
        const std::optional<Measured> what = value_of(kMeasuredWords, text_of(member));
        if (!what) problem(here, member, list_words(kMeasuredWords));
        accuracy.what = what.value_or(Measured::kSteps);
      } else if (key == "rows") {
        accuracy.rows = static_cast<int64_t>(read_plain(here, member, FieldRange::kCount));
      } else if (key == "median") {
        accuracy.median = read_plain(here, member, FieldRange::kNonNegative);
      } else if (key == "p90") {
        accuracy.p90 = read_plain(here, member, FieldRange::kNonNegative);
      } else {
        problem(here, "no such member of an accuracy");
      }
    }
    if (!value.contains("what")) missing(at, "what", list_words(kMeasuredWords));
    if (!value.contains("rows")) missing(at, "rows", range_text(FieldRange::kCount));
    for (const std::string_view key : {"median", "p90"}) {
      if (!value.contains(std::string(key))) missing(at, key, range_text(FieldRange::kNonNegative));
    }
    const OrderedJson* const p90 = find(value, {"p90"});
    if (p90 != nullptr && p90->is_number() && p90->get<double>() >= 0 && p90->get<double>() < accuracy.median) {
      problem(join(at, "p90"), *p90, absl::StrCat("at least the median, ", accuracy.median));
    }
    const auto same = [&](const Accuracy& other) { return other.what == accuracy.what; };
    if (std::any_of(file_.accuracy.begin(), file_.accuracy.end(), same)) {
      problem(join(at, "what"), absl::StrCat("found \"", to_absl(word_of(kMeasuredWords, accuracy.what)),
                                             "\" a second time; expected each kind once"));
    }
    file_.accuracy.push_back(accuracy);
  }

  // Reads a number without unit and source; returns 0 if it is not valid.
  double read_plain(std::string_view at, const OrderedJson& value, FieldRange range) {
    if (value.is_number() && in_range(range, value.get<double>())) return value.get<double>();
    problem(at, value, range_text(range));
    return 0;
  }

  std::string_view path_;
  DeviceFile file_;
  std::vector<std::string> problems_;
};

}  // namespace

absl::StatusOr<DeviceFile> read_device_file(const OrderedJson& root, std::string_view path) {
  return Reader(path).read(root);
}

DeviceFile extend_device_file(const DeviceFile& base, const DeviceFile& file) {
  DeviceFile out = file;
  out.extended.push_back(base.name);
  // An inherited number that was measured on one device is assumed for those that do not extend it.
  const auto inherit = [&](const std::string& path, ParameterSource& source) {
    const auto found = base.measured_on.find(path);
    if (found == base.measured_on.end() || found->second == out.name) return;
    if (std::find(out.extended.begin(), out.extended.end(), found->second) != out.extended.end()) return;
    source.kind = Provenance::kAssumed;
  };
  if (out.display_name.empty()) out.display_name = base.display_name;
  if (out.vendor.empty()) out.vendor = base.vendor;
  if (out.architecture.empty()) out.architecture = base.architecture;
  if (!out.family) out.family = base.family;
  if (!out.torus) out.torus = base.torus;
  out.extends.clear();
  if (out.accuracy.empty() && out.measured_relative.empty() && !base.accuracy.empty()) {
    out.measured_relative = base.name;
  }
  out.sources.insert(base.sources.begin(), base.sources.end());
  for (size_t i = 0; i < out.quantities.size(); ++i) {
    if (out.quantities[i] || !base.quantities[i]) continue;
    out.quantities[i] = base.quantities[i];
    inherit(std::string(device_fields()[i].path), out.quantities[i]->source);
  }
  for (const OpWeight& weight : base.weights) {
    const auto same = [&](const OpWeight& own) { return own.op == weight.op; };
    if (std::any_of(out.weights.begin(), out.weights.end(), same)) continue;
    out.weights.push_back(weight);
    inherit(absl::StrCat(to_absl(kWeightsPath), weight.op), out.weights.back().source);
  }
  return out;
}

}  // namespace hloroof::internal::inline hardware

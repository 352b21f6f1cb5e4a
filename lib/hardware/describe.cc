#include "lib/hardware/describe.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/hardware/accuracy.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/names.h"
#include "lib/hardware/networks.h"

namespace hloroof::internal::inline hardware {
namespace {

constexpr size_t kColumns = 80;

struct Scale {
  double factor;
  std::string_view prefix;
};

constexpr Scale kDecimal[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
constexpr Scale kSmall[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
constexpr Scale kBinary[] = {{1099511627776.0, "Ti"}, {1073741824.0, "Gi"}, {1048576.0, "Mi"}, {1024.0, "Ki"}, {1, ""}};

// Formats the value to four digits, in the largest unit in which it is at least 1.
std::string scaled(double value, std::span<const Scale> scales, std::string_view unit) {
  const Scale* chosen = &scales.back();
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) {
      chosen = &scale;
      break;
    }
  }
  if (value == 0) chosen = &*std::find_if(scales.begin(), scales.end(), [](const Scale& s) { return s.factor == 1; });
  return absl::StrFormat("%.4g %s%s", value / chosen->factor, to_absl(chosen->prefix), to_absl(unit));
}

// Formats bytes in binary units if they are a multiple of a quarter of the unit (16 GiB), otherwise in decimal units
// (180 GB).
std::string bytes(double value) {
  for (const Scale& scale : kBinary) {
    if (value < scale.factor) continue;
    const double quarters = value / scale.factor * 4;
    if (quarters == std::floor(quarters)) return scaled(value, kBinary, "B");
    break;
  }
  return scaled(value, kDecimal, "B");
}

// Wraps text at blanks into lines of at most 80 columns that start with `indent`.
void wrap(std::string_view text, std::string_view indent, std::string& out) {
  std::string line;
  for (const absl::string_view word : absl::StrSplit(to_absl(text), ' ', absl::SkipEmpty())) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kColumns) {
      absl::StrAppend(&out, to_absl(indent), line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", word);
  }
  if (!line.empty()) absl::StrAppend(&out, to_absl(indent), line, "\n");
}

void labelled(std::string_view label, std::string_view text, std::string& out) {
  if (text.empty()) return;
  std::string wrapped;
  wrap(text, "               ", wrapped);
  wrapped.replace(0, label.size(), label);
  out += wrapped;
}

std::string wrap_words(const Ici& ici) {
  switch (ici.wrap) {
    case WrapRule::kNone: return "open";
    case WrapRule::kFullAxis:
      return absl::StrCat("an axis closes to a ring when as long as the pod's (", print_box(ici.pod_shape), ")");
    case WrapRule::kWholeCubes:
      return absl::StrCat("all axes close to rings when all are multiples of ", ici.cube_edge,
                          "; k x k x 2k and k x 2k x 2k may be _twisted");
    case WrapRule::kAlways: return "all axes close to rings";
  }
  return "?";
}

// Describes the nominal clock of a GPU and its effective clock when all tensor cores are busy. The latter attributes
// all losses of large matmuls to the clock.
std::string clock_words(const Device& device) {
  const GpuCore* const gpu = device.gpu();
  if (gpu == nullptr || !device.clock) return "";
  const double tensor = gpu->matrix.clock ? *gpu->matrix.clock : *device.clock;
  return absl::StrFormat(
      "%.3g GHz boost, %.3g GHz that of the tensor peaks; under load large matmuls run as at %.3g GHz",
      *device.clock / 1e9, tensor / 1e9, tensor * device.matrix.efficiency / 1e9);
}

// Returns the display name, without the remark in parentheses if the column of the list is too narrow for both.
std::string short_name(const Device& device) {
  constexpr size_t kNameColumn = 16;
  if (device.display_name.size() <= kNameColumn) return device.display_name;
  return device.display_name.substr(0, std::min(kNameColumn, device.display_name.find(" (")));
}

// Assigns each source its number in the list at the end.
class SourceList {
 public:
  size_t number_of(const std::string& title) {
    const auto at = std::find(titles_.begin(), titles_.end(), title);
    if (at != titles_.end()) return static_cast<size_t>(at - titles_.begin()) + 1;
    titles_.push_back(title);
    return titles_.size();
  }
  const std::vector<std::string>& titles() const { return titles_; }

 private:
  std::vector<std::string> titles_;
};

}  // namespace

std::string format_parameter(const Parameter& parameter) {
  if (!parameter.value) return parameter.value.is_none() ? "none" : "unknown";
  const double value = *parameter.value;
  if (parameter.unit == "bool") return value != 0 ? "yes" : "no";
  if (parameter.unit == "1") return absl::StrFormat("%.6g", value);
  if (parameter.unit == "B") return bytes(value);
  if (parameter.unit == "s") return scaled(value, kSmall, "s");
  if (parameter.unit == "cycle") return absl::StrFormat("%.4g cycles", value);
  return scaled(value, kDecimal, parameter.unit);
}

std::string describe_devices(std::span<const Device> devices) {
  std::string out = absl::StrFormat("%-12s %-16s %-5s %7s %4s %6s %5s  %s\n", "device", "is", "TF/s", "memory", "GB/s",
                                    "flop/B", "joins", "measured");
  for (const Device& device : devices) {
    // A program for a device without bf16 units would use f16.
    const double peak = device.matrix.peak.bf16 ? *device.matrix.peak.bf16 : device.matrix.peak.f16;
    int64_t joined = device.scale_up.domain;
    if (device.ici.dims > 0) joined = device.ici.max_chips ? *device.ici.max_chips * device.devices_per_chip : 0;
    const std::string tflops = absl::StrFormat("%.0f%s", peak / 1e12, device.matrix.peak.bf16 ? " " : "*");
    absl::StrAppend(
        &out, absl::StrFormat("%-12s %-16s %5s %7s %4.0f %6.0f %5s  %s\n", device.name, short_name(device), tflops,
                              bytes(device.hbm.capacity), device.hbm.bandwidth / 1e9, peak / device.hbm.bandwidth,
                              joined > 0 ? std::to_string(joined) : std::string("?"), trust_cell(device)));
  }
  absl::StrAppend(&out, "TF/s (bf16; *: f16, having no bf16), memory and GB/s: of one JAX device.\n",
                  "flop/B: ridge point. joins: devices of one pod or scale-up domain.\n",
                  "measured: median error on held-back measurements; devices show has every kind.\n");
  wrap(absl::StrCat(
           "A GPU's network may follow its name, as in h100_sxm@a3-high: ", absl::StrJoin(network_names(), ", "), "."),
       "", out);
  return out;
}

std::string describe_device(const Device& device) {
  std::string out = absl::StrCat(device.name, "  ", device.display_name, ", ", device.vendor,
                                 device.architecture.empty() ? "" : ", ", device.architecture, "\n");
  labelled("also:", absl::StrJoin(device.aliases, ", "), out);
  labelled("numbers:",
           device.devices_per_chip > 1
               ? absl::StrFormat("of one JAX device, one of %d on a chip", device.devices_per_chip)
               : std::string("of one JAX device, a whole chip"),
           out);
  labelled("clock:", clock_words(device), out);
  if (device.ici.dims > 0) {
    std::vector<std::string> slices;
    for (const std::vector<int64_t>& slice : device.ici.slices) slices.push_back(print_box(slice));
    labelled("slices:", absl::StrCat(absl::StrJoin(slices, ", "), " chips"), out);
    labelled("torus:", wrap_words(device.ici), out);
  }
  labelled("network:", network_words(device), out);
  for (const std::string& note : device.notes) labelled("note:", note, out);
  labelled("file:", absl::StrCat(device.origin.empty() ? "built in" : device.origin, ", SHA-256 ", device.file_sha256),
           out);
  absl::StrAppend(&out, "\n", describe_accuracy(device));

  SourceList sources;
  std::string group;
  std::vector<std::string> unknown;
  for (const Parameter& parameter : parameters(device)) {
    if (parameter.path.starts_with(kWeightsPath)) continue;  // listed below, two numbers per line
    if (is_unknown(parameter.value)) {
      unknown.push_back(parameter.path);
      continue;
    }
    const std::string this_group = parameter.path.substr(0, parameter.path.find('.'));
    if (this_group != group) absl::StrAppend(&out, "\n");
    group = this_group;
    // Plain members with a default, such as a scale-up domain of one, need no source.
    const std::string origin =
        parameter.source.source.empty()
            ? "by default"
            : absl::StrFormat("%-10s[%d]", to_absl(word_of(kProvenanceWords, parameter.source.kind)),
                              sources.number_of(parameter.source.source));
    absl::StrAppend(&out, absl::StrFormat("  %-44s %14s  %s\n", parameter.path, format_parameter(parameter), origin));
    if (!parameter.source.note.empty()) wrap(parameter.source.note, "      ", out);
  }
  if (!device.vector.weights.empty()) {
    absl::StrAppend(&out, "\n  one element costs            vector operations + transcendental results\n");
  }
  for (const OpWeight& weight : device.vector.weights) {
    absl::StrAppend(&out, absl::StrFormat("    vector.weights.%-26s %6s + %-6s  %-10s[%d]\n", weight.op,
                                          absl::StrFormat("%.4g", weight.vector_ops),
                                          absl::StrFormat("%.4g", weight.transcendentals),
                                          to_absl(word_of(kProvenanceWords, weight.source.kind)),
                                          sources.number_of(weight.source.source)));
    if (!weight.source.note.empty()) wrap(weight.source.note, "      ", out);
  }
  if (!unknown.empty()) {
    absl::StrAppend(&out, "\nnot known:\n");
    wrap(absl::StrJoin(unknown, ", "), "  ", out);
  }
  absl::StrAppend(&out, "\nsources\n");
  for (size_t i = 0; i < sources.titles().size(); ++i) {
    std::string entry;
    wrap(sources.titles()[i], "       ", entry);
    const std::string number = absl::StrFormat("  [%d]", i + 1);
    entry.replace(0, number.size(), number);
    out += entry;
  }
  return out;
}

}  // namespace hloroof::internal::inline hardware

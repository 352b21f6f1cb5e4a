#include "lib/scale/scale_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/record_json.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kScaleSchema[] = {"hloroof.scale/1"};

std::string figures_table(const ScaleResult& result, const TextLayout& layout) {
  Table table({{.title = "predicted", .is_whole = true},
               {"given", Align::kRight},
               {"scaled", Align::kRight},
               {"change", Align::kRight}});
  const auto add = [&table](const char* title, double before, double after, std::string (*format)(double)) {
    table.add({title, format(before), format(after), format_relative_change(before, after)});
  };
  table.add({"devices", format_count(static_cast<double>(result.given.devices)),
             format_count(static_cast<double>(result.scaled.devices)), ""});
  table.add({"topology", result.given_topology, result.topology, ""});
  add("step", result.given.step_seconds, result.scaled.step_seconds, format_seconds);
  add("compute and HBM", result.given.compute_seconds, result.scaled.compute_seconds, format_seconds);
  add("exposed communication", result.given.exposed_seconds, result.scaled.exposed_seconds, format_seconds);
  add("peak memory", result.given.peak_bytes, result.scaled.peak_bytes, format_bytes);
  return table.to_string(layout);
}

std::string sizes_text(const ScaleStep& step) {
  constexpr std::size_t kMost = 6;
  std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> sizes;
  for (const auto& [change, count] : step.rewritten.sizes) sizes.push_back({count, change});
  std::stable_sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < sizes.size() && i < kMost; ++i) {
    text += absl::StrFormat("%s%d to %d (%d)", i == 0 ? "" : ", ", sizes[i].second.first, sizes[i].second.second,
                            sizes[i].first);
  }
  if (sizes.size() > kMost) text += absl::StrFormat(", %d other sizes", sizes.size() - kMost);
  return text;
}

}  // namespace

std::string scale_view(const ScaleResult& result, const TextLayout& layout) {
  std::string out = absl::StrFormat("%s on %s at another size\n", result.module, result.device);
  out += figures_table(result, layout);
  const auto add_line = [&](const std::string& line) { out += list_line(line, layout); };
  out += "\nWhat was changed\n";
  for (const ScaleStep& step : result.steps) {
    const Rewritten& r = step.rewritten;
    std::string line = absl::StrFormat("%s from %s to %s. Instructions with other shapes: %d", step.what, step.from,
                                       step.to, r.instructions);
    if (r.collectives > 0) line += absl::StrFormat("; collectives with other groups: %d", r.collectives);
    if (r.kernels > 0) line += absl::StrFormat("; kernels with another grid: %d", r.kernels);
    if (r.loops > 0) line += absl::StrFormat("; loops with other trips: %d", r.loops);
    if (r.waits > 0)
      line += absl::StrFormat("; permutes without a start and a done, as the compiler has them: %d", r.waits);
    add_line(line + ".");
    if (!r.sizes.empty()) add_line("Dimensions by size: " + sizes_text(step) + ".");
    if (r.kept_offsets > 0) {
      add_line(
          absl::StrFormat("Offsets of shards that keep the values of the given program, on which no time depends: %d.",
                          r.kept_offsets));
    }
  }
  out += "\nWhat is assumed\n";
  add_line(
      "Order, fusions, layouts and tilings, what is in VMEM, and the algorithms of collectives are as in the given "
      "program. A compiler may choose others at the other size.");
  const bool has_rings = std::any_of(result.steps.begin(), result.steps.end(), [](const ScaleStep& step) {
    return step.what != "layers" && step.rewritten.loops > 0;
  });
  if (has_rings) add_line("Loops that pass blocks round the axis are kept, with other trips.");
  for (const ScaleStep& step : result.steps) {
    for (const std::string& note : step.notes) add_line(note);
  }
  add_line("All times are predicted; no hardware has confirmed them.");
  return out;
}

}  // namespace hloroof::internal::inline scale

namespace hloroof::internal {

template <>
struct Described<ScaledFigures> {
  static constexpr RecordInfo kInfo = {"scaled_figures", "ScaledFigures", "What one size needs, by the prediction."};
  static constexpr auto kFields =
      fields(field("devices", Unit::kCount, "Devices.", &ScaledFigures::devices),
             field("step_seconds", Unit::kSeconds, "Predicted step time.", &ScaledFigures::step_seconds),
             field("compute_seconds", Unit::kSeconds, "The step without exposed communication.",
                   &ScaledFigures::compute_seconds),
             field("exposed_seconds", Unit::kSeconds, "Exposed communication.", &ScaledFigures::exposed_seconds),
             field("peak_bytes", Unit::kBytes, "Peak of HBM.", &ScaledFigures::peak_bytes));
};

template <>
struct Described<ScaleStep> {
  static constexpr RecordInfo kInfo = {"scale_step", "ScaleStep", "One thing by which the program was scaled."};
  static constexpr auto kFields =
      fields(field("what", "A mesh axis, the batch per device, or the layers.", &ScaleStep::what),
             field("from", "Its size in the given program.", &ScaleStep::from),
             field("to", "Its size in the scaled program.", &ScaleStep::to),
             field("instructions", Unit::kCount, "Instructions with other shapes.",
                   [](const ScaleStep& step) { return step.rewritten.instructions; }),
             field("collectives", Unit::kCount, "Collectives with other groups or pairs.",
                   [](const ScaleStep& step) { return step.rewritten.collectives; }),
             field("kernels", Unit::kCount, "Kernels that run over a grid of another size.",
                   [](const ScaleStep& step) { return step.rewritten.kernels; }),
             field("loops", Unit::kCount, "Loops with another number of trips.",
                   [](const ScaleStep& step) { return step.rewritten.loops; }),
             field("waits", Unit::kCount, "Permutes that lost their start and done.",
                   [](const ScaleStep& step) { return step.rewritten.waits; }),
             field("notes", "What this program may not be.", &ScaleStep::notes),
             field("kept_offsets", Unit::kCount, "Offsets of shards that keep their values.",
                   [](const ScaleStep& step) { return step.rewritten.kept_offsets; }));
};

template <>
struct Described<ScaleResult> {
  static constexpr RecordInfo kInfo = {"scale", "ScaleResult", "A program at another size."};
  static constexpr auto kFields =
      fields(schema_field<kScaleSchema>(), field("module", "Module.", &ScaleResult::module),
             field("device", "Device.", &ScaleResult::device),
             field("given_topology", "Topology of the given program.", &ScaleResult::given_topology),
             field("topology", "Topology of the scaled program.", &ScaleResult::topology),
             field("given", "The given program.", &ScaleResult::given),
             field("scaled", "The scaled program.", &ScaleResult::scaled),
             field("changes", "What was changed, in this order.", &ScaleResult::steps));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline scale {

std::string scale_json(const ScaleResult& result) { return records_json(std::vector<ScaleResult>{result}); }

ResultTable scale_table() {
  return describe_result<ScaleResult>(kScaleSchema[0], "A program at another size: scale --format json");
}

}  // namespace hloroof::internal::inline scale

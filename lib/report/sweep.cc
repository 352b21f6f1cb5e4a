#include "lib/report/sweep.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/results/prediction_fields.h"
#include "lib/results/step_fields.h"

namespace hloroof::internal::inline report {
namespace {

constexpr std::string_view kSweepSchema[] = {"hloroof.sweep/1"};

constexpr std::pair<std::string_view, SweepOrder> kSweepOrders[] = {{"none", SweepOrder::kGiven},
                                                                    {"step", SweepOrder::kStep},
                                                                    {"hfu", SweepOrder::kHfu},
                                                                    {"memory", SweepOrder::kMemory}};

struct SweepDocument {
  const std::vector<SweepPoint>* points = nullptr;
};

Settings factors_of(const SweepPoint& point) {
  Settings factors;
  for (const SweptValue& value : point.values) {
    if (value.factor) factors.emplace_back(value.parameter, *value.factor);
  }
  return factors;
}

// The smallest is the best.
double rank_of(const SweepPoint& point, SweepOrder order) {
  if (order == SweepOrder::kMemory) return point.step.memory.hbm_peak_bytes;
  if (order == SweepOrder::kHfu) return point.step.hfu ? -*point.step.hfu : 0;
  return point.step.step_seconds;
}

}  // namespace

SweepPoint make_sweep_point(std::string file, StepPrediction step, const std::vector<Target>& targets) {
  SweepPoint point;
  const auto target = std::find_if(targets.begin(), targets.end(),
                                   [&](const Target& candidate) { return candidate.device.name == step.device; });
  std::vector<Parameter> own;
  if (target != targets.end() && !step.set.empty()) own = parameters(target->device);
  for (const auto& [path, value] : step.set) {
    SweptValue swept{path, "", value, std::nullopt};
    for (const Parameter& parameter : own) {
      if (parameter.path != path) continue;
      swept.unit = parameter.unit;
      if (parameter.value && *parameter.value != 0) swept.factor = value / *parameter.value;
    }
    point.values.push_back(std::move(swept));
  }
  // Thousands of points need not keep their ops.
  step.facts.reset();
  step.ops = {};
  step.timeline = {};
  step.collectives = {};
  step.memory.live_at_peak = {};
  std::erase_if(step.diagnostics, [](const Diagnostic& diagnostic) { return !is_about_origin(diagnostic); });
  point.file = std::move(file);
  point.step = std::move(step);
  return point;
}

std::optional<SweepOrder> sweep_order_from_string(std::string_view text) {
  for (const auto& [name, order] : kSweepOrders) {
    if (name == text) return order;
  }
  return std::nullopt;
}

bool has_several_places(const std::vector<SweepPoint>& points) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::int64_t>> places;
  for (const SweepPoint& point : points) {
    places.emplace(point.file, point.step.device, point.step.topology, point.step.slices);
  }
  return places.size() > 1;
}

void sort_points(std::vector<SweepPoint>& points, SweepOrder order) {
  if (order == SweepOrder::kGiven) return;
  std::stable_sort(points.begin(), points.end(),
                   [order](const SweepPoint& a, const SweepPoint& b) { return rank_of(a, order) < rank_of(b, order); });
}

}  // namespace hloroof::internal::inline report

namespace hloroof::internal {

template <>
struct Described<SweepPoint> {
  static constexpr RecordInfo kInfo = {"point", "SweepPoint", "One prediction of a sweep."};
  static constexpr auto kFields = concatenated(
      fields(field("file", "Path of the dump.", &SweepPoint::file)), kPlaceFields,
      fields(field("set", "Device parameters that --set changed, in SI units.", StepMember<&StepPrediction::set>()),
             field("factors", "The parameters of `set` as multiples of the device's own, where it has them.",
                   [](const SweepPoint& point) { return factors_of(point); })
                 .only_in(Formats::kJsonOnly),
             kStepSecondsField,
             field("lower_bound_seconds", Unit::kSeconds, "Step time with perfect overlap.",
                   StepMember<&StepPrediction::lower_bound_seconds>()),
             field("serial_seconds", Unit::kSeconds, "Step time without any overlap.",
                   StepMember<&StepPrediction::serial_seconds>()),
             field("bound", "Resource that limits the step.",
                   [](const SweepPoint& point) { return to_string(point.step.bound, point.step.family); })
                 .one_of(EnumNames<Resource>::kNames),
             field("hfu", Unit::kShare, "Hardware FLOP utilization.", StepMember<&StepPrediction::hfu>()),
             kExposedField, kHbmPeakField,
             field("capacity_bytes", Unit::kBytes, "Capacity of the device.",
                   [](const SweepPoint& point) { return point.step.memory.capacity_bytes; }),
             field("usable_bytes", Unit::kBytes, "What a program may use of it.",
                   [](const SweepPoint& point) { return point.step.memory.usable_bytes; }),
             field("fits", "True if the peak is at most usable_bytes.",
                   [](const SweepPoint& point) { return point.step.memory.fits; }),
             field("modelled", Unit::kShare, "Share of the step that is modelled.",
                   StepMember<&StepPrediction::modelled_share>())
                 .at_most(kWhole)));
};

template <>
struct Described<SweepDocument> {
  static constexpr RecordInfo kInfo = {"sweep", "Sweep", "Predictions for all combinations of parameter values."};
  static constexpr auto kFields =
      fields(schema_field<kSweepSchema>(),
             field("points", "The predictions in the order of --sort.",
                   [](const SweepDocument& sweep) -> const std::vector<SweepPoint>& { return *sweep.points; }));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline report {

std::string sweep_csv(const std::vector<SweepPoint>& points) { return records_csv(points); }

std::string sweep_json(const std::vector<SweepPoint>& points) { return records_json<SweepDocument>({{&points}}); }

ResultTable sweep_table() { return describe_result<SweepDocument>(kSweepSchema[0], "A sweep: sweep --format json"); }

}  // namespace hloroof::internal::inline report

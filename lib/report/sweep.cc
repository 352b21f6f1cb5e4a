#include "lib/report/sweep.h"

#include "lib/report/csv.h"
#include "lib/report/prediction_fields.h"
#include "lib/report/record_csv.h"
#include "lib/report/record_json.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kSweepSchema[] = {"hloroof.sweep/1"};

struct SweepPoint {
  std::string_view file;
  const StepPrediction* step = nullptr;
};

struct Sweep {
  std::vector<SweepPoint> points;
};

Sweep sweep_of(const std::vector<NamedPrediction>& points) {
  Sweep sweep;
  for (const auto& [file, step] : points) sweep.points.push_back({file, &step});
  return sweep;
}

// Accessor for a member of the prediction.
template <auto kMember>
const auto& step(const SweepPoint& point) {
  return point.step->*kMember;
}

}  // namespace

template <>
struct Described<SweepPoint> {
  static constexpr RecordInfo kInfo = {"point", "SweepPoint", "One prediction of a sweep."};
  static constexpr auto kFields = fields(
      field("file", Unit::kNone, "Path of the dump.", &SweepPoint::file),
      field("device", Unit::kNone, "Name of the device.", &step<&StepPrediction::device>),
      field("topology", Unit::kNone, "Topology of one slice.", &step<&StepPrediction::topology>),
      field("slices", Unit::kCount, "Number of slices.", &step<&StepPrediction::slices>).at_least(1),
      field("set", Unit::kNone, "Device parameters that --set changed, in SI units.", &step<&StepPrediction::set>),
      field("step_seconds", Unit::kSeconds, "Predicted step time.", &step<&StepPrediction::step_seconds>),
      field("lower_bound_seconds", Unit::kSeconds, "Step time with perfect overlap.",
            &step<&StepPrediction::lower_bound_seconds>),
      field("serial_seconds", Unit::kSeconds, "Step time without any overlap.", &step<&StepPrediction::serial_seconds>),
      field("bound", Unit::kNone, "Resource that limits the step.",
            [](const SweepPoint& point) { return to_string(point.step->bound, point.step->family); })
          .one_of(EnumNames<Resource>::kNames),
      field("mfu", Unit::kShare, "Model FLOP utilization.", &step<&StepPrediction::mfu>),
      field("exposed_communication_seconds", Unit::kSeconds, "Time during which the step waits for communication.",
            &step<&StepPrediction::exposed_communication_seconds>),
      field("hbm_peak_bytes", Unit::kBytes, "Peak of HBM.",
            [](const SweepPoint& point) { return point.step->memory.hbm_peak_bytes; }),
      field("capacity_bytes", Unit::kBytes, "Capacity of the device.",
            [](const SweepPoint& point) { return point.step->memory.capacity_bytes; }),
      field("modelled", Unit::kShare, "Share of the step that is modelled.", &step<&StepPrediction::modelled_share>)
          .at_most(kWhole));
};

template <>
struct Described<Sweep> {
  static constexpr RecordInfo kInfo = {"sweep", "Sweep", "Predictions for all combinations of parameter values."};
  static constexpr auto kFields = fields(
      field("schema", Unit::kNone, "Name and version of this format.", [](const Sweep&) { return kSweepSchema[0]; })
          .one_of(kSweepSchema),
      field("points", Unit::kNone, "The predictions; the last parameter varies fastest.", &Sweep::points));
};

std::string sweep_csv(const std::vector<NamedPrediction>& points) {
  const Sweep sweep = sweep_of(points);
  const StepPrediction none;
  CsvLine line;
  add_csv_titles(sweep.points.empty() ? SweepPoint{"", &none} : sweep.points.front(), line);
  std::string out = line.take();
  for (const SweepPoint& point : sweep.points) {
    add_csv_cells(point, line);
    out += line.take();
  }
  return out;
}

std::string sweep_json(const std::vector<NamedPrediction>& points) { return records_json<Sweep>({sweep_of(points)}); }

ResultTable sweep_table() { return describe_result<Sweep>(kSweepSchema[0], "A sweep: sweep --format json"); }

}  // namespace hloroof::internal

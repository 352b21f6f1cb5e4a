#include "lib/report/sweep.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/in_order.h"
#include "lib/base/strings.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"
#include "lib/hardware/settings.h"
#include "lib/predict/many_targets.h"
#include "lib/predict/variants.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

constexpr std::string_view kOption = "set";  // as a caller from Python knows it

// What the program is predicted on: every device with every topology and every combination of the settings.
struct Places {
  std::vector<std::string> devices;
  std::vector<std::string> topologies;  // empty: the default of each device
  std::vector<std::string> settings;    // "hbm.bandwidth=1x,2x"
  std::string order;                    // "none", "step", "hfu" or "memory"; empty: as the command orders
  std::size_t jobs = 0;                 // threads; 0: one for each processor
};

// The text and the JSON that the command prints, and the messages about points that have no prediction.
using SweepAnswer = std::tuple<std::string, std::string, std::vector<std::string>>;

SweepAnswer sweep(const Module& module, const std::string& name, const Places& places, const PredictOptions& options,
                  std::size_t width) {
  return without_gil([&]() -> absl::StatusOr<SweepAnswer> {
    const absl::StatusOr<std::vector<Target>> targets = named_targets(places.devices);
    if (!targets.ok()) return targets.status();
    const absl::StatusOr<std::vector<Setting>> settings = parse_settings(places.settings, kOption);
    if (!settings.ok()) return settings.status();
    const absl::StatusOr<std::vector<Variant>> variants = variants_of(*targets, places.topologies, *settings, kOption);
    if (!variants.ok()) return variants.status();
    const absl::StatusOr<std::unique_ptr<ManyTargets>> step = ManyTargets::create(module, options);
    if (!step.ok()) return step.status();
    std::vector<SweepPoint> points;
    std::vector<absl::Status> failures;
    make_in_order(
        variants->size(), thread_count(places.jobs, variants->size()),
        [&](std::size_t i) { return (*step)->headline(*(*variants)[i].target, (*variants)[i].options(options)); },
        [&](std::size_t, absl::StatusOr<StepPrediction> prediction) {
          if (prediction.ok()) {
            points.push_back(make_sweep_point(name, *std::move(prediction), *targets));
          } else {
            failures.push_back(prediction.status());
          }
        });
    if (points.empty() && !failures.empty()) return failures.front();
    const SweepOrder by_default = has_several_places(points) ? SweepOrder::kStep : SweepOrder::kGiven;
    const std::optional<SweepOrder> order = places.order.empty() ? by_default : sweep_order_from_string(places.order);
    if (!order) return invalid_argument("order=\"" + places.order + "\": expected none, step, hfu or memory");
    sort_points(points, *order);
    ViewOptions view;
    view.width = width;
    absl::StatusOr<Texts> texts = texts_of(SweptSteps{&points, *order}, view);
    if (!texts.ok()) return texts.status();
    std::vector<std::string> messages;
    messages.reserve(failures.size());
    for (const absl::Status& failure : failures) messages.emplace_back(failure.message());
    return SweepAnswer(std::move(texts->first), std::move(texts->second), std::move(messages));
  });
}

}  // namespace

void add_sweep(nb::module_& module) {
  nb::class_<Places>(module, "Places", "The devices, topologies and values of a sweep.")
      .def(nb::init<>())
      .def_rw("devices", &Places::devices)
      .def_rw("topologies", &Places::topologies)
      .def_rw("settings", &Places::settings)
      .def_rw("order", &Places::order)
      .def_rw("jobs", &Places::jobs);
  module.def("sweep", &sweep, "module"_a, "name"_a, "places"_a, "options"_a, "width"_a,
             "One row for each place, as text and as JSON (schema hloroof.sweep/1), and what could not be predicted.");
}

}  // namespace hloroof::internal::inline python

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"
#include "lib/reschedule/reschedule_report.h"
#include "lib/reschedule/search.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

using Other = std::pair<Module, double>;
using Rescheduled = std::tuple<Module, std::string, std::string, std::vector<Other>>;

constexpr std::size_t kMoves = 20;  // that the text shows, as the command does

absl::StatusOr<Rescheduled> search(const Module& original, const std::string& device, const PredictOptions& options,
                                   double seconds, std::optional<std::int64_t> trials, std::int64_t seed,
                                   std::optional<double> memory_limit, std::size_t others) {
  const absl::StatusOr<Target> target = named_target(device);
  if (!target.ok()) return target.status();
  Module module = original;
  RescheduleOptions how;
  how.predict = options;
  how.seconds = seconds;
  how.trials = trials;
  how.seed = seed;
  how.memory_limit = memory_limit;
  how.others = others;
  absl::StatusOr<Rescheduling> result = search_order(module, *target, how);
  if (!result.ok()) return result.status();
  std::string json = reschedule_json(*result);
  std::string text = reschedule_view(*result, kMoves, TextLayout());
  std::vector<Other> found;
  found.reserve(result->others.size());
  for (OtherOrder& other : result->others) found.emplace_back(std::move(other.module), other.cost.step_seconds);
  return Rescheduled(std::move(module), std::move(json), std::move(text), std::move(found));
}

}  // namespace

void add_reschedule(nb::module_& module) {
  module.def(
      "reschedule",
      [](const Module& of, const std::string& device, const PredictOptions& options, double seconds,
         std::optional<std::int64_t> trials, std::int64_t seed, std::optional<double> memory_limit,
         std::size_t others) {
        return without_gil([&] { return search(of, device, options, seconds, trials, seed, memory_limit, others); });
      },
      "module"_a, "device"_a, "options"_a, "seconds"_a, "trials"_a.none(), "seed"_a, "memory_limit"_a.none(),
      "others"_a,
      "The module in the best order found, the result as JSON (schema hloroof.reschedule/1) and as the command's text, "
      "and at most `others` orders on the way to the best one, each with its predicted step.");
}

}  // namespace hloroof::internal::inline python

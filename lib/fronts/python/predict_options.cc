#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/base/json.h"
#include "lib/fronts/python/errors.h"
#include "lib/fronts/python/parts.h"
#include "lib/hardware/named_target.h"
#include "lib/request/options.h"
#include "lib/request/read_json.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace)

namespace hloroof::internal::inline python {
namespace {

absl::StatusOr<PredictOptions> options_from_json(const std::string& device, const std::string& json) {
  const absl::StatusOr<OrderedJson> given = parse_json(json, "options");
  if (!given.ok()) return given.status();
  OptionValues values;
  if (absl::Status status = read_option_values(*given, values); !status.ok()) return status;
  std::optional<Target> target;
  if (values.is_set(OptionId::kSet)) {
    absl::StatusOr<Target> found = named_target(device);
    if (!found.ok()) return found.status();
    target = *std::move(found);
  }
  PredictOptions options;
  absl::Status status = read_options(values, OptionNames::kKeys, target ? &target->device : nullptr, options);
  if (!status.ok()) return status;
  return options;
}

}  // namespace

void add_predict_options(nb::module_& module) {
  nb::class_<PredictOptions>(module, "PredictOptions", "Options of a prediction.");
  module.def(
      "predict_options",
      [](const std::string& device, const std::string& json) {
        return value_or_raise(options_from_json(device, json));
      },
      "device"_a, "json"_a,
      "Reads the options from a JSON object. Multiples in `set` are those of the device's numbers.");
}

}  // namespace hloroof::internal::inline python

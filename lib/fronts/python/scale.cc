#include "lib/scale/scale.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/subject.h"
#include "lib/hardware/named_target.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

using Scaled = std::tuple<Module, std::string, std::string>;

absl::StatusOr<Scaled> predict_scaled(const Module& given, const std::string& device, const PredictOptions& options,
                                      const ScaleRequest& request, std::size_t width) {
  const absl::StatusOr<Target> target = named_target(device);
  if (!target.ok()) return target.status();
  absl::StatusOr<ScaledProgram> scaled = scale_program(given, request, &target->device);
  if (!scaled.ok()) return scaled.status();
  ViewOptions view;
  view.width = width;
  absl::StatusOr<Texts> texts = [&]() -> absl::StatusOr<Texts> {  // the result refers to the scaled module
    const absl::StatusOr<ScaleResult> result = compare_scaled(given, *scaled, *target, options);
    if (!result.ok()) return result.status();
    return texts_of(StepAtOtherSize{&*result}, view);
  }();
  if (!texts.ok()) return texts.status();
  return Scaled(std::move(scaled->module), std::move(texts->first), std::move(texts->second));
}

}  // namespace

void add_scale(nb::module_& module) {
  module.def(
      "scale",
      [](const Module& of, const std::string& device, const PredictOptions& options,
         const std::vector<std::string>& axes, const std::string& batch, const std::string& layers,
         const std::vector<std::string>& shards, bool as_given, std::size_t width) {
        return without_gil([&]() -> absl::StatusOr<Scaled> {
          const absl::StatusOr<ScaleRequest> request = parse_scale_request(axes, batch, layers, shards, as_given);
          if (!request.ok()) return request.status();
          return predict_scaled(of, device, options, *request, width);
        });
      },
      "module"_a, "device"_a, "options"_a, "axes"_a, "batch"_a, "layers"_a, "shards"_a, "as_given"_a, "width"_a,
      "The module at another size, and what the command prints about it, as text and as JSON (schema "
      "hloroof.scale/1). Axes are \"NAME=SIZE\", the factor of the batch is \"\" or \"2x\", layers are \"\", \"64\" or "
      "\"2x\", and shards \"PARAMETER=DIMENSION\".");
}

}  // namespace hloroof::internal::inline python

// Options that place the module's mesh on the machine.
#include <optional>
#include <string>

#include "hloroof/shape.h"
#include "lib/analysis/mesh.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/predict_flags.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal {

std::vector<Option> mesh_options(PredictFlags& flags) {
  const std::string group = "Mesh";
  return {{.names = {"--mesh"},
           .argument = "data=4,model=2",
           .text = "Axes of the module's mesh, outermost first; default: inferred from the collectives",
           .target = &flags.mesh,
           .group = group},
          {.names = {"--mesh-order"},
           .argument = "AXIS,...",
           .text = "Axes to place on the machine first, in this order",
           .target = &flags.mesh_order,
           .group = group},
          {.names = {"--device-order"},
           .argument = "0,2,1,3",
           .text = "Device ids in the order of the machine's coordinates, last coordinate fastest: a list, or in XLA's "
                   "notation, [1,4]<=[2,2]T(1,0)",
           .target = &flags.device_order,
           .group = group},
          {.names = {"--wrap"},
           .argument = "on|off",
           .text = "Whether all axes of the torus are closed to rings",
           .target = &flags.wrap,
           .group = group},
          {.names = {"--reduce-dtype"},
           .argument = "s8",
           .text = "What if reductions sent elements of this type",
           .target = &flags.reduce_dtype,
           .group = group},
          {.names = {"--imbalance"},
           .argument = "RATIO",
           .text = "For ragged exchanges, bytes on the busiest path divided by the average",
           .target = &flags.imbalance,
           .group = group}};
}

absl::Status read_mesh_flags(const PredictFlags& flags, PredictOptions& options) {
  if (!flags.mesh.empty()) {
    absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> axes = parse_mesh(flags.mesh);
    if (!axes.ok()) return axes.status();
    options.mesh.axes = *std::move(axes);
  }
  options.mesh.order = flags.mesh_order;
  if (!flags.device_order.empty()) {
    absl::StatusOr<std::vector<std::int64_t>> order = parse_device_order(flags.device_order);
    if (!order.ok()) return order.status();
    options.mesh.device_order = *std::move(order);
  }
  if (!flags.wrap.empty()) options.mesh.wrap = flags.wrap == "on";
  if (!flags.reduce_dtype.empty()) {
    const std::optional<ElementType> type = element_type_from_string(flags.reduce_dtype);
    if (!type || bits(*type) == 0) {
      return invalid_argument("--reduce-dtype " + flags.reduce_dtype + ": expected an element type such as s8 or bf16");
    }
    options.collectives.reduce_element_bytes = bits(*type) / 8.0;
  }
  if (!(flags.imbalance >= 1)) return invalid_argument("--imbalance: expected a number from 1");
  options.collectives.imbalance = flags.imbalance;
  return absl::OkStatus();
}

}  // namespace hloroof::internal

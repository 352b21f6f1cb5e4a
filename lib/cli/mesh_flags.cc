// Options that say how the module's mesh lies on the machine.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "hloroof/element_type.h"
#include "lib/base/strings.h"
#include "lib/cli/predict_flags.h"

namespace hloroof::inline v0 {

void add_mesh_flags(CLI::App& command, PredictFlags& flags) {
  constexpr const char* kGroup = "Mesh";
  command
      .add_option("--mesh", flags.mesh, "Axes of the module's mesh, outermost first; default: read off the collectives")
      ->type_name("data=4,model=2")
      ->group(kGroup);
  add_list(command, "--mesh-order", flags.mesh_order, "AXIS,...", "Which axes choose their place on the machine first")
      ->group(kGroup);
  command
      .add_option("--device-order", flags.device_order,
                  "Devices as they stand on the machine, last coordinate fastest: a list, or as XLA writes it, "
                  "[1,4]<=[2,2]T(1,0)")
      ->type_name("0,2,1,3")
      ->group(kGroup);
  add_choice(command, "--wrap", flags.wrap, "on|off", "Close all axes of the torus to rings, or open them")
      ->group(kGroup);
  command.add_option("--reduce-dtype", flags.reduce_dtype, "What if reductions sent elements of this type")
      ->type_name("s8")
      ->group(kGroup);
  command.add_option("--imbalance", flags.imbalance, "Of ragged exchanges: bytes of the busiest path / the average")
      ->type_name("RATIO")
      ->group(kGroup);
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

}  // namespace hloroof::inline v0

// Prints the shipped efficiency and weights of the vector units (data/hardware/tpu_common.json) and the values that the
// compiler probes imply:
//   fit_vector tpu_compiler_cycles.csv
#include <cstdio>

#include "hloroof/device.h"
#include "tests/calibrate/vector_probes.h"

int main(int argc, char** argv) {
  using namespace hloroof;            // NOLINT
  using namespace hloroof::internal;  // NOLINT
  const auto device = find_device("tpu_v5e");
  if (argc != 2 || !device.ok()) {
    std::fprintf(stderr, "usage: fit_vector tpu_compiler_cycles.csv\n");
    return 1;
  }
  const VectorProbes probes = read_vector_probes(argv[1]);
  std::printf("%-32s %8.3g -> %.3g\n", "vector.efficiency", device->tpu()->vector.efficiency, probes.efficiency);
  for (const OpWeight& weight : device->vector.weights) {
    const auto at = probes.weights.find(weight.op);
    if (at == probes.weights.end() || weight.source.kind != Provenance::kFitted) continue;
    std::printf("vector.weights.%-17s %8.3g -> %.3g", weight.op.c_str(), weight.vector_ops, at->second.least);
    if (at->second.most > at->second.least) std::printf(" to %.3g", at->second.most);
    std::printf("\n");
  }
  std::printf("\nheld back, cycles a register\n");
  for (const auto& [op, name, cycles, predicted] : probes.held_back) {
    std::printf("  %-10s %-9s %6.2f, from v5e %6.2f: %+.1f %%\n", op.c_str(), name.c_str(), cycles, predicted,
                100 * (predicted / cycles - 1));
  }
  return 0;
}

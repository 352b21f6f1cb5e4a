// Prints what an operation of the vector units costs by the TPU compiler's own estimates of chains of it, as the
// weights and the efficiency in data/hardware/tpu_common.json state it:
//   fit_vector tpu_compiler_cycles.csv
// A chain tells only where it is bound by its operations and not by memory: where a chain twice as long takes nearly
// twice as long. Elsewhere its growth is the least and its whole the most that an operation can take, between which
// the weight has to lie. Weights are fitted to v5e; the other devices are held back.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "tests/accuracy/figures.h"

namespace {

constexpr double kRegisterElements = 1024;
constexpr double kComputeBound = 0.87;  // share of the growth of the chain that the estimate has to show

// Of the cycles a register.
struct Bounds {
  double least = 0;
  double most = HUGE_VAL;
};

double elements(const std::string& shape) {
  const std::size_t at = shape.find('x');
  return at == std::string::npos ? 0 : std::stod(shape.substr(0, at)) * std::stod(shape.substr(at + 1));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hloroof;  // NOLINT
  if (argc != 2) {
    std::fprintf(stderr, "usage: fit_vector tpu_compiler_cycles.csv\n");
    return 1;
  }
  std::map<std::tuple<std::string, std::string, std::string>, std::map<int, double>> chains;
  for (const auto& row : read_csv(argv[1])) {
    if (row.at("dtype") != "float32" || row.at("chain") == "1") continue;
    chains[{row.at("op"), row.at("device"), row.at("shape")}][std::stoi(row.at("chain"))] =
        std::stod(row.at("estimated_cycles"));
  }
  std::map<std::string, double> fitted;  // cycles a register, by operation, on v5e
  std::map<std::string, Bounds> bounds;
  std::printf("%-10s %-9s %18s %8s %10s\n", "operation", "device", "cycles a register", "v5e", "held back");
  for (const char* of_v5e : {"yes", "no"}) {
    for (const auto& [key, by_length] : chains) {
      const auto& [op, name, shape] = key;
      if ((name == "tpu_v5e") != (of_v5e[0] == 'y') || by_length.size() != 2) continue;
      const auto [shorter, less] = *by_length.begin();
      const auto [longer, more] = *by_length.rbegin();
      const double growth = static_cast<double>(longer) / shorter;
      const auto device = find_device(name);
      if (!device.ok() || elements(shape) <= 0) continue;
      const double registers = elements(shape) / kRegisterElements / static_cast<double>(device->cores());
      const double cycles = (more - less) / (longer - shorter) / registers;
      if (more / less < kComputeBound * growth) {
        if (name != "tpu_v5e") continue;
        Bounds& within = bounds[op];
        within.least = std::max(within.least, cycles);
        within.most = std::min(within.most, more / longer / registers);
        continue;
      }
      // An operation takes as many ALU slots whatever the generation; v2 to v4 have half as many.
      const double alus = static_cast<double>(device->vector.alus.value_or(4)) / 4;
      if (name == "tpu_v5e") {
        fitted[op] = cycles;
        std::printf("%-10s %-9s %18.2f\n", op.c_str(), name.c_str(), cycles);
      } else if (const auto at = fitted.find(op); at != fitted.end()) {
        std::printf("%-10s %-9s %18.2f %8.2f %9.1f%%\n", op.c_str(), name.c_str(), cycles, at->second / alus,
                    100 * (at->second / alus / cycles - 1));
      }
    }
  }
  const double add = fitted["add"];
  std::printf("\nefficiency: four ALUs would add in 0.25 cycles: %.2f\nweights, in adds:", 0.25 / add);
  for (const auto& [op, cycles] : fitted) std::printf(" %s %.1f", op.c_str(), cycles / add);
  std::printf("\nweights between:");
  for (const auto& [op, within] : bounds) {
    if (fitted.count(op) == 0) std::printf(" %s %.1f and %.1f,", op.c_str(), within.least / add, within.most / add);
  }
  std::printf("\n");
  return 0;
}

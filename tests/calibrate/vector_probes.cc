#include "tests/calibrate/vector_probes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "tests/accuracy/figures.h"

namespace hloroof::internal {
namespace {

constexpr double kRegisterElements = 1024;
constexpr double kComputeBound = 0.87;  // the growth of the estimate relative to that of the chain, if compute bound
constexpr int kAlus = 4;                // of v5e

double elements(const std::string& shape) {
  const std::size_t at = shape.find('x');
  return at == std::string::npos ? 0 : std::stod(shape.substr(0, at)) * std::stod(shape.substr(at + 1));
}

std::string opcode(const std::string& op) {
  static const std::map<std::string, std::string> names = {
      {"div", "divide"},         {"exp", "exponential"}, {"expm1", "exponential-minus-one"},
      {"log1p", "log-plus-one"}, {"max", "maximum"},     {"mul", "multiply"},
      {"pow", "power"},          {"rem", "remainder"},   {"sin", "sine"},
      {"sub", "subtract"},
  };
  const auto at = names.find(op);
  return at == names.end() ? op : at->second;
}

// The cycles of one operation on one register.
struct Cycles {
  double least = 0;
  double most = HUGE_VAL;
};

}  // namespace

VectorProbes read_vector_probes(const std::string& path) {
  // By operation, device and shape: cycles by length of the chain.
  std::map<std::tuple<std::string, std::string, std::string>, std::map<int, double>> chains;
  for (const auto& row : read_csv(path)) {
    if (row.at("dtype") != "float32" || row.at("chain") == "1") continue;
    chains[{opcode(row.at("op")), row.at("device"), row.at("shape")}][std::stoi(row.at("chain"))] =
        std::stod(row.at("estimated_cycles"));
  }
  VectorProbes probes;
  std::map<std::string, Cycles> fitted;
  for (const bool is_v5e : {true, false}) {
    for (const auto& [key, by_length] : chains) {
      const auto& [op, name, shape] = key;
      const auto device = find_device(name);
      if (!device.ok() || by_length.size() != 2 || elements(shape) <= 0 || (name == "tpu_v5e") != is_v5e) continue;
      const auto [shorter, less] = *by_length.begin();
      const auto [longer, more] = *by_length.rbegin();
      const double registers = elements(shape) / kRegisterElements / core_count(*device);
      const double growth = (more - less) / (longer - shorter) / registers;
      const bool is_bound = more / less >= kComputeBound * longer / shorter;
      // An operation needs the same number of ALU slots on every generation. v2 to v4 have half as many slots.
      const double alus = device->vector.f32_rate / (kRegisterElements * *device->clock * core_count(*device));
      const double slots = std::round(alus) / kAlus;
      Cycles& cycles = fitted[op];
      if (!is_v5e && is_bound && cycles.least == cycles.most) {
        probes.held_back.push_back({op, name, growth, cycles.least / slots});
      } else if (is_v5e || is_bound) {
        cycles.least = std::max(cycles.least, growth * slots);
        cycles.most = std::min(cycles.most, is_bound ? growth * slots : more / longer / registers);
      }
    }
  }
  const double add = fitted["add"].least;
  probes.efficiency = 1.0 / kAlus / add;
  for (const auto& [op, cycles] : fitted) probes.weights[op] = {cycles.least / add, cycles.most / add};
  return probes;
}

}  // namespace hloroof::internal

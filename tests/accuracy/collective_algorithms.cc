// Compares the algorithms that the model assumes for collectives with the notes of the compiler in the dumps. The model
// does not read the notes.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/values/backend_config.h"
#include "lib/values/json_view.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

// The algorithm that the compiler chose for a collective.
struct CollectiveAlgorithmConfig {
  std::string emitter;   // SinglePhaseRingSumEmitter
  std::string strategy;  // UniDirection1DRingStrategy
  std::string debug;     // lines of `name = value`
};

std::optional<CollectiveAlgorithmConfig> collective_algorithm_config(InstructionView instruction) {
  const std::string config = backend_config(instruction);
  const JsonView at = JsonView(config)["collective_algorithm_config"];
  if (!at) return std::nullopt;
  return CollectiveAlgorithmConfig{at["emitter"].string(), at["strategy"].string(), at["debug"].string()};
}

// "UniDirectionNDRingStrategy, 6 colours in 3 phases"; the emitter where there is no strategy.
std::string noted(const CollectiveAlgorithmConfig& config) {
  std::string text = config.strategy.empty() ? config.emitter : config.strategy;
  const auto number_after = [&](const char* key) {
    const std::size_t at = config.debug.find(key);
    if (at == std::string::npos) return std::string();
    const std::size_t from = at + std::string_view(key).size();
    return config.debug.substr(from, config.debug.find_first_not_of("0123456789", from) - from);
  };
  const std::string colors = number_after("colors:");
  const std::string phases = number_after("phases:");
  if (!colors.empty() && !phases.empty()) text += ", " + colors + " colours in " + phases + " phases";
  return text;
}

struct Tally {
  int count = 0;
  std::set<std::string> chips;
};

}  // namespace

void report_collective_algorithms(const std::string& shared, Report& report) {
  report.heading("Algorithms of collectives");
  report.paragraph(
      "What the model takes collectives on TPUs to do, beside the strategy the compiler noted in the same dump, which "
      "the "
      "model does not read. No time is compared, so no row counts as measured. A colour is a part of the array with "
      "links of its own, a phase an axis it goes through.");
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (const auto& row : read_csv(shared + "/corpus/index.csv")) {
    const std::string& file = row.at("file");
    if (file.rfind("tpu/", 0) != 0) continue;
    const std::string topology = file.substr(file.find('.') + 1);
    const std::string chip = topology.substr(0, topology.find('_'));
    const auto device = find_device(chip == "tpu7x" ? "tpu_v7x" : chip == "v4" ? "tpu_v4_core" : "tpu_" + chip);
    const auto module = load_module(shared + "/corpus/" + file);
    if (!device.ok() || !module.ok()) continue;
    const std::string extents = topology.substr(topology.find('_') + 1);
    PredictOptions options;
    options.topology = extents.substr(0, extents.find('.'));
    const auto prediction = predict_step_time(*module, *device, options);
    if (!prediction.ok()) continue;
    for (const CollectivePrediction& collective : prediction->collectives) {
      const auto config = collective_algorithm_config(module->instruction(collective.id));
      if (!config || collective.group_size <= 1) continue;
      Tally& tally = tallies[{noted(*config), collective.kind + ": " + collective.algorithm}];
      ++tally.count;
      tally.chips.insert(topology.substr(0, topology.find('.')));
    }
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, tally] : tallies) {
    std::string chips;
    for (const std::string& chip : tally.chips) chips += (chips.empty() ? "" : ", ") + chip;
    rows.push_back({key.first, key.second, std::to_string(tally.count), chips});
  }
  report.table({"the compiler notes", "the model takes", "collectives", "on"}, rows);
}

}  // namespace hloroof::internal

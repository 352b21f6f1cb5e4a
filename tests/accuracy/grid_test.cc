// Compares the compute part of operations with the busy cycles of their final code (grid/grid.csv), in each category on
// each generation of TPU. compile_grid.py makes the rows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kFolder = source_path("tests/accuracy/grid/");

const std::map<std::string, std::string> kDevices = {{"v2", "tpu_v2"},   {"v3", "tpu_v3"},   {"v4", "tpu_v4_core"},
                                                     {"v5e", "tpu_v5e"}, {"v5p", "tpu_v5p"}, {"v6e", "tpu_v6e"},
                                                     {"7x", "tpu_v7x"}};

// The seconds that the operations of a module keep the core busy: each its slowest unit, without memory and overhead.
// Also adds what each unit takes to `units`.
double core_seconds(const StepPrediction& prediction, ResourceSeconds& all_units) {
  double seconds = 0;
  for (const OpPrediction& op : prediction.ops) {
    const ResourceSeconds& busy = op.time->resources;
    const double units =
        std::max({busy[Resource::kMatrix] + op.time->epilogue, busy[Resource::kVector], busy[Resource::kVmem]});
    if (op.opcode.find("-start") != std::string::npos) continue;
    seconds += op.executions * units;
    for (int r = 0; r < kResourceCount; ++r) {
      all_units[static_cast<Resource>(r)] += op.executions * busy[static_cast<Resource>(r)];
    }
  }
  return seconds;
}

TEST_CASE("The grid of operations") {
  std::map<std::string, std::map<std::string, std::vector<Sample>>> all;  // by category and generation
  std::map<std::string, std::vector<Sample>> held_back;                   // by category
  for (const auto& row : read_csv(kFolder + "grid.csv")) {
    const std::string& generation = row.at("generation");
    CAPTURE(row.at("file"));
    const auto module = load_module(kFolder + row.at("file"));
    REQUIRE(module.ok());
    const auto device = find_device(kDevices.at(generation));
    REQUIRE(device.ok());
    const auto prediction = predict_step_time(*module, *device);
    REQUIRE(prediction.ok());
    const double busy = std::stod(row.at("busy_cycles")) / std::stod(row.at("clock"));
    ResourceSeconds units;
    const double model = core_seconds(*prediction, units);
    if (std::getenv("HLOROOF_GRID_ROWS") != nullptr) {
      const double clock = std::stod(row.at("clock"));
      std::printf("%-16s %-4s %-32s %-9s code %8.0f model %8.0f ratio %5.2f matrix %8.0f vector %8.0f vmem %8.0f\n",
                  row.at("category").c_str(), generation.c_str(), row.at("name").c_str(), row.at("standing").c_str(),
                  busy * clock, model * clock, model / busy, units[Resource::kMatrix] * clock,
                  units[Resource::kVector] * clock, units[Resource::kVmem] * clock);
    }
    const Sample sample = {generation + " " + row.at("name"), model, busy, 1, ""};
    all[row.at("category")][generation].push_back(sample);
    if (row.at("standing") == "held back") held_back[row.at("category")].push_back(sample);
  }
  std::printf("%-16s", "median error");
  for (const char* generation : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "7x"}) std::printf("%8s", generation);
  std::printf("%10s\n", "held back");
  for (const auto& [category, generations] : all) {
    std::printf("%-16s", category.c_str());
    for (const char* generation : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "7x"}) {
      const auto samples = generations.find(generation);
      std::printf("%8s", samples == generations.end() ? "-" : percent(figures(samples->second).median).c_str());
    }
    std::printf("%10s\n", percent(figures(held_back[category]).median).c_str());
  }
  // What the model attains, so that it does not become worse. The goal is 10 % everywhere.
  const std::map<std::string, double> kMost = {{"convolution", 0.08},  {"data movement", 0.08},   {"elementwise", 0.06},
                                               {"product", 0.03},      {"quantization", 0.05},    {"reduction", 0.04},
                                               {"relayout", 0.13},     {"rows and columns", 0.1}, {"softmax", 0.08},
                                               {"sort and scan", 0.1}, {"transcendental", 0.03},  {"window", 0.11}};
  for (const auto& [category, most] : kMost) {
    CAPTURE(category);
    CHECK(figures(held_back[category]).median <= most);
  }
}

}  // namespace
}  // namespace hloroof::internal

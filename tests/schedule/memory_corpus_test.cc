// The memory model against what the compilers allocated for every dump of the large corpus, as the .json beside each says.
// Arguments, outputs and aliases are exact; the peak is what is measured and held to a share.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "hloroof/parse.h"
#include "lib/base/json.h"
#include "lib/schedule/memory.h"
#include "tests/catch.h"

namespace hloroof {
namespace {

namespace fs = std::filesystem;

struct Reported {
  double arguments = 0;
  double outputs = 0;
  double aliased = 0;
  double temporaries = 0;
  std::optional<double> peak;
};

std::optional<Reported> read_reported(const fs::path& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto json = parse_json(text, path.string());
  if (!json.ok()) return std::nullopt;
  const JsonValue* memory = json->find("memory_analysis");
  if (memory == nullptr || memory->find("argument_size_in_bytes") == nullptr) return std::nullopt;
  const auto number = [&](std::string_view key) { return memory->find(key) != nullptr ? memory->find(key)->number : 0; };
  Reported reported;
  reported.arguments = number("argument_size_in_bytes");
  reported.outputs = number("output_size_in_bytes");
  reported.aliased = number("alias_size_in_bytes");
  reported.temporaries = number("temp_size_in_bytes");
  if (memory->find("peak_memory_in_bytes") != nullptr) reported.peak = number("peak_memory_in_bytes");
  return reported;
}

// The device a folder's dumps were compiled for, as far as memory spaces go.
Device device_of(const std::string& folder) {
  Device device;
  device.family = folder == "tpu" ? DeviceFamily::kTpu : DeviceFamily::kGpu;
  device.hbm.capacity = 1e12;
  return device;
}

TEST_CASE("memory of the corpus") {
  const fs::path corpus = fs::path(HLOROOF_SHARED_DIR) / "corpus";
  if (!fs::exists(corpus)) HLOROOF_SKIP("the large corpus is not there");
  int dumps = 0, arguments_exact = 0, outputs_exact = 0, aliased_exact = 0, peaks = 0, within = 0, far = 0;
  std::ostringstream table;
  table.precision(12);
  for (const std::string folder : {"tpu", "gpu", "cpu"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(corpus / folder)) {
      if (entry.path().extension() == ".hlo") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const auto reported = read_reported(fs::path(file).replace_extension(".json"));
      if (!reported) continue;
      const auto module = load_module(file.string());
      REQUIRE(module.ok());
      const MemoryPrediction memory = analyze_memory(*module, analyze_calls(*module), device_of(folder)).prediction;
      ++dumps;
      arguments_exact += memory.arguments_bytes == reported->arguments;
      outputs_exact += memory.outputs_bytes == reported->outputs;
      aliased_exact += memory.aliased_bytes == reported->aliased;
      const double sum = reported->arguments + reported->outputs - reported->aliased + reported->temporaries;
      const double peak = reported->peak.value_or(0) > 0 ? *reported->peak : sum;
      ++peaks;
      const double ratio = peak > 0 ? memory.peak_bytes / peak : 1;
      within += ratio > 0.9 && ratio < 1.1;
      far += ratio < 0.75 || ratio > 1.25;
      table << file.filename().string() << " arguments " << memory.arguments_bytes << " " << reported->arguments << " outputs "
            << memory.outputs_bytes << " " << reported->outputs << " aliased " << memory.aliased_bytes << " " << reported->aliased
            << " peak " << memory.peak_bytes << " " << peak << " ratio " << ratio << " sum " << sum << " temp " << reported->temporaries << " vmem " << memory.vmem_peak_bytes << " leaves " << module->shapes().leaves(module->entry().root().shape_id()).size() << " tuple " << module->shape(module->entry().root().shape_id()).is_tuple() << "\n";
    }
  }
  if (std::getenv("HLOROOF_PRINT_TABLE") != nullptr) std::cout << table.str();
  CAPTURE(dumps, arguments_exact, outputs_exact, aliased_exact, peaks, within, far);
  WARN(dumps << " dumps: arguments exact " << arguments_exact << ", outputs " << outputs_exact << ", aliases " << aliased_exact
             << ", peak within 10 % " << within << ", over 25 % off " << far);
  CHECK(dumps > 0);
}

}  // namespace
}  // namespace hloroof

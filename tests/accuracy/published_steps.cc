#include "tests/accuracy/published_steps.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "lib/base/json.h"
#include "tests/accuracy/figures.h"
#include "tests/paths.h"

namespace hloroof::internal {

std::vector<PublishedStep> published_steps() {
  const std::string folder = source_path("tests/accuracy/steps/");
  std::vector<PublishedStep> steps;
  for (const auto& row : read_csv(folder + "steps.csv")) {
    const double seconds = std::stod(row.at("tflop_per_chip")) / std::stod(row.at("tflops_per_chip_published"));
    steps.push_back(
        {folder + row.at("file"), row.at("device"), seconds, standing_from_string(row.at("standing")).value()});
  }
  return steps;
}

std::vector<PublishedStep> open_steps(const std::string& shared) {
  const auto step = [&shared](const char* file, const char* device, Standing standing) {
    const std::string path = shared + "/corpus/step/" + file;
    std::ifstream facts(path + ".json");
    const std::string text(std::istreambuf_iterator<char>(facts), {});
    const absl::StatusOr<OrderedJson> json = parse_json(text, path + ".json");
    double seconds = 0;
    for (const char* name : {"derived_step_s", "measured_step_s"}) {
      const OrderedJson* stated = json.ok() ? find(*json, {name}) : nullptr;
      if (stated != nullptr && stated->is_number()) seconds = stated->get<double>();
    }
    return PublishedStep{path + ".hlo", device, seconds, standing};
  };
  std::vector<PublishedStep> steps = {step("llama3.1-8b.v6e-8", "tpu_v6e", Standing::kFitted),
                                      step("llama3.1-8b.v6e-32", "tpu_v6e", Standing::kFitted),
                                      step("llama3.1-8b.v6e-256", "tpu_v6e", Standing::kFitted),
                                      step("llama3.1-70b.v6e-32", "tpu_v6e", Standing::kSeen),
                                      step("gemma3-12b-32k.v6e-256", "tpu_v6e", Standing::kSeen),
                                      step("mixtral-8x7b.v6e-256", "tpu_v6e", Standing::kSeen),
                                      step("maxtext-32b.v5p-128", "tpu_v5p", Standing::kHeldBack),
                                      step("llama4-scout.v5p-512", "tpu_v5p", Standing::kHeldBack),
                                      step("maxtext-16b.v5e-2x256", "tpu_v5e", Standing::kHeldBack),
                                      step("llama3.1-70b.tpu7x-64", "tpu_v7x", Standing::kHeldBack),
                                      step("qwen3-235b.tpu7x-256", "tpu_v7x", Standing::kHeldBack),
                                      step("gpt-oss-120b.tpu7x-64", "tpu_v7x", Standing::kHeldBack)};
  const auto is_missing = [](const PublishedStep& s) { return s.seconds <= 0; };
  steps.erase(std::remove_if(steps.begin(), steps.end(), is_missing), steps.end());
  return steps;
}

std::string step_name(const PublishedStep& step) {
  const std::string file = step.path.substr(step.path.rfind('/') + 1);
  return file.substr(0, file.find(".hlo"));
}

}  // namespace hloroof::internal

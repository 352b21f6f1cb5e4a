#include "tests/accuracy/published_steps.h"

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

std::string step_name(const PublishedStep& step) {
  const std::string file = step.path.substr(step.path.rfind('/') + 1);
  return file.substr(0, file.find(".hlo"));
}

}  // namespace hloroof::internal

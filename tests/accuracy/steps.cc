#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/accuracy/published_steps.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {

namespace {

// How many pairs of steps on one device, with measured times that differ by more than 5 %, are in the right order.
void report_order(const std::map<std::string, std::vector<Sample>>& by_device, Report& report) {
  constexpr double kApart = 1.05;
  int pairs = 0;
  int wrong = 0;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [device, samples] : by_device) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (std::size_t k = 0; k < samples.size(); ++k) {
        if (samples[i].reference <= kApart * samples[k].reference) continue;
        ++pairs;
        if (samples[i].predicted > samples[k].predicted) continue;
        ++wrong;
        rows.push_back({samples[i].what, samples[k].what, device});
      }
    }
  }
  report.paragraph(absl::StrFormat("%d of %d such pairs are in the right order.", pairs - wrong, pairs));
  if (!rows.empty()) report.table({"slower", "than", "on, predicted otherwise"}, rows);
  if (pairs > 0) report.figure("seen.step.pairs_in_wrong_order", static_cast<double>(wrong) / pairs);
}

// The mean error of each device, and how well its steps are ranked. Two steps have one pair only, which is no ranking.
void report_ranking(const std::map<std::string, std::vector<Sample>>& by_device, Report& report) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [device, samples] : by_device) {
    double error = 0;
    for (const Sample& s : samples) error += std::abs(s.predicted / s.reference - 1);
    const bool is_ranked = samples.size() >= kFewest;
    const double tau = figures(samples).tau;
    rows.push_back({device, std::to_string(samples.size()), percent(error / static_cast<double>(samples.size())),
                    is_ranked ? absl::StrFormat("%.2f", tau) : "too few steps"});
    if (is_ranked) report.figure("seen.step." + device + ".unranked", 1 - tau);
  }
  report.paragraph(
      "The mean error and the ranking of the steps of each device, over all rows above whatever their mark.");
  report.table({"device", "steps", "mean error", "Kendall's tau"}, rows);
}

}  // namespace

void report_steps(const std::string& shared, Report& report) {
  report.heading("Whole training steps");
  report.paragraph(
      "Measured, or derived from a published TFLOP/s, on whole slices. They were compiled by a later compiler than "
      "measured, some from defaults that are inferred (steps/README.md). The sustained rate of TPU v4 is "
      "fitted to one of them, and the share of the link to the host that transfers attain on v6e to three; what "
      "attention kernels do to a score was counted with a step of Llama 3.1 in view, and "
      "the power cap "
      "of v6e was chosen with its steps in view. "
      "Pairs of steps on one device whose measured times differ by more than 5 % are compared by their order.");
  std::vector<PublishedStep> steps = published_steps();
  for (PublishedStep& step : open_steps(shared)) steps.push_back(std::move(step));
  std::stable_sort(steps.begin(), steps.end(),
                   [](const PublishedStep& a, const PublishedStep& b) { return a.device < b.device; });
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> held_back;
  std::map<std::string, std::vector<Sample>> by_device;
  for (const PublishedStep& step : steps) {
    const auto module = load_module(step.path);
    const auto device = find_device(step.device);
    if (!module.ok() || !device.ok()) continue;
    const auto prediction = predict_step_time(*module, *device);
    if (!prediction.ok()) continue;
    const double error = prediction->step_seconds / step.seconds - 1;
    const std::string name = step_name(step);
    by_device[step.device].push_back({name, prediction->step_seconds, step.seconds, 1, ""});
    rows.push_back({name, step.device, microseconds(prediction->step_seconds), microseconds(step.seconds),
                    percent(error), microseconds(prediction->exposed_communication_seconds),
                    percent(prediction->assumed_share), to_string(step.standing)});
    report.figure(figure_name(step.standing, "step." + name), error < 0 ? -error : error);
    if (step.standing == Standing::kHeldBack) {
      held_back.push_back({name, prediction->step_seconds, step.seconds, 1, ""});
      report.measured(step.device, Measured::kSteps, {held_back.back()});
    }
  }
  report.table({"step", "device", "predicted", "measured", "error", "exposed communication", "assumed", "row"}, rows);
  report.held_back("whole training steps, TPU v4, v5e, v5p, v6e and 7x", held_back);
  report.figure("step.median", figures(held_back).median);
  report_order(by_device, report);
  report_ranking(by_device, report);
}

}  // namespace hloroof::internal

#include "tests/accuracy/h100_programs.h"

#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/accuracy/sections.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// Of a shorter program the host's launch is most of the time, and the kernels' times leave it out.
constexpr double kShortest = 20e-6;

// Whole programs. Of the second group the kernels were looked at, and part of the model was made with them in view.
constexpr const char* kSteps = "steps";
constexpr const char* kSecondSteps = "steps2";

bool is_whole(const std::string& group) { return group == kSteps || group == kSecondSteps; }

absl::StatusOr<double> predicted_seconds(const std::string& path, const Device& device) {
  const auto module = load_module(path);
  if (!module.ok()) return module.status();
  const auto prediction = predict_step_time(*module, device);
  if (!prediction.ok()) return prediction.status();
  return prediction->step_seconds;
}

// What a group of programs holds.
const std::map<std::string, std::string>& groups() {
  static const auto* const names = new std::map<std::string, std::string>{
      {"access", "streams, reductions, transposes, slices, gathers, scatters, sorts"},
      {"access2", "strides, narrow gathers and scatters, odd rows of products"},
      {"products", "products, attention, convolutions"},
      {kSteps, "whole programs: training steps, prefill, decode"},
      {kSecondSteps, "whole programs whose kernels were looked at"},
  };
  return *names;
}

}  // namespace

absl::StatusOr<std::vector<H100Program>> h100_programs() {
  const std::string folder = source_path("tests/accuracy/h100/");
  const auto device = find_device("h100_sxm");
  if (!device.ok()) return device.status();
  std::vector<H100Program> programs;
  for (const auto& row : read_csv(folder + "measured.csv")) {
    H100Program program;
    program.group = row.at("group");
    program.name = row.at("program");
    const bool is_step = is_whole(program.group);
    const double warm = std::stod(row.at("warm_us"));
    program.measured = (!is_step   ? std::stod(row.at("kernels_us"))
                        : warm > 0 ? warm
                                   : std::stod(row.at("call_us"))) *
                       1e-6;
    if (program.measured < kShortest) continue;
    const std::string path = is_step ? absl::StrCat(folder, program.name, ".hlo.gz")
                                     : absl::StrCat(folder, program.group, ".hlo.gz#jit_", program.name);
    const auto seconds = predicted_seconds(path, *device);
    if (!seconds.ok())
      return absl::Status(seconds.status().code(), absl::StrCat(path, ": ", seconds.status().message()));
    program.predicted = *seconds;
    program.standing = program.group == kSteps ? Standing::kHeldBack : Standing::kSeen;
    programs.push_back(program);
  }
  return programs;
}

void report_h100_programs(Report& report) {
  report.heading("Programs of JAX on one H100");
  report.paragraph(
      "Measured by us with JAX 0.11.2 on one H100 SXM5 80GB; h100/README.md says how. Of the small programs the times "
      "of the kernels are added, of those of 20 us and more. A whole program is timed as one call among many after a "
      "second of the same calls, at the power cap where it binds. The small programs are seen: the H100's numbers of "
      "source H100-JAX were chosen with them in view. So are the whole "
      "programs whose kernels were looked at, one by one. The other whole programs are held back.");
  const auto programs = h100_programs();
  if (!programs.ok()) {
    report.paragraph(std::string(programs.status().message()));
    return;
  }
  std::map<std::string, std::vector<Sample>> by_group;
  std::vector<Sample> all;
  for (const H100Program& program : *programs) {
    const Sample sample{marked(program.standing, program.name), program.predicted, program.measured, 1, ""};
    by_group[program.group].push_back(sample);
    all.push_back(sample);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [group, samples] : by_group) {
    const Figures f = figures(samples);
    const Standing standing = group == kSteps ? Standing::kHeldBack : Standing::kSeen;
    rows.push_back({groups().at(group), to_string(standing), std::to_string(f.count), percent(f.bias),
                    percent(f.median), percent(f.p90)});
    report.figure(figure_name(standing, "h100." + group + ".median"), f.median);
    report.figure(figure_name(standing, "h100." + group + ".p90"), f.p90);
  }
  report.table({"programs", "row", "count", "bias", "median", "p90"}, rows);
  rows.clear();
  for (const char* group : {kSteps, kSecondSteps}) {
    for (const Sample& step : by_group[group]) {
      rows.push_back({step.what, microseconds(step.predicted), microseconds(step.reference),
                      percent(step.predicted / step.reference - 1)});
    }
  }
  report.table({"whole program", "predicted", "measured", "error"}, rows);
  report.worst(all, 10);
  report.held_back("whole programs of JAX, H100", by_group[kSteps]);
}

}  // namespace hloroof::internal

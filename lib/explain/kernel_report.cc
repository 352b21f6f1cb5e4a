#include "lib/explain/kernel_report.h"

#include <string_view>
#include <utility>

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/explain/kernel_fields.h"
#include "lib/results/step_fields.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::string_view kKernelsSchema[] = {"hloroof.kernels/1"};

}  // namespace

}  // namespace hloroof::internal::inline explain

namespace hloroof::internal {

template <>
struct Described<KernelReport> {
  static constexpr RecordInfo kInfo = {"kernel_report", "KernelReport", "The Pallas kernels of a program."};
  static constexpr auto kFields = concatenated(
      fields(schema_field<kKernelsSchema>(), field("file", "Path of the dump.", &KernelReport::file),
             field("module", "Name of the module.", StepMember<&StepPrediction::module_name>())),
      kPlaceFields,
      fields(field("set", "Device parameters that --set changed, in SI units.", StepMember<&StepPrediction::set>()),
             kStepSecondsField,
             field("kernels", "The kernels, those with the most time in the step first.", &KernelReport::kernels)));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline explain {

KernelReport kernel_report(const std::string& file, StepPrediction prediction) {
  KernelReport report;
  report.file = file;
  report.kernels = kernel_rows(prediction);
  report.step = std::move(prediction);
  report.step.facts.reset();
  report.step.timeline = {};
  return report;
}

std::string kernel_json(const std::vector<KernelReport>& reports) { return records_json(reports); }

std::string kernel_csv(const std::vector<KernelReport>& reports) {
  CsvLine line;
  for (const char* title : {"file", "device", "topology"}) line.add(title);
  if (!reports.empty()) {
    for (const auto& [parameter, value] : reports.front().step.set) line.add(parameter);
  }
  add_csv_titles(KernelRow(), line);
  std::string out = line.take();
  for (const KernelReport& report : reports) {
    for (const KernelRow& kernel : report.kernels) {
      line.add(report.file);
      line.add(report.step.device);
      line.add(report.step.topology);
      for (const auto& [parameter, value] : report.step.set) line.add(value);
      add_csv_cells(kernel, line, report.step.family);
      out += line.take();
    }
  }
  return out;
}

ResultTable kernel_table() {
  return describe_result<KernelReport>(kKernelsSchema[0], "The Pallas kernels of a program: kernel --format json");
}

}  // namespace hloroof::internal::inline explain

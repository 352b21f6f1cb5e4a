#include "lib/explain/code_report.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "hloroof/attributes.h"
#include "lib/base/strings.h"
#include "lib/code/code_units.h"
#include "lib/code/executor.h"
#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/explain/code_fields.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::string_view kBundlesSchema[] = {"hloroof.bundles/1"};

}  // namespace

}  // namespace hloroof::internal::inline explain

namespace hloroof::internal {

template <>
struct Described<CodeReport> {
  static constexpr RecordInfo kInfo = {"code_report", "CodeReport", "The final code of the operations of a dump."};
  static constexpr auto kFields = fields(
      schema_field<kBundlesSchema>(), field("folder", "Path of the dump.", &CodeReport::folder),
      field("device", "Device.", &CodeReport::device), field("clock", "Clock of the device in Hz.", &CodeReport::clock),
      field("read_bandwidth", Unit::kBytesPerSecond, "Rate at which the transfers of one core read HBM.",
            &CodeReport::read_bandwidth),
      field("latency_seconds", Unit::kSeconds, "Time of a transfer from or to HBM in addition to its bytes.",
            &CodeReport::latency),
      field("ops", "The operations, those that take longest first.", &CodeReport::rows));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline explain {

absl::StatusOr<CodeReport> start_code_report(const std::string& folder, const Device& device) {
  const absl::StatusOr<CodeCore> core = code_core(device);
  if (!core.ok()) return core.status();
  CodeReport report;
  report.folder = folder;
  report.device = device.name;
  report.clock = core->clock;
  report.read_bandwidth = core->read_rate * core->clock;
  report.latency = core->latency / core->clock;
  return report;
}

void add_sources(const Module& module, std::vector<CodeRow>& rows) {
  absl::flat_hash_map<std::string_view, std::vector<CodeRow*>> missing;
  for (CodeRow& row : rows) {
    if (row.opcode.empty()) missing[row.op].push_back(&row);
  }
  const StackFrames frames(module);
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      const auto found = missing.find(instruction.name());
      if (found == missing.end()) continue;
      const SourceLocation source = source_location(instruction, frames);
      for (CodeRow* row : found->second) {
        row->opcode = instruction.opcode_text();
        row->op_name = op_name(instruction);
        row->source_file = source.file;
        row->source_line = source.line;
      }
    }
  }
}

void add_model_times(const StepPrediction& prediction, std::vector<CodeRow>& rows) {
  absl::flat_hash_map<std::string_view, double> seconds;
  for (const OpPrediction& op : prediction.ops) seconds.try_emplace(op.name, op.seconds);
  for (CodeRow& row : rows) {
    const auto found = seconds.find(row.op);
    if (found != seconds.end() && !row.model_seconds) row.model_seconds = found->second;
  }
}

void sort_code(std::vector<CodeRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const CodeRow& a, const CodeRow& b) {
    const double most = std::numeric_limits<double>::infinity();
    return a.seconds.value_or(most) > b.seconds.value_or(most);
  });
}

std::string code_json(const CodeReport& report) { return records_json(std::vector<CodeReport>{report}); }

std::string code_csv(const CodeReport& report) {
  CsvLine line;
  line.add("device");
  add_csv_titles(CodeRow(), line);
  for (std::size_t i = 0; i < kCodeUnitCount; ++i) {
    const std::string unit = absl::AsciiStrToLower(to_absl(to_string(static_cast<CodeUnit>(i))));
    line.add(unit + "_cycles");
    line.add(unit + "_instructions");
  }
  std::string out = line.take();
  for (const CodeRow& row : report.rows) {
    line.add(report.device);
    add_csv_cells(row, line, DeviceFamily::kTpu);
    for (std::size_t i = 0; i < kCodeUnitCount; ++i) {
      if (i < row.units.size()) {
        line.add(row.units[i].cycles);
        line.add(row.units[i].instructions);
      } else {
        line.add_empty();
        line.add_empty();
      }
    }
    out += line.take();
  }
  return out;
}

ResultTable code_table() {
  return describe_result<CodeReport>(kBundlesSchema[0], "The final code of a dump: bundles --format json");
}

}  // namespace hloroof::internal::inline explain

#include "lib/explain/op_code.h"

#include "lib/explain/code_report.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline explain {

std::optional<CodeRow> op_code(const StepPrediction& prediction, const OpPrediction& op) {
  const StepFacts& facts = *prediction.facts;
  if (facts.code == nullptr) return std::nullopt;
  const InstructionView instruction = facts.module->instruction(op.id);
  const FoundCode found = find_code_of(*facts.code, instruction);
  if (found.row == nullptr) return std::nullopt;
  CodeRow row = *found.row;
  row.opcode = instruction.opcode_text();
  row.op_name = op.op_name;
  row.source_file = op.source_file;
  row.source_line = op.source_line;
  row.model_seconds = op_time(op.work, facts.target.device).seconds;
  return row;
}

std::string explain_code(const StepPrediction& prediction, const CodeRow& row, std::size_t width) {
  const StepFacts& facts = *prediction.facts;
  absl::StatusOr<CodeReport> report = start_code_report(facts.code->folder, facts.target.device);
  if (!report.ok()) return "";
  report->rows.push_back(row);
  ViewOptions options;
  options.width = width;
  return code_view(*report, options);
}

}  // namespace hloroof::internal::inline explain

#include "lib/lint/lint.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/analysis/op_name.h"
#include "lib/base/sha256.h"
#include "lib/base/source_text.h"
#include "lib/ir/rows.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline lint {
namespace {

// Finds the op by name: its op_name and source, and its place in the text.
void locate(const StepPrediction& prediction, LintFinding& finding) {
  const std::string& name = finding.diagnostic.op;
  if (name.empty()) return;
  for (const OpPrediction& op : prediction.ops) {
    if (op.name != name) continue;
    finding.op_name = op.op_name;
    finding.source_file = op.source_file;
    finding.source_line = op.source_line;
    break;
  }
  if (prediction.facts == nullptr) return;
  const Module& module = *prediction.facts->module;
  const SourceText& source = ModuleRows::source(module);
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      const std::string_view text = instruction.name();
      if (text != name || text.data() < source.begin() || text.data() >= source.end()) continue;
      const LineColumn at = line_column(source.view(), static_cast<std::size_t>(text.data() - source.begin()));
      finding.line = static_cast<std::int64_t>(at.line);
      finding.column = static_cast<std::int64_t>(at.column);
      return;
    }
  }
}

}  // namespace

Linter::Linter(const Waivers* waivers, std::vector<std::string> ignored, Severity fail_on, std::string today)
    : waivers_(waivers), ignored_(std::move(ignored)), fail_on_(fail_on), today_(std::move(today)) {
  if (waivers_ == nullptr) return;
  is_used_.resize(waivers_->rules.size(), false);
  report_.has_waivers = true;
}

void Linter::add(const std::string& file, const StepPrediction& prediction) {
  LintedFile& linted = report_.files.emplace_back();
  linted.file = file;
  linted.module_name = prediction.module_name;
  linted.device = prediction.device;
  linted.topology = prediction.topology;
  linted.step_seconds = prediction.step_seconds;
  for (const Diagnostic& diagnostic : prediction.diagnostics) {
    const std::string code(to_string(diagnostic.code));
    if (std::find(ignored_.begin(), ignored_.end(), code) != ignored_.end()) continue;
    LintFinding& finding = linted.findings.emplace_back();
    finding.diagnostic = diagnostic;
    locate(prediction, finding);
    // The op with the most seconds may be another one after a compilation.
    const std::string& cause = diagnostic.cause;
    finding.fingerprint = sha256_hex(
        absl::StrCat(code, "\n", !cause.empty() ? cause : layer_key(finding.op_name, prediction.module_name)));
    const std::size_t rule = waivers_ != nullptr ? waivers_->find(diagnostic, prediction, today_) : 0;
    if (waivers_ != nullptr && rule < waivers_->rules.size()) {
      is_used_[rule] = true;
      finding.is_waived = true;
      finding.waiver = waivers_->rules[rule].text;
      finding.reason = waivers_->rules[rule].reason;
      ++report_.waived;
    } else if (diagnostic.severity >= fail_on_) {
      report_.failed = true;
    }
  }
}

LintReport Linter::take() {
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    if (is_used_[i]) continue;
    const Waiver& rule = waivers_->rules[i];
    const bool has_expired = !rule.until.empty() && rule.until < today_;
    report_.unused_waivers.push_back({waivers_->path, static_cast<std::int64_t>(rule.line), rule.text,
                                      has_expired ? "expired on " + rule.until : "nothing matches"});
  }
  return std::move(report_);
}

}  // namespace hloroof::internal::inline lint

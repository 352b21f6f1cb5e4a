#include "lib/diagnose/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/what_if.h"

namespace hloroof::internal::inline diagnose {
namespace {

// One finding, and what a remedy for it alone could save.
struct Alone {
  double seconds = 0;
  double share = 0;  // of the time of its parts
  const Finding* finding = nullptr;
};

// Findings of one code and one cause.
struct Cause {
  std::vector<Alone> findings;
  double seconds = 0;  // the sum
  bool is_about_time = false;
};

Alone alone(const StepLedger& whole, const Finding& finding) {
  double sum = 0;
  for (const TimePart& part : finding.parts) sum += whole.available(part);
  const double seconds = std::min(sum, finding.most_seconds);
  return {seconds, sum > 0 ? seconds / sum : 0, &finding};
}

double take_seconds(StepLedger& ledger, const Finding& finding) {
  double left = finding.most_seconds;
  double taken = 0;
  for (const TimePart& part : finding.parts) {
    const double of_part = ledger.take(part, left);
    taken += of_part;
    left -= of_part;
  }
  return taken;
}

// Whether a code says how to save time. From unknown-trip-count on, diagnostic.def has doubts about the prediction.
bool is_advice(DiagnosticCode code) { return code < DiagnosticCode::kUnknownTripCount; }

// Advice about little time is no warning.
void lower_severity(Diagnostic& diagnostic, double step_seconds) {
  const bool is_small = diagnostic.seconds_at_stake && !diagnostic.bytes_at_stake && is_advice(diagnostic.code) &&
                        *diagnostic.seconds_at_stake < kWorthOfWarning * step_seconds;
  if (diagnostic.severity == Severity::kWarning && is_small) diagnostic.severity = Severity::kInfo;
}

Diagnostic diagnostic_of(const Cause& cause, StepLedger& ledger, double step_seconds) {
  struct Taken {
    double seconds = 0;
    const Finding* finding = nullptr;
  };
  Diagnostic result;
  std::vector<Taken> order;
  double sum = 0;
  for (const auto& [seconds, share, finding] : cause.findings) {
    order.push_back({take_seconds(ledger, *finding), finding});
    sum += order.back().seconds;
    result.severity = std::max(result.severity, finding->severity);
    if (finding->bytes) result.bytes_at_stake = result.bytes_at_stake.value_or(0) + *finding->bytes;
  }
  if (cause.is_about_time) {
    result.seconds_at_stake = sum;
    result.counted_elsewhere_seconds = std::max(0.0, cause.seconds - sum);
  }
  // Ops whose time other causes count come last.
  std::stable_sort(order.begin(), order.end(), [](const Taken& a, const Taken& b) { return a.seconds > b.seconds; });
  const Finding& largest = *order.front().finding;
  result.code = largest.code;
  result.message = largest.message;
  result.op = largest.op;
  result.cause = largest.cause;
  lower_severity(result, step_seconds);
  std::set<std::string_view> seen;
  for (const Taken& taken : order) {
    const std::string& op = taken.finding->op;
    if (!op.empty() && seen.insert(op).second) result.ops.push_back(op);
  }
  return result;
}

// Replays the step as the advice would have it, and takes back what it would not save.
void check(const Cause& cause, double step_seconds, WhatIf& what_if, Diagnostic& diagnostic) {
  if (!diagnostic.seconds_at_stake || !is_advice(diagnostic.code) || diagnostic.severity != Severity::kWarning) return;
  if (*diagnostic.seconds_at_stake < kWorthOfWarning * step_seconds) return;
  std::vector<Shortened> shortened;
  shortened.reserve(cause.findings.size());
  for (const Alone& one : cause.findings) shortened.push_back({one.finding->parts, 1 - one.share});
  const std::optional<double> saved = what_if.saved_seconds(shortened);
  if (!saved || *saved >= *diagnostic.seconds_at_stake) return;
  const double waits = *diagnostic.seconds_at_stake - *saved;
  diagnostic.seconds_at_stake = *saved;
  if (waits >= kWorthOfStep * step_seconds) {
    absl::StrAppend(&diagnostic.message, ". Without it the step would wait ", format_seconds(waits),
                    " for other transfers, which are not counted here");
  }
  lower_severity(diagnostic, step_seconds);
}

}  // namespace

StepLedger::StepLedger(const StepFacts& facts) : facts_(facts), work_(facts.timeline.exposed) {
  const Timeline& timeline = facts.timeline;
  for (std::size_t i = 0; i < work_.size(); ++i) work_[i] = std::max(0.0, work_[i] - timeline.waited[i]);
  waits_.reserve(timeline.waits.size());
  for (const Wait& wait : timeline.waits) {
    waits_by_[wait.cause.index].push_back(static_cast<std::uint32_t>(waits_.size()));
    waits_.push_back(wait.seconds);
  }
}

template <typename Ledger, typename Visit>
void StepLedger::for_each_amount(Ledger& ledger, const TimePart& part, Visit visit) {
  if (!part.op.valid()) return;
  if (part.kind == TimePart::Kind::kWork) {
    if (part.op.index < ledger.work_.size()) visit(ledger.work_[part.op.index]);
    return;
  }
  if (part.kind == TimePart::Kind::kWaitsBy) {
    const auto found = ledger.waits_by_.find(part.op.index);
    if (found == ledger.waits_by_.end()) return;
    for (const std::uint32_t wait : found->second) visit(ledger.waits_[wait]);
    return;
  }
  const std::vector<Wait>& waits = ledger.facts_.timeline.waits;  // sorted by op
  auto at = std::lower_bound(waits.begin(), waits.end(), part.op.index,
                             [](const Wait& wait, std::uint32_t op) { return wait.op.index < op; });
  for (; at != waits.end() && at->op == part.op; ++at) {
    if (part.kind == TimePart::Kind::kWaitsFor && at->awaited != part.transfer) continue;
    visit(ledger.waits_[static_cast<std::size_t>(at - waits.begin())]);
  }
}

double StepLedger::available(const TimePart& part) const {
  double sum = 0;
  for_each_amount(*this, part, [&](double seconds) { sum += seconds; });
  return sum;
}

double StepLedger::take(const TimePart& part, double most) {
  double sum = 0;
  for_each_amount(*this, part, [&](double& seconds) {
    const double taken = std::clamp(most - sum, 0.0, seconds);
    seconds -= taken;
    sum += taken;
  });
  return sum;
}

void group_by_cause(const StepFacts& facts, const std::vector<Finding>& findings, bool (*is_read)(DiagnosticCode),
                    StepPrediction& prediction) {
  StepLedger ledger(facts);
  std::map<std::pair<DiagnosticCode, std::string>, Cause> causes;
  for (const Finding& finding : findings) {
    Cause& cause = causes[{finding.code, finding.cause}];
    cause.findings.push_back(alone(ledger, finding));
    cause.seconds += cause.findings.back().seconds;
    cause.is_about_time = cause.is_about_time || !finding.parts.empty();
  }
  std::vector<Cause*> order;
  for (auto& [key, cause] : causes) {
    std::stable_sort(cause.findings.begin(), cause.findings.end(), [](const Alone& a, const Alone& b) {
      if (a.seconds != b.seconds) return a.seconds > b.seconds;
      return a.finding->bytes.value_or(0) > b.finding->bytes.value_or(0);
    });
    const double least = cause.findings.front().finding->least_share * prediction.step_seconds;
    if (cause.is_about_time && cause.seconds < least) continue;
    order.push_back(&cause);
  }
  std::stable_sort(order.begin(), order.end(), [](const Cause* a, const Cause* b) {
    const DiagnosticCode of_a = a->findings.front().finding->code;
    const DiagnosticCode of_b = b->findings.front().finding->code;
    return of_a != of_b ? of_a < of_b : a->seconds > b->seconds;
  });
  WhatIf what_if(facts);
  for (const Cause* cause : order) {
    Diagnostic diagnostic = diagnostic_of(*cause, ledger, prediction.step_seconds);
    if (!is_read(diagnostic.code)) continue;
    check(*cause, prediction.step_seconds, what_if, diagnostic);
    prediction.diagnostics.push_back(std::move(diagnostic));
  }
}

}  // namespace hloroof::internal::inline diagnose

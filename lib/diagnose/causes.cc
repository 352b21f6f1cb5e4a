#include "lib/diagnose/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hloroof::internal::inline diagnose {
namespace {

// Findings of one code and one cause.
struct Cause {
  std::vector<std::pair<double, const Finding*>> findings;  // with the seconds that each could save alone
  double seconds = 0;                                       // the sum
  bool is_about_time = false;
};

double seconds_alone(const StepLedger& whole, const Finding& finding) {
  double sum = 0;
  for (const TimePart& part : finding.parts) sum += whole.available(part);
  return std::min(sum, finding.most_seconds);
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

bool is_small(const Diagnostic& diagnostic, double step_seconds) {
  return diagnostic.seconds_at_stake && !diagnostic.bytes_at_stake && is_advice(diagnostic.code) &&
         *diagnostic.seconds_at_stake < kWorthOfWarning * step_seconds;
}

Diagnostic diagnostic_of(const Cause& cause, StepLedger& ledger, double step_seconds) {
  struct Taken {
    double seconds = 0;
    const Finding* finding = nullptr;
  };
  Diagnostic result;
  std::vector<Taken> order;
  double sum = 0;
  for (const auto& [seconds, finding] : cause.findings) {
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
  if (result.severity == Severity::kWarning && is_small(result, step_seconds)) result.severity = Severity::kInfo;
  std::set<std::string_view> seen;
  for (const Taken& taken : order) {
    const std::string& op = taken.finding->op;
    if (!op.empty() && seen.insert(op).second) result.ops.push_back(op);
  }
  return result;
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

void group_by_cause(const StepFacts& facts, const std::vector<Finding>& findings, StepPrediction& prediction) {
  StepLedger ledger(facts);
  std::map<std::pair<DiagnosticCode, std::string>, Cause> causes;
  for (const Finding& finding : findings) {
    Cause& cause = causes[{finding.code, finding.cause}];
    const double seconds = seconds_alone(ledger, finding);
    cause.findings.emplace_back(seconds, &finding);
    cause.seconds += seconds;
    cause.is_about_time = cause.is_about_time || !finding.parts.empty();
  }
  std::vector<Cause*> order;
  for (auto& [key, cause] : causes) {
    std::stable_sort(cause.findings.begin(), cause.findings.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      return a.second->bytes.value_or(0) > b.second->bytes.value_or(0);
    });
    const double least = cause.findings.front().second->least_share * prediction.step_seconds;
    if (cause.is_about_time && cause.seconds < least) continue;
    order.push_back(&cause);
  }
  std::stable_sort(order.begin(), order.end(), [](const Cause* a, const Cause* b) {
    const DiagnosticCode of_a = a->findings.front().second->code;
    const DiagnosticCode of_b = b->findings.front().second->code;
    return of_a != of_b ? of_a < of_b : a->seconds > b->seconds;
  });
  for (const Cause* cause : order) {
    prediction.diagnostics.push_back(diagnostic_of(*cause, ledger, prediction.step_seconds));
  }
}

}  // namespace hloroof::internal::inline diagnose

#include "lib/diagnose/what_if.h"

#include <algorithm>

#include "lib/schedule/timeline.h"

namespace hloroof::internal::inline diagnose {

std::optional<double> WhatIf::saved_seconds(absl::Span<const Shortened> shortened) {
  if (facts_.pairs.empty()) return std::nullopt;
  if (demands_.empty()) demands_ = facts_.costs.demand;
  std::vector<InstructionId> changed;
  bool is_named = true;
  for (const Shortened& one : shortened) {
    for (const TimePart& part : one.parts) {
      is_named = is_named && part.kind != TimePart::Kind::kWaitsIn;
      const InstructionId op = part.kind == TimePart::Kind::kWaitsFor ? part.transfer : part.op;
      if (!op.valid() || op.index >= demands_.size()) continue;
      demands_.at(op.index) = scaled(facts_.costs.demand[op.index], one.share_left);
      changed.push_back(op);
    }
  }
  std::optional<double> saved;
  if (is_named) {
    const double step = replayed_seconds(*facts_.module, facts_.calls, facts_.pairs, demands_, facts_.schedule);
    saved = std::max(0.0, facts_.timeline.seconds - step);
  }
  for (const InstructionId op : changed) demands_.at(op.index) = facts_.costs.demand[op.index];
  return saved;
}

}  // namespace hloroof::internal::inline diagnose

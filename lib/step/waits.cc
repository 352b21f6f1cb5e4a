#include "lib/step/waits.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/analysis/mesh.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {
namespace {

// The resource that a transfer occupies. A short transfer is bound by its latency, but it still occupies its lane.
Resource transfer_resource(const StepFacts& facts, InstructionId transfer) {
  if (facts.costs.demand[transfer.index].between_seconds > 0) return Resource::kDcn;
  const Resource bound = facts.costs.time[transfer.index]->bound;
  if (bound != Resource::kLatency) return bound;
  switch (facts.costs.demand[transfer.index].lane) {
    case Lane::kIci: return Resource::kIci;
    case Lane::kDcn: return Resource::kDcn;
    case Lane::kHost: return Resource::kHost;
    default: return Resource::kHbm;
  }
}

// Names links: "hbm", or "ici, data" for the resource and the mesh axes of a collective.
class Links {
 public:
  explicit Links(const StepFacts& facts) : facts_(facts) {}

  const std::string& of(InstructionId carrier) {
    std::string& name = names_[carrier.index];
    if (name.empty()) name = describe(carrier, transfer_resource(facts_, carrier));
    return name;
  }

  // The same for the time that a collective takes on the compute stream.
  std::string of_op(InstructionId carrier, Resource resource) const { return describe(carrier, resource); }

 private:
  std::string describe(InstructionId carrier, Resource resource) const {
    std::string name(to_string(resource, facts_.target.device.family()));
    const bool is_link = resource == Resource::kIci || resource == Resource::kDcn;
    const CollectiveCosts& all = facts_.collectives;
    if (resource == Resource::kDcn && facts_.costs.demand[carrier.index].between_seconds > 0) {
      return absl::StrCat(name, ", ", all.mesh.axes[0].name);
    }
    const std::optional<std::size_t> carried = all.by_carrier.first_of(carrier.index);
    if (!is_link || !carried) return name;
    for (const int axis : spanned_axes(all.mesh, all.collectives[*carried].groups)) {
      absl::StrAppend(&name, ", ", all.mesh.axes[axis].name);
    }
    return name;
  }

  const StepFacts& facts_;
  absl::flat_hash_map<std::uint32_t, std::string> names_;  // by InstructionId
};

// Returns the seconds of overhead in `own` seconds that an op runs.
double overhead_in(const StepFacts& facts, InstructionId id, double own) {
  const Demand& demand = facts.costs.demand[id.index];
  if (demand.step == Step::kStart || demand.step == Step::kLoop) return own;  // issues, or begins an iteration
  const OpTime& time = facts.costs.time[id.index];
  return time.seconds > 0 ? own * std::min(1.0, time.overhead / time.seconds) : 0;
}

}  // namespace

void list_waits(const StepFacts& facts, StepPrediction& prediction) {
  const Timeline& timeline = facts.timeline;
  Links links(facts);
  absl::flat_hash_map<std::uint32_t, std::vector<TransferWait>> waits;  // by InstructionId
  for (const Wait& wait : timeline.waits) {                             // sorted by op, then by awaited
    std::vector<TransferWait>& of_op = waits[wait.op.index];
    if (of_op.empty() || of_op.back().transfer != wait.awaited) {
      TransferWait& entry = of_op.emplace_back();
      entry.transfer = wait.awaited;
      entry.name = std::string(facts.module->instruction(wait.awaited).name());
      entry.limit = links.of(wait.awaited);
    }
    TransferWait& entry = of_op.back();
    entry.seconds += wait.seconds;
    if (wait.cause == wait.awaited) continue;
    entry.queued_seconds += wait.seconds;
    ++entry.queued_behind;
  }
  for (OpPrediction& op : prediction.ops) {
    op.wait_seconds = std::min(op.exposed_seconds, timeline.waited[op.id.index]);
    const double own = op.exposed_seconds - op.wait_seconds;
    op.overhead_seconds = overhead_in(facts, op.id, own);
    if (const auto found = waits.find(op.id.index); found != waits.end()) {
      op.waits = std::move(found->second);
      std::stable_sort(op.waits.begin(), op.waits.end(),
                       [](const TransferWait& a, const TransferWait& b) { return a.seconds > b.seconds; });
    }
    if (op.wait_seconds > own && !op.waits.empty()) {
      op.limit = absl::StrCat("wait (", op.waits.front().limit, ")");
    } else if (op.bound) {
      op.limit = std::string(to_string(*op.bound, prediction.family));
    }
  }
}

void list_breakdown(const StepFacts& facts, StepPrediction& prediction) {
  Links links(facts);
  std::map<std::pair<bool, std::string>, BreakdownPart> parts;
  const auto add = [&](bool is_wait, Resource resource, const std::string& name, double seconds) {
    if (seconds <= 0) return;
    BreakdownPart& part = parts[{is_wait, name}];
    part.resource = resource;
    part.is_wait = is_wait;
    part.seconds += seconds;
  };
  for (const Wait& wait : facts.timeline.waits) {
    add(true, transfer_resource(facts, wait.cause), links.of(wait.cause), wait.seconds);
  }
  const std::string latency(to_string(Resource::kLatency, prediction.family));
  for (const OpPrediction& op : prediction.ops) {
    const double own = op.exposed_seconds - op.wait_seconds;
    add(false, Resource::kLatency, latency, op.overhead_seconds);
    add(false, op.time->bound, links.of_op(op.id, op.time->bound), own - op.overhead_seconds);
  }
  for (auto& [key, part] : parts) {
    part.name = part.is_wait ? absl::StrCat("wait (", key.second, ")") : key.second;
    prediction.breakdown.push_back(std::move(part));
  }
  std::stable_sort(prediction.breakdown.begin(), prediction.breakdown.end(),
                   [](const BreakdownPart& a, const BreakdownPart& b) { return a.seconds > b.seconds; });
}

double op_seconds(const StepPrediction& prediction) {
  double sum = 0;
  for (const BreakdownPart& part : prediction.breakdown) {
    const bool is_link = part.resource == Resource::kIci || part.resource == Resource::kDcn;
    if (!part.is_wait && !is_link) sum += part.seconds;
  }
  return sum;
}

}  // namespace hloroof::internal::inline step

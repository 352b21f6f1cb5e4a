#include "lib/step/execution_terms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "lib/analysis/calls.h"
#include "lib/step/facts.h"
#include "lib/time/code_time.h"
#include "lib/time/numbers.h"
#include "lib/time/op_time.h"
#include "lib/time/term_builder.h"
#include "lib/time/traced.h"
#include "lib/work/same_work.h"

namespace hloroof::internal::inline step {
namespace {

// The collectives run one after another. Other work of the instruction runs at the same time.
Term with_collectives(const StepFacts& facts, InstructionId id, Term own) {
  const auto [first, last] = facts.collectives.by_carrier.equal_range(id.index);
  if (first == last) return own;
  std::vector<Term> parts;
  for (auto carried = first; carried != last; ++carried) {
    parts.push_back(collective_terms(facts.collectives.collectives[carried->second], facts.collectives.mesh,
                                     facts.collectives.mapping, facts.target.device, facts.options.collectives));
  }
  if (!own.is_leaf()) own.name = "work at the same time";
  return slowest("collective and work at the same time", {sum("collectives", std::move(parts)), std::move(own)});
}

// Whether the terms follow from the work of the op and its collectives alone.
bool has_plain_terms(const StepFacts& facts, InstructionId id) {
  const Demand& demand = facts.costs.demand[id.index];
  const bool is_timed = demand.step == Step::kRun || demand.step == Step::kStart || demand.step == Step::kDone;
  if (!is_timed || !(demand.seconds < kForever)) return false;
  const CostSource source = facts.costs.time[id.index]->source;
  if (source == CostSource::kCompiler || source == CostSource::kCode) return false;
  return std::none_of(facts.collectives.exchanges.begin(), facts.collectives.exchanges.end(),
                      [&](const GradientExchange& exchange) { return exchange.after == id; });
}

std::size_t terms_hash(const StepFacts& facts, InstructionId id) {
  std::size_t hash = work_hash(facts.costs.work[id.index]);
  const auto [first, last] = facts.collectives.by_carrier.equal_range(id.index);
  for (auto carried = first; carried != last; ++carried) {
    hash = absl::HashOf(hash, collective_hash(facts.collectives.collectives[carried->second]));
  }
  return hash;
}

// Whether two ops for which has_plain_terms() holds have the same terms.
bool have_same_terms(const StepFacts& facts, InstructionId a, InstructionId b) {
  const std::vector<Collective>& all = facts.collectives.collectives;
  const auto [first_a, last_a] = facts.collectives.by_carrier.equal_range(a.index);
  const auto [first_b, last_b] = facts.collectives.by_carrier.equal_range(b.index);
  return facts.costs.time[a.index]->launched_in_graph == facts.costs.time[b.index]->launched_in_graph &&
         (facts.costs.demand[a.index].seconds > 0) == (facts.costs.demand[b.index].seconds > 0) &&
         same_work(facts.costs.work[a.index], facts.costs.work[b.index]) &&
         std::equal(first_a, last_a, first_b, last_b,
                    [&](const auto& x, const auto& y) { return same_collective(all[x.second], all[y.second]); });
}

}  // namespace

std::vector<std::uint32_t> first_with_same_terms(const StepFacts& facts, absl::Span<const OpPrediction> ops) {
  std::vector<std::uint32_t> first(ops.size());
  std::optional<std::uint32_t> first_without_any;
  absl::flat_hash_map<std::size_t, std::vector<std::uint32_t>> by_hash;  // one op of each kind
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    first[i] = i;
    const InstructionId id = ops[i].id;
    const Demand& demand = facts.costs.demand[id.index];
    if (demand.step != Step::kLoop && demand.seconds <= 0) {  // see execution_terms()
      if (!first_without_any) first_without_any = i;
      first[i] = *first_without_any;
      continue;
    }
    if (!has_plain_terms(facts, id)) continue;
    std::vector<std::uint32_t>& kinds = by_hash[terms_hash(facts, id)];
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&](std::uint32_t other) { return have_same_terms(facts, ops[other].id, id); });
    if (same != kinds.end()) {
      first[i] = *same;
    } else {
      kinds.push_back(i);
    }
  }
  return first;
}

Term execution_terms(const StepFacts& facts, InstructionId id) {
  const Demand& demand = facts.costs.demand[id.index];
  const Device& device = facts.target.device;
  const Numbers<Traced> numbers(device);
  if (demand.step == Step::kLoop) {
    const TripCount* trips = CallFacts::trip_count(facts.calls, id);
    const auto count = static_cast<double>(trips != nullptr ? trips->value : 1);
    return (numbers.amount("loop overhead", count, "trip") * numbers.at(device.overhead.loop_iteration)).term();
  }
  if (demand.seconds <= 0) return {};  // structural, or the receive of a message whose send is timed
  if (demand.step == Step::kBranch) {
    return (numbers.amount("branch", 1, "") * numbers.at(device.overhead.op)).term();
  }
  const OpTime& time = facts.costs.time[id.index];
  if (time.source == CostSource::kCompiler) {
    if (const auto seconds = compiler_seconds(facts.module->instruction(id), demand, numbers)) return seconds->term();
  }
  const Work& work = facts.costs.work[id.index];
  if (time.source == CostSource::kCode) {
    const InstructionView instruction = facts.module->instruction(id);
    const FoundCode code = find_code_of(*facts.code, instruction);
    return code_terms(cycles_of(*code.row, instruction), device, op_time(work, device));
  }
  Term term = with_collectives(
      facts, id, op_terms(work, facts.target.device, run_as(time.launched_in_graph, facts.costs.products_busy)));
  for (const GradientExchange& exchange : facts.collectives.exchanges) {
    if (exchange.after != id || demand.step != Step::kStart) continue;  // otherwise a transfer of its own
    Term between = collective_terms(exchange.between, facts.collectives.mesh, facts.collectives.mapping,
                                    facts.target.device, facts.options.collectives);
    term = sum("transfer and exchange of the copies", {std::move(term), std::move(between)});
  }
  // Durations are clamped to kForever, so that their sums do not overflow.
  if (!(term.seconds < kForever)) return leaf("cut off", demand.seconds, demand.seconds, "s");
  return term;
}

}  // namespace hloroof::internal::inline step

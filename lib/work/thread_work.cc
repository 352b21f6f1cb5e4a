#include "lib/work/thread_work.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/ir/opcode_facts.h"
#include "lib/work/custom_call.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

// Calls of calls may run a product exponentially often. Beyond this number, the time of products is unknown.
constexpr std::size_t kMostProducts = 4096;

bool is_counted_alone(InstructionView instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kCustomCall) return !is_free_custom_call(instruction);
  return opcode == Opcode::kAsyncStart || (calls_schedules(opcode) && flow(opcode) != Flow::kCalls);
}

}  // namespace

bool ThreadTable::runs_apart(ComputationId id) {
  if (known_[id.index] != kNotKnown) return known_[id.index] == kApart;
  std::vector<ComputationId> open = {id};
  while (!open.empty()) {
    const ComputationId at = open.back();
    const std::size_t before = open.size();
    std::int8_t found = kAsOne;
    for (InstructionView instruction : module_.computation(at).instructions()) {
      if (is_counted_alone(instruction)) found = kApart;
      if (flow(instruction.opcode()) != Flow::kCalls) continue;
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) continue;
      if (known_[called.index] == kNotKnown) open.push_back(called);
      if (known_[called.index] == kApart) found = kApart;
    }
    if (found == kAsOne && open.size() > before) continue;
    open.resize(before - 1);
    known_[at.index] = found;
  }
  return known_[id.index] == kApart;
}

void append_work(const Work& next, Work& total) {
  if (next.is_free) return;
  if (total.is_free) {
    total = next;
    return;
  }
  // A stated time replaces the model's time for one operation and says nothing about the others. They are assumed to
  // take none.
  const bool is_mixed = total.seconds.has_value() != next.seconds.has_value();
  if (next.seconds) total.seconds = total.seconds.value_or(0) + *next.seconds;
  add_arithmetic(next, 1, total);
  if (total.matrix.size() > kMostProducts) {
    total.matrix.clear();
    total.source = CostSource::kUnknown;
  }
  // The record of one kernel does not give the time of several operations. Their work is added, as if of one operation.
  const bool has_kernel = total.kernel != nullptr || next.kernel != nullptr;
  total.kernel.reset();
  if (is_mixed || has_kernel) total.source = std::max(total.source, CostSource::kAssumed);
  for (const auto& [from, to] : {std::pair(&next.read, &total.read), std::pair(&next.written, &total.written)}) {
    to->hbm += from->hbm;
    to->vmem += from->vmem;
    to->host += from->host;
    to->scalar += from->scalar;
  }
  total.logical_bytes += next.logical_bytes;
  total.padded_bytes += next.padded_bytes;
  total.scalar_bytes += next.scalar_bytes;
  total.epilogue.clear();  // the windows of one product say nothing about those of several
  total.product_steps = 1;
  total.relayout_windows += next.relayout_windows;
  total.partial_tile_elements += next.partial_tile_elements;
  total.kernels = std::max(total.kernels, 1.0) + std::max(next.kernels, 1.0);
  total.is_chained |= next.is_chained;
}

}  // namespace hloroof::internal::inline work

#include "lib/time/code_time.h"

#include <algorithm>
#include <utility>

#include "lib/time/numbers.h"
#include "lib/time/op_time.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {
namespace {

// Whether the time is that of the bundles and of the waits between them.
//
// An in-order core does nothing else while it waits, and what the compiler's own windows wait for is in the code.
// Kernels that wait for transfers of their own come out far too slow by that: 473 ms for one of the gradients of a
// softmax cross entropy on v5p (TOKAMAX) that was measured at 321 ms, where the bundles alone take 319 ms.
bool is_bundles_and_waits(const CodeCycles& code) { return code.waiting && !code.is_kernel; }

// Latencies of transfers are among the cycles that are waited, so that only the launch of an operation that stays on
// the chip remains (overhead.op_on_chip).
template <class Num>
Num launch_seconds(const CodeCycles& code, const Numbers<Num>& n) {
  const TpuCore* const tpu = n.device().tpu();
  const bool has_latencies = is_bundles_and_waits(code) && tpu != nullptr && tpu->overhead.op_on_chip;
  return n.amount("each operation", 1, "") *
         (has_latencies ? n.at(*tpu->overhead.op_on_chip, &tpu->overhead.op_on_chip) : n.at(n.device().overhead.op));
}

template <class Num>
Num code_seconds(const CodeCycles& code, double modelled_memory, const Numbers<Num>& n) {
  Num launch = launch_seconds(code, n);
  Num bundles = n.amount("bundles of the code", code.busy, "cycle") / n.clock();
  if (is_bundles_and_waits(code)) {
    return sum("time of one execution", std::move(launch), std::move(bundles),
               n.amount("waits of the code for transfers", *code.waiting, "cycle") / n.clock());
  }
  Num memory = code.waiting ? n.amount("HBM transfers of the code", code.hbm, "cycle") / n.clock()
                            : n.amount("HBM as modelled", modelled_memory, "s");
  return sum("time of one execution", std::move(launch),
             norm("compute and memory", n.at(n.device().overhead.overlap_norm), std::move(bundles), std::move(memory)));
}

constexpr Resource kCompute[] = {Resource::kMatrix, Resource::kVector, Resource::kVmem};

// The unit that the work keeps busy for longest; the vector unit if there is no such work.
Resource slowest_unit(const OpTime& time) {
  Resource slowest = Resource::kVector;
  for (const Resource unit : kCompute) {
    if (time.resources[unit] > time.resources[slowest]) slowest = unit;
  }
  return slowest;
}

}  // namespace

void time_by_code(const Work& work, const CodeCycles& code, const Device& device, OpTime& time) {
  const Numbers<double> n(device);
  const double memory = time.resources[Resource::kHbm];
  time.seconds = code_seconds(code, memory, n);
  time.overhead = launch_seconds(code, n);
  const Resource slowest = slowest_unit(time);
  const double bundles = code.busy / *device.clock;
  for (const Resource unit : kCompute) time.resources[unit] = std::min(time.resources[unit], bundles);
  time.resources[slowest] = bundles;
  if (code.waiting) time.resources[Resource::kHbm] = code.hbm / *device.clock;
  time.epilogue = std::min(time.epilogue, bundles);
  time.source = CostSource::kCode;
  find_bound(work, device, time);
}

Term code_terms(const CodeCycles& code, const Device& device, const OpTime& model) {
  return code_seconds(code, model.resources[Resource::kHbm], Numbers<Traced>(device)).term();
}

}  // namespace hloroof::internal::inline time

#include "lib/time/kernel_time.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/kernel_type.h"
#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "lib/work/region_products.h"

namespace hloroof::internal {
namespace {

double norm_of(std::initializer_list<double> parts, double exponent) {
  const double most = std::max(parts);
  if (most <= 0) return 0;
  double sum = 0;
  for (const double part : parts) sum += std::pow(part / most, exponent);
  return most * std::pow(sum, 1 / exponent);
}

// The queues of transfers. Each moves its first transfer; both get half of the bandwidth while both are busy.
class TransferQueues {
 public:
  // Adds a transfer that alone takes `seconds`, and returns its number.
  std::size_t start(double now, double seconds, bool writes) {
    advance(now);
    const std::size_t number = ends_.size();
    ends_.push_back(seconds > 0 ? kNever : now);
    if (seconds > 0) queues_[writes ? 1 : 0].push_back({seconds, number});
    return number;
  }

  // When the transfer ends.
  double end(double now, std::size_t number) {
    advance(now);
    while (ends_[number] == kNever) step(kNever);
    return ends_[number];
  }

  double end_of_all(double now) {
    advance(now);
    while (!is_idle()) step(kNever);
    return std::max(now, at_);
  }

 private:
  struct Moving {
    double rest = 0;
    std::size_t number = 0;
  };
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  bool is_idle() const { return queues_[0].empty() && queues_[1].empty(); }

  void advance(double now) {
    while (!is_idle() && at_ < now) step(now);
    at_ = std::max(at_, now);
  }

  // Goes on to the next end of a transfer, but not beyond `limit`.
  void step(double limit) {
    const double rate = queues_[0].empty() || queues_[1].empty() ? 1 : 0.5;
    double seconds = limit - at_;
    for (const std::deque<Moving>& queue : queues_) {
      if (!queue.empty()) seconds = std::min(seconds, queue.front().rest / rate);
    }
    at_ += seconds;
    for (std::deque<Moving>& queue : queues_) {
      if (queue.empty()) continue;
      queue.front().rest -= seconds * rate;
      if (queue.front().rest > kNegligible) continue;
      ends_[queue.front().number] = at_;
      queue.pop_front();
    }
  }

  static constexpr double kNegligible = 1e-15;  // seconds
  double at_ = 0;
  std::deque<Moving> queues_[2];
  std::vector<double> ends_;
};

// A transfer that has started, and the buffer that it fills or empties.
struct Started {
  std::size_t number = 0;
  std::uint32_t buffer = 0;
};

// Bytes per second of one core.
struct TransferRates {
  double read = 0;
  double write = 0;
  double latency = 0;
};
TransferRates transfer_rates(const KernelRun& run, const Device& device, MissingNumbers* missing) {
  const bool is_split = std::any_of(run.events.begin(), run.events.end(), [](const KernelEvent& event) {
    return event.kind == KernelEvent::Kind::kStep && event.index == 1;
  });
  const double share = device.tpu()->kernel.transfer_efficiency * (is_split ? 1.0 / core_count(device) : 1);
  const Hbm& hbm = device.hbm;
  return {share * hbm.bandwidth * number_or(hbm.read_efficiency, hbm.efficiency, missing),
          share * hbm.bandwidth * number_or(hbm.write_efficiency, hbm.efficiency, missing),
          device.tpu()->overhead.dma_read};
}

// Cycles of one cross-lane unit. Narrow types are transposed packed.
double cross_lane_cycles(const RegionWork& work, const TpuCore::Kernel& kernel) {
  constexpr double kLaneBits = 32;
  double cycles = 0;
  for (const KernelVectorWork& part : work.vector) {
    if (!part.cross_lane) continue;
    const double registers = part.elements / static_cast<double>(kRegisterLanes * kRegisterSublanes);
    cycles += part.opcode == Opcode::kTranspose ? registers * bits(part.type) / kLaneBits * kernel.transpose_cycles
                                                : registers * kernel.reduction_cycles;
  }
  return cycles;
}

}  // namespace

double RegionTerms::vector() const { return std::max({alus, transcendental, cross_lane}); }

RegionTerms region_terms(const RegionWork& work, const Device& device, MissingNumbers* missing) {
  const TpuCore& core = *device.tpu();
  const TpuCore::Kernel& kernel = core.kernel;
  // The rates of a device are those of all its cores together.
  const double cores = core_count(device);
  RegionTerms terms;
  for (const MatrixWork& product : products_of(work)) {
    const MatrixTerms product_terms = matrix_terms(product, device, missing);
    terms.matrix += product_terms.seconds * product_terms.attained * cores / kernel.matrix_efficiency;
  }
  const VectorTerms vector = vector_terms(vector_work_of(work), device, missing);
  terms.alus = vector.operation_seconds * core.vector.efficiency * cores / kernel.vector_efficiency;
  terms.transcendental = vector.result_seconds * cores / kernel.transcendental_rate;
  terms.cross_lane = cross_lane_cycles(work, kernel) / (*device.clock * core.vector.cross_lane_units);
  terms.vmem = std::max(work.loaded_bytes / core.on_chip.vmem_read_bandwidth,
                        work.stored_bytes / core.on_chip.vmem_write_bandwidth) *
               cores * kernel.load_share;
  terms.scalar = work.scalar_ops * kernel.scalar_cycles / *device.clock;
  terms.seconds =
      norm_of({terms.matrix, terms.alus, terms.transcendental, terms.cross_lane, terms.vmem}, kernel.overlap_norm) +
      terms.scalar;
  return terms;
}

KernelTerms kernel_terms(const KernelRun& run, const Device& device, MissingNumbers* missing) {
  KernelTerms terms;
  terms.regions.reserve(run.regions.size());
  for (const KernelRegion& region : run.regions) terms.regions.push_back(region_terms(region.work, device, missing));
  terms.runs.resize(run.regions.size(), 0);
  const TransferRates rates = transfer_rates(run, device, missing);
  const bool has_two_cores = core_count(device) > 1;
  TransferQueues queues;
  absl::flat_hash_map<std::uint32_t, std::deque<Started>> started;  // by semaphore
  absl::flat_hash_map<std::uint32_t, double> due;                   // when a buffer may be used, by buffer
  double now = 0;
  const auto wait_for = [&](std::uint32_t buffer) {
    const auto at = due.find(buffer);
    if (at == due.end()) return;
    if (at->second > now) {
      const double wait = (at->second - now) * device.tpu()->kernel.exposed_wait;
      terms.waiting += wait;
      now += wait;
    }
    due.erase(at);
  };
  bool is_here = true;
  double steps = 0;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStep) is_here = !has_two_cores || event.index == 0;
    if (!is_here) continue;
    switch (event.kind) {
      case KernelEvent::Kind::kStep:
        ++steps;
        now += device.tpu()->kernel.step;
        break;
      case KernelEvent::Kind::kRun: {
        const KernelRegion& region = run.regions[event.index];
        for (const std::uint32_t buffer : region.buffers) wait_for(buffer);
        terms.runs[event.index] += 1;
        now += terms.regions[event.index].seconds;
        for (const std::uint32_t buffer : region.late_buffers) wait_for(buffer);
        break;
      }
      case KernelEvent::Kind::kStart: {
        const KernelTransfer& transfer = run.transfers[event.index];
        wait_for(transfer.buffer);
        const bool writes = transfer.kind == KernelTransfer::Kind::kWrite;
        double seconds = 0;
        if (writes) seconds = transfer.bytes / rates.write;
        if (transfer.kind == KernelTransfer::Kind::kRead) seconds = transfer.bytes / rates.read;
        (writes ? terms.writing : terms.reading) += seconds;
        started[event.semaphore].push_back({queues.start(now, seconds, writes), transfer.buffer});
        break;
      }
      case KernelEvent::Kind::kWait: {
        std::deque<Started>& pending = started[event.semaphore];
        if (pending.empty()) break;
        double& end = due[pending.front().buffer];
        end = std::max(end, queues.end(now, pending.front().number) + rates.latency);
        pending.pop_front();
        break;
      }
    }
  }
  terms.steps = steps * device.tpu()->kernel.step;
  for (std::size_t i = 0; i < terms.regions.size(); ++i) {
    terms.compute += terms.runs[i] * terms.regions[i].seconds;
    terms.scalar += terms.runs[i] * terms.regions[i].scalar;
  }
  // What remains is waited for to the end.
  double end = queues.end_of_all(now);
  for (const auto& [buffer, seconds] : due) end = std::max(end, seconds);
  terms.waiting += end - now;
  terms.seconds = terms.steps + terms.compute + terms.waiting;
  return terms;
}

void add_missing_numbers(const KernelRun& run, const Device& device, MissingNumbers& missing) {
  for (const KernelRegion& region : run.regions) region_terms(region.work, device, &missing);
  transfer_rates(run, device, &missing);
}

}  // namespace hloroof::internal

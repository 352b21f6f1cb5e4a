#include "lib/time/kernel_time.h"

#include <algorithm>
#include <concepts>
#include <deque>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"
#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "lib/work/region_products.h"

namespace hloroof::internal::inline time {
namespace {

constexpr std::size_t kShownRegions = 8;

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
  double latency = 0;  // seconds from the end of its bytes until the buffer may be used
};

// Bytes per second of one core, or of one of the programs that run side by side.
struct TransferRates {
  double read = 0;
  double write = 0;
  double latency = 0;
};
TransferRates transfer_rates(const KernelRun& run, const Device& device, MissingNumbers* missing) {
  const bool is_split = std::any_of(run.events.begin(), run.events.end(), [](const KernelEvent& event) {
    return event.kind == KernelEvent::Kind::kStep && event.index == 1;
  });
  const double programs = run.side_by_side > 1 ? static_cast<double>(run.side_by_side)
                          : is_split           ? static_cast<double>(core_count(device))
                                               : 1;
  const double share = device.tpu()->kernel.transfer_efficiency / programs;
  const Hbm& hbm = device.hbm;
  return {share * hbm.bandwidth * number_or(hbm.read_efficiency, hbm.efficiency, missing),
          share * hbm.bandwidth * number_or(hbm.write_efficiency, hbm.efficiency, missing),
          transfer_latency(device, missing)};
}

// Seconds of the cross-lane units. Narrow types are transposed packed.
template <class Num>
Num cross_lane_seconds(const RegionWork& work, const TpuCore& core, const Numbers<Num>& n) {
  Num cycles = 0.0;
  for (const KernelVectorWork& part : work.vector) {
    if (!part.cross_lane) continue;
    const double registers = part.elements / kRegisterElements;
    add_alike(cycles, part.opcode == Opcode::kTranspose
                          ? n.amount("transposed", registers * bits(part.type) / kLaneBits, "register") *
                                n.at(core.kernel.transpose_cycles)
                          : n.amount("reduced or spread over lanes", registers, "register") *
                                n.at(core.kernel.reduction_cycles));
  }
  return sum("across lanes", cycles / (n.clock() * n.at(core.vector.cross_lane_units)));
}

template <class Num>
RegionTime<Num> region_time(const RegionWork& work, const Numbers<Num>& n) {
  const TpuCore& core = *n.device().tpu();
  const TpuCore::Kernel& kernel = core.kernel;
  // The rates of a device are those of all its cores together.
  const Num cores = n.cores();
  RegionTime<Num> time;
  for (const MatrixWork& product : products_of(work)) {
    const MatrixTime<Num> one = matrix_time(product, n);
    add_alike(time.matrix, without_notes(one.seconds * one.attained * cores / n.at(kernel.matrix_efficiency)));
  }
  time.matrix = sum("products", time.matrix);
  const VectorTime<Num> vector = vector_time(vector_work_of(work), n);
  time.alus = sum("operations",
                  vector.operation_seconds * n.at(core.vector.efficiency) * cores / n.at(kernel.vector_efficiency));
  time.transcendental = vector.result_seconds * cores / n.at(kernel.transcendental_rate);
  time.cross_lane = cross_lane_seconds(work, core, n);
  time.vmem =
      slowest("loads and stores", n.amount("loads", work.loaded_bytes, "B") / n.at(core.on_chip.vmem_read_bandwidth),
              n.amount("stores", work.stored_bytes, "B") / n.at(core.on_chip.vmem_write_bandwidth)) *
      cores * n.at(kernel.load_share);
  time.scalar =
      sum("scalar code",
          n.amount("scalar operations", work.scalar_ops, "operation") * n.at(kernel.scalar_cycles) / n.clock(),
          n.amount("checks of bounds", work.checked_transfers, "transfer") * n.known_or(kernel.transfer_start, 0.0) /
              n.clock());
  const Num in_turn = n.amount("units that wait for one another", work.units_in_turn, "operation") *
                      n.known_or(kernel.unit_latency, 0.0) / n.clock();
  time.seconds = sum("code",
                     slowest("units of a core",
                             norm("", n.at(kernel.overlap_norm), time.matrix, time.alus, time.transcendental,
                                  time.cross_lane, time.vmem),
                             in_turn),
                     time.scalar);
  return time;
}

// The name of a region whose code runs several times.
std::string region_name(const KernelRegion& region, double runs) {
  std::string name = absl::StrFormat("code that runs %.0f times", runs);
  if (!region.source.empty()) name += ", from " + region.source;
  return name;
}

// What `steps` steps of the grid take beside their code and their transfers.
template <class Num>
Num steps_seconds(const KernelRun& run, double steps, const Numbers<Num>& n) {
  const TpuCore::Kernel& kernel = n.device().tpu()->kernel;
  Num begun = n.amount("steps of the grid", steps, "step") * n.at(kernel.step);
  if (run.windows.empty()) return begun;
  const double windows = steps * static_cast<double>(run.windows.size());
  return sum("", begun,
             n.amount("their windows", windows, "window") * n.known_or(kernel.window_cycles, 0.0) / n.clock());
}

// The seconds of all regions.
template <class Num>
Num regions_seconds(const KernelRun& run, const KernelTime<Num>& time) {
  std::vector<Num> parts;
  parts.reserve(time.regions.size());
  for (std::size_t i = 0; i < time.regions.size(); ++i) {
    Num part = time.regions[i].seconds * time.runs[i];
    if constexpr (std::same_as<Num, Traced>) part = named(region_name(run.regions[i], time.runs[i]), std::move(part));
    parts.push_back(std::move(part));
  }
  return sum_of_many("", std::move(parts), kShownRegions);
}

}  // namespace

double seconds_of_step(const KernelRun& run, const Device& device) {
  return steps_seconds(run, 1, Numbers<double>(device));
}

double transfer_latency(const Device& device, MissingNumbers* missing) {
  return number_or(device.tpu()->code.transfer_latency, device.tpu()->overhead.dma_read, missing);
}

template <class Num>
KernelTime<Num> kernel_time(const KernelRun& run, const Numbers<Num>& n) {
  const Device& device = n.device();
  const TpuCore::Kernel& kernel = device.tpu()->kernel;
  KernelTime<Num> time;
  time.regions.reserve(run.regions.size());
  for (const KernelRegion& region : run.regions) time.regions.push_back(region_time(region.work, n));
  time.runs.resize(run.regions.size(), 0);
  const TransferRates rates = transfer_rates(run, device, n.missing());
  const bool has_others = core_count(device) > 1 || run.side_by_side > 1;
  TransferQueues queues;
  absl::flat_hash_map<std::uint32_t, std::deque<Started>> started;  // by semaphore
  absl::flat_hash_map<std::uint32_t, double> due;                   // when a buffer may be used, by buffer
  double now = 0;
  const auto wait_for = [&](std::uint32_t buffer) {
    const auto at = due.find(buffer);
    if (at == due.end()) return;
    if (at->second > now) {
      const double wait = (at->second - now) * kernel.exposed_wait;
      time.waiting += wait;
      now += wait;
    }
    due.erase(at);
  };
  const double step = seconds_of_step(run, device);
  bool is_here = true;
  double steps = 0;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStep) is_here = !has_others || event.index == 0;
    if (!is_here) continue;
    switch (event.kind) {
      case KernelEvent::Kind::kStep:
        ++steps;
        now += step;
        break;
      case KernelEvent::Kind::kRun: {
        const KernelRegion& region = run.regions[event.index];
        for (const std::uint32_t buffer : region.buffers) wait_for(buffer);
        time.runs[event.index] += 1;
        now += value(time.regions[event.index].seconds);
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
        (writes ? time.writing : time.reading) += seconds;
        // The code of a kernel uses a block of an array that is in VMEM where it lies: final code of v6e and 7x moves
        // none of them.
        const bool is_in_place =
            transfer.kind == KernelTransfer::Kind::kLocal && transfer.window != KernelTransfer::kNone;
        started[event.semaphore].push_back(
            {queues.start(now, seconds, writes), transfer.buffer, is_in_place ? 0 : rates.latency});
        break;
      }
      case KernelEvent::Kind::kWait: {
        std::deque<Started>& pending = started[event.semaphore];
        if (pending.empty()) break;
        double& end = due[pending.front().buffer];
        end = std::max(end, queues.end(now, pending.front().number) + pending.front().latency);
        pending.pop_front();
        break;
      }
    }
  }
  const Num stepping = steps_seconds(run, steps, n);
  const Num computing = regions_seconds(run, time);
  for (std::size_t i = 0; i < time.regions.size(); ++i) time.scalar += time.runs[i] * value(time.regions[i].scalar);
  // What remains is waited for to the end.
  double end = queues.end_of_all(now);
  for (const auto& [buffer, seconds] : due) end = std::max(end, seconds);
  time.waiting += end - now;
  time.steps = value(stepping);
  time.compute = value(computing);
  time.seconds = sum("", stepping, computing, n.amount("waiting for transfers", time.waiting, "s"));
  return time;
}
template KernelTime<double> kernel_time(const KernelRun&, const Numbers<double>&);
template KernelTime<Traced> kernel_time(const KernelRun&, const Numbers<Traced>&);

void add_missing_numbers(const KernelRun& run, const Device& device, MissingNumbers& missing) {
  for (const KernelRegion& region : run.regions) region_time(region.work, Numbers<double>(device, &missing));
  transfer_rates(run, device, &missing);
  steps_seconds(run, 1, Numbers<double>(device, &missing));
}

}  // namespace hloroof::internal::inline time

#include "lib/cost/op_time.h"

#include <algorithm>

#include "lib/cost/vector_time.h"

namespace hloroof::inline v0 {
namespace {

double over(double amount, std::optional<double> rate) { return rate && *rate > 0 ? amount / *rate : 0; }

}  // namespace

OpTime op_time(const Work& work, const Device& device) {
  OpTime time;
  time.source = work.source;
  if (work.is_free) return time;
  if (work.seconds) {
    time.seconds = *work.seconds;
    time.overhead = *work.seconds;
    time.resources[Resource::kLatency] = time.overhead;
    return time;
  }

  double peak_matrix = 0;
  for (const MatrixWork& product : work.matrix) {
    time.resources[Resource::kMatrix] += matrix_seconds(product, device);
    peak_matrix += matrix_peak_seconds(product, device);
  }
  time.resources[Resource::kVector] = vector_seconds(work, device);

  // On a GPU all but host memory is device memory.
  const bool has_vmem = device.on_chip.vmem_read_bandwidth.has_value();
  double hbm = work.read.hbm + work.written.hbm;
  if (!has_vmem) hbm += work.read.vmem + work.written.vmem;
  const double peak_hbm = device.hbm.bandwidth > 0 ? hbm / device.hbm.bandwidth : 0;
  time.resources[Resource::kHbm] = device.hbm.efficiency > 0 ? peak_hbm / device.hbm.efficiency : peak_hbm;
  if (has_vmem) {
    time.resources[Resource::kVmem] = std::max(over(work.read.vmem, device.on_chip.vmem_read_bandwidth),
                                               over(work.written.vmem, device.on_chip.vmem_write_bandwidth));
  }
  const double peak_host = over(std::max(work.read.host, work.written.host), device.host.bandwidth);
  time.resources[Resource::kHost] = peak_host;

  // Everything overlaps but the floor.
  time.overhead = device.overhead.op;
  time.resources[Resource::kLatency] = time.overhead;
  time.bound = Resource::kLatency;
  double slowest = 0;
  for (int r = 0; r < kResourceCount; ++r) {
    if (static_cast<Resource>(r) == Resource::kLatency) continue;
    slowest = std::max(slowest, time.resources.seconds[r]);
  }
  for (int r = 0; r < kResourceCount; ++r) {
    if (static_cast<Resource>(r) == Resource::kLatency || time.resources.seconds[r] < slowest) continue;
    if (slowest > time.overhead) time.bound = static_cast<Resource>(r);
    break;
  }
  time.seconds = slowest + time.overhead;

  double ideal = slowest;
  if (time.bound == Resource::kMatrix) ideal = peak_matrix;
  if (time.bound == Resource::kHbm) ideal = peak_hbm;
  if (time.bound == Resource::kLatency) ideal = std::max({peak_matrix, peak_hbm, peak_host});
  time.efficiency = time.seconds > 0 ? std::min(ideal / time.seconds, 1.0) : 0;
  return time;
}

}  // namespace hloroof::inline v0

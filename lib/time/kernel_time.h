// Computes the time of a Pallas kernel on a TPU from what it does step by step.
//
// A core runs the kernel's regions one after the other, and waits where the kernel waits for a transfer. Two queues
// move data between HBM and VMEM, one to read and one to write; they share the bandwidth while both are busy. The first
// parallel dimension of the grid is split between the cores of a chip, each of which then has its share of HBM.
#ifndef HLOROOF_LIB_TIME_KERNEL_TIME_H_
#define HLOROOF_LIB_TIME_KERNEL_TIME_H_

#include <algorithm>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/numbers.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {

// The seconds that one run of a region keeps each unit of one core busy. The units overlap in part: `seconds` is their
// norm of TpuCore::Kernel::overlap_norm, plus the scalar code.
template <class Num>
struct RegionTime {
  Num matrix = 0.0;
  Num alus = 0.0;
  Num transcendental = 0.0;
  Num cross_lane = 0.0;
  Num vmem = 0.0;    // loads and stores, whichever is slower
  Num scalar = 0.0;  // scalar operations, which do not overlap the rest
  Num seconds = 0.0;

  double vector() const { return std::max({value(alus), value(transcendental), value(cross_lane)}); }
};
template <class Num>
struct KernelTime {
  std::vector<RegionTime<Num>> regions;  // by KernelRun::regions
  std::vector<double> runs;              // of each region, on the core that finishes last
  double steps = 0;                      // seconds
  double scalar = 0;                     // seconds of scalar code, which is a part of `compute`
  double compute = 0;                    // seconds of all regions
  double waiting = 0;                    // seconds for transfers
  double reading = 0;                    // seconds that HBM is busy
  double writing = 0;
  Num seconds = 0.0;  // steps + compute + waiting
};
template <class Num>
KernelTime<Num> kernel_time(const KernelRun& run, const Numbers<Num>& numbers);
inline KernelTime<double> kernel_time(const KernelRun& run, const Device& device) {
  return kernel_time(run, Numbers<double>(device));
}

// What a step of the grid takes beside its code and its transfers.
double seconds_of_step(const KernelRun& run, const Device& device);

// From the last byte of a transfer to the end of the wait for it.
double transfer_latency(const Device& device, MissingNumbers* missing = nullptr);

// Adds the device numbers that kernel_time() needs and that the device does not state.
void add_missing_numbers(const KernelRun& run, const Device& device, MissingNumbers& missing);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_KERNEL_TIME_H_

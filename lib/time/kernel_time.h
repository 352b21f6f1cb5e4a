// Computes the time of a Pallas kernel on a TPU from what it does step by step.
//
// A core runs the kernel's regions one after the other, and waits where the kernel waits for a transfer. Two queues
// move data between HBM and VMEM, one to read and one to write; they share the bandwidth while both are busy. The first
// parallel dimension of the grid is split between the cores of a chip, each of which then has its share of HBM.
#ifndef HLOROOF_LIB_TIME_KERNEL_TIME_H_
#define HLOROOF_LIB_TIME_KERNEL_TIME_H_

#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/time/missing_numbers.h"

namespace hloroof::internal {

// The seconds that one run of a region keeps each unit of one core busy. The units overlap in part: `seconds` is their
// norm of TpuCore::Kernel::overlap_norm, plus the scalar code.
struct RegionTerms {
  double matrix = 0;
  double alus = 0;
  double transcendental = 0;
  double cross_lane = 0;
  double vmem = 0;    // loads and stores, whichever is slower
  double scalar = 0;  // scalar operations, which do not overlap the rest
  double vector() const;
  double seconds = 0;
};
RegionTerms region_terms(const RegionWork& work, const Device& device, MissingNumbers* missing = nullptr);

struct KernelTerms {
  std::vector<RegionTerms> regions;  // by KernelRun::regions
  std::vector<double> runs;          // of each region, on the core that finishes last
  double steps = 0;                  // seconds
  double scalar = 0;                 // seconds of scalar code, which is a part of `compute`
  double compute = 0;                // seconds of all regions
  double waiting = 0;                // seconds for transfers
  double reading = 0;                // seconds that HBM is busy
  double writing = 0;
  double seconds = 0;  // steps + compute + waiting
};
KernelTerms kernel_terms(const KernelRun& run, const Device& device, MissingNumbers* missing = nullptr);

// Adds the device numbers that kernel_terms() needs and that the device does not state.
void add_missing_numbers(const KernelRun& run, const Device& device, MissingNumbers& missing);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_KERNEL_TIME_H_

// The Pallas kernels of a program: what each does, how long it takes and why. Read by `hloroof kernel` and by the
// section "Kernel" of `hloroof explain`.
#ifndef HLOROOF_LIB_EXPLAIN_KERNEL_ROWS_H_
#define HLOROOF_LIB_EXPLAIN_KERNEL_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline explain {

// A window of the kernel's pipeline. `moves` exceeds `blocks` if a block is moved again.
struct KernelWindowRow {
  std::string_view direction;  // "read" or "written"
  std::vector<std::int64_t> block;
  double bytes = 0;  // of one block
  double moves = 0;
  double blocks = 0;

  double repeats() const { return blocks > 0 ? moves / blocks : 1; }
};

// A number of the author's cost_estimate next to the same number as hloroof counts it.
struct KernelEstimateRow {
  std::string_view quantity;  // "flops", "transcendentals" or "bytes"
  double stated = 0;
  std::optional<double> counted;  // from the body, or else from the shapes; nullopt if neither says it

  std::optional<double> ratio() const;  // stated / counted
};

// The parts of the time of one run. The units work side by side, so that their times overlap.
struct KernelTimes {
  double matrix = 0;
  double vector = 0;
  double hbm = 0;      // reads and writes
  double scalar = 0;   // scalar code
  double steps = 0;    // overhead of the steps of the grid
  double waiting = 0;  // for transfers
};

struct KernelRow {
  std::string name;  // given by the kernel's author; empty if the text has none
  std::string op;
  std::string computation;
  double executions = 1;
  double seconds = 0;  // of one run
  // Of one run, if each branch and loop that depends on data does as little, or as much, as it can. nullopt if none
  // does; the most as well if a loop has no known end.
  std::optional<double> least_seconds;
  std::optional<double> most_seconds;
  double exposed_seconds = 0;  // in the whole step
  double share = 0;            // of the step
  std::string bound;           // empty if it takes no time
  CostSource source = CostSource::kModel;
  std::string failure;  // why the body was not followed; what its windows do not show is then missing
  std::vector<std::int64_t> grid;
  std::optional<std::int64_t> steps;
  std::optional<KernelTimes> times;  // nullopt as well if the device is not a TPU, or the user gave the time
  std::optional<double> window_bytes;
  std::optional<double> scratch_bytes;
  std::optional<double> vmem_capacity;  // of the core that runs it; nullopt if the device does not state it
  std::optional<double> vmem_limit;     // that the compiler allows it; nullopt if the text does not state it
  std::vector<KernelWindowRow> windows;
  std::vector<std::string> assumptions;  // sentences
  std::vector<std::string> unknown_ops;
  std::vector<KernelEstimateRow> estimate;  // empty if the author states none

  std::string range_text() const;            // a sentence about least_seconds and most_seconds; empty if there are none
  std::string grid_text() const;             // "8x16x4"; empty if the grid has no dimensions
  std::optional<double> vmem_bytes() const;  // windows and scratch
  std::optional<double> vmem_room() const;   // the smaller of vmem_limit and vmem_capacity
  std::optional<bool> fits() const;          // whether vmem_bytes() is at most vmem_room()
  std::string vmem_room_text() const;        // "32.0 MiB that the compiler allows it"; empty if there is no vmem_room()
};

// Returns the kernel that `op` runs, or nullopt if it runs none. Reads prediction.facts.
std::optional<KernelRow> kernel_row(const StepPrediction& prediction, const OpPrediction& op);

// Returns the kernels of the program, those with the most time in the step first.
std::vector<KernelRow> kernel_rows(const StepPrediction& prediction);

// "1x1x512x128".
std::string sizes_text(const std::vector<std::int64_t>& sizes);

// Writes the body of the section "Kernel" of an explanation, in lines of at most `width`.
std::string explain_kernel(const KernelRow& kernel, std::size_t width);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_KERNEL_ROWS_H_

// The fields of the records about kernels; see record.h.
#ifndef HLOROOF_LIB_EXPLAIN_KERNEL_FIELDS_H_
#define HLOROOF_LIB_EXPLAIN_KERNEL_FIELDS_H_

#include <optional>

#include "lib/describe/record.h"
#include "lib/explain/kernel_rows.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal {

template <>
struct Described<KernelWindowRow> {
  static constexpr RecordInfo kInfo = {"kernel_window", "KernelWindow",
                                       "An array of a kernel that its pipeline moves block by block."};
  static constexpr auto kFields =
      fields(field("direction", "read or written.", &KernelWindowRow::direction),
             field("block", Unit::kCount, "Sizes of a block.", &KernelWindowRow::block),
             field("block_bytes", Unit::kBytes, "Size of a block with tile padding.", &KernelWindowRow::bytes),
             field("moves", Unit::kCount, "How often a block is moved.", &KernelWindowRow::moves),
             field("blocks", Unit::kCount, "Different blocks that are moved; 0 if they depend on data.",
                   &KernelWindowRow::blocks));
};

template <>
struct Described<KernelEstimateRow> {
  static constexpr RecordInfo kInfo = {"kernel_estimate", "KernelEstimate",
                                       "A number of the author's cost_estimate, and the same number as counted."};
  static constexpr auto kFields =
      fields(field("quantity", "flops, transcendentals or bytes.", &KernelEstimateRow::quantity),
             field("stated", "The author's number.", &KernelEstimateRow::stated).may_be_negative(),
             field("counted", "The number from the kernel's body, or else from its shapes; null if neither says it.",
                   &KernelEstimateRow::counted),
             field("ratio", "stated / counted; null if nothing was counted.", [](const KernelEstimateRow& row) {
               return row.ratio();
             }).may_be_negative());
};

// One part of the times of a kernel.
template <double KernelTimes::*kPart>
struct PartOfKernel {
  std::optional<double> operator()(const KernelRow& row) const {
    return row.times ? std::optional<double>((*row.times).*kPart) : std::nullopt;
  }
};

template <>
struct Described<KernelRow> {
  static constexpr RecordInfo kInfo = {
      "kernel", "Kernel",
      "A custom call of a Pallas kernel. Numbers from its body are null if the body was not followed."};
  static constexpr auto kFields = fields(
      field("name", "Name that the author gave the kernel; null if the text has none.", or_null(&KernelRow::name)),
      field("op", "Instruction that runs the kernel, without %.", &KernelRow::op),
      field("computation", "Computation that contains the instruction.", &KernelRow::computation),
      field("executions", Unit::kCount, "Runs in one step.", &KernelRow::executions),
      field("grid", Unit::kCount, "Sizes of the grid.", &KernelRow::grid),
      field("grid", "Sizes of the grid, as in 8x16x4.", [](const KernelRow& row) { return row.grid_text(); })
          .only_in(Formats::kCsvOnly),
      field("steps", Unit::kCount, "Steps of the grid.", &KernelRow::steps),
      field("seconds", Unit::kSeconds, "Time of one run.", &KernelRow::seconds),
      field("least_seconds", Unit::kSeconds,
            "Time of one run if each branch and loop that depends on data does as little as it can; null if none does.",
            &KernelRow::least_seconds),
      field("most_seconds", Unit::kSeconds,
            "Time of one run if each branch that depends on data does as much as it can; null if none does, or if the "
            "end "
            "of a loop depends on data.",
            &KernelRow::most_seconds),
      field("exposed_seconds", Unit::kSeconds, "Time that the compute stream spends in it in one step.",
            &KernelRow::exposed_seconds),
      field("share", Unit::kShare, "Share of the step.", &KernelRow::share).at_most(kWhole),
      field("bound", "Resource that limits it; null if it takes no time.", or_null(&KernelRow::bound)),
      field("matrix_seconds", Unit::kSeconds, "Time of one run in which the matrix unit is busy.",
            PartOfKernel<&KernelTimes::matrix>()),
      field("vector_seconds", Unit::kSeconds, "Time of one run in which the vector units are busy.",
            PartOfKernel<&KernelTimes::vector>()),
      field("hbm_seconds", Unit::kSeconds, "Time of one run in which HBM is busy.", PartOfKernel<&KernelTimes::hbm>()),
      field("scalar_seconds", Unit::kSeconds, "Time of one run in scalar code.", PartOfKernel<&KernelTimes::scalar>()),
      field("step_overhead_seconds", Unit::kSeconds, "Time of one run that the steps of the grid cost.",
            PartOfKernel<&KernelTimes::steps>()),
      field("waiting_seconds", Unit::kSeconds, "Time of one run in which it waits for transfers.",
            PartOfKernel<&KernelTimes::waiting>()),
      field("window_vmem_bytes", Unit::kBytes, "VMEM of the windows, with two buffers where blocks change.",
            &KernelRow::window_bytes),
      field("scratch_vmem_bytes", Unit::kBytes, "VMEM of the scratch arrays.", &KernelRow::scratch_bytes),
      field("vmem_capacity_bytes", Unit::kBytes, "VMEM of a core; null if the device does not state it.",
            &KernelRow::vmem_capacity),
      field("vmem_limit_bytes", Unit::kBytes,
            "VMEM that the compiler allows it, its own or that of the program; null if the text does not state it.",
            &KernelRow::vmem_limit),
      field("fits", "Whether windows and scratch fit in that limit and in a core; null if unknown.",
            [](const KernelRow& row) { return row.fits(); }),
      field("source", "Origin of the time: the model, the compiler, the user, an assumption, or unknown.",
            &KernelRow::source),
      field("failure", "Why the body was not followed; null if it was.", or_null(&KernelRow::failure)),
      field("assumptions", "What the text does not say, as sentences.", &KernelRow::assumptions),
      field("unknown_ops", "Operations of the body whose work is unknown.", &KernelRow::unknown_ops),
      field("windows", "Arrays that the pipeline moves block by block.", &KernelRow::windows),
      field("estimate", "The author's cost_estimate; empty if there is none.", &KernelRow::estimate));
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_EXPLAIN_KERNEL_FIELDS_H_

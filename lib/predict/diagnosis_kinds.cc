#include "lib/predict/diagnostics.h"

namespace hloroof::inline v0 {

const std::vector<DiagnosisKind>& diagnosis_kinds() {
  static const auto* const kKinds = new std::vector<DiagnosisKind>{
      {kMemoryOverCapacity,
       "What is live at the peak is more than the device has. Donate arguments, recompute, shard."},
      {kCollectiveDominates, "Communication that nothing hides is a large part of the step."},
      {kExposedCommunication, "A collective that the compute stream waits for. Give it something to run beside."},
      {kCrossoverNotReached,
       "The links are busy longer than the chip: no overlap can hide them. A larger batch per device, or fewer devices "
       "along that axis."},
      {kGatherThenCut, "What an all-gather puts together is then only reduced or sliced. Exchange less."},
      {kLayoutChange, "A copy or transpose that only reorders an array in memory. Let its producer have the layout."},
      {kPaddingWaste, "Most of what is moved or held is tile padding. Other dimensions last, or merged."},
      {kNarrowUpdate, "An update of less than a tile rewrites whole tiles. Update along an outer dimension."},
      {kMatrixUnderfilled, "A matmul whose sizes leave much of the matrix unit empty. Multiples of its width."},
      {kWideMatrixType, "A matmul in f32 where bf16 operands would be faster."},
      {kLatencyBoundLoop, "Ops of a loop so small that their fixed cost is all they take. Unroll, or do more at once."},
      {kPrefetchStall, "A copy to on-chip memory that is waited for. Start it earlier, or prefetch less."},
      {kHostTransfer, "A transfer between host and device that is waited for. Start it earlier, or offload less."},
      {kBranchImbalance, "Branches of very unequal cost, the slowest counted. --branch-probability says how often."},
      {kReplicatedParameter, "A large parameter that every device holds in full. Shard it."},
      {kDonationMissed, "An argument that a result could live in. Donate it."},
      {kUnknownTripCount, "A loop that may run any number of times. --trip-count says how many."},
      {kUnknownCustomCall, "A custom call that states no cost. --custom-call says what it does."},
      {kUnknownOpcode, "An opcode that hloroof does not know, charged its bytes alone."},
      {kUnknownAttribute, "An attribute that hloroof does not know."},
      {kMissingOperand, "An operand that the text does not define."},
      {kMissingComputation, "A called computation that is not in the text."},
      {kUnscheduled, "A module from before scheduling: fusions, layouts and overlap are still to come."},
      {kMemoryIncomplete, "Too many buffers to follow: the peak counts arguments and outputs alone."},
      {kUntunedBlocks, "Kernels whose blocks no autotuning chose: predicted as a run would tune them."},
      {kMeshAssumed, "What was assumed of the mesh and its place on the machine."},
      {kModelDiffers, "The compiler's own estimates are far from the model's."},
  };
  return *kKinds;
}

}  // namespace hloroof::inline v0

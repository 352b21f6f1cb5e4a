// Facts about a module that do not depend on a device: the physical size and memory space of its buffers, how often
// each computation runs, and the names that profilers give its instructions.
//
//   const Shape& s = instruction.shape();                      // s32[8388608,8,4]{2,1,0:T(8,128)}
//   padded_bytes(s) / logical_bytes(s);                        // 32: the minor dimension of 4 takes 128 lanes
//
//   CallGraph calls = analyze_calls(module);
//   for (InstructionId id : calls.scheduled_instructions()) {
//     double n = calls.executions(module.instruction(id));     // once in ENTRY, 31 times in a loop of 31 trips
//   }
//
// Lifetime: a CallGraph points to its module. The module must outlive it, and any edit of the module makes it stale.
//
// Threads: the functions keep no state. Any number of threads may call them and read one CallGraph.
#ifndef HLOROOF_ANALYSIS_H_
#define HLOROOF_ANALYSIS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

// ---- Sizes -------------------------------------------------------------------------------------------------------

// The memory that holds a buffer, from S(n) of its layout. TPUs use 0 for HBM, 1 for VMEM and 5 for pinned host memory;
// 2, 3, 4, 6 and 8 are sync flags, semaphores and SMEM. GPUs use 5 for host memory and everything else for device
// memory.
enum class MemorySpace : std::uint8_t { kHbm, kVmem, kHost, kScalar };

MemorySpace memory_space(const Shape& shape);

// The extent of an array in memory. `dimensions` are the dimensions after tiling, most major first, so the last one
// varies fastest: f32[3,5]{1,0:T(2,2)} has 2,3,2,2. `elements` is their product, rounded up to the tail padding L(n).
struct PhysicalSize {
  std::vector<std::int64_t> dimensions;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  bool overflow = false;  // elements or bytes exceed int64 and are INT64_MAX
};

// Follows every tile group, `*`, E(bits), L(n) and the largest piece of an SC(...) split. A bounded dynamic dimension
// counts at its bound, an unbounded one as 1. A token has size 0 and an opaque the size of a pointer. A tuple has size
// 0, because its elements are separate buffers.
PhysicalSize physical_size(const Shape& shape);

// Bytes of an array with and without padding. The overloads with a table also accept a tuple or buffer, for which they
// return the sum over its leaves. Results saturate at INT64_MAX.
std::int64_t padded_bytes(const Shape& shape);
std::int64_t logical_bytes(const Shape& shape);
std::int64_t padded_bytes(const ShapeTable& table, ShapeId id);
std::int64_t logical_bytes(const ShapeTable& table, ShapeId id);

// The number of elements including padding, which is the number that the vector unit processes.
std::int64_t padded_elements(const Shape& shape);

// The index in the physical array, in elements, of the element at `coordinates` (logical, dimension 0 first). Errors:
// InvalidArgument unless there are `rank` coordinates, all inside the shape.
absl::StatusOr<std::int64_t> physical_index(const Shape& shape, Span<std::int64_t> coordinates);

// ---- Calls and loops ---------------------------------------------------------------------------------------------

// How often a while loop runs its body.
struct TripCount {
  enum class Source : std::uint8_t {
    kAnnotated,  // known_trip_count in the text
    kInferred,   // from the counter's initial value, step and bound
    kUser,
    kAssumed,  // unknown; CallOptions::default_trip_count
  };
  std::int64_t value = 1;
  Source source = Source::kAssumed;
  std::string why;  // "0 to 31 by 1, <", or why no count could be inferred
};

// How a computation is called. This decides whether its instructions are separate operations or part of their caller.
enum class ComputationRole : std::uint8_t {
  kUnused,  // not called
  kEntry,
  kBody,       // of a while loop
  kCondition,  // of a while loop
  kBranch,     // of a conditional
  kCalled,     // by call
  kAsync,      // wrapped by async-start; its work belongs to the start
  kFused,      // the body of a fusion; its work belongs to the fusion
  kApplied,    // applied per element by reduce, map, sort, scatter, a collective or a custom call, which own its work
};

struct CallOptions {
  std::map<std::string, std::int64_t> trip_counts;  // by name of the while instruction; overrides the text
  std::int64_t default_trip_count = 1;              // for loops whose count is unknown and has no bound
  std::map<std::string, std::vector<double>> branch_probabilities;  // by name of the conditional; default: all equal
};

// Errors: InvalidArgument if a name is not the name of a while loop or conditional of the module (the message suggests
// the nearest ones), if a count is negative, or if a probability is outside 0 .. 1. analyze_calls() ignores such
// entries.
absl::Status check_call_options(const Module& module, const CallOptions& options);

// The probabilities of each conditional's branches, by the index of the conditional.
using BranchProbabilities = std::map<std::uint32_t, std::vector<double>>;

// How often everything runs. Immutable; tables are indexed by ids; edits of the module make it stale.
class CallGraph {
 public:
  // Executions per step: the product of the enclosing trip counts and branch probabilities. A condition runs once more
  // than its body. 0 for computations that are not scheduled (see is_scheduled).
  double executions(ComputationId id) const { return executions_[id.index]; }
  double executions(InstructionView instruction) const { return executions(instruction.computation().id()); }

  ComputationRole role(ComputationId id) const { return roles_[id.index]; }
  // True for computations whose instructions are executed as separate operations: entry, bodies, conditions, branches
  // and called computations.
  bool is_scheduled(ComputationId id) const;

  const std::vector<InstructionId>& callers(ComputationId id) const { return callers_[id.index]; }

  // The scheduled computations, callers before callees, starting with ENTRY.
  const std::vector<ComputationId>& scheduled() const { return scheduled_; }

  // All instructions of scheduled computations, in the same order.
  std::vector<InstructionId> scheduled_instructions() const;

  // The while instructions of scheduled computations, in the same order, with their trip counts.
  struct Loop {
    InstructionId instruction;
    TripCount trips;
  };
  const std::vector<Loop>& loops() const { return loops_; }
  // Null unless `id` is a scheduled while instruction.
  const TripCount* trip_count(InstructionId id) const;

  // Whether some trip count depends on this instruction, or on the callers of this computation. Editing any other
  // instruction or call keeps all trip counts valid. False for ids created after this graph.
  bool trips_read_off(InstructionId id) const;
  bool trips_follow_callers(ComputationId id) const;

  // The probabilities that the options give for a conditional's branches; null if they give none.
  const std::vector<double>* branch_probabilities(InstructionId conditional) const;

  // Executions of each computation, by ComputationId, if the conditionals without probabilities of their own take their
  // branches with those in `assumed`. The branches of a conditional that is in neither are equally likely.
  std::vector<double> executions_with(const BranchProbabilities& assumed) const;

 private:
  friend CallGraph analyze_calls(const Module& module, const CallOptions& options);

  const Module* module_ = nullptr;
  std::vector<double> executions_;
  std::vector<ComputationRole> roles_;
  std::vector<std::vector<InstructionId>> callers_;
  std::vector<ComputationId> scheduled_;
  std::vector<Loop> loops_;
  std::vector<bool> trips_read_off_;          // by InstructionId
  std::vector<bool> trips_follow_callers_;    // by ComputationId
  BranchProbabilities branch_probabilities_;  // from the options
};

// Analyzes the calls of `module`, which must outlive the result. Executions saturate at 2^53.
CallGraph analyze_calls(const Module& module, const CallOptions& options = {});

// The trip count of one while instruction, from the module alone.
TripCount infer_trip_count(InstructionView while_instruction);

// ---- Names -------------------------------------------------------------------------------------------------------

// The category that profilers give a top-level instruction: "convolution fusion", "loop fusion", "all-reduce", "copy",
// "data formatting", "custom-call" and so on. Falls back to the opcode.
std::string op_category(InstructionView instruction);

// `op_name` with the numbers of layers, steps and copies replaced by "*", so that the same op of 80 layers has one key:
// "jit(f)/layers_17/mlp/dot_general" becomes "jit(f)/layers_*/mlp/dot_general".
std::string layer_key(std::string_view op_name);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ANALYSIS_H_

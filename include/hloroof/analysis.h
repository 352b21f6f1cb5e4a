// Facts about a module that need no device: how large its buffers physically are and where they lie, how often each
// computation runs, and what its instructions are called in a profile.
//
//   const Shape& s = instruction.shape();                      // s32[8388608,8,4]{2,1,0:T(8,128)}
//   padded_bytes(s) / logical_bytes(s);                        // 32: the minor dimension of 4 takes 128 lanes
//
//   CallGraph calls = analyze_calls(module);
//   for (InstructionId id : calls.scheduled_instructions()) {
//     double n = calls.executions(module.instruction(id));     // once in ENTRY, 31 times in a loop of 31 trips
//   }
//
// Everything here is a function of its arguments and keeps no state.
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

// Where a buffer lies, from S(n) of its layout as TPUs use it: 0 HBM, 1 VMEM, 5 pinned host memory; 2, 3, 4, 6 and 8
// are sync flags, semaphores and SMEM. On a GPU all but 5 is device memory.
enum class MemorySpace : std::uint8_t { kHbm, kVmem, kHost, kScalar };

MemorySpace memory_space(const Shape& shape);

// An array as it lies in memory. `dimensions` are those after tiling, most major first, so that the last vary fastest:
// f32[3,5]{1,0:T(2,2)} gives 2,3,2,2. `elements` is their product rounded up to the tail padding L(n).
struct PhysicalSize {
  std::vector<std::int64_t> dimensions;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  bool overflow = false;  // beyond int64: elements or bytes stand at INT64_MAX
};

// Follows every tile group, `*`, E(bits), L(n) and the largest piece of an SC(...) split. Bounded dynamic dimensions
// count at their bound, unbounded ones as 1. Of a token nothing, of an opaque a pointer; of a tuple nothing, since its
// elements are buffers of their own.
PhysicalSize physical_size(const Shape& shape);

// Bytes of an array with its padding and without. A tuple or buffer needs the table: the sum over its leaves. Sums and
// products beyond int64 stand at INT64_MAX.
std::int64_t padded_bytes(const Shape& shape);
std::int64_t logical_bytes(const Shape& shape);
std::int64_t padded_bytes(const ShapeTable& table, ShapeId id);
std::int64_t logical_bytes(const ShapeTable& table, ShapeId id);

// Elements with padding: what the vector unit works on.
std::int64_t padded_elements(const Shape& shape);

// Where the element at `coordinates` (logical, dimension 0 first) lies: its index in the physical array, in elements.
// Errors: InvalidArgument if there are not rank coordinates or one is outside the shape.
absl::StatusOr<std::int64_t> physical_index(const Shape& shape, Span<std::int64_t> coordinates);

// ---- Calls and loops ---------------------------------------------------------------------------------------------

// How often a while loop runs its body.
struct TripCount {
  enum class Source : std::uint8_t {
    kAnnotated,  // known_trip_count in the text
    kInferred,   // from the counter's initial value, step and bound
    kUser,
    kAssumed,  // not known: the default
  };
  std::int64_t value = 1;
  Source source = Source::kAssumed;
  std::string why;  // "0 to 31 by 1, <", or what could not be followed
};

// What calls a computation, and so whether its instructions are operations of their own.
enum class ComputationRole : std::uint8_t {
  kUnused,  // nothing calls it
  kEntry,
  kBody,       // of a while loop
  kCondition,  // of a while loop
  kBranch,     // of a conditional
  kCalled,     // by call
  kAsync,      // wrapped by async-start: its work is the start's
  kFused,      // the inside of a fusion: its work is the fusion's
  kApplied,    // per element, by reduce, map, sort, scatter, a collective, a custom call: its work is the caller's
};

struct CallOptions {
  std::map<std::string, std::int64_t> trip_counts;  // by name of the while instruction; before anything the text says
  std::int64_t default_trip_count = 1;              // of loops neither inferred nor given, nor bounded
  std::map<std::string, std::vector<double>> branch_probabilities;  // by name of the conditional; default: all equal
};

// Errors: InvalidArgument if a name is none of a while loop or conditional of the module, with the nearest that are; if
// a count is negative or a probability outside 0 .. 1. analyze_calls() itself ignores such entries.
absl::Status check_call_options(const Module& module, const CallOptions& options);

// How often everything runs. Tables are indexed by ids; edits of the module make it stale.
class CallGraph {
 public:
  // Executions of one step: the product of the trip counts and branch probabilities around it. A condition runs once
  // more than its body. 0 for computations whose instructions are no operations of their own.
  double executions(ComputationId id) const { return executions_[id.index]; }
  double executions(InstructionView instruction) const { return executions(instruction.computation().id()); }

  ComputationRole role(ComputationId id) const { return roles_[id.index]; }
  // True for the computations whose instructions are operations of their own: entry, bodies, conditions, branches,
  // called.
  bool is_scheduled(ComputationId id) const;

  // The instructions that call the computation.
  const std::vector<InstructionId>& callers(ComputationId id) const { return callers_[id.index]; }

  // The scheduled computations, each after all its callers: ENTRY first.
  const std::vector<ComputationId>& scheduled() const { return scheduled_; }

  // All instructions of scheduled computations in that order.
  std::vector<InstructionId> scheduled_instructions() const;

  // The while instructions of scheduled computations, in that order, and how often each runs its body.
  struct Loop {
    InstructionId instruction;
    TripCount trips;
  };
  const std::vector<Loop>& loops() const { return loops_; }
  // Null for what is no scheduled while instruction.
  const TripCount* trip_count(InstructionId id) const;

  // Whether the trip counts were read off an instruction, or off who calls a computation. Edits of all others leave
  // them as they are; false for what came after this was made.
  bool trips_read_off(InstructionId id) const;
  bool trips_follow_callers(ComputationId id) const;

  // Sets the probabilities of a conditional's branches and counts the executions again.
  void set_branch_probabilities(InstructionId conditional, std::vector<double> probabilities);

 private:
  friend CallGraph analyze_calls(const Module& module, const CallOptions& options);
  void count_executions();

  const Module* module_ = nullptr;
  std::vector<double> executions_;
  std::vector<ComputationRole> roles_;
  std::vector<std::vector<InstructionId>> callers_;
  std::vector<ComputationId> scheduled_;
  std::vector<Loop> loops_;
  std::vector<bool> trips_read_off_;                                   // by InstructionId
  std::vector<bool> trips_follow_callers_;                             // by ComputationId
  std::map<std::uint32_t, std::vector<double>> branch_probabilities_;  // by index of the conditional
};

// The module must outlive the result. A computation that runs more than 2^53 times counts as 2^53.
CallGraph analyze_calls(const Module& module, const CallOptions& options = {});

// The trip count of one while instruction, from the text alone.
TripCount infer_trip_count(InstructionView while_instruction);

// ---- Names -------------------------------------------------------------------------------------------------------

// The category of a top-level instruction as profilers name it: "convolution fusion", "loop fusion", "all-reduce",
// "copy", "data formatting", "custom-call", ...; the opcode where no other name is in use.
std::string op_category(InstructionView instruction);

// `op_name` with the numbers that count layers, steps and copies folded into "*", so that the same op of 80 layers has
// one key: "jit(f)/layers_17/mlp/dot_general" becomes "jit(f)/layers_*/mlp/dot_general".
std::string layer_key(std::string_view op_name);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ANALYSIS_H_

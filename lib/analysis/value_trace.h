// Follows scalar values backwards through a module: through tuples, copies, fusions and calls, and through loops if the
// loop does not change the value.
#ifndef HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_
#define HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/analysis/call_sites.h"
#include "lib/analysis/callers.h"
#include "lib/analysis/lists_by_computation.h"
#include "lib/analysis/scalar.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline analysis {

// Known facts about one while instruction. Elements are the arrays of its loop state.
struct LoopFacts {
  std::set<Path> unchanged;  // the elements that the body returns unchanged
  std::optional<std::int64_t> trips;
  std::map<Path, std::int64_t> increments;  // the element grows by this much every trip
  std::optional<std::int64_t> at_most;      // upper bound for the trips, from part of the condition
};

// What answers were read off: an edit of anything else leaves them as they are. All members hold indices of ids.
struct TraceReads {
  absl::flat_hash_set<std::uint32_t> instructions;
  absl::flat_hash_set<std::uint32_t> callers_of;    // computations
  absl::flat_hash_set<std::uint32_t> unchanged_of;  // while instructions whose LoopFacts::unchanged was looked up
  absl::flat_hash_set<std::uint32_t> growth_of;     // while instructions whose trips and increments were looked up
};

// What is known of one while instruction.
struct LoopRecord {
  LoopFacts facts;
  TripCount trips;
  TraceReads reads;  // what both were read off
};
using LoopRecords = std::unordered_map<std::uint32_t, LoopRecord>;  // by index of the while instruction

// The callers of each computation, and what is known of loops.
struct TraceContext {
  const Module* module = nullptr;
  Callers callers;
  std::vector<InstructionId> whiles;  // in module order
  LoopRecords loops;
  TraceReads* reads = nullptr;  // takes note of what is read; null if nobody asks

  void note(InstructionId id) const {
    if (reads != nullptr) reads->instructions.insert(id.index);
  }
};

// `sites` are lists of call_sites(). Nothing is known of loops yet.
TraceContext make_trace_context(const Module& module, ListsByComputation<CallSite>& sites);

// Values of loop state elements that an evaluation may use.
using LoopState = std::map<Path, Scalar>;

// Evaluates scalars. Use one tracer for one query, because it caches its results.
class ValueTracer {
 public:
  // Looks up values in `computation`. If `state` is set, `computation` is the body or condition of a loop and its
  // parameter is the state. Otherwise parameters are followed to the caller.
  ValueTracer(const TraceContext& context, ComputationId computation, const LoopState* state);

  // Returns the value of `id` in `computation`, or of element `path` of it if it is a tuple.
  Scalar evaluate(InstructionId id, Path path = {});

  // The source of a value, after following all instructions that only pass the value on.
  struct Source {
    InstructionId id;
    Path path;
    bool is_state = false;  // `path` is an element of the loop's state
    int frame = 0;
  };
  Source source(InstructionId id, Path path) { return source_in(0, id, std::move(path)); }

  // The same functions in a frame that source() returned.
  Source source_in(int frame, InstructionId id, Path path);
  Scalar evaluate_in(int frame, InstructionId id, Path path = {});

  // State elements that an evaluation needed and `state` did not have.
  const std::vector<Path>& missing() const { return missing_; }

  // Returns the number of steps so far. An evaluation beyond the limit returns unknown.
  std::int64_t steps() const { return steps_; }

 private:
  // One activation of a computation, which determines the sources of its parameters.
  struct Frame {
    ComputationId computation;
    InstructionId site;  // the fusion or call that it was entered through; none for the first and callers
    int parent = -1;     // frame of `site`
    bool is_loop = false;
  };
  struct Place {
    int frame;
    InstructionId id;
    Path path;
  };
  // A source whose operands are being evaluated, from the left.
  struct PendingSource {
    Place place;
    std::vector<Scalar> operands;
  };

  bool follow(Place& place);
  bool hands_on(const Place& place) const;
  bool is_unchanged(InstructionId loop, const Path& path) const;
  bool follow_parameter(Place& place);
  int inner_frame(int parent, InstructionId site, ComputationId computation);
  int outer_frame(ComputationId computation);
  std::optional<Scalar> leaf_value(const Place& place);
  std::optional<Scalar> known_value(Place& place);
  std::optional<std::int64_t> growth(InstructionView loop, const Path& path) const;
  std::optional<Place> next_operand(const PendingSource& source) const;
  Scalar value_of(const PendingSource& source) const;

  const TraceContext& context_;
  const Module& module_;
  const LoopState* state_;
  std::vector<Frame> frames_;
  std::map<std::pair<int, std::uint32_t>, int> entered_;    // by frame and site
  std::map<std::uint32_t, int> outer_;                      // by computation
  std::map<std::pair<int, std::uint32_t>, Scalar> values_;  // of instructions that are not tuples
  std::vector<Path> missing_;
  std::int64_t steps_ = 0;
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_

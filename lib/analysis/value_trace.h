// Following scalar values through a module: backwards through tuples, copies, fusions and calls, and out of loops
// through what the loop leaves unchanged.
#ifndef HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_
#define HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "lib/analysis/scalar.h"

namespace hloroof::inline v0 {

// Where an array lies in a value: the tuple index at each level, empty for a value that is an array itself.
using Path = std::vector<std::int64_t>;

// What is known of one while instruction. Elements are the arrays of its state, which it carries round.
struct LoopFacts {
  std::set<Path> unchanged;  // the elements that the body hands on as it got them
  std::optional<std::int64_t> trips;
  std::map<Path, std::int64_t> increments;  // the element grows by this much every trip
  std::optional<std::int64_t> at_most;      // trips, as part of the condition says
};

// Who calls a computation, by computation id, and what is known of loops, by id of the while instruction.
struct TraceContext {
  const Module* module = nullptr;
  std::vector<std::vector<InstructionId>> callers;
  std::unordered_map<std::uint32_t, LoopFacts> loops;
  // What answers were read off so far, so that only edits of these ask for new ones.
  mutable std::vector<bool> looked_at;         // by InstructionId
  mutable std::vector<bool> callers_mattered;  // by ComputationId
};

TraceContext make_trace_context(const Module& module);

// Values of loop state elements that an evaluation may use.
using LoopState = std::map<Path, Scalar>;

// Evaluates scalars. One tracer serves one question: it keeps what it has computed.
class ValueTracer {
 public:
  // Values are looked up from within `computation`. If `state` is given, `computation` is the body or condition of a
  // loop and its parameter is the state; otherwise its parameters are followed to the caller.
  ValueTracer(const TraceContext& context, ComputationId computation, const LoopState* state);

  // The value of `id` in `computation`, or of element `path` of it if it is a tuple.
  Scalar evaluate(InstructionId id, Path path = {});

  // Where a value comes from, once everything that only hands it on is followed.
  struct Source {
    InstructionId id;
    Path path;
    bool is_state = false;  // `path` is an element of the loop's state
    int frame = 0;
  };
  Source source(InstructionId id, Path path) { return source_in(0, id, std::move(path)); }

  // The same in a frame that source() returned.
  Source source_in(int frame, InstructionId id, Path path);
  Scalar evaluate_in(int frame, InstructionId id, Path path = {});

  // State elements that an evaluation needed and `state` did not have.
  const std::vector<Path>& missing() const { return missing_; }

  // Steps taken so far; an evaluation beyond the limit is unknown.
  std::int64_t steps() const { return steps_; }

 private:
  // One activation of a computation: where its parameters come from.
  struct Frame {
    ComputationId computation;
    InstructionId site;  // the fusion or call it was entered through; none for the first and for callers
    int parent = -1;     // frame of `site`
    bool is_loop = false;
  };
  struct Place {
    int frame;
    InstructionId id;
    Path path;
  };

  bool follow(Place& place);
  bool follow_parameter(Place& place);
  int enter(int parent, InstructionId site, ComputationId computation);
  int outer_frame(ComputationId computation);
  std::optional<Scalar> leaf_value(const Place& place);

  const TraceContext& context_;
  const Module& module_;
  const LoopState* state_;
  std::vector<Frame> frames_;
  std::map<std::pair<int, std::uint32_t>, int> entered_;    // by frame and site
  std::map<std::uint32_t, int> outer_;                      // by computation
  std::map<std::pair<int, std::uint32_t>, Scalar> values_;  // of instructions that are no tuples
  std::vector<Path> missing_;
  std::int64_t steps_ = 0;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_VALUE_TRACE_H_

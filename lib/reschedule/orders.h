// The order that a search has reached, and what others would cost.
#ifndef HLOROOF_LIB_RESCHEDULE_ORDERS_H_
#define HLOROOF_LIB_RESCHEDULE_ORDERS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/edit.h"
#include "hloroof/predict.h"
#include "lib/reschedule/in_flight.h"
#include "lib/reschedule/moves.h"
#include "lib/reschedule/search.h"
#include "lib/schedule/replayer.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline reschedule {

// A smaller part of the step is no reason to move anything.
inline constexpr double kLeastGain = 1e-6;

// Instructions that move together at most.
inline constexpr std::size_t kMostMoved = 64;

// What an order costs, by its prediction.
OrderCost cost_of(const StepPrediction& step);

// What is known about an order.
struct OrderState {
  OrderCost cost;
  double vmem_peak = 0;
  double host_peak = 0;
};

// A wait of the compute stream, as the reason for a move.
struct Reason {
  InstructionId waiting;
  InstructionId transfer;
  double seconds = 0;  // in the step
};

// A move that the search made.
struct KeptStep {
  Move move;
  InstructionId id;           // that was to move
  InstructionId from_before;  // what followed it
  std::optional<Reason> reason;
  double gain_seconds = 0;
  double gain_bytes = 0;
  std::size_t undo_begin = 0;  // where the move begins in Orders::undo_
};

// Orders that break a limit.
struct Refused {
  std::int64_t count = 0;
  double best_seconds = 0;  // of the fastest order

  void add(double seconds) {
    best_seconds = count == 0 ? seconds : std::min(best_seconds, seconds);
    ++count;
  }
};

// A trial applies moves, predicts, and keeps the moves or takes them back. The step is that of Predictor::summary(), to
// the last bit: a move changes only the replay, and these are the predictor's replayer and costs. Only what else the
// predictor would derive again for each order is left out.
class Orders {
 public:
  // Errors: those of search_order().
  static absl::StatusOr<std::unique_ptr<Orders>> create(const Module& module, const Target& target,
                                                        const RescheduleOptions& options);

  const Module& module() const { return predictor_.module(); }
  const StepPrediction& first() const { return *first_; }  // the prediction of the order that came in
  const OrderState& now() const { return now_; }
  const OrderState& limits() const { return limits_; }  // only the peaks
  double transfers_free_seconds() const { return transfers_free_seconds_; }
  Moves& moves() { return moves_; }
  const StepFacts& facts() const { return *facts_; }
  const std::vector<KeptStep>& kept() const { return kept_; }
  const Refused& refused_memory() const { return refused_memory_; }
  const Refused& refused_in_flight() const { return refused_in_flight_; }

  // The current order of a computation, and the place of an instruction in it.
  const std::vector<InstructionId>& order_of(ComputationId computation);
  std::size_t place_of(InstructionId id);
  ComputationId computation_of(InstructionId id) const;

  // ---- A trial -----------------------------------------------------------------------------------------------------

  // Applies a move to the current order. Until keep() or take_back(), further moves apply to the result.
  void apply(const Move& move);
  // Returns whether the step takes at most so long after the moves that were applied, and the order keeps the limits.
  // Sets `then` if so.
  absl::StatusOr<bool> is_at_most(double seconds, OrderState& then);
  // Makes the result the current order. `steps` are the moves that were applied, in their order.
  absl::Status keep(std::vector<KeptStep> steps, const OrderState& then);
  absl::Status take_back();

  // The same for one move: a trial after which the order is as it was. Returns whether the step takes at most so long
  // and the order keeps the limits, and sets `then` if so.
  absl::StatusOr<bool> try_move(const Move& move, double at_most, OrderState& then);
  absl::Status keep(const Move& move, InstructionId id, const std::optional<Reason>& reason, const OrderState& then);

  // Goes back to the order after the first `kept` of the moves, which had this state.
  absl::Status go_back(std::size_t kept, const OrderState& state);

  // ---- The current order -------------------------------------------------------------------------------------------

  // The waits of the current order; those of each pair of op and transfer are one.
  std::vector<Reason> waits();
  double in_one_execution(const Reason& reason) const;  // the seconds
  // The prediction of the current order, by the predictor itself.
  absl::StatusOr<StepPrediction> predict();
  MemoryPrediction memory() const;

  // Moves the instructions of the module that this one was copied from.
  absl::Status apply_to(Module& module) const;

  // ---- The end of the search ---------------------------------------------------------------------------------------

  std::int64_t trials() const { return trials_; }
  SearchEnd end() const { return end_; }
  bool must_stop();

 private:
  Orders(Predictor predictor, const RescheduleOptions& options);
  absl::Status begin();
  void find_transfers();
  std::vector<double> compute_seconds() const;
  double exact_seconds();
  double seconds_after_applied();
  bool keeps_limits(double step_seconds, OrderState& then);
  absl::Status edit_applied();
  absl::Status undo_to(std::size_t size);

  struct Undo {
    InstructionId id;
    InstructionId next;  // before the move
  };
  // The part of an order that a move changes.
  struct Changed {
    ComputationId computation;
    std::size_t begin = 0;
    std::vector<InstructionId> before;  // what was there before the move
  };
  void put(const Changed& place, const std::vector<InstructionId>& ids);

  Predictor predictor_;
  const RescheduleOptions& options_;
  const std::chrono::steady_clock::time_point deadline_;
  std::optional<StepPrediction> first_;
  std::shared_ptr<const StepFacts> facts_;  // those parts that no order changes
  std::optional<Replayer> replayer_;
  ReplaySums sums_;          // of its last add_up()
  std::vector<bool> stale_;  // by ComputationId: moved since the last replay
  double transfers_free_seconds_ = 0;

  Moves moves_ = Moves({}, {}, {});
  Transfers transfers_;
  InFlight most_in_flight_ = {};
  std::vector<std::vector<InstructionId>> orders_;  // by ComputationId, made on demand
  std::vector<std::size_t> places_;                 // by InstructionId, of the orders that are made

  OrderState now_;
  OrderState limits_;
  Refused refused_memory_;
  Refused refused_in_flight_;
  std::vector<Move> applied_;              // in orders_
  std::vector<Changed> changed_;           // by each of them
  std::size_t edited_ = 0;                 // how many of them are in the module
  std::vector<std::size_t> steps_before_;  // by place in the entry of the current order: those that matter
  bool are_steps_counted_ = false;         // whether steps_before_ is that of the order that the replayer has
  std::vector<Undo> undo_;                 // of the module
  std::size_t undo_kept_ = 0;              // of the current order
  std::vector<KeptStep> kept_;
  std::int64_t trials_ = 0;
  std::int64_t trials_flushed_ = 0;
  SearchEnd end_ = SearchEnd::kNothingBetter;
};

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_ORDERS_H_

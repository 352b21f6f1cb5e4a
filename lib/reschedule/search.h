// Searches for the order of a scheduled module with the least predicted step.
#ifndef HLOROOF_LIB_RESCHEDULE_SEARCH_H_
#define HLOROOF_LIB_RESCHEDULE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/reschedule/moves.h"

namespace hloroof::internal::inline reschedule {

struct RescheduleOptions {
  PredictOptions predict;
  double seconds = 5;                  // of the clock
  std::optional<std::int64_t> trials;  // orders to predict at most; default: as many as the seconds allow
  std::int64_t seed = 1;               // of the random numbers
  std::optional<double> memory_limit;  // bytes of HBM at the peak; default: those of the order that came in
  std::size_t others = 0;              // orders besides the best one to return at most
};

// What an order costs, by the prediction.
struct OrderCost {
  double step_seconds = 0;
  double wait_seconds = 0;  // of the step, in which the compute stream waits for transfers
  double peak_bytes = 0;    // of HBM
};

enum class SearchEnd {
  kNothingBetter,  // no order is shorter: nothing waits and nothing is slowed down, or nothing may move
  kTrials,         // RescheduleOptions::trials
  kSeconds,        // RescheduleOptions::seconds; a run with as many trials and the same seed finds the same order
};

// The moves of one instruction in one direction that the search kept.
struct KeptMove {
  std::string name;         // of the instruction
  std::string computation;  // in which it moves
  Direction direction = Direction::kEarlier;
  std::string from_before;  // the instruction that followed it before the first of them
  std::string to_before;    // the instruction before which the last of them put it
  std::int64_t along = 0;   // largest number of dependent instructions moved with it
  double gain_seconds = 0;  // of the step; negative if it became longer, for which others make up
  double gain_bytes = 0;    // of the memory peak; negative if it rose
  std::string waiting;      // the op whose wait gave the reason; empty for a move without one
  std::string transfer;     // what it waited for
  std::string limit;        // the link of that transfer
  double wait_seconds = 0;  // how long it waited before the move, in the step
};

// One reason why no faster order was found.
struct OrderBound {
  std::string name;               // "wait (ici, data)", "ici", "blocking collectives", "memory", "in flight"
  std::optional<double> seconds;  // of the step
  std::string text;               // the reason as a sentence
};

// An order that was the best one until the search found a better one.
struct OtherOrder {
  Module module;
  OrderCost cost;
};

struct Rescheduling {
  std::string module;
  std::string device;
  std::string topology;
  OrderCost before;
  OrderCost after;
  double lower_bound_seconds = 0;  // perfect overlap
  double memory_limit_bytes = 0;
  std::int64_t seed = 0;
  std::int64_t trials = 0;  // orders that were predicted
  SearchEnd end = SearchEnd::kNothingBetter;
  std::vector<KeptMove> moves;          // those that gain the most first; without those that change no figure
  std::vector<OrderBound> bounds;       // those that cost the most first
  std::vector<Diagnostic> diagnostics;  // of the module
  std::vector<OtherOrder> others;  // shortest step first; no two are the same, and all are better than what came in
};

// Reorders the instructions of `module`, and changes nothing else. Only orders that are legal (hloroof/order.h), that
// need no more memory than the limit, and that have no more transfers of one lane in flight than the module had, or
// than the device's schedule.transfers_ahead, are kept. The result is never slower than the order that came in, by its
// own prediction. Two runs with the same seed and as many trials find the same order. The module is unchanged after an
// error. Errors: InvalidArgument if the module is not scheduled or needs more memory than the limit as it is; those of
// Predictor::create() and of find_order_rules().
absl::StatusOr<Rescheduling> search_order(Module& module, const Target& target, const RescheduleOptions& options);

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_SEARCH_H_

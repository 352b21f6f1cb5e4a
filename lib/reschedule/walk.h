// A random search that goes on from the order that the descent has reached.
#ifndef HLOROOF_LIB_RESCHEDULE_WALK_H_
#define HLOROOF_LIB_RESCHEDULE_WALK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/reschedule/orders.h"

namespace hloroof::internal::inline reschedule {

class Walk {
 public:
  Walk(Orders& orders, std::int64_t seed) : orders_(orders), random_(static_cast<std::uint64_t>(seed)) {}

  // Tries random moves until the search must stop or no order can be shorter, and leaves the best order as the current
  // one.
  absl::Status run();

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // below 1
  void find_movable();
  void find_waits();
  std::optional<Move> propose(KeptStep& step);
  std::optional<Move> propose_for_wait(KeptStep& step);
  std::optional<Move> propose_any(KeptStep& step);
  std::optional<Move> propose_filler(const Reason& reason, KeptStep& step);
  std::optional<Move> move_of(InstructionId id, Direction direction, InstructionId until, double wanted);
  absl::StatusOr<bool> try_moves(std::size_t count, double at_most);
  bool is_best() const;
  absl::Status start_again();
  absl::Status leave_best();

  Orders& orders_;
  std::mt19937_64 random_;
  std::array<std::vector<InstructionId>, 4> movable_;  // by Step: kRun, which includes calls, kStart and kDone
  std::vector<Reason> waits_;                          // of the order in which they were last found
  std::vector<double> waits_up_to_;                    // sums of their seconds
  bool has_new_order_ = false;                         // since then
  std::size_t with_same_waits_ = 0;                    // trials since the first new order
  std::size_t best_kept_ = 0;
  OrderState best_;
  std::size_t fails_ = 0;  // trials since the walk last came to a shorter step
  std::size_t empty_ = 0;  // proposals in a row that were no move
};

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_WALK_H_

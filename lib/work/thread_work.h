// Work that runs on another thread of the device: what an async-start wraps, such as the program of a SparseCore.
#ifndef HLOROOF_LIB_WORK_THREAD_WORK_H_
#define HLOROOF_LIB_WORK_THREAD_WORK_H_

#include <cstdint>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline work {

// Remembers which computations run as a program of their own. Not thread-safe.
class ThreadTable {
 public:
  explicit ThreadTable(const Module& module) : module_(module), known_(module.computation_limit(), kNotKnown) {}

  // Whether the instructions of a computation that an async-start wraps are counted one by one: it runs custom calls,
  // loops, conditionals, or asynchronous operations of its own, itself or through calls. The other computations count
  // as one operation, like a fusion.
  bool runs_apart(ComputationId id);

 private:
  enum : std::int8_t { kNotKnown, kAsOne, kApart };

  const Module& module_;
  std::vector<std::int8_t> known_;  // by ComputationId
};

// Adds `next`, which runs after the operations in `total`. `total.is_free` says that there are none yet.
void append_work(const Work& next, Work& total);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_THREAD_WORK_H_

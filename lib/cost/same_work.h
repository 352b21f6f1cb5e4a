// Compares the work of two operations. Programs repeat: most operations of a layer have the same work as those of the
// layer before, and everything that follows from the work alone needs to be found only once.
#ifndef HLOROOF_LIB_COST_SAME_WORK_H_
#define HLOROOF_LIB_COST_SAME_WORK_H_

#include <cstddef>

#include "hloroof/cost.h"

namespace hloroof::internal {

// Whether all parts are equal. A Pallas kernel is equal only to itself.
bool same_work(const Work& a, const Work& b);

// Equal for equal work.
std::size_t work_hash(const Work& work);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_COST_SAME_WORK_H_

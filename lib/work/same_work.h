// Compares the work of two operations, and two collectives. Programs repeat: most operations of a layer have the same
// work as those of the layer before, and everything that follows from the work alone needs to be found only once.
#ifndef HLOROOF_LIB_WORK_SAME_WORK_H_
#define HLOROOF_LIB_WORK_SAME_WORK_H_

#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"

namespace hloroof::internal::inline work {

// Whether all parts are equal. A Pallas kernel is equal only to itself.
bool same_work(const Work& a, const Work& b);

// Equal for equal work.
std::size_t work_hash(const Work& work);

// Keeps one of all equal works, which all ops that have it share.
class SharedWorks {
 public:
  Shared<Work> share(Work work);

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that containers look for
    std::size_t operator()(const Work& work) const { return work_hash(work); }
  };
  struct Same {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that containers look for
    bool operator()(const Work& a, const Work& b) const { return same_work(a, b); }
  };
  absl::flat_hash_set<Shared<Work>, Hash, Same> works_;
};

// Whether two collectives differ only in the instructions that perform them. On the same machine, they take the same
// time.
bool same_collective(const Collective& a, const Collective& b);

// Equal for such collectives.
std::size_t collective_hash(const Collective& collective);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_SAME_WORK_H_

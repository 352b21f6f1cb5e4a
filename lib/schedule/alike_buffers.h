// Folds the buffers of a memory prediction that are alike: a program has the same arrays for each layer, and one row of
// all of them says more than many small ones.
#ifndef HLOROOF_LIB_SCHEDULE_ALIKE_BUFFERS_H_
#define HLOROOF_LIB_SCHEDULE_ALIKE_BUFFERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "hloroof/schedule.h"

namespace hloroof::internal::inline schedule {

// Buffers of equal size whose op_names differ in numbers alone. Arguments may have several shapes; the others have one.
struct AlikeBuffers {
  std::size_t first = 0;      // index of one of them, the first
  std::size_t count = 1;      // of the buffers
  double bytes = 0;           // the sum
  double padding_bytes = 0;   // the sum
  std::size_t shapes = 1;     // different ones
  bool is_argument = false;
};

// The largest sums first.
std::vector<AlikeBuffers> fold_alike(const std::vector<LiveBuffer>& buffers);

// "mu[*][*] ×14" for arguments, "fusion.12 ×3" for others, the name of the instruction for a single one.
std::string alike_label(const AlikeBuffers& alike, const std::vector<LiveBuffer>& buffers);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_ALIKE_BUFFERS_H_

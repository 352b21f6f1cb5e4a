// Writes the other sizes into the module.
#ifndef HLOROOF_LIB_SCALE_REWRITE_H_
#define HLOROOF_LIB_SCALE_REWRITE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/dimensions.h"

namespace hloroof::internal::inline scale {

// A dimension with exponent x grows from n to n * (to / from)^x.
struct Ratio {
  std::int64_t to = 1;
  std::int64_t from = 1;
};

struct Rewritten {
  std::int64_t instructions = 0;  // with other shapes
  std::int64_t collectives = 0;   // with other groups or pairs
  std::int64_t kernels = 0;       // with another bound of their grid
  std::int64_t loops = 0;         // with other trips
  std::int64_t waits = 0;         // permutes that lost their start and done
  std::int64_t kept_offsets = 0;  // scalars of shard offsets that keep their values
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sizes;  // from, to: dimensions
};

// Sets all shapes and the attributes and header fields that state sizes or devices. `axis` is null unless a mesh axis
// gets another size. The module is not usable after an error. Errors: InvalidArgument at an instruction whose size does
// not divide.
absl::StatusOr<Rewritten> rewrite(Module& module, const Dimensions& dimensions, const std::vector<int>& exponents,
                                  Ratio ratio, const ScaledAxis* axis);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_REWRITE_H_

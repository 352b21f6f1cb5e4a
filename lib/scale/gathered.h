// Products of which a compiler may gather the other operand at the other size.
#ifndef HLOROOF_LIB_SCALE_GATHERED_H_
#define HLOROOF_LIB_SCALE_GATHERED_H_

#include <string>
#include <vector>

#include "hloroof/module.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"
#include "lib/scale/rewrite.h"

namespace hloroof::internal::inline scale {

struct OtherGather {
  InstructionId product;
  std::string why;  // the end of "it cannot be scaled: ..."
};

// Finds the products of a gathered operand, of which a free dimension was sharded, with one that has a part of the
// batch, where the parts of all devices together are at least as large as the gathered operand in the given program,
// and smaller at the other size. Then it costs less to gather them.
std::vector<OtherGather> find_other_gathers(const Module& module, const Dimensions& dimensions,
                                            const Constraints& constraints, const std::vector<int>& exponents,
                                            Ratio ratio);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_GATHERED_H_

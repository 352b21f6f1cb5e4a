// The order in which an op that only moves elements puts them, and whether a layout would say the same.
#ifndef HLOROOF_LIB_DIAGNOSE_REORDERING_H_
#define HLOROOF_LIB_DIAGNOSE_REORDERING_H_

#include "hloroof/module.h"

namespace hloroof::internal::inline diagnose {

struct Reordering {
  bool reverses = false;        // elements of a dimension come in the opposite order, which no layout says
  bool permutes_source = true;  // a layout of the source has its elements in the order of the result
  bool permutes_result = true;  // a layout of the result has its elements in the order of the source
};

// Follows the elements of `source` through instructions that only move them, to the result of `op`: a copy, a transpose
// or a fusion of these. If the way cannot be found, both layouts count as possible.
Reordering reordering(InstructionView source, InstructionView op);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_REORDERING_H_

// Ops that move data and compute nothing, as single instructions or as fusions, and the operands from which the results
// of an op come.
#ifndef HLOROOF_LIB_DIAGNOSE_MOVES_H_
#define HLOROOF_LIB_DIAGNOSE_MOVES_H_

#include <cstddef>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline diagnose {

// What an op does with the arrays that it moves.
struct DataMoves {
  bool computes = false;        // also other things than moving arrays and computing scalars, such as offsets
  bool changes_layout = false;  // a copy to another layout, or a transpose
  bool cuts_out = false;        // takes a block out of an array
  bool writes_into = false;     // writes a block into an array
  bool is_in_one_piece() const { return !cuts_out && !writes_into; }
};

// Examines an instruction, or all instructions of the computation that it runs.
DataMoves data_moved_by(InstructionView op);

// Whether an op, a copy or a fusion that is one, copies its operand into a second buffer of the same layout, in the
// same memory.
bool copies_as_is(InstructionView op);

// An operand of which elements reach a result unchanged.
struct MovedFrom {
  std::size_t operand = 0;
  bool is_base = false;  // the array into which a block is written: its other elements stay where they are
};

// The operands that reach result `element` of an op; the only result if it is no tuple.
std::vector<MovedFrom> moved_from(InstructionView op, std::size_t element);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_MOVES_H_

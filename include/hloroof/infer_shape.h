// The shape of an instruction's result, from its operands, attributes and called computations.
//
// What the parser does for texts that leave result shapes out, and what code that makes instructions wants.
#ifndef HLOROOF_INFER_SHAPE_H_
#define HLOROOF_INFER_SHAPE_H_

#include "absl/status/statusor.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
inline namespace v0 {

// The result shape of `instruction`, whose own shape is not looked at. New shapes go into `shapes`, which must be the
// table of the instruction's module or a copy of it, so that the ids of operand shapes hold there.
//
// The opcodes of shape_inferable() are known: those for which XLA's parser infers. A new array is row-major, with that
// layout written out where an operand has one; results that are said to equal an operand have its layout.
//
// Errors: InvalidArgument with what is wrong, where the operands or attributes do not fit each other; Unimplemented for
// opcodes whose result shape only the text can say, as of a convert, a reshape or a custom-call.
absl::StatusOr<ShapeId> infer_shape(InstructionView instruction, ShapeTable& shapes);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_INFER_SHAPE_H_

// Infers the result shape of an instruction from its operands, attributes and called computations. The parser uses this
// for texts without result shapes, and ModuleEditor for new instructions.
#ifndef HLOROOF_INFER_SHAPE_H_
#define HLOROOF_INFER_SHAPE_H_

#include "absl/status/statusor.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
inline namespace v0 {

// The result shape of `instruction`; its present shape is ignored. New shapes are added to `shapes`, which must be the
// table of the instruction's module or a copy of it.
//
// Supports the opcodes of shape_inferable(), for which XLA's parser infers shapes too. A new array is row-major; the
// layout is explicit if an operand has one. A result that equals an operand by definition has that operand's layout.
//
// Errors: InvalidArgument if the operands or attributes do not match; Unimplemented for opcodes whose result shape does
// not follow from the operands, such as convert, reshape and custom-call.
absl::StatusOr<ShapeId> infer_shape(InstructionView instruction, ShapeTable& shapes);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_INFER_SHAPE_H_

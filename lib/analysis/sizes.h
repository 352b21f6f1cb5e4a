// Sizes in elements, and which part of a result has a size that counts.
#ifndef HLOROOF_LIB_ANALYSIS_SIZES_H_
#define HLOROOF_LIB_ANALYSIS_SIZES_H_

#include <cstdint>

#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline analysis {

// The number of elements including padding, which is the number that the vector unit processes.
std::int64_t padded_elements(const Shape& shape);

// The shape of the result of an instruction, without the operands and contexts that the result of a start also
// contains.
ShapeId result_of(InstructionView instruction);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_SIZES_H_

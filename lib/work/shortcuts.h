// What the instructions around an operation tell compiled code that makes it shorter.
#ifndef HLOROOF_LIB_WORK_SHORTCUTS_H_
#define HLOROOF_LIB_WORK_SHORTCUTS_H_

#include <optional>

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline work {

// A conversion to integers that also rounds its operand.
struct Rounding {
  InstructionView round;
  bool is_clamped = false;  // the program keeps the values within the range of the integers
};

// The rounding to the nearest even integer that `convert` does, if it is one to integers and nothing but clamps within
// their range lies between the two. After clamps with wider limits, and in bf16 on 7x, the code rounds and converts one
// after the other.
// Source: the final code of libtpu 0.0.52 for v2 to 7x.
std::optional<Rounding> rounding_of(InstructionView convert);

// The conversion of a narrow integer to bf16 that `convert` goes on with to f32. Compiled code makes f32 of it at once.
// Source: as above, for products by weights of 4 and 8 bits and a scale for each column.
std::optional<InstructionView> narrow_conversion_before(InstructionView convert);

// What the operands of an instruction of a fusion make shorter in its code. For conversions see rounding_of().
Shortcut shortcut_of(InstructionView instruction);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_SHORTCUTS_H_

// The number of operands of opcodes for which it does not depend on the attributes.
#ifndef HLOROOF_LIB_VALUES_OPERAND_COUNT_H_
#define HLOROOF_LIB_VALUES_OPERAND_COUNT_H_

#include <cstddef>
#include <string>

#include "hloroof/module.h"

namespace hloroof::internal::inline values {

bool takes_operands(Opcode opcode, std::size_t count);

// The permitted number of operands in words: "2", "an even, positive number of". Empty if any number is permitted.
std::string operand_counts(Opcode opcode);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_OPERAND_COUNT_H_

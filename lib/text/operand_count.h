// How many operands opcodes take whose number their attributes have no say in.
#ifndef HLOROOF_LIB_TEXT_OPERAND_COUNT_H_
#define HLOROOF_LIB_TEXT_OPERAND_COUNT_H_

#include <cstddef>
#include <string>

#include "hloroof/opcode.h"

namespace hloroof::inline v0 {

bool takes_operands(Opcode opcode, std::size_t count);

// What it takes, in words: "2", "an even, positive number of". Of an opcode that takes any number, nothing.
std::string operand_counts(Opcode opcode);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_OPERAND_COUNT_H_

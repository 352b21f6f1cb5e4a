// The value of a scalar or predicate register. It is a number, an address in an argument of the program, or unknown:
// where an argument lies is not in the code, but how far apart two addresses in it are is.
#ifndef HLOROOF_LIB_CODE_SCALAR_VALUE_H_
#define HLOROOF_LIB_CODE_SCALAR_VALUE_H_

#include <array>
#include <cstdint>

#include "lib/code/scalar_ops.h"

namespace hloroof::internal::inline code {

struct CodeValue {
  static constexpr std::uint32_t kNoOrigin = 0xFFFFFFFF;

  bool known = false;
  std::uint32_t bits = 0;            // 0 or 1 of a predicate; of an address, its distance from the argument
  std::uint32_t argument = 0;        // of an address: one more than the instruction that takes the argument
  std::uint32_t origin = kNoOrigin;  // of an unknown value: the instruction that it comes from

  static CodeValue of(std::uint32_t bits) { return {.known = true, .bits = bits, .argument = 0, .origin = kNoOrigin}; }
  static CodeValue unknown(std::uint32_t origin) {
    return {.known = false, .bits = 0, .argument = 0, .origin = origin};
  }
  bool is_number() const { return known && argument == 0; }
  friend bool operator==(const CodeValue& a, const CodeValue& b) {
    return a.known == b.known && a.bits == b.bits && a.argument == b.argument;
  }
};

// The result of instruction `index`, an operation of ScalarKind::kValue that reads no memory, modulo 2^32. Known
// wherever the known operands decide it: false and anything is false.
CodeValue evaluate(ScalarOpcode opcode, const std::array<CodeValue, 3>& operands, std::uint32_t index);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_SCALAR_VALUE_H_

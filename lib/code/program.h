// The final code of one operation of a TPU program, as libtpu dumps it after register allocation: one bundle of
// instructions for each cycle, in order.
#ifndef HLOROOF_LIB_CODE_PROGRAM_H_
#define HLOROOF_LIB_CODE_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/code/code_units.h"
#include "lib/code/scalar_ops.h"

namespace hloroof::internal::inline code {

// A value that a scalar instruction reads. An address is the number of its allocation times kAllocationWords, plus an
// offset and a register.
struct CodeOperand {
  enum class Kind : std::uint8_t { kNone, kUnknown, kNumber, kScalar, kPredicate };
  Kind kind = Kind::kNone;
  bool is_negated = false;
  std::uint8_t reg = 0;      // of kScalar and kPredicate
  std::uint32_t number = 0;  // kNumber; added to the register of kScalar
};

inline constexpr std::size_t kRegisters = 256;
inline constexpr std::uint32_t kAllocationWords = 1U << 20;

enum class CodeMemory : std::uint8_t { kUnknown, kHbm, kVmem, kSmem, kOther };

// What an instruction that starts a transfer says of it.
struct CodeTransfer {
  CodeMemory from = CodeMemory::kUnknown;
  CodeMemory to = CodeMemory::kUnknown;
  CodeOperand granules;     // kNone: `bytes` is the size
  double bytes = 0;         // of the window, where the size is not an operand
  CodeOperand flag;         // kNone: in the descriptor
  CodeOperand descriptor;   // v2 and v3: the address in SMEM that describes the transfer
  CodeOperand destination;  // of a transfer to SMEM
};

struct ScalarOp {
  ScalarOpcode opcode = ScalarOpcode::kUnread;
  ScalarKind kind = ScalarKind::kNothing;
  CodeOperand guard;      // kNone: always
  CodeOperand otherwise;  // the result if the guard is false; kNone: the register keeps its value
  CodeOperand result;     // kNone: none
  std::array<CodeOperand, 3> operands{};
  std::uint32_t target = 0;    // bundle of a branch, or index of a transfer
  bool loads_core_id = false;  // the word that tells the cores of a chip from one another
  bool keeps_quotient = true;  // of a division
  bool keeps_remainder = true;
  std::uint32_t offset = 0;  // of the instruction in the text
};

struct Bundle {
  std::uint32_t first_op = 0;  // scalar instructions: ops[first_op], ..., ops[first_op + op_count - 1]
  std::uint32_t op_count = 0;
  UnitCounts issued{};
  std::uint8_t vector_spills = 0;  // stores of registers that had to be freed
  std::uint8_t vector_fills = 0;   // loads of those
  std::uint8_t scalar_spills = 0;
  std::uint8_t scalar_fills = 0;
  bool is_empty = true;  // a cycle in which a result is awaited
};

struct CodeProgram {
  std::vector<Bundle> bundles;
  std::vector<ScalarOp> ops;
  std::vector<CodeTransfer> transfers;
  bool joins_cores = false;         // written for several cores that run it together
  std::int64_t matrix_units = 0;    // that instructions name: one more than the highest number
  std::vector<std::string> unread;  // names of scalar operations that are not in scalar_ops.def, sorted
};

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_PROGRAM_H_

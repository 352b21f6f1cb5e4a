// The opcodes of HLO, from opcode.def.
#ifndef HLOROOF_OPCODE_H_
#define HLOROOF_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hloroof {
inline namespace v0 {

enum class Opcode : std::uint8_t {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class) enumerator,
#include "hloroof/opcode.def"
  kUnknown,  // an opcode this version does not know; its text is kept, its boundary bytes are charged
};

inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kUnknown);

// What kind of counting rule an opcode falls under. One class has one rule in lib/cost.
enum class WorkClass : std::uint8_t {
  kFree,            // structure: no work of its own
  kElementwise,     // one flop an output element
  kTranscendental,  // one transcendental an output element
  kDataMovement,
  kContraction,
  kReduction,
  kSort,
  kGatherScatter,
  kLinearAlgebra,
  kNormalization,
  kRandom,
  kCall,
  kCustomCall,
  kCollective,
  kAsync,      // async-start, -update, -done around a called computation
  kAsyncCopy,  // copy-start, copy-done
  kHostTransfer,
};

// The spelling in HLO text ("dynamic-update-slice"); "unknown" for kUnknown.
std::string_view to_string(Opcode opcode);

// The opcode spelled `text`, nothing if there is none.
std::optional<Opcode> opcode_from_string(std::string_view text);

// Number of operands, -1 when it varies.
int arity(Opcode opcode);

// Whether HLO text may leave out the result shape of this opcode.
bool shape_inferable(Opcode opcode);

WorkClass work_class(Opcode opcode);

// Elementwise in XLA's sense: output element i depends on element i of each operand only. Copy, broadcast, reshape and
// iota are not.
inline bool is_elementwise(Opcode opcode) {
  return work_class(opcode) == WorkClass::kElementwise || work_class(opcode) == WorkClass::kTranscendental;
}

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_OPCODE_H_

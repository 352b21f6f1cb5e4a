// The opcodes of HLO. opcode.def is the table of them.
#ifndef HLOROOF_OPCODE_H_
#define HLOROOF_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hloroof {
inline namespace v0 {

enum class Opcode : std::uint8_t {
#define HLOROOF_OPCODE(enumerator, ...) enumerator,
#include "hloroof/opcode.def"
  kUnknown,  // an unsupported opcode; its text is kept, and its boundary bytes are charged
};

inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kUnknown);

// The counting rule of an opcode. lib/cost has one rule for each class.
enum class WorkClass : std::uint8_t {
  kFree,            // structural: no work
  kElementwise,     // one flop per output element
  kTranscendental,  // one transcendental per output element
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

// The kinds of communication between devices. lib/ir/opcode_facts.h maps each opcode to the kind that it performs,
// begins or ends.
enum class CollectiveKind : std::uint8_t {
  kAllGather,
  kReduceScatter,
  kAllReduce,
  kAllToAll,
  kRaggedAllToAll,
  kCollectivePermute,
  kCollectiveBroadcast,
  kSend,
  kRecv,
};
inline constexpr int kCollectiveKindCount = 9;

// Returns the spelling in HLO text ("dynamic-update-slice"); "unknown" for kUnknown.
std::string_view to_string(Opcode opcode);

// Returns the opcode spelled `text`, nullopt if there is none.
std::optional<Opcode> opcode_from_string(std::string_view text);

// Returns the number of operands, -1 if it varies.
int arity(Opcode opcode);

// Returns whether HLO text may omit the result shape of this opcode.
bool shape_inferable(Opcode opcode);

WorkClass work_class(Opcode opcode);

// Returns whether the opcode is elementwise in XLA's sense: output element i depends only on element i of each operand.
// Copy, broadcast, reshape and iota are not elementwise.
inline bool is_elementwise(Opcode opcode) {
  return work_class(opcode) == WorkClass::kElementwise || work_class(opcode) == WorkClass::kTranscendental;
}

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_OPCODE_H_

// Where computations are named, and as what.
#ifndef HLOROOF_LIB_ANALYSIS_CALL_SITES_H_
#define HLOROOF_LIB_ANALYSIS_CALL_SITES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "hloroof/module.h"
#include "lib/analysis/calls.h"

namespace hloroof::internal::inline analysis {

// An instruction and a computation that it names.
struct CallSite {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  InstructionId caller;
  std::uint32_t callee = kNone;                     // index; kNone for a loop or conditional that names none
  Opcode opcode = Opcode::kUnknown;                 // of the caller
  ComputationRole role = ComputationRole::kUnused;  // that the caller gives to the computation
  bool is_first = true;                             // the first of its caller
};

// The role of the computations that attribute `key` of `instruction` names.
ComputationRole role_of_callee(InstructionView instruction, AttributeKey key);

// Appends the call sites of an instruction, in the order of its attributes. Loops and conditionals have at least one.
void list_call_sites(InstructionView instruction, std::vector<CallSite>& sites);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_CALL_SITES_H_

#include "lib/analysis/call_sites.h"

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {

ComputationRole role_of_callee(InstructionView instruction, AttributeKey key) {
  switch (flow(instruction.opcode())) {
    case Flow::kLoops: return key == AttributeKey::kCondition ? ComputationRole::kCondition : ComputationRole::kBody;
    case Flow::kBranches: return ComputationRole::kBranch;
    case Flow::kCalls: return ComputationRole::kCalled;
    case Flow::kFuses: return ComputationRole::kFused;
    default:
      return work_class(instruction.opcode()) == WorkClass::kAsync ? ComputationRole::kAsync
                                                                   : ComputationRole::kApplied;
  }
}

void list_call_sites(InstructionView instruction, std::vector<CallSite>& sites) {
  CallSite site;
  site.caller = instruction.id();
  site.opcode = instruction.opcode();
  for (const AttributeData& attribute : instruction.attributes()) {
    if (attribute.reference_count == 0 || attribute.key == AttributeKey::kControlPredecessors) continue;
    site.role = role_of_callee(instruction, attribute.key);
    for (const std::uint32_t callee : ModuleRows::references(instruction.module(), attribute)) {
      site.callee = callee;
      sites.push_back(site);
      site.is_first = false;
    }
  }
  if (site.is_first && (site.opcode == Opcode::kWhile || site.opcode == Opcode::kConditional)) sites.push_back(site);
}

}  // namespace hloroof::internal::inline analysis

#include "lib/values/scoped_memory.h"

#include <algorithm>
#include <string>

#include "lib/values/backend_config.h"
#include "lib/values/json_view.h"

namespace hloroof::internal::inline values {
namespace {

constexpr std::int64_t kVmem = 1;  // the number of the memory space

bool may_have_its_own_limit(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCustomCall:
    case Opcode::kCall:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: return true;
    default: return false;
  }
}

}  // namespace

std::optional<std::int64_t> scoped_vmem_limit(InstructionView instruction) {
  const std::string config = backend_config(instruction);
  std::int64_t limit = 0;
  JsonView(config)["scoped_memory_configs"].for_each_element([&limit](JsonView at) {
    if (at["memory_space"].integer_or(0) == kVmem) limit = std::max(limit, at["size"].integer_or(0));
  });
  if (limit <= 0) return std::nullopt;
  return limit;
}

std::optional<std::int64_t> scoped_vmem_limit(const Module& module) {
  std::optional<std::int64_t> limit;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      if (may_have_its_own_limit(instruction.opcode())) continue;
      if (const auto own = scoped_vmem_limit(instruction)) limit = std::max(limit.value_or(0), *own);
    }
  }
  return limit;
}

}  // namespace hloroof::internal::inline values

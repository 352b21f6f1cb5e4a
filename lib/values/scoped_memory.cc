#include "lib/values/scoped_memory.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "lib/ir/memory_spaces.h"
#include "lib/ir/rows.h"
#include "lib/values/backend_config.h"
#include "lib/values/json_view.h"

namespace hloroof::internal::inline values {
namespace {

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

// The size of VMEM in the list `name` of the config of `instruction`; 0 if it states none.
std::int64_t vmem_in(InstructionView instruction, std::string_view name) {
  const std::string config = backend_config(instruction);
  std::int64_t size = 0;
  JsonView(config)[name].for_each_element([&size](JsonView at) {
    if (at["memory_space"].integer_or(0) == kVmemSpace) size = std::max(size, at["size"].integer_or(0));
  });
  return size;
}

// What the config of `instruction` allows it; nullopt if it states nothing, or zero.
std::optional<std::int64_t> limit_of(InstructionView instruction) {
  const std::int64_t limit = vmem_in(instruction, "scoped_memory_configs");
  if (limit <= 0) return std::nullopt;
  return limit;
}

// What the program allows every op that has no limit of its own. libtpu states it on the ops of programs for TPU7x and
// of some programs for v5p and v6e; in others it stands nowhere. Some ops have zero or a part of the limit, so that the
// largest is taken. Custom calls are left out, as are calls and asynchronous ops, which may carry the limit of a
// kernel.
std::optional<std::int64_t> limit_of(const Module& module) {
  std::optional<std::int64_t> limit;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      if (may_have_its_own_limit(instruction.opcode())) continue;
      if (const auto own = limit_of(instruction)) limit = std::max(limit.value_or(0), *own);
    }
  }
  return limit;
}

}  // namespace

std::int64_t used_scoped_vmem(InstructionView op) { return vmem_in(op, "used_scoped_memory_configs"); }

std::optional<std::int64_t> ScopedVmemLimits::of(InstructionView kernel) {
  if (const auto own = limit_of(kernel)) return own;
  if (!is_read_) {
    constexpr std::int64_t kKib = 1024;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kKib;
    is_read_ = true;
    of_program_ = limit_of(*module_);
    const std::int64_t kib = given_kib_.value_or(ModuleRows::scoped_vmem_limit_kib(*module_));
    if (!of_program_ && kib > 0) of_program_ = std::min(kib, kMost) * kKib;
  }
  return of_program_;
}

}  // namespace hloroof::internal::inline values

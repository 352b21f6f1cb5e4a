#include "lib/report/find_instruction.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"

namespace hloroof::internal {

absl::StatusOr<InstructionView> find_instruction(const Module& module, std::string_view name) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  std::optional<InstructionView> found;
  std::vector<std::string> names;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.name() == name && (!found || computation.is_entry())) found = instruction;
    }
  }
  if (found) return *found;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) names.emplace_back(instruction.name());
  }
  return not_found("no instruction is called '" + std::string(name) + "'; near it are " +
                   absl::StrJoin(nearest_names(name, names, 3), ", "));
}

}  // namespace hloroof::internal

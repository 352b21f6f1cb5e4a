#include "lib/explain/find_instruction.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/describe/short_names.h"

namespace hloroof::internal::inline explain {
namespace {

// Higher for instructions that a user more likely means.
int likelihood(InstructionView instruction, const std::function<int(InstructionId)>& preference) {
  return 2 * preference(instruction.id()) + (instruction.computation().is_entry() ? 1 : 0);
}

// Returns the likeliest of the instructions whose names `matches` accepts, one for each name.
template <typename Matches>
std::vector<InstructionView> likeliest(const Module& module, const Matches& matches,
                                       const std::function<int(InstructionId)>& preference) {
  std::vector<InstructionView> found;
  std::set<std::string_view> names;
  int best = 0;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (!matches(instruction.name())) continue;
      const int rank = likelihood(instruction, preference);
      if (rank < best) continue;
      if (rank > best) {
        found.clear();
        names.clear();
        best = rank;
      }
      if (names.insert(instruction.name()).second) found.push_back(instruction);
    }
  }
  return found;
}

absl::Status ambiguous(std::string_view name, const std::vector<InstructionView>& found) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) names.push_back(found[i].name());
  const std::string others =
      found.size() > kShown ? "\n  and " + std::to_string(found.size() - kShown) + " more" : std::string();
  return invalid_argument("'" + std::string(name) + "' is the end of several names; give more of one of\n  " +
                          absl::StrJoin(names, "\n  ", [](std::string* out, std::string_view s) { out->append(s); }) +
                          others);
}

// Returns "fusion.48" of "fusion.48 ×3", as tables name a row of alike ops (folded_label in op_name.h).
std::string_view without_count(std::string_view name) {
  constexpr std::string_view kTimes = " ×";
  const std::size_t at = name.rfind(kTimes);
  if (at == std::string_view::npos) return name;
  const std::string_view count = name.substr(at + kTimes.size());
  const bool is_count = !count.empty() && count.find_first_not_of("0123456789") == std::string_view::npos;
  return is_count ? name.substr(0, at) : name;
}

}  // namespace

absl::StatusOr<InstructionView> find_instruction(const Module& module, std::string_view name,
                                                 const std::function<int(InstructionId)>& preference) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  name = without_count(name);
  const auto is_name = [name](std::string_view candidate) { return candidate == name; };
  std::vector<InstructionView> found = likeliest(module, is_name, preference);
  if (found.empty()) {
    const auto is_selected = [name](std::string_view candidate) { return selects_name(name, candidate); };
    found = likeliest(module, is_selected, preference);
    if (found.size() > 1) return ambiguous(name, found);
  }
  if (!found.empty()) return found.front();
  std::vector<std::string> names;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) names.emplace_back(instruction.name());
  }
  return not_found("no instruction is called '" + std::string(name) + "'; near it are " +
                   absl::StrJoin(nearest_names(name, names, 3), ", "));
}

}  // namespace hloroof::internal::inline explain

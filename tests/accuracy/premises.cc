#include "tests/accuracy/premises.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/values/backend_config.h"
#include "lib/work/work.h"

namespace hloroof::internal {

std::string on_the_premises_of_the_estimate(std::string_view text, bool is_widened) {
  // The tile (2,1), which pairs 16-bit rows, goes with the type.
  using Change = std::pair<std::string_view, std::string_view>;
  std::vector<Change> changes = {{"S(1)", ""}, {"S(3)", ""}};
  if (is_widened) changes.insert(changes.end(), {{"(2,1)", ""}, {"bf16[", "f32["}, {"f16[", "f32["}});
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    bool changed = false;
    for (const auto& [from, to] : changes) {
      if (text.substr(i, from.size()) != from) continue;
      result += to;
      i += from.size();
      changed = true;
      break;
    }
    if (!changed) result += text[i++];
  }
  return result;
}

namespace {

// Whether an operation does nothing but change a layout.
bool is_relayout(const Work& work) {
  return work.matrix.empty() && !work.vector.empty() &&
         std::all_of(work.vector.begin(), work.vector.end(),
                     [](const VectorWork& v) { return v.opcode == Opcode::kTranspose; });
}

}  // namespace

Work like_for_like(InstructionView op, const Work& own, const Work& unplaced, const Work& widened) {
  if (is_relayout(own)) return own;
  Work work = own;
  const bool is_widened = !own.matrix.empty() || !op.shape().is_tuple();
  const Work& premises = is_widened ? widened : unplaced;
  if (own.matrix.empty()) work.read = premises.read;
  work.written = premises.written;
  work.scalars_read = work.scalars_written = 0;  // the estimate charges scalars like arrays
  return work;
}

bool is_placeholder(InstructionView op) {
  const auto config = window_config(op);
  if (!config || !config->estimated_cycles) return false;
  return static_cast<double>(*config->estimated_cycles) == 100 * loop_steps(*config);
}

}  // namespace hloroof::internal

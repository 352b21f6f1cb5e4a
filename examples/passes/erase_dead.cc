// A pass that erases dead code: elementwise instructions that the root of their computation does not depend on, and the
// computations that the entry does not call.
//
//   erase_dead
//
// Prints the program that is left.
#include <cstdio>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"

namespace {

using hloroof::InstructionId;
using hloroof::InstructionView;

constexpr char kProgram[] = R"(
HloModule dead_code

twice (x: f32[8]) -> f32[8] {
  x = f32[8]{0} parameter(0)
  ROOT sum = f32[8]{0} add(x, x)
}

ENTRY main (a: f32[8], b: f32[8]) -> f32[8] {
  a = f32[8]{0} parameter(0)
  b = f32[8]{0} parameter(1)
  product = f32[8]{0} multiply(a, b)
  dead = f32[8]{0} tanh(product)
  deader = f32[8]{0} negate(dead)
  ROOT result = f32[8]{0} subtract(product, b)
}
)";

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

// In the order of the module, so that operands precede their users.
std::vector<InstructionId> dead_instructions(const hloroof::Module& module) {
  std::vector<bool> is_needed(module.instruction_limit(), false);
  for (const hloroof::ComputationView computation : module.computations()) {
    for (const InstructionId id : hloroof::post_order(computation.root())) is_needed[id.index] = true;
  }
  std::vector<InstructionId> dead;
  hloroof::walk(module, [&](InstructionView instruction) {
    // Other instructions may do more than compute their result.
    if (!is_needed[instruction.id().index] && hloroof::is_elementwise(instruction.opcode())) {
      dead.push_back(instruction.id());
    }
  });
  return dead;
}

}  // namespace

int main() {
  absl::StatusOr<hloroof::Module> module = hloroof::parse_module(kProgram);
  if (!module.ok()) return fail(module.status());
  hloroof::ModuleEditor edit(*module);
  std::vector<InstructionId> dead = dead_instructions(*module);
  const std::size_t erased = dead.size();
  for (; !dead.empty(); dead.pop_back()) {  // users first
    if (const absl::Status status = edit.erase(dead.back()); !status.ok()) return fail(status);
  }
  const std::size_t computations = edit.erase_unused_computations();
  if (const absl::Status status = hloroof::verify(*module); !status.ok()) return fail(status);
  std::printf("%zu instructions and %zu computations erased, %zu computations are called\n%s", erased, computations,
              hloroof::called_by(module->entry()).size(), hloroof::print_module(*module).c_str());
  return 0;
}

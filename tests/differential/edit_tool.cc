// Answers requests of edits.py: applies edits of every kind to a text.
//
// Standard input is a sequence of requests `edit SIZE\n` + SIZE bytes of text. The answer to each is `ok SIZE\n` + the
// text of the edited module, or `error SIZE\n` + the reason. Verifies the module after every edit.
#include <cstddef>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/ir/rows.h"

namespace hloroof::internal {
namespace {

constexpr int kEdits = 40;

class Passes {
 public:
  explicit Passes(Module& module) : module_(module), edit_(module), random_(1) {}

  absl::Status run() {
    if (absl::Status status = verify(module_); !status.ok()) return status;
    for (int i = 0; i < kEdits; ++i) {
      const InstructionId id = any();
      const std::string what = std::to_string(i) + ": " + step(id) + " " + std::string(module_.instruction(id).name());
      if (const absl::Status status = verify(module_); !status.ok()) {
        return absl::InternalError(what + ": " + std::string(status.message()));
      }
    }
    edit_.erase_unused_computations();
    return verify(module_);
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  InstructionId any() {
    while (true) {
      const InstructionId id(below(module_.instruction_limit()));
      if (edit_.is_alive(id)) return id;
    }
  }

  // Applies one edit if possible, and returns its description.
  std::string step(InstructionId id) {
    const InstructionView instruction = module_.instruction(id);
    const Opcode opcode = instruction.opcode();
    const bool plain = is_elementwise(opcode) && instruction.shape().is_array();
    switch (below(8)) {
      case 0: {
        if (!plain || !row_of(instruction).next.valid()) return "nothing";
        NewInstruction copy;
        copy.opcode = Opcode::kCopy;
        copy.operands = {id};
        copy.shape_id = instruction.shape_id();
        const absl::StatusOr<InstructionId> made = edit_.insert_before(row_of(instruction).next, copy);
        if (made.ok()) (void)edit_.replace_all_uses(id, *made);
        return "copy";
      }
      case 1: {
        if (!plain) return "nothing";
        const absl::StatusOr<InstructionId> made = edit_.clone(id);
        if (made.ok()) (void)edit_.replace_all_uses(id, *made);
        (void)edit_.erase(id);
        return "clone";
      }
      case 2:
      case 3: {
        if (!plain || instruction.operand_count() == 0) return "nothing";
        const InstructionView producer = instruction.operand(0);
        if (!is_elementwise(producer.opcode())) return "nothing";
        if (below(2) == 0) {
          (void)edit_.outline({producer.id(), id}, "outlined");
          return "outline";
        }
        (void)edit_.fuse({producer.id(), id});
        return "fuse";
      }
      case 4:
      case 5:
        if (opcode == Opcode::kFusion || opcode == Opcode::kCall) (void)edit_.unfuse(id);
        return "unfuse";
      case 6:
        if (plain) (void)edit_.set_attribute(id, AttributeKey::kSharding, "{replicated}");
        return "shard";
      default: {
        const InstructionId next = row_of(instruction).next;
        if (next.valid() && row_of(module_, next).next.valid()) (void)edit_.move_before(id, row_of(module_, next).next);
        return "move";
      }
    }
  }

  Module& module_;
  ModuleEditor edit_;
  std::mt19937 random_;
};

}  // namespace
}  // namespace hloroof::internal

int main() {
  std::ios::sync_with_stdio(false);
  std::string what;
  std::size_t size = 0;
  std::string text;
  while (std::cin >> what >> size) {
    std::cin.get();
    text.resize(size);
    std::cin.read(text.data(), static_cast<std::streamsize>(size));
    absl::StatusOr<hloroof::Module> module = hloroof::parse_module(text);
    const absl::Status status = module.ok() ? hloroof::internal::Passes(*module).run() : module.status();
    const std::string answer = status.ok() ? print_module(*module) : std::string(status.message());
    std::cout << (status.ok() ? "ok " : "error ") << answer.size() << '\n' << answer << std::flush;
  }
  return 0;
}

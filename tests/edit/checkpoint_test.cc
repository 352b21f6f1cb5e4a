// Checkpoints: after a rollback everything is as it was.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/edit/edit_log.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"
#include "tests/predict/random_edits.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kChain =
    R"(HloModule m, entry_computation_layout={(f32[8,128]{1,0}, f32[8,128]{1,0})->f32[8,128]{1,0}}

ENTRY %main (a: f32[8,128], b: f32[8,128]) -> f32[8,128] {
  %a = f32[8,128]{1,0} parameter(0)
  %b = f32[8,128]{1,0} parameter(1)
  %sum = f32[8,128]{1,0} add(%a, %b)
  %tanh = f32[8,128]{1,0} tanh(%sum), control-predecessors={%b}
  %other = f32[8,128]{1,0} negate(%sum), control-predecessors={%tanh}
  ROOT %product = f32[8,128]{1,0} multiply(%tanh, %other)
}

)";

// Everything that a caller can see of a module and its editor.
struct Seen {
  std::string text;
  std::size_t instructions = 0;
  std::size_t computations = 0;
  std::vector<std::vector<InstructionId>> users;  // of each instruction; empty if it is erased

  friend bool operator==(const Seen& a, const Seen& b) {
    return a.text == b.text && a.instructions == b.instructions && a.computations == b.computations &&
           a.users == b.users;
  }
};

Seen seen(const ModuleEditor& edit) {
  const Module& module = edit.module();
  Seen result;
  result.text = print_module(module);
  result.instructions = module.instruction_limit();
  result.computations = module.computation_limit();
  for (std::size_t i = 0; i < module.instruction_limit(); ++i) {
    result.users.emplace_back();
    if (!edit.is_alive(InstructionId(i))) continue;
    const auto users = edit.users(InstructionId(i));
    result.users.back().assign(users.begin(), users.end());
    result.users.back().push_back(InstructionId());
  }
  return result;
}

TEST_CASE("a rollback takes back every kind of edit") {
  using Change = void (*)(ModuleEditor&, const Module&);
  const std::pair<const char*, Change> changes[] = {
      {"shape", [](ModuleEditor& e, const Module& m) { REQUIRE(e.set_shape(named(m, "a"), "f32[8,128]{0,1}").ok()); }},
      {"operand",
       [](ModuleEditor& e, const Module& m) { REQUIRE(e.set_operand(named(m, "sum"), 1, named(m, "a")).ok()); }},
      {"shorter operands",
       [](ModuleEditor& e, const Module& m) {
         NewInstruction made;
         made.opcode = Opcode::kCustomCall;
         made.shape = "f32[]";
         made.operands = {named(m, "a"), named(m, "b")};
         made.attributes = {{AttributeKey::kCustomCallTarget, "\"f\"", {}}};
         const auto call = e.insert_before(named(m, "tanh"), made);
         REQUIRE(call.ok());
         REQUIRE(e.set_operands(*call, {named(m, "b")}).ok());
       }},
      {"attribute",
       [](ModuleEditor& e, const Module& m) {
         REQUIRE(e.set_attribute(named(m, "sum"), AttributeKey::kSharding, "{replicated}").ok());
         REQUIRE(e.remove_attribute(named(m, "sum"), AttributeKey::kSharding).ok());
         REQUIRE(e.remove_attribute(named(m, "tanh"), AttributeKey::kControlPredecessors).ok());
       }},
      {"root", [](ModuleEditor& e, const Module& m) { REQUIRE(e.set_root(m.entry().id(), named(m, "sum")).ok()); }},
      {"move", [](ModuleEditor& e, const Module& m) { REQUIRE(e.move_before(named(m, "b"), named(m, "a")).ok()); }},
      {"clone", [](ModuleEditor& e, const Module& m) { REQUIRE(e.clone(named(m, "tanh")).ok()); }},
      {"replace and erase",
       [](ModuleEditor& e, const Module& m) {
         REQUIRE(e.replace_all_uses(named(m, "tanh"), named(m, "sum")).ok());
         REQUIRE(e.erase(named(m, "tanh")).ok());
       }},
      {"many insertions",
       [](ModuleEditor& e, const Module& m) {
         for (int i = 0; i < 100; ++i) {
           NewInstruction negate;
           negate.opcode = Opcode::kNegate;
           negate.operands = {named(m, "sum")};
           REQUIRE(e.insert_before(named(m, "tanh"), negate).ok());
         }
       }},
      {"fuse",
       [](ModuleEditor& e, const Module& m) {
         REQUIRE(e.fuse({named(m, "sum"), named(m, "tanh")}).ok());
       }},
      {"fuse twice and unfuse",
       [](ModuleEditor& e, const Module& m) {
         const auto first = e.fuse({named(m, "sum"), named(m, "tanh")});
         REQUIRE(first.ok());
         const auto second = e.fuse({named(m, "other"), named(m, "product")});
         REQUIRE(second.ok());
         REQUIRE(e.unfuse(*first).ok());
         e.erase_unused_computations();
       }},
      {"outline, copy the computation, call the copy",
       [](ModuleEditor& e, const Module& m) {
         const auto call = e.outline({named(m, "sum"), named(m, "tanh")}, "part");
         REQUIRE(call.ok());
         const auto copy = e.clone_computation(m.instruction(*call).computations(AttributeKey::kToApply)[0].id());
         REQUIRE(copy.ok());
         REQUIRE(e.set_computations(*call, AttributeKey::kToApply, {*copy}).ok());
         e.erase_unused_computations();
       }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Module module = parsed(kChain);
    ModuleEditor edit(module);
    const Seen before = seen(edit);
    const Checkpoint checkpoint = edit.checkpoint();
    change(edit, module);
    const Seen after = seen(edit);
    CHECK_FALSE(after == before);
    REQUIRE(edit.rollback(checkpoint).ok());
    CHECK(seen(edit) == before);
    // The same edits give the same names and ids.
    change(edit, module);
    CHECK(seen(edit) == after);
    REQUIRE(edit.release(checkpoint).ok());
    CHECK(seen(edit) == after);
  }
}

TEST_CASE("checkpoints that cannot be used are refused") {
  Module module = parsed(kChain);
  Module other_module = parsed(kChain);
  ModuleEditor edit(module);
  ModuleEditor other(other_module);
  CHECK(edit.rollback(Checkpoint()).code() == absl::StatusCode::kInvalidArgument);
  CHECK(edit.release(Checkpoint()).code() == absl::StatusCode::kInvalidArgument);
  const Checkpoint first = edit.checkpoint();
  CHECK(other.rollback(first).code() == absl::StatusCode::kFailedPrecondition);
  const Checkpoint second = edit.checkpoint();
  const Checkpoint third = edit.checkpoint();
  REQUIRE(edit.clone(named(module, "sum")).ok());
  const std::string text = print_module(module);
  REQUIRE(edit.release(second).ok());
  CHECK(print_module(module) == text);
  CHECK(edit.rollback(second).code() == absl::StatusCode::kFailedPrecondition);
  CHECK(edit.rollback(third).code() == absl::StatusCode::kFailedPrecondition);
  REQUIRE(edit.rollback(first).ok());
  CHECK(print_module(module) == kChain);
  REQUIRE(edit.rollback(first).ok());  // it remains
  const Checkpoint later = edit.checkpoint();
  REQUIRE(edit.rollback(first).ok());
  CHECK(edit.rollback(later).code() == absl::StatusCode::kFailedPrecondition);
  REQUIRE(edit.release(first).ok());
  CHECK(edit.release(first).code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("the ids of what a rollback takes back are invalid, and used again") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const Checkpoint checkpoint = edit.checkpoint();
  const absl::StatusOr<InstructionId> fusion = edit.fuse({named(module, "sum"), named(module, "tanh")});
  REQUIRE(fusion.ok());
  REQUIRE(edit.rollback(checkpoint).ok());
  CHECK_FALSE(edit.is_alive(*fusion));
  CHECK(edit.users(*fusion).empty());
  CHECK(edit.unfuse(*fusion).status().message() == "the instruction id is not of this module");
  CHECK(edit.fuse({named(module, "sum"), named(module, "tanh")}) == fusion);
  // A builder whose computation has vanished.
  const Checkpoint before = edit.checkpoint();
  ComputationBuilder builder(edit, "f");
  const InstructionId p = builder.parameter("f32[]");
  REQUIRE(edit.rollback(before).ok());
  CHECK_FALSE(builder.finish(p).ok());
  CHECK(EditLog::take(edit).size() > 0);
}

// Random edits, with checkpoints at random places.
void edit_and_return(const std::filesystem::path& path, std::uint32_t seed) {
  INFO(path.string() << " " << seed);
  absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok() || !module->has_entry()) return;
  ModuleEditor edit(*module);
  RandomEdits edits(edit, seed);
  std::mt19937 random(seed);
  std::vector<std::pair<Checkpoint, Seen>> stack;
  std::string history;
  for (int i = 0; i < 150; ++i) {
    const std::size_t which = stack.empty() ? 0 : random() % stack.size();
    const auto later = stack.begin() + static_cast<std::ptrdiff_t>(which);
    switch (random() % 12) {
      case 0:
        history += "checkpoint\n";
        stack.emplace_back(edit.checkpoint(), seen(edit));
        break;
      case 1: {
        if (stack.empty()) break;
        history += "roll back to " + std::to_string(which) + "\n";
        INFO(history);
        REQUIRE(edit.rollback(later->first).ok());
        const Seen now = seen(edit);
        REQUIRE(now.text == later->second.text);
        REQUIRE(now == later->second);
        stack.erase(later + 1, stack.end());
        break;
      }
      case 2:
        if (stack.empty()) break;
        history += "release " + std::to_string(which) + "\n";
        REQUIRE(edit.release(later->first).ok());
        stack.erase(later, stack.end());
        break;
      case 3:
        history += "erase unused\n";
        edit.erase_unused_computations();
        break;
      case 4: (void)EditLog::take(edit); break;
      default: history += edits.next() + "\n";
    }
  }
}

TEST_CASE("random edits and checkpoints") {
  for (const char* folder : {"tests/corpus", "examples", "tests/predict/dumps"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".hlo") continue;
      for (std::uint32_t seed = 0; seed < 4; ++seed) edit_and_return(entry.path(), seed);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

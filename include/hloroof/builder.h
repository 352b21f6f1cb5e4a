// Builds a module in C++.
//
//   Module module = new_module("mlp");
//   ModuleEditor edit(module);
//   ComputationBuilder b(edit, "main", /*entry=*/true);
//   InstructionId x = b.parameter("bf16[256,4096]{1,0}", "x");
//   InstructionId w = b.parameter("bf16[4096,8192]{1,0}", "w");
//   InstructionId y = b.op(Opcode::kDot, {x, w}, {{AttributeKey::kLhsContractingDims, "{1}", {}},
//                                                 {AttributeKey::kRhsContractingDims, "{0}", {}}});
//   absl::StatusOr<ComputationId> main = b.finish(b.op(Opcode::kTanh, {y}));
//
// Result shapes are inferred from the operands where possible (infer_shape.h) and passed as text otherwise. Errors are
// sticky: after the first error every call does nothing and returns an invalid id, and finish() returns the error. The
// calls before finish() need no checks.
//
// Lifetime: the builder refers to its ModuleEditor, which must outlive it. The module owns what the builder adds.
//
// Threads: a builder edits its module, so no other thread may use the module at the same time.
#ifndef HLOROOF_BUILDER_H_
#define HLOROOF_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

struct ModuleHeader {
  bool is_scheduled = false;  // the instructions are in execution order
  std::int64_t replica_count = 1;
  std::int64_t num_partitions = 1;
};

// A module without computations. An invalid name becomes "module".
Module new_module(std::string_view name, const ModuleHeader& header = {});

// Appends instructions to one new computation.
class ComputationBuilder {
 public:
  // Finish the computations that this one calls before you construct its builder.
  ComputationBuilder(ModuleEditor& edit, std::string_view name, bool entry = false);

  // Adds the next parameter. `shape` is HLO text.
  InstructionId parameter(std::string_view shape, std::string_view name = "");
  // Adds a constant. `literal` is HLO text: "1.5", "{1, 2}".
  InstructionId constant(std::string_view shape, std::string_view literal);
  // Adds any instruction. `shape` may be empty if it can be inferred from the operands.
  InstructionId op(Opcode opcode, const std::vector<InstructionId>& operands,
                   const std::vector<NewAttribute>& attributes = {}, std::string_view shape = "",
                   std::string_view name = "");
  InstructionId tuple(const std::vector<InstructionId>& elements);
  InstructionId element(InstructionId tuple, std::uint32_t index);
  // Adds a while. `condition` and `body` take the loop state, whose initial value is `state`.
  InstructionId loop(ComputationId condition, ComputationId body, InstructionId state);
  InstructionId call(ComputationId computation, const std::vector<InstructionId>& arguments);

  const absl::Status& status() const { return status_; }

  // Makes `root` the result; the default is the last instruction. Errors: the first error of any call on this builder;
  // InvalidArgument if the computation is empty.
  absl::StatusOr<ComputationId> finish(InstructionId root = InstructionId());

 private:
  InstructionId add(const NewInstruction& made);

  ModuleEditor& edit_;
  ComputationId id_;
  std::uint32_t parameters_ = 0;
  absl::Status status_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_BUILDER_H_

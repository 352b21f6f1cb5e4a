// Writing a module in C++ rather than as text.
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
// Result shapes follow from the operands where they do (infer_shape.h), and are given as text where they do not. After
// the first error the builder does nothing more and gives ids that are none; finish() returns that error, so that the
// lines between need no checks.
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
  bool is_scheduled = false;  // the order of the instructions is that of execution
  std::int64_t replica_count = 1;
  std::int64_t num_partitions = 1;
};

// A module without computations. A name that is no word of HLO text becomes "module".
Module new_module(std::string_view name, const ModuleHeader& header = {});

// Appends instructions to one new computation.
class ComputationBuilder {
 public:
  // `edit` must outlive the builder. Computations that this one is to call must be finished before it is begun.
  ComputationBuilder(ModuleEditor& edit, std::string_view name, bool entry = false);

  // The next parameter. `shape` as HLO text writes it.
  InstructionId parameter(std::string_view shape, std::string_view name = "");
  // `literal` as HLO text writes it: "1.5", "{1, 2}".
  InstructionId constant(std::string_view shape, std::string_view literal);
  // Any instruction. `shape` may be empty where it follows from the operands.
  InstructionId op(Opcode opcode, const std::vector<InstructionId>& operands,
                   const std::vector<NewAttribute>& attributes = {}, std::string_view shape = "",
                   std::string_view name = "");
  InstructionId tuple(const std::vector<InstructionId>& elements);
  InstructionId element(InstructionId tuple, std::uint32_t index);
  // `body` and `condition` take the state; its shape is that of `state`.
  InstructionId loop(ComputationId condition, ComputationId body, InstructionId state);
  InstructionId call(ComputationId computation, const std::vector<InstructionId>& arguments);

  const absl::Status& status() const { return status_; }

  // Makes `root`, or the last instruction if it is none, the result. Errors: the first of the calls before; an
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

// Result shapes of opcodes that call computations or take tuples apart.
#include <string>

#include "lib/infer/infer_shape.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline infer {
namespace {

// Checks that the parameters of a computation match the operands from `first` on.
absl::Status expect_takes(const ShapeInference& in, ComputationView called, std::size_t first, std::size_t count) {
  const std::string name(called.name());
  if (!row_of(called).root.valid()) return in.refuse("the computation " + name + " is not in the text");
  const std::vector<InstructionId> parameters = called.parameters();
  if (parameters.size() != count) {
    return in.refuse(name + " takes " + std::to_string(parameters.size()) + " arguments, not " + std::to_string(count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeId parameter = row_of(in.module, parameters[i]).shape;
    if (!compatible(in.shapes, parameter, in.shapes, in.id(first + i))) {
      return in.refuse("parameter " + std::to_string(i) + " of " + name + " is " + in.text(parameter) +
                       ", but its argument " + in.text(first + i));
    }
  }
  return absl::OkStatus();
}

}  // namespace

InferredShape infer_get_tuple_element(const ShapeInference& in) {
  const Shape& tuple = in.shape(0);
  if (!tuple.is_tuple() || in.tuple_index >= tuple.elements.size()) {
    return in.refuse(in.text(0) + " has no element " + std::to_string(in.tuple_index));
  }
  return tuple.elements[in.tuple_index];
}

InferredShape infer_call(const ShapeInference& in) {
  const std::vector<ComputationView> called = in.computations(AttributeKey::kToApply);
  if (called.empty()) return in.refuse("attribute to_apply is expected but not seen");
  if (absl::Status status = expect_takes(in, called[0], 0, in.count()); !status.ok()) return status;
  return called[0].root().shape_id();
}

// The initial value, the parameters of body and condition, and the result of the body have the same shape.
InferredShape infer_while(const ShapeInference& in) {
  const std::vector<ComputationView> condition = in.computations(AttributeKey::kCondition);
  const std::vector<ComputationView> body = in.computations(AttributeKey::kBody);
  if (condition.empty() || body.empty()) return in.refuse("attributes condition and body are expected");
  if (absl::Status status = expect_takes(in, condition[0], 0, 1); !status.ok()) return status;
  if (absl::Status status = expect_takes(in, body[0], 0, 1); !status.ok()) return status;
  const Shape& goes_on = condition[0].root().shape();
  if (goes_on.element_type != ElementType::kPred || goes_on.rank() != 0)
    return in.refuse("the result of the condition must be pred[]");
  const ShapeId result = body[0].root().shape_id();
  if (!compatible(in.shapes, result, in.shapes, in.id(0))) {
    return in.refuse("the result of the body is " + in.text(result) + ", but the initial value is " + in.text(0));
  }
  return in.id(0);
}

// The shape of the first branch, which all branches must have. The parser has checked the selector and the number of
// operands.
InferredShape infer_conditional(const ShapeInference& in) {
  std::vector<ComputationView> branches = in.computations(AttributeKey::kBranchComputations);
  for (const AttributeKey key : {AttributeKey::kTrueComputation, AttributeKey::kFalseComputation}) {
    for (const ComputationView branch : in.computations(key)) branches.push_back(branch);
  }
  if (branches.empty() || in.count() != branches.size() + 1) {
    return in.refuse("a conditional of " + std::to_string(branches.size()) + " branches has " +
                     std::to_string(in.count()) + " operands");
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (absl::Status status = expect_takes(in, branches[i], i + 1, 1); !status.ok()) return status;
    const ShapeId result = branches[i].root().shape_id();
    if (!compatible(in.shapes, result, in.shapes, branches[0].root().shape_id())) {
      return in.refuse("branches have different results: " + in.text(branches[0].root().shape_id()) + " and " +
                       in.text(result));
    }
  }
  return branches[0].root().shape_id();
}

}  // namespace hloroof::internal::inline infer

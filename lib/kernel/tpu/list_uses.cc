#include "lib/kernel/tpu/list_uses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/mlir/attributes.h"

namespace hloroof::internal::inline kernel {
namespace {

// A value that is an element times a constant, plus something.
struct Derived {
  mlir::ValueId value;
  std::int64_t factor = 1;
};

bool is_division(ScalarOp op) {
  switch (op) {
    case ScalarOp::kDivide:
    case ScalarOp::kDivideUnsigned:
    case ScalarOp::kCeilDivide:
    case ScalarOp::kCeilDivideUnsigned:
    case ScalarOp::kFloorDivide:
    case ScalarOp::kRemainder:
    case ScalarOp::kRemainderUnsigned: return true;
    default: return false;
  }
}

bool is_of_bits(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAnd:
    case ScalarOp::kShiftRight:
    case ScalarOp::kShiftRightUnsigned: return true;
    default: return false;
  }
}

class UseFinder {
 public:
  UseFinder(const KernelProgram& program, const KernelCode& code)
      : program_(program), code_(code), module_(*code.module) {
    uses_.resize(module_.values.size());
    for (std::uint32_t i = 0; i < module_.ops.size(); ++i) {
      for (std::uint32_t k = 0; k < module_.ops[i].operand_count; ++k) {
        uses_[module_.operand(mlir::OpId{i}, k).index].push_back({mlir::OpId{i}, k});
      }
    }
    find_constants();
  }

  // The elements that are loaded from the memory `argument`.
  void follow_memory(mlir::ValueId argument, ListUse& use) {
    seen_.clear();
    std::vector<Derived> work;
    std::vector<mlir::ValueId> memory = {argument};
    while (!memory.empty()) {
      const mlir::ValueId at = memory.back();
      memory.pop_back();
      for (const auto& [op, number] : uses_[at.index]) {
        if (number != 0 || module_[op].result_count == 0) continue;
        const KernelOpKind kind = code_.row(op).kind;
        if (kind == KernelOpKind::kScalarLoad) push({module_[op].first_result, 1}, work);
        if (kind == KernelOpKind::kView || kind == KernelOpKind::kSlice) memory.push_back(module_[op].first_result);
      }
    }
    while (!work.empty()) {
      const Derived next = work.back();
      work.pop_back();
      for (const auto& [op, number] : uses_[next.value.index]) follow_use(op, number, next, use, work);
    }
  }

 private:
  void push(Derived derived, std::vector<Derived>& work) {
    if (seen_.insert(derived.value.index).second) work.push_back(derived);
  }

  // Constants, and sums, differences and products of constants: a pipeline multiplies the bounds of its grid before it
  // multiplies them by a list's length.
  void find_constants() {
    constants_.resize(module_.values.size());
    for (std::uint32_t i = 0; i < module_.ops.size(); ++i) {
      const mlir::OpId op{i};
      if (module_[op].result_count != 1) continue;
      std::optional<std::int64_t>& result = constants_[module_[op].first_result.index];
      const KernelOp& row = code_.row(op);
      if (row.kind == KernelOpKind::kConstant) result = mlir::integer(module_, mlir::find(module_, op, "value"));
      if (row.kind != KernelOpKind::kElementwise || module_[op].operand_count != 2) continue;
      const std::optional<std::int64_t> a = constant(op, 0);
      const std::optional<std::int64_t> b = constant(op, 1);
      if (!a || !b) continue;
      std::int64_t value = 0;
      const bool overflows = row.scalar == ScalarOp::kAdd        ? __builtin_add_overflow(*a, *b, &value)
                             : row.scalar == ScalarOp::kSubtract ? __builtin_sub_overflow(*a, *b, &value)
                             : row.scalar == ScalarOp::kMultiply ? __builtin_mul_overflow(*a, *b, &value)
                                                                 : true;
      if (!overflows) result = value;
    }
  }

  std::optional<std::int64_t> constant(mlir::OpId op, std::uint32_t number) const {
    if (number >= module_[op].operand_count) return std::nullopt;
    return constants_[module_.operand(op, number).index];
  }

  void follow_use(mlir::OpId op, std::uint32_t number, const Derived& from, ListUse& use, std::vector<Derived>& work) {
    const KernelOp& row = code_.row(op);
    switch (row.kind) {
      case KernelOpKind::kElementwise: {
        if (module_[op].result_count != 1) return;
        Derived result = {module_[op].first_result, from.factor};
        if (row.scalar == ScalarOp::kCompare) {
          if (const auto other = constant(op, 1 - number)) use.compared_to.insert(*other);
          return;
        }
        if (row.scalar == ScalarOp::kNone || (row.scalar == ScalarOp::kSelect && number == 0)) return;
        if (number == 1 && is_division(row.scalar)) return;  // a length, not an element of what is divided
        if (number == 0 && is_of_bits(row.scalar)) use.is_packed = true;
        if (row.scalar == ScalarOp::kMultiply) {
          const auto other = constant(op, 1 - number);
          if (!other || *other <= 0 || __builtin_mul_overflow(result.factor, *other, &result.factor)) return;
        }
        push(result, work);
        return;
      }
      case KernelOpKind::kFor:
        if (number < 3) use.bounds_a_loop = true;
        return;
      case KernelOpKind::kSlice: follow_slice(op, number, from, use); return;
      case KernelOpKind::kYield: {
        const mlir::OpId parent = module_.parent(op);
        if (code_.is_in_function(op)) {
          follow_index(parent, number, from, use);
        } else if (parent.valid() && number < module_[parent].result_count) {
          push({mlir::ValueId{module_[parent].first_result.index + number}, from.factor}, work);
        }
        return;
      }
      default: return;
    }
  }

  // The element is an offset in an array in HBM.
  void follow_slice(mlir::OpId op, std::uint32_t number, const Derived& from, ListUse& use) const {
    const KernelType& type = code_.types.of(module_, module_.operand(op, 0));
    if (number == 0 || type.space != KernelSpace::kHbm || number > type.shape.size()) return;
    const std::int64_t extent = type.shape[number - 1];
    if (extent > 0) take(extent, from.factor, is_output(module_.operand(op, 0)), use);
  }

  // The element is an index of a window.
  void follow_index(mlir::OpId function, std::uint32_t number, const Derived& from, ListUse& use) const {
    for (const KernelWindow& window : program_.windows) {
      if (window.function != function || number >= window.block.size()) continue;
      const KernelArray& array = program_.arrays[window.array];
      if (number >= array.shape.size()) continue;
      const std::int64_t block = std::max<std::int64_t>(window.block[number], 1);
      take((array.shape[number] + block - 1) / block, from.factor, array.is_output, use);
    }
  }

  static void take(std::int64_t extent, std::int64_t factor, bool is_output, ListUse& use) {
    const std::int64_t blocks = (extent + factor - 1) / factor;
    use.extent = std::max(use.extent, blocks);
    use.selects_output = use.selects_output || is_output;
  }

  bool is_output(mlir::ValueId memory) const {
    const mlir::Value& value = module_[memory];
    if (!value.block.valid() || value.index < program_.first_array_argument) return false;
    const std::uint32_t array = value.index - program_.first_array_argument;
    return array < program_.arrays.size() && program_.arrays[array].is_output;
  }

  const KernelProgram& program_;
  const KernelCode& code_;
  const mlir::Module& module_;
  std::vector<std::vector<std::pair<mlir::OpId, std::uint32_t>>> uses_;
  std::vector<std::optional<std::int64_t>> constants_;  // by value
  std::set<std::uint32_t> seen_;
};

}  // namespace

std::vector<ListUse> list_uses(const KernelProgram& program, const KernelCode& code) {
  std::vector<ListUse> uses(program.arrays.size());
  const mlir::Module& module = *code.module;
  UseFinder finder(program, code);
  // The main function and the index functions take the arrays in the same order.
  for (const mlir::OpId function : module.ops_of(module[program.function].block)) {
    const mlir::Op& op = module[function];
    if (op.region_count != 1 || module[op.first_region].block_count == 0) continue;
    const mlir::Block& entry = module[module[op.first_region].first_block];
    for (std::uint32_t i = 0; i < program.arrays.size(); ++i) {
      const std::uint32_t argument = program.first_array_argument + i;
      if (argument >= entry.argument_count) break;
      const mlir::ValueId value{entry.first_argument.index + argument};
      if (code.types.of(module, value).space == KernelSpace::kSmem) finder.follow_memory(value, uses[i]);
    }
  }
  return uses;
}

}  // namespace hloroof::internal::inline kernel

#include "lib/kernel/tpu/kernel_code.h"

#include <algorithm>
#include <set>

#include "lib/kernel/common/scalar_value.h"
#include "lib/kernel/tpu/region_work.h"
#include "lib/kernel/tpu/unit_chains.h"
#include "lib/mlir/attributes.h"

namespace hloroof::internal::inline kernel {
namespace {

// Marks the values that control depends on: backwards from conditions, bounds, semaphores, sizes and what is stored in
// SMEM.
class NeededValues {
 public:
  NeededValues(const mlir::Module& module, const KernelCode& code) : module_(module), code_(code) {
    needed_.resize(module.values.size(), false);
    for (std::uint32_t i = 0; i < module.ops.size(); ++i) add_roots(mlir::OpId{i});
    while (!work_.empty()) {
      const mlir::ValueId value = work_.back();
      work_.pop_back();
      follow(value);
    }
  }

  bool of(mlir::ValueId value) const { return needed_[value.index]; }
  bool any_result(mlir::OpId op) const {
    const mlir::IdRange<mlir::ValueId> results = module_.results_of(op);
    for (const mlir::ValueId result : results) {
      if (of(result)) return true;
    }
    return false;
  }

 private:
  void need(mlir::ValueId value) {
    if (needed_[value.index]) return;
    needed_[value.index] = true;
    work_.push_back(value);
  }
  void need_operand(mlir::OpId op, std::uint32_t number) {
    if (number < module_[op].operand_count) need(module_.operand(op, number));
  }
  void need_operands(mlir::OpId op) {
    for (std::uint32_t i = 0; i < module_[op].operand_count; ++i) need(module_.operand(op, i));
  }

  void add_roots(mlir::OpId op) {
    switch (code_.row(op).kind) {
      case KernelOpKind::kIf:
      case KernelOpKind::kCondition: need_operand(op, 0); return;
      case KernelOpKind::kBranch:
        if (module_[op].successor_count > 1) need_operand(op, 0);
        return;
      case KernelOpKind::kFor:
        for (std::uint32_t i = 0; i < 3; ++i) need_operand(op, i);
        return;
      case KernelOpKind::kScalarStore: need_operands(op); return;
      case KernelOpKind::kTransferStart:
      case KernelOpKind::kTransferWait:
        for (std::uint32_t i = 0; i < module_[op].operand_count; ++i) {
          const KernelType& type = code_.types.of(module_, module_.operand(op, i));
          if (type.space == KernelSpace::kSemaphore || !is_static(type)) need_operand(op, i);
        }
        return;
      case KernelOpKind::kYield:
        if (code_.is_in_function(op)) need_operands(op);
        return;
      default: return;
    }
  }

  // The operand `number` of the terminator of each block of the region.
  void need_yielded(mlir::RegionId region, std::uint32_t number) {
    if (!region.valid()) return;
    for (const mlir::BlockId block : module_.blocks_of(region)) {
      const mlir::OpId last = terminator(block);
      if (last.valid()) need_operand(last, number);
    }
  }

  mlir::OpId terminator(mlir::BlockId block) const {
    mlir::OpId last;
    for (const mlir::OpId op : module_.ops_of(block)) last = op;
    return last;
  }

  void follow(mlir::ValueId value) {
    const mlir::Value& v = module_[value];
    if (v.op.valid()) {
      follow_result(v.op, v.index);
    } else if (v.block.valid()) {
      follow_argument(v.block, v.index);
    }
  }

  void follow_result(mlir::OpId op, std::uint32_t index) {
    switch (code_.row(op).kind) {
      case KernelOpKind::kFor:
        need_operand(op, index + 3);
        need_yielded(module_[op].first_region, index);
        return;
      case KernelOpKind::kWhile:
        need_operand(op, index);
        if (module_[op].region_count == 2) {
          need_yielded(module_[op].first_region, index + 1);
          need_yielded(mlir::RegionId{module_[op].first_region.index + 1}, index);
        }
        return;
      case KernelOpKind::kIf:
      case KernelOpKind::kRegion:
        for (const mlir::RegionId region : module_.regions_of(op)) need_yielded(region, index);
        return;
      default: need_operands(op); return;
    }
  }

  void follow_argument(mlir::BlockId block, std::uint32_t index) {
    const mlir::RegionId region = module_[block].region;
    if (!region.valid()) return;
    const mlir::OpId op = module_[region].op;
    switch (code_.row(op).kind) {
      case KernelOpKind::kFor:
        if (index == 0) return;
        need_operand(op, index + 2);
        need_yielded(region, index - 1);
        return;
      case KernelOpKind::kWhile:
        if (region == module_[op].first_region) {
          need_operand(op, index);
          if (module_[op].region_count == 2) need_yielded(mlir::RegionId{region.index + 1}, index);
        } else {
          need_yielded(module_[op].first_region, index + 1);
        }
        return;
      default:
        // The blocks that branch to this one, which are in the same region.
        for (const mlir::BlockId other : module_.blocks_of(region)) {
          const mlir::OpId last = terminator(other);
          if (last.valid() && code_.row(last).kind == KernelOpKind::kBranch) need_operands(last);
        }
        return;
    }
  }

  const mlir::Module& module_;
  const KernelCode& code_;
  std::vector<bool> needed_;
  std::vector<mlir::ValueId> work_;
};

// The transposes whose results are nothing but resident operands of products, or parts of them: the matrix unit
// transposes weights as it loads them.
std::vector<bool> folded_transposes(const mlir::Module& module, const KernelCode& code) {
  std::vector<bool> folded(module.ops.size(), false);
  // Whether each value is used in any other way; and, from the last operation to the first, whether its results are.
  std::vector<bool> is_used_otherwise(module.values.size(), false);
  for (std::uint32_t i = static_cast<std::uint32_t>(module.ops.size()); i-- > 0;) {
    const mlir::OpId op{i};
    const KernelOpKind kind = code.row(op).kind;
    bool passes_on = kind == KernelOpKind::kFree && module[op].region_count == 0;
    for (const mlir::ValueId result : module.results_of(op)) passes_on = passes_on && !is_used_otherwise[result.index];
    if (kind == KernelOpKind::kTranspose && module[op].result_count == 1) {
      folded[i] = !is_used_otherwise[module[op].first_result.index];
    }
    for (std::uint32_t k = 0; k < module[op].operand_count; ++k) {
      const bool is_resident = kind == KernelOpKind::kMatmul && k == 1;
      if (!is_resident && !passes_on) is_used_otherwise[module.operand(op, k).index] = true;
    }
  }
  return folded;
}

// "attention.py:123" of the innermost location in a file. Locations nest as names, calls and fusions of locations.
std::string source_line(const mlir::Module& module, mlir::OpId op) {
  constexpr int kDeepest = 64;
  mlir::AttributeId id = module[op].location;
  for (int depth = 0; depth < kDeepest && id.valid(); ++depth) {
    const absl::StatusOr<mlir::Attribute> location = mlir::decode(module, id);
    if (!location.ok()) return "";
    switch (location->kind) {
      case mlir::AttributeKind::kFileLocation:
      case mlir::AttributeKind::kFileRangeLocation: {
        const std::size_t slash = location->text.rfind('/');
        std::string text(slash == std::string_view::npos ? location->text : location->text.substr(slash + 1));
        if (!location->numbers.empty()) text.append(":").append(std::to_string(location->numbers.front()));
        return text;
      }
      case mlir::AttributeKind::kNameLocation:
      case mlir::AttributeKind::kCallSiteLocation:
      case mlir::AttributeKind::kFusedLocation:
      case mlir::AttributeKind::kFusedLocationWithMetadata:
        if (location->elements.empty()) return "";
        id = location->elements.front();
        break;
      default: return "";
    }
  }
  return "";
}

// Compiles one block after the other.
class CodeWriter {
 public:
  CodeWriter(KernelCode& code, const NeededValues& needed)
      : code_(code),
        module_(*code.module),
        needed_(needed),
        folded_(folded_transposes(*code.module, code)),
        chains_(*code.module, code.types) {}

  void write(mlir::BlockId block) {
    code_.block_begin[block.index] = static_cast<std::uint32_t>(code_.instructions.size());
    for (const mlir::OpId op : module_.ops_of(block)) write_op(op);
    flush();
    code_.block_end[block.index] = static_cast<std::uint32_t>(code_.instructions.size());
  }

 private:
  void write_op(mlir::OpId op) {
    const KernelOp& row = code_.row(op);
    if (!folded_[op.index]) add_op_work(module_, code_.types, code_.sizes, op, row, open_.work);
    chains_.add(op, row, open_.work);
    if (row.kind == KernelOpKind::kLoad || row.kind == KernelOpKind::kStore) add_buffers(op);
    if (!open_.first_product.valid() && !open_.work.matrix.empty()) open_.first_product = op;
    if (!open_.first_op.valid() && !is_empty(open_.work)) open_.first_op = op;
    switch (row.kind) {
      case KernelOpKind::kFor:
      case KernelOpKind::kWhile:
      case KernelOpKind::kIf:
      case KernelOpKind::kRegion:
      case KernelOpKind::kCall:
      case KernelOpKind::kTransferStart:
      case KernelOpKind::kTransferWait:
      case KernelOpKind::kYield:
      case KernelOpKind::kCondition:
      case KernelOpKind::kBranch:
        flush();
        emit(op, row);
        return;
      case KernelOpKind::kScalarStore: emit(op, row); return;
      case KernelOpKind::kFree:
        if (row.scalar != ScalarOp::kNone && needed_.any_result(op)) emit(op, row);
        return;
      case KernelOpKind::kConstant:
        if (needed_.any_result(op)) {
          if (const auto value = mlir::integer(module_, mlir::find(module_, op, "value"))) {
            code_.constants.push_back({KernelCode::value_number(module_[op].first_result),
                                       wrapped(*value, scalar_bits(module_[op].first_result))});
          }
        }
        return;
      case KernelOpKind::kElementwise:
      case KernelOpKind::kScalarLoad:
      case KernelOpKind::kAllocate:
      case KernelOpKind::kSlice:
      case KernelOpKind::kView:
        if (needed_.any_result(op)) emit(op, row);
        return;
      default: return;
    }
  }

  void add_buffers(mlir::OpId op) {
    for (std::uint32_t i = 0; i < module_[op].operand_count; ++i) {
      const mlir::ValueId operand = module_.operand(op, i);
      if (code_.types.of(module_, operand).kind != KernelType::Kind::kMemory) continue;
      const std::uint32_t buffer = code_.buffer_of(operand);
      if (contains(open_.buffers, buffer) || contains(open_.late_buffers, buffer)) continue;
      std::vector<std::uint32_t>& buffers = open_.work.matrix.empty() ? open_.buffers : open_.late_buffers;
      buffers.insert(std::lower_bound(buffers.begin(), buffers.end(), buffer), buffer);
    }
  }

  static bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t buffer) {
    return std::binary_search(sorted.begin(), sorted.end(), buffer);
  }

  void emit(mlir::OpId op, const KernelOp& row) {
    KernelInstruction in;
    in.kind = row.kind == KernelOpKind::kFree ? KernelOpKind::kElementwise : row.kind;
    in.scalar = row.scalar;
    in.op = op;
    const mlir::Op& mlir_op = module_[op];
    if (mlir_op.result_count > 0) in.bits = scalar_bits(mlir_op.first_result);
    if (mlir_op.operand_count > 0) in.operand_bits = scalar_bits(module_.operand(op, 0));
    if (row.scalar == ScalarOp::kCompare) {
      in.number = mlir::integer(module_, mlir::find(module_, op, "predicate")).value_or(-1);
    }
    if (row.scalar == ScalarOp::kGridSize) {
      in.number = mlir::integer(module_, mlir::find(module_, op, "dim")).value_or(-1);
    }
    if (row.kind == KernelOpKind::kCall) in.number = callee_of(op);
    for (std::uint32_t i = 0; i < in.operands.size() && i < mlir_op.operand_count; ++i) {
      in.operands[i] = KernelCode::value_number(module_.operand(op, i));
    }
    in.is_unary = mlir_op.operand_count < 2;
    if (mlir_op.result_count > 0) in.result = KernelCode::value_number(mlir_op.first_result);
    add_segments(in);
    code_.instructions.push_back(in);
  }

  std::int64_t callee_of(mlir::OpId call) const {
    const auto name = mlir::string(module_, mlir::find(module_, call, "callee"));
    const auto found = name ? code_.functions.find(*name) : code_.functions.end();
    return found == code_.functions.end() ? -1 : static_cast<std::int64_t>(found->second.index);
  }

  // Operations with optional operands state how many operands each group has.
  void add_segments(KernelInstruction& in) {
    if (in.kind != KernelOpKind::kSlice && in.kind != KernelOpKind::kTransferStart &&
        in.kind != KernelOpKind::kBranch) {
      return;
    }
    in.first_segment = static_cast<std::uint32_t>(code_.segments.size());
    const std::uint32_t operands = module_[in.op].operand_count;
    const auto sizes = mlir::integers(module_, mlir::find(module_, in.op, "operandSegmentSizes"));
    std::uint32_t begin = 0;
    for (std::size_t i = 0; sizes && i < sizes->size(); ++i) {
      const auto size = static_cast<std::uint32_t>(std::clamp<std::int64_t>((*sizes)[i], 0, operands - begin));
      code_.segments.push_back({begin, size});
      begin += size;
    }
    for (std::uint32_t i = 0; !sizes && i < operands; ++i) code_.segments.push_back({i, 1});
    in.segment_count = static_cast<std::uint32_t>(code_.segments.size()) - in.first_segment;
  }

  std::uint8_t scalar_bits(mlir::ValueId value) const {
    const KernelType& type = code_.types.of(module_, value);
    return type.kind == KernelType::Kind::kScalar ? static_cast<std::uint8_t>(std::min(type.bits, 64)) : 0;
  }

  void flush() {
    if (!is_empty(open_.work)) {
      open_.source = source_line(module_, open_.first_product.valid() ? open_.first_product : open_.first_op);
      KernelInstruction in;
      in.number = static_cast<std::int64_t>(code_.regions.size());
      in.op = open_.first_op;
      code_.instructions.push_back(in);
      code_.regions.push_back(std::move(open_));
    }
    open_ = KernelRegion();
    chains_.end_region();
  }

  KernelCode& code_;
  const mlir::Module& module_;
  const NeededValues& needed_;
  std::vector<bool> folded_;
  UnitChains chains_;
  KernelRegion open_;
};

}  // namespace

std::uint32_t KernelCode::buffer_of(mlir::ValueId reference) const {
  while (true) {
    const mlir::OpId made = (*module)[reference].op;
    if (!made.valid()) return value_number(reference);
    const KernelOpKind kind = row(made).kind;
    if (kind == KernelOpKind::kAllocate) return value_number(reference);
    if (kind != KernelOpKind::kSlice && kind != KernelOpKind::kView) return KernelTransfer::kNone;
    if ((*module)[made].operand_count == 0) return KernelTransfer::kNone;
    reference = module->operand(made, 0);
  }
}

KernelCode::KernelCode(const mlir::Module& kernel)
    : module(&kernel),
      types(kernel),
      rows(kernel_ops(kernel)),
      sizes(kernel, types, rows),
      functions(functions_by_name(kernel)) {
  std::set<std::string> unknown;
  for (std::uint32_t i = 0; i < kernel.ops.size(); ++i) {
    const mlir::OpId op{i};
    if (row(op).kind == KernelOpKind::kUnknown && !kernel.is(op, "builtin.module")) {
      unknown.insert(body_op_name(kernel, kernel[op].name));
    }
  }
  unknown_ops.assign(unknown.begin(), unknown.end());

  const NeededValues needed(kernel, *this);
  block_begin.resize(kernel.blocks.size());
  block_end.resize(kernel.blocks.size());
  CodeWriter writer(*this, needed);
  for (std::uint32_t i = 0; i < kernel.blocks.size(); ++i) writer.write(mlir::BlockId{i});
}

}  // namespace hloroof::internal::inline kernel

#include "lib/kernel/tpu/machine.h"

#include <algorithm>
#include <utility>

#include "lib/kernel/tpu/region_work.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 24U;  // the longest kernel known has 4.9 million
constexpr std::size_t kDeepest = 1000;                      // nested frames
constexpr std::uint32_t kEqualRegions = 2;                  // no region is heavier than the other

// Row-major strides of a static shape; empty if it is not.
std::vector<std::int64_t> strides_of(const KernelType& type) {
  if (!is_static(type)) return {};
  std::vector<std::int64_t> strides(type.shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = type.shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(type.shape[i], 1), &stride)) return {};
  }
  return strides;
}

}  // namespace

KernelMachine::KernelMachine(const KernelCode& code, KernelRun& run, UnknownBranches branches, std::int64_t budget)
    : code_(code), module_(*code.module), run_(run), branches_(branches), budget_(budget) {
  values_.resize(module_.values.size() + 1);
  elements_.resize(module_.values.size() + 1);
  is_room_.resize(module_.values.size() + 1, false);
  room_.resize(module_.values.size() + 1, 0);
  is_whole_.resize(module_.values.size() + 1, false);
  strides_.reserve(module_.types.size());
  for (std::uint32_t i = 0; i < module_.types.size(); ++i)
    strides_.push_back(strides_of(code.types.of(mlir::TypeId{i})));
  for (const KernelConstant& constant : code.constants) values_[constant.value] = KernelValue::of(constant.number);
}

std::uint32_t KernelMachine::add_buffer(KernelBuffer buffer) {
  buffers_.push_back(std::move(buffer));
  reach_.emplace_back();
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

const KernelValue& KernelMachine::operand(mlir::OpId op, std::uint32_t number) const {
  static const KernelValue unknown;
  if (number >= module_[op].operand_count) return unknown;
  return values_[KernelCode::value_number(module_.operand(op, number))];
}

std::optional<std::int64_t> KernelMachine::number(mlir::OpId op, std::uint32_t at) const {
  return operand(op, at).known();
}

void KernelMachine::enter(Frame::Kind kind, mlir::OpId op, mlir::BlockId block) {
  Frame frame;
  frame.kind = kind;
  frame.op = op;
  frame.go_to(code_, block);
  frames_.push_back(frame);
}

void KernelMachine::copy(mlir::OpId from, std::uint32_t first_operand, mlir::ValueId to, std::uint32_t count) {
  moved_.clear();
  for (std::uint32_t i = 0; i < count; ++i) moved_.push_back(operand(from, first_operand + i));
  for (std::uint32_t i = 0; i < count; ++i) values_[KernelCode::value_number(to) + i] = moved_[i];
}

absl::Status KernelMachine::call(mlir::OpId function, const std::vector<KernelValue>& arguments) {
  const mlir::Op& op = module_[function];
  if (op.region_count != 1 || module_[op.first_region].block_count == 0) {
    return absl::InvalidArgumentError("the function has no body");
  }
  const mlir::BlockId entry = module_[op.first_region].first_block;
  const mlir::Block& block = module_[entry];
  for (std::uint32_t i = 0; i < block.argument_count; ++i) {
    values_[KernelCode::value_number(block.first_argument) + i] = i < arguments.size() ? arguments[i] : KernelValue();
  }
  frames_.clear();
  results_.clear();
  enter(Frame::Kind::kFunction, function, entry);
  while (!frames_.empty()) {
    if (--budget_ < 0) return absl::ResourceExhaustedError("the kernel runs too many operations to follow them");
    if (run_.events.size() > kMostEvents) return absl::ResourceExhaustedError("the kernel does too much to follow it");
    Frame& frame = frames_.back();
    if (frame.pc >= frame.end) return absl::InvalidArgumentError("a block of the kernel has no terminator");
    const KernelInstruction& in = code_.instructions[frame.pc++];
    if (in.kind == KernelOpKind::kElementwise) {  // most are
      scalar(in);
      continue;
    }
    if (const absl::Status status = execute(in); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status KernelMachine::execute(const KernelInstruction& in) {
  switch (in.kind) {
    case KernelOpKind::kFree: run_region(in); break;
    case KernelOpKind::kScalarLoad: load(in); break;
    case KernelOpKind::kScalarStore: store(in); break;
    case KernelOpKind::kAllocate: allocate(in); break;
    case KernelOpKind::kSlice: slice(in); break;
    case KernelOpKind::kView: view(in); break;
    case KernelOpKind::kTransferStart: transfer(in); break;
    case KernelOpKind::kTransferWait: wait(in); break;
    case KernelOpKind::kIf: choose(in); break;
    case KernelOpKind::kFor: begin_for(in); break;
    case KernelOpKind::kRegion:
    case KernelOpKind::kWhile: {
      const mlir::Op& op = module_[in.op];
      if (op.region_count == 0 || module_[op.first_region].block_count == 0) break;
      const mlir::BlockId first = module_[op.first_region].first_block;
      copy(in.op, 0, module_[first].first_argument, std::min(module_[first].argument_count, op.operand_count));
      enter(in.kind == KernelOpKind::kWhile ? Frame::Kind::kBefore : Frame::Kind::kPlain, in.op, first);
      break;
    }
    case KernelOpKind::kCall:
      if (const absl::Status status = call_function(in); !status.ok()) return status;
      break;
    case KernelOpKind::kBranch: return branch(in);
    case KernelOpKind::kYield:
    case KernelOpKind::kCondition: return finish(in);
    default: break;
  }
  if (frames_.size() > kDeepest) return absl::ResourceExhaustedError("the kernel nests too deeply");
  return absl::OkStatus();
}

absl::Status KernelMachine::call_function(const KernelInstruction& in) {
  if (in.number < 0) return absl::InvalidArgumentError("a call names no function of the kernel");
  const mlir::Op& function = module_[mlir::OpId{static_cast<std::uint32_t>(in.number)}];
  if (module_[function.first_region].block_count == 0) {
    return absl::InvalidArgumentError("the kernel calls a function without a body");
  }
  const mlir::BlockId entry = module_[function.first_region].first_block;
  copy(in.op, 0, module_[entry].first_argument, std::min(module_[entry].argument_count, module_[in.op].operand_count));
  enter(Frame::Kind::kPlain, in.op, entry);
  return absl::OkStatus();
}

absl::Status KernelMachine::finish(const KernelInstruction& in) {
  Frame& frame = frames_.back();
  const mlir::Op& op = module_[frame.op];
  const std::uint32_t count = module_[in.op].operand_count;
  switch (frame.kind) {
    case Frame::Kind::kFunction:
      for (std::uint32_t i = 0; i < count; ++i) results_.push_back(operand(in.op, i));
      frames_.pop_back();
      break;
    case Frame::Kind::kPlain:
      copy(in.op, 0, op.first_result, std::min(count, op.result_count));
      frames_.pop_back();
      break;
    case Frame::Kind::kFor: {
      const mlir::BlockId body = module_[op.first_region].first_block;
      frame.at += frame.step;
      if (frame.at < frame.upper && !frame.runs_once) {
        const mlir::Block& block = module_[body];
        copy(in.op, 0, mlir::ValueId{block.first_argument.index + 1}, std::min(count, block.argument_count - 1));
        set(block.first_argument, KernelValue::of(frame.at));
        frame.go_to(code_, body);
        break;
      }
      copy(in.op, 0, op.first_result, std::min(count, op.result_count));
      frames_.pop_back();
      break;
    }
    case Frame::Kind::kBefore: {
      const std::optional<std::int64_t> condition = number(in.op, 0);
      if (!condition) {
        note("A loop whose end depends on data is assumed to run once.");
        run_.has_unknown_loop = true;
      }
      const bool goes_on = condition ? *condition != 0 : !frame.runs_once && branches_ != UnknownBranches::kLeast;
      if (!condition) frame.runs_once = true;
      const bool has_body = op.region_count >= 2 && module_[mlir::RegionId{op.first_region.index + 1}].block_count > 0;
      if (!goes_on || !has_body) {
        copy(in.op, 1, op.first_result, std::min(count - 1, op.result_count));
        frames_.pop_back();
        break;
      }
      const mlir::BlockId after = module_[mlir::RegionId{op.first_region.index + 1}].first_block;
      copy(in.op, 1, module_[after].first_argument, std::min(count - 1, module_[after].argument_count));
      frame.kind = Frame::Kind::kAfter;
      frame.go_to(code_, after);
      break;
    }
    case Frame::Kind::kAfter: {
      const mlir::BlockId before = module_[op.first_region].first_block;
      copy(in.op, 0, module_[before].first_argument, std::min(count, module_[before].argument_count));
      frame.kind = Frame::Kind::kBefore;
      frame.go_to(code_, before);
      break;
    }
  }
  return absl::OkStatus();
}

std::uint32_t KernelMachine::heavier_region(mlir::OpId op) {
  const auto [entry, is_new] = heavier_.emplace(op.index, kEqualRegions);
  if (!is_new) return entry->second;
  double weights[2] = {};
  for (std::uint32_t r = 0; r < 2; ++r) {
    for (const mlir::BlockId block : module_.blocks_of(mlir::RegionId{module_[op].first_region.index + r})) {
      for (const mlir::OpId outer : module_.ops_of(block)) {
        for (std::uint32_t i = outer.index; i < module_[outer].end.index; ++i) {
          RegionWork work;
          add_op_work(module_, code_.types, code_.sizes, mlir::OpId{i}, code_.row(mlir::OpId{i}), work);
          weights[r] += weight_of(work);
        }
      }
    }
  }
  if (weights[0] != weights[1]) entry->second = weights[1] > weights[0] ? 1 : 0;
  return entry->second;
}

void KernelMachine::choose(const KernelInstruction& in) {
  const mlir::Op& op = module_[in.op];
  const std::optional<std::int64_t> condition = number(in.op, 0);
  std::uint32_t taken = 0;
  if (condition) {
    taken = *condition != 0 ? 0 : 1;
  } else if (op.region_count >= 2) {
    const std::uint32_t heavier = heavier_region(in.op);
    const bool second_is_heavier = heavier == 1;
    taken = (branches_ == UnknownBranches::kLeast) == second_is_heavier ? 0 : 1;
    if (heavier != kEqualRegions) {
      note("A branch that depends on data is assumed to do the larger part of its work.");
      run_.has_unknown_branch = true;
    }
  }
  if (taken >= op.region_count) return;
  const mlir::Region& region = module_[mlir::RegionId{op.first_region.index + taken}];
  if (region.block_count > 0) enter(Frame::Kind::kPlain, in.op, region.first_block);
}

void KernelMachine::begin_for(const KernelInstruction& in) {
  const mlir::Op& op = module_[in.op];
  if (op.region_count == 0 || module_[op.first_region].block_count == 0 || op.operand_count < 3) return;
  const std::optional<std::int64_t> lower = number(in.op, 0);
  const std::optional<std::int64_t> upper = number(in.op, 1);
  const std::optional<std::int64_t> step = number(in.op, 2);
  const bool is_known = lower && upper && step && *step > 0;
  if (!is_known) {
    note("A loop whose bounds depend on data is assumed to run once.");
    run_.has_unknown_loop = true;
  }
  const bool runs = is_known ? *lower < *upper : branches_ != UnknownBranches::kLeast;
  const std::uint32_t carried = op.operand_count - 3;
  if (!runs) {
    copy(in.op, 3, op.first_result, std::min(carried, op.result_count));
    return;
  }
  const mlir::BlockId body = module_[op.first_region].first_block;
  const mlir::Block& block = module_[body];
  if (block.argument_count == 0) return;
  copy(in.op, 3, mlir::ValueId{block.first_argument.index + 1}, std::min(carried, block.argument_count - 1));
  set(block.first_argument, lower ? KernelValue::of(*lower) : KernelValue());
  enter(Frame::Kind::kFor, in.op, body);
  Frame& frame = frames_.back();
  frame.at = lower.value_or(0);
  frame.upper = is_known ? *upper : 0;
  frame.step = is_known ? *step : 1;
  frame.runs_once = !is_known;
}

absl::Status KernelMachine::branch(const KernelInstruction& in) {
  const mlir::Op& op = module_[in.op];
  if (op.successor_count == 0) return absl::InvalidArgumentError("a branch has no target");
  std::uint32_t taken = 0;
  std::uint32_t segment = 0;
  if (op.successor_count > 1) {
    const std::optional<std::int64_t> condition = number(in.op, 0);
    if (!condition) {
      note("A branch that depends on data is assumed to be taken.");
      run_.has_unknown_loop = true;  // it may lead back
    }
    taken = condition && *condition == 0 ? 1 : 0;
    segment = 1 + taken;
  }
  const mlir::BlockId target = module_.successors[op.successor_begin + taken];
  const mlir::Block& block = module_[target];
  const OperandSegment passed =
      op.successor_count > 1 ? code_.segment(in, segment) : OperandSegment{0, module_[in.op].operand_count};
  copy(in.op, passed.begin, block.first_argument, std::min(passed.size, block.argument_count));
  frames_.back().go_to(code_, target);
  return absl::OkStatus();
}

void KernelMachine::run_region(const KernelInstruction& in) {
  const auto region = static_cast<std::uint32_t>(in.number);
  run_.regions[region].runs += 1;
  run_.events.push_back({KernelEvent::Kind::kRun, region, 0});
}

}  // namespace hloroof::internal::inline kernel

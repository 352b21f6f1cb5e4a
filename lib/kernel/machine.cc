#include "lib/kernel/machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kernel/scalar_value.h"
#include "lib/mlir/attributes.h"

namespace hloroof::internal {
namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 23U;
constexpr std::size_t kDeepest = 1000;                         // nested frames
constexpr std::size_t kLargestBuffer = std::size_t{1} << 20U;  // elements of SMEM whose contents are followed

bool is_static(const KernelType& type) {
  return std::none_of(type.shape.begin(), type.shape.end(), [](std::int64_t d) { return d < 0; });
}

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

KernelValue number_value(std::int64_t number) {
  KernelValue value;
  value.state = KernelValue::State::kNumber;
  value.number = number;
  return value;
}

std::optional<std::int64_t> number_of(const KernelValue& value) {
  if (value.state != KernelValue::State::kNumber) return std::nullopt;
  return value.number;
}

}  // namespace

KernelMachine::KernelMachine(const KernelCode& code, KernelRun& run, UnknownBranches branches, std::int64_t budget)
    : code_(code), module_(*code.module), run_(run), branches_(branches), budget_(budget) {
  values_.resize(module_.values.size() + 1);
  elements_.resize(module_.values.size() + 1);
  strides_.reserve(module_.types.size());
  for (std::uint32_t i = 0; i < module_.types.size(); ++i)
    strides_.push_back(strides_of(code.types.of(mlir::TypeId{i})));
  for (const KernelConstant& constant : code.constants) values_[constant.value] = number_value(constant.number);
}

std::uint32_t KernelMachine::add_buffer(KernelBuffer buffer) {
  buffers_.push_back(std::move(buffer));
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

const KernelValue& KernelMachine::operand(mlir::OpId op, std::uint32_t number) const {
  static const KernelValue unknown;
  if (number >= module_[op].operand_count) return unknown;
  return values_[KernelCode::value_number(module_.operand(op, number))];
}

std::optional<std::int64_t> KernelMachine::number(mlir::OpId op, std::uint32_t at) const {
  return number_of(operand(op, at));
}

void KernelMachine::enter(Frame::Kind kind, mlir::OpId op, mlir::BlockId block) {
  Frame frame;
  frame.kind = kind;
  frame.op = op;
  frame.pc = code_.block_begin[block.index];
  frame.end = code_.block_end[block.index];
  frames_.push_back(frame);
}

void KernelMachine::copy(mlir::OpId from, std::uint32_t first_operand, mlir::ValueId to, std::uint32_t count) {
  moved_.clear();
  for (std::uint32_t i = 0; i < count; ++i) moved_.push_back(operand(from, first_operand + i));
  for (std::uint32_t i = 0; i < count; ++i) values_[KernelCode::value_number(to) + i] = moved_[i];
}

absl::StatusOr<std::vector<KernelValue>> KernelMachine::call(mlir::OpId function,
                                                             const std::vector<KernelValue>& arguments) {
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
    if (const absl::Status status = execute(in); !status.ok()) return status;
  }
  return results_;
}

absl::Status KernelMachine::execute(const KernelInstruction& in) {
  switch (in.kind) {
    case KernelOpKind::kFree: run_region(in); break;
    case KernelOpKind::kElementwise: scalar(in); break;
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
    case KernelOpKind::kCall: {
      const auto callee = mlir::string(module_, mlir::find(module_, in.op, "callee"));
      if (!callee) return absl::InvalidArgumentError("a call names no function");
      for (std::uint32_t i = 0; i < module_.ops.size(); ++i) {
        const mlir::OpId function{i};
        if (code_.row(function).kind != KernelOpKind::kDefinition) continue;
        if (mlir::string(module_, mlir::find(module_, function, "sym_name")) != callee) continue;
        const mlir::Op& op = module_[function];
        if (op.region_count != 1 || module_[op.first_region].block_count == 0) break;
        const mlir::BlockId entry = module_[op.first_region].first_block;
        copy(in.op, 0, module_[entry].first_argument,
             std::min(module_[entry].argument_count, module_[in.op].operand_count));
        enter(Frame::Kind::kPlain, in.op, entry);
        break;
      }
      break;
    }
    case KernelOpKind::kBranch: return branch(in);
    case KernelOpKind::kYield:
    case KernelOpKind::kCondition: return finish(in);
    default: break;
  }
  if (frames_.size() > kDeepest) return absl::ResourceExhaustedError("the kernel nests too deeply");
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
        set(block.first_argument, number_value(frame.at));
        frame.pc = code_.block_begin[body.index];
        break;
      }
      copy(in.op, 0, op.first_result, std::min(count, op.result_count));
      frames_.pop_back();
      break;
    }
    case Frame::Kind::kBefore: {
      const std::optional<std::int64_t> condition = number(in.op, 0);
      if (!condition) note("A loop whose end depends on data is assumed to run once.");
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
      frame.pc = code_.block_begin[after.index];
      frame.end = code_.block_end[after.index];
      break;
    }
    case Frame::Kind::kAfter: {
      const mlir::BlockId before = module_[op.first_region].first_block;
      copy(in.op, 0, module_[before].first_argument, std::min(count, module_[before].argument_count));
      frame.kind = Frame::Kind::kBefore;
      frame.pc = code_.block_begin[before.index];
      frame.end = code_.block_end[before.index];
      break;
    }
  }
  return absl::OkStatus();
}

void KernelMachine::choose(const KernelInstruction& in) {
  const mlir::Op& op = module_[in.op];
  const std::optional<std::int64_t> condition = number(in.op, 0);
  std::uint32_t taken = 0;
  if (condition) {
    taken = *condition != 0 ? 0 : 1;
  } else if (op.region_count >= 2) {
    // The second region begins at the operation after the last of the first.
    double weights[2] = {};
    for (std::uint32_t r = 0; r < 2; ++r) {
      for (const mlir::BlockId block : module_.blocks_of(mlir::RegionId{op.first_region.index + r})) {
        for (const mlir::OpId inner : module_.ops_of(block)) {
          weights[r] += code_.weight[module_[inner].end.index] - code_.weight[inner.index];
        }
      }
    }
    const bool second_is_heavier = weights[1] > weights[0];
    taken = (branches_ == UnknownBranches::kLeast) == second_is_heavier ? 0 : 1;
    if (weights[0] != weights[1]) note("A branch that depends on data is assumed to do the larger part of its work.");
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
  if (!is_known) note("A loop whose bounds depend on data is assumed to run once.");
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
  set(block.first_argument, lower ? number_value(*lower) : KernelValue());
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
    if (!condition) note("A branch that depends on data is assumed to be taken.");
    taken = condition && *condition == 0 ? 1 : 0;
    segment = 1 + taken;
  }
  const mlir::BlockId target = module_.successors[op.successor_begin + taken];
  const mlir::Block& block = module_[target];
  const OperandSegment passed =
      op.successor_count > 1 ? code_.segment(in, segment) : OperandSegment{0, module_[in.op].operand_count};
  copy(in.op, passed.begin, block.first_argument, std::min(passed.size, block.argument_count));
  Frame& frame = frames_.back();
  frame.pc = code_.block_begin[target.index];
  frame.end = code_.block_end[target.index];
  return absl::OkStatus();
}

void KernelMachine::scalar(const KernelInstruction& in) {
  if (in.bits == 0) return;
  const KernelValue& a = values_[in.operands[0]];
  const KernelValue& b = values_[in.operands[1]];
  const bool has_a = a.state == KernelValue::State::kNumber;
  const bool has_b = b.state == KernelValue::State::kNumber;
  KernelValue& result = values_[in.result];
  if (in.scalar == ScalarOp::kSelect) {
    const KernelValue& c = values_[in.operands[2]];
    const bool are_equal = has_b && c.state == KernelValue::State::kNumber && b.number == c.number;
    result = has_a ? (a.number != 0 ? b : c) : are_equal ? b : KernelValue();
    return;
  }
  const bool is_masked = in.scalar == ScalarOp::kAnd || in.scalar == ScalarOp::kMultiply;
  if (is_masked && ((has_a && a.number == 0) || (has_b && b.number == 0))) {
    result = number_value(0);
    return;
  }
  if (in.scalar == ScalarOp::kOr && in.bits == 1 && ((has_a && a.number == 1) || (has_b && b.number == 1))) {
    result = number_value(1);
    return;
  }
  std::optional<std::int64_t> value;
  if ((has_a && (has_b || in.is_unary)) || in.scalar == ScalarOp::kZero) {
    value = evaluate_scalar(in.scalar, a.number, b.number, in.number, in.operand_bits, in.bits);
  }
  result = value ? number_value(*value) : KernelValue();
}

std::optional<std::size_t> KernelMachine::element(mlir::OpId op, std::uint32_t memory,
                                                  std::uint32_t first_index) const {
  const KernelValue& base = operand(op, memory);
  if (base.state != KernelValue::State::kMemory || !base.offset_is_known) return std::nullopt;
  const std::vector<std::int64_t>& strides = strides_[module_[module_.operand(op, memory)].type.index];
  std::int64_t offset = base.number;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::optional<std::int64_t> index = number(op, first_index + static_cast<std::uint32_t>(i));
    std::int64_t term = 0;
    if (!index || __builtin_mul_overflow(*index, strides[i], &term) || __builtin_add_overflow(offset, term, &offset)) {
      return std::nullopt;
    }
  }
  if (offset < 0 || static_cast<std::size_t>(offset) >= kLargestBuffer) return std::nullopt;
  return static_cast<std::size_t>(offset);
}

void KernelMachine::load(const KernelInstruction& in) {
  KernelValue value;
  if (const auto at = element(in.op, 0, 1)) {
    const KernelBuffer& buffer = buffers_[operand(in.op, 0).buffer];
    if (*at < buffer.data.size() && buffer.known[*at]) value = number_value(buffer.data[*at]);
  }
  set(module_[in.op].first_result, value);
}

void KernelMachine::store(const KernelInstruction& in) {
  const KernelValue& base = operand(in.op, 1);
  if (base.state != KernelValue::State::kMemory) return;
  KernelBuffer& buffer = buffers_[base.buffer];
  const std::optional<std::size_t> at = element(in.op, 1, 2);
  if (!at) {
    // Any element may have changed.
    buffer = KernelBuffer();
    return;
  }
  if (*at >= buffer.data.size()) {
    buffer.data.resize(*at + 1);
    buffer.known.resize(*at + 1, false);
  }
  const std::optional<std::int64_t> value = number(in.op, 0);
  buffer.known[*at] = value.has_value();
  buffer.data[*at] = value.value_or(0);
}

void KernelMachine::allocate(const KernelInstruction& in) {
  const mlir::ValueId result = module_[in.op].first_result;
  // An allocation in a loop is the same memory each time.
  const KernelValue& before = values_[in.result];
  if (before.state == KernelValue::State::kMemory) {
    buffers_[before.buffer] = KernelBuffer();
    return;
  }
  KernelValue value;
  value.state = KernelValue::State::kMemory;
  value.buffer = add_buffer({});
  elements_[in.result] = element_count(code_.types.of(module_, result));
  set(result, value);
}

void KernelMachine::slice(const KernelInstruction& in) {
  KernelValue value = operand(in.op, 0);
  const mlir::ValueId result = module_[in.op].first_result;
  if (value.state != KernelValue::State::kMemory) {
    set(result, value);
    return;
  }
  const std::vector<std::int64_t>& strides = strides_[module_[module_.operand(in.op, 0)].type.index];
  const OperandSegment offsets = code_.segment(in, 1);
  value.offset_is_known = value.offset_is_known && strides.size() == offsets.size;
  for (std::uint32_t i = 0; value.offset_is_known && i < offsets.size; ++i) {
    const std::optional<std::int64_t> offset = number(in.op, offsets.begin + i);
    std::int64_t term = 0;
    value.offset_is_known = offset && !__builtin_mul_overflow(*offset, strides[i], &term) &&
                            !__builtin_add_overflow(value.number, term, &value.number);
  }
  const KernelType& type = code_.types.of(module_, result);
  const OperandSegment sizes = code_.segment(in, 2);
  double elements = 1;
  std::uint32_t dynamic = 0;
  for (const std::int64_t extent : type.shape) {
    std::optional<std::int64_t> size = extent;
    if (extent < 0) size = dynamic < sizes.size ? number(in.op, sizes.begin + dynamic++) : std::nullopt;
    elements *= size && *size >= 0 ? static_cast<double>(*size) : 0;
  }
  elements_[in.result] = elements;
  set(result, value);
}

void KernelMachine::view(const KernelInstruction& in) {
  values_[in.result] = values_[in.operands[0]];
  elements_[in.result] = elements_[in.operands[0]];
}

std::uint32_t KernelMachine::semaphore_of(mlir::OpId op, std::uint32_t number) {
  const KernelValue& value = operand(op, number);
  if (value.state != KernelValue::State::kMemory) return 0;
  // Semaphores of one array lie next to one another. 16 bits of offset tell them apart.
  const auto offset = static_cast<std::uint32_t>(value.offset_is_known ? value.number & 0xFFFF : 0);
  return ((value.buffer + 1) << 16U) | offset;
}

double KernelMachine::bytes_of(mlir::OpId op, std::uint32_t source, std::uint32_t target) {
  const KernelType* best = nullptr;
  for (const std::uint32_t number : {source, target}) {
    const KernelType& type = code_.types.of(module_, module_.operand(op, number));
    if (type.kind != KernelType::Kind::kMemory || !is_static(type)) continue;
    if (best == nullptr || type.space == KernelSpace::kHbm) best = &type;
  }
  if (best != nullptr) return padded_bytes(best->shape, best->bits);
  const KernelType& type = code_.types.of(module_, module_.operand(op, source));
  for (const std::uint32_t number : {source, target}) {
    const double elements = elements_[KernelCode::value_number(module_.operand(op, number))];
    if (elements > 0) return elements * type.bits / 8;
  }
  note("The size of a transfer depends on data; it is not counted.");
  return 0;
}

void KernelMachine::transfer(const KernelInstruction& in) {
  const OperandSegment source = code_.segment(in, 0);
  const OperandSegment target = code_.segment(in, 2);
  const OperandSegment semaphore = code_.segment(in, 3);
  const OperandSegment device = code_.segment(in, 4);
  if (source.size == 0 || target.size == 0 || semaphore.size == 0) return;
  const KernelSpace from = code_.types.of(module_, module_.operand(in.op, source.begin)).space;
  const KernelSpace to = code_.types.of(module_, module_.operand(in.op, target.begin)).space;
  KernelTransfer transfer;
  transfer.bytes = bytes_of(in.op, source.begin, target.begin);
  transfer.kind = device.size > 0             ? KernelTransfer::Kind::kRemote
                  : from == KernelSpace::kHbm ? KernelTransfer::Kind::kRead
                  : to == KernelSpace::kHbm   ? KernelTransfer::Kind::kWrite
                                              : KernelTransfer::Kind::kLocal;
  const std::uint32_t on_chip = from == KernelSpace::kHbm ? target.begin : source.begin;
  transfer.buffer = code_.buffer_of(module_.operand(in.op, on_chip));
  std::uint32_t index = 0;
  const auto same = [&](const KernelTransfer& t) {
    return t.kind == transfer.kind && t.bytes == transfer.bytes && t.buffer == transfer.buffer &&
           t.window == transfer.window;
  };
  const auto found = std::find_if(run_.transfers.begin(), run_.transfers.end(), same);
  index = static_cast<std::uint32_t>(found - run_.transfers.begin());
  if (found == run_.transfers.end()) run_.transfers.push_back(transfer);
  run_.events.push_back({KernelEvent::Kind::kStart, index, semaphore_of(in.op, semaphore.begin)});
}

void KernelMachine::wait(const KernelInstruction& in) {
  run_.events.push_back({KernelEvent::Kind::kWait, 0, semaphore_of(in.op, 0)});
}

void KernelMachine::run_region(const KernelInstruction& in) {
  const auto region = static_cast<std::uint32_t>(in.number);
  run_.regions[region].runs += 1;
  run_.events.push_back({KernelEvent::Kind::kRun, region, 0});
}

}  // namespace hloroof::internal

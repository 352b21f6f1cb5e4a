// The scalars, the memory and the transfers of the machine.
#include <algorithm>
#include <optional>

#include "lib/kernel/common/scalar_value.h"
#include "lib/kernel/tpu/machine.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::size_t kLargestBuffer = std::size_t{1} << 20U;  // elements of SMEM whose contents are followed

}  // namespace

void KernelMachine::scalar(const KernelInstruction& in) {
  if (in.bits == 0) return;
  const KernelValue& a = values_[in.operands[0]];
  const KernelValue& b = values_[in.operands[1]];
  const bool has_a = a.state == KernelValue::State::kNumber;
  const bool has_b = b.state == KernelValue::State::kNumber;
  KernelValue& result = values_[in.result];
  // What follows without its special cases, if all is known.
  const bool is_plain = in.scalar != ScalarOp::kGridSize && in.scalar != ScalarOp::kSelect;
  if (is_plain && has_a && (has_b || in.is_unary)) {
    const auto value = evaluate_scalar(in.scalar, a.number, b.number, in.number, in.operand_bits, in.bits);
    result = value ? KernelValue::of(*value) : KernelValue();
    return;
  }
  if (in.scalar == ScalarOp::kGridSize) {
    const bool is_known = in.number >= 0 && static_cast<std::size_t>(in.number) < grid_.size();
    result = is_known ? KernelValue::of(grid_[static_cast<std::size_t>(in.number)]) : KernelValue();
    return;
  }
  if (in.scalar == ScalarOp::kSelect) {
    const KernelValue& c = values_[in.operands[2]];
    const bool are_equal = has_b && c.state == KernelValue::State::kNumber && b.number == c.number;
    result = has_a ? (a.number != 0 ? b : c) : are_equal ? b : KernelValue();
    return;
  }
  const bool is_masked = in.scalar == ScalarOp::kAnd || in.scalar == ScalarOp::kMultiply;
  if (is_masked && ((has_a && a.number == 0) || (has_b && b.number == 0))) {
    result = KernelValue::of(0);
    return;
  }
  if (in.scalar == ScalarOp::kOr && in.bits == 1 && ((has_a && a.number == 1) || (has_b && b.number == 1))) {
    result = KernelValue::of(1);
    return;
  }
  result = in.scalar == ScalarOp::kZero ? KernelValue::of(0) : KernelValue();
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
    const std::uint32_t number = operand(in.op, 0).buffer;
    const KernelBuffer& buffer = buffers_[number];
    reach_[number].last_read = std::max(reach_[number].last_read, static_cast<std::int64_t>(*at));
    if (*at < buffer.data.size() && buffer.known[*at]) value = KernelValue::of(buffer.data[*at]);
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
  const KernelType& whole = code_.types.of(module_, module_.operand(in.op, 0));
  const OperandSegment sizes = code_.segment(in, 2);
  double elements = 1;
  double room = 1;
  bool is_room = false;
  bool is_whole = false;
  std::uint32_t dynamic = 0;
  for (std::size_t d = 0; d < type.shape.size(); ++d) {
    std::optional<std::int64_t> size = type.shape[d];
    std::int64_t most = *size;
    if (*size < 0) {
      size = dynamic < sizes.size ? number(in.op, sizes.begin + dynamic++) : std::nullopt;
      most = whole.shape.size() == type.shape.size() ? whole.shape[d] : -1;
      // A part of a buffer on the chip is at most the buffer.
      if (!size && whole.space != KernelSpace::kHbm && most >= 0) {
        size = most;
        is_room = true;
      } else if (size == most) {
        is_whole = true;
      }
    }
    elements *= size && *size >= 0 ? static_cast<double>(*size) : 0;
    room *= most >= 0 ? static_cast<double>(most) : 0;
  }
  elements_[in.result] = elements;
  room_[in.result] = room;
  is_room_[in.result] = is_room || is_room_[in.operands[0]];
  is_whole_[in.result] = is_whole;
  set(result, value);
}

void KernelMachine::view(const KernelInstruction& in) {
  values_[in.result] = values_[in.operands[0]];
  elements_[in.result] = elements_[in.operands[0]];
  room_[in.result] = room_[in.operands[0]];
  is_room_[in.result] = is_room_[in.operands[0]];
  is_whole_[in.result] = is_whole_[in.operands[0]];
}

std::uint32_t KernelMachine::semaphore_of(mlir::OpId op, std::uint32_t number) {
  const KernelValue& value = operand(op, number);
  if (value.state != KernelValue::State::kMemory) return 0;
  // Semaphores of one array lie next to one another. 16 bits of offset tell them apart.
  const auto offset = static_cast<std::uint32_t>(value.offset_is_known ? value.number & 0xFFFF : 0);
  return ((value.buffer + 1) << 16U) | offset;
}

void KernelMachine::set_bytes(mlir::OpId op, std::uint32_t source, std::uint32_t target, KernelTransfer& transfer) {
  // An indirect transfer moves as many rows as its side on the chip has, of all those in HBM.
  const bool is_indirect = code_.row(op).opcode == Opcode::kGather;
  const KernelType* best = nullptr;
  for (const std::uint32_t number : {source, target}) {
    const KernelType& type = code_.types.of(module_, module_.operand(op, number));
    if (type.kind != KernelType::Kind::kMemory || !is_static(type)) continue;
    if (best == nullptr || (type.space == KernelSpace::kHbm) != is_indirect) best = &type;
  }
  if (best != nullptr) {
    transfer.bytes = padded_bytes(best->shape, best->bits);
    transfer.unpadded_bytes = unpadded_bytes(best->shape, best->bits);
    return;
  }
  const KernelType& type = code_.types.of(module_, module_.operand(op, source));
  for (const bool is_room : {false, true}) {
    for (const std::uint32_t number : {source, target}) {
      const std::uint32_t value = KernelCode::value_number(module_.operand(op, number));
      if (elements_[value] <= 0 || is_room_[value] != is_room) continue;
      transfer.bytes = transfer.unpadded_bytes = elements_[value] * type.bits / 8;
      if (!is_room) {
        set_spare(op, source, target, transfer);
        return;
      }
      note("A transfer whose size depends on data is assumed to fill its buffer.");
      for (const std::uint32_t side : {source, target}) {
        const KernelValue& memory = operand(op, side);
        const bool is_hbm = code_.types.of(module_, module_.operand(op, side)).space == KernelSpace::kHbm;
        if (is_hbm && memory.state == KernelValue::State::kMemory)
          reach_[memory.buffer].unsized_bytes += transfer.bytes;
      }
      return;
    }
  }
  note("The size of a transfer depends on data; it is not counted.");
}

void KernelMachine::set_spare(mlir::OpId op, std::uint32_t source, std::uint32_t target,
                              KernelTransfer& transfer) const {
  bool is_whole = false;
  double room = 0;
  for (const std::uint32_t number : {source, target}) {
    const std::uint32_t value = KernelCode::value_number(module_.operand(op, number));
    if (code_.types.of(module_, module_.operand(op, number)).space == KernelSpace::kHbm) {
      is_whole = is_whole_[value];
    } else {
      room = room_[value] * code_.types.of(module_, module_.operand(op, number)).bits / 8;
    }
  }
  if (is_whole && transfer.bytes > 0) transfer.spare = std::max(1.0, room / transfer.bytes);
}

void KernelMachine::transfer(const KernelInstruction& in) {
  // Direct: source, its semaphore, target, semaphore, device; indirect: source, target, offsets, semaphore, filter.
  const bool is_indirect = code_.row(in.op).opcode == Opcode::kGather;
  const OperandSegment source = code_.segment(in, 0);
  const OperandSegment target = code_.segment(in, is_indirect ? 1 : 2);
  const OperandSegment semaphore = code_.segment(in, 3);
  const OperandSegment device = code_.segment(in, 4);
  if (source.size == 0 || target.size == 0 || semaphore.size == 0) return;
  const KernelSpace from = code_.types.of(module_, module_.operand(in.op, source.begin)).space;
  const KernelSpace to = code_.types.of(module_, module_.operand(in.op, target.begin)).space;
  KernelTransfer transfer;
  set_bytes(in.op, source.begin, target.begin, transfer);
  transfer.kind = device.size > 0 && !is_indirect ? KernelTransfer::Kind::kRemote
                  : from == KernelSpace::kHbm     ? KernelTransfer::Kind::kRead
                  : to == KernelSpace::kHbm       ? KernelTransfer::Kind::kWrite
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

}  // namespace hloroof::internal::inline kernel

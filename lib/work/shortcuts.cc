#include "lib/work/shortcuts.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/value_walk.h"
#include "lib/values/literal.h"
#include "lib/work/registers.h"

namespace hloroof::internal::inline work {
namespace {

// The scalar constant that `operand` repeats. The elements of an array of constants vary.
std::optional<InstructionView> repeated_constant(InstructionView operand) {
  const InstructionView source = origin(operand, [](InstructionView at) {
    const Flow flows = flow(at.opcode());
    return at.opcode() == Opcode::kBroadcast || flows == Flow::kRenames || flows == Flow::kReshapes ||
           flows == Flow::kConverts;
  });
  if (source.opcode() != Opcode::kConstant || source.shape().rank() != 0) return std::nullopt;
  return source;
}

// The value of a scalar constant; nullopt if the text does not have it.
std::optional<double> number(InstructionView constant) {
  const absl::StatusOr<Literal> value = literal(constant);
  if (!value.ok() || value->size() != 1) return std::nullopt;
  return value->real(0);
}

struct Limits {
  double low = 0;
  double high = 0;
};

// The limits of a clamp, if they are the same for all elements and known.
std::optional<Limits> limits_of(InstructionView clamp) {
  if (clamp.operand_count() != 3) return std::nullopt;
  const std::optional<InstructionView> least = repeated_constant(clamp.operand(0));
  const std::optional<InstructionView> most = repeated_constant(clamp.operand(2));
  if (!least || !most) return std::nullopt;
  const std::optional<double> low = number(*least);
  const std::optional<double> high = number(*most);
  if (!low || !high) return std::nullopt;
  return Limits{*low, *high};
}

// Whether a clamp keeps its operand within the range of integers of type `to`.
bool clamps_within(InstructionView clamp, ElementType to) {
  const std::optional<Limits> limits = limits_of(clamp);
  if (!limits) return false;
  const bool is_signed = kind(to) == ElementKind::kSigned;
  const double values = std::exp2(bits(to));
  return limits->low >= (is_signed ? -values / 2 : 0) && limits->high <= (is_signed ? values / 2 : values) - 1;
}

}  // namespace

std::optional<Rounding> rounding_of(InstructionView convert) {
  const ElementType to = convert.shape().element_type;
  if (convert.opcode() != Opcode::kConvert || convert.operand_count() != 1 || !is_integral(to) || bits(to) > 32) {
    return std::nullopt;
  }
  std::optional<InstructionView> round;
  bool is_clamped = false;
  InstructionView at = convert.operand(0);
  constexpr int kLongest = 8;  // instructions; many conversions of a text may share what is before them
  for (int steps = 0; steps < kLongest && at.shape().element_type == ElementType::kF32; ++steps) {
    if (at.opcode() == Opcode::kRoundNearestEven && at.operand_count() == 1 && !round) {
      round = at;
      at = at.operand(0);
    } else if (at.opcode() == Opcode::kClamp && clamps_within(at, to)) {
      is_clamped = true;
      at = at.operand(1);
    } else {
      break;
    }
  }
  if (!round) return std::nullopt;
  return Rounding{*round, is_clamped};
}

std::optional<InstructionView> narrow_conversion_before(InstructionView convert) {
  if (convert.opcode() != Opcode::kConvert || convert.shape().element_type != ElementType::kF32 ||
      convert.operand_count() != 1) {
    return std::nullopt;
  }
  const InstructionView before =
      origin(convert.operand(0), [](InstructionView at) { return flow(at.opcode()) == Flow::kRenames; });
  if (before.opcode() != Opcode::kConvert || before.operand_count() != 1 ||
      before.shape().element_type != ElementType::kBf16) {
    return std::nullopt;
  }
  const ElementType first = before.operand(0).shape().element_type;
  if (!is_integral(first) || bits(first) > 8) return std::nullopt;
  return before;
}

Shortcut shortcut_of(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kClamp: {
      if (!is_tiled(instruction.shape())) return Shortcut::kNone;
      const std::optional<Limits> limits = limits_of(instruction);
      return limits && limits->low == -limits->high ? Shortcut::kSymmetric : Shortcut::kNone;
    }
    case Opcode::kPower: {
      if (instruction.operand_count() != 2) return Shortcut::kNone;
      const std::optional<InstructionView> constant = repeated_constant(instruction.operand(1));
      if (!constant) return Shortcut::kNone;
      const std::optional<double> exponent = number(*constant);
      if (!exponent || !std::isfinite(*exponent)) return Shortcut::kConstant;
      return *exponent * 4 == std::round(*exponent * 4) ? Shortcut::kQuarters : Shortcut::kConstant;
    }
    case Opcode::kDivide:
    case Opcode::kRemainder: {
      if (instruction.operand_count() != 2 || !is_integral(instruction.shape().element_type)) return Shortcut::kNone;
      const std::optional<InstructionView> constant = repeated_constant(instruction.operand(1));
      if (!constant) return Shortcut::kNone;
      const std::optional<std::int64_t> by = scalar_integer(*constant);
      const bool is_power_of_two = by.has_value() && *by > 0 && std::has_single_bit(static_cast<std::uint64_t>(*by));
      return is_power_of_two ? Shortcut::kPowerOfTwo : Shortcut::kConstant;
    }
    default: return Shortcut::kNone;
  }
}

}  // namespace hloroof::internal::inline work

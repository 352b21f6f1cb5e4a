#include "lib/kernel/common/scalar_value.h"

#include <limits>

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::int64_t kLeastInt64 = std::numeric_limits<std::int64_t>::min();

std::uint64_t unsigned_of(std::int64_t value, int bits) {
  const auto u = static_cast<std::uint64_t>(value);
  return bits >= 64 || bits <= 0 ? u : u & ((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1);
}

std::int64_t signed_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// The comparisons of unsigned numbers.
std::optional<std::int64_t> compared(std::int64_t predicate, std::int64_t a, std::int64_t b, int bits) {
  const std::uint64_t ua = unsigned_of(a, bits);
  const std::uint64_t ub = unsigned_of(b, bits);
  switch (predicate) {
    case 6: return ua < ub ? 1 : 0;
    case 7: return ua <= ub ? 1 : 0;
    case 8: return ua > ub ? 1 : 0;
    case 9: return ua >= ub ? 1 : 0;
    default: return std::nullopt;
  }
}

// Whether a / b is defined.
bool divides(std::int64_t a, std::int64_t b) { return b != 0 && !(a == kLeastInt64 && b == -1); }

std::optional<std::int64_t> shifted(ScalarOp op, std::int64_t a, std::int64_t b, int bits) {
  if (b < 0 || b >= bits || b >= 64) return std::nullopt;
  const auto by = static_cast<unsigned>(b);
  if (op == ScalarOp::kShiftLeft) return signed_of(static_cast<std::uint64_t>(a) << by);
  if (op == ScalarOp::kShiftRight) return a >> by;
  return signed_of(unsigned_of(a, bits) >> by);
}

std::optional<std::int64_t> divided(ScalarOp op, std::int64_t a, std::int64_t b, int bits) {
  const std::uint64_t ua = unsigned_of(a, bits);
  const std::uint64_t ub = unsigned_of(b, bits);
  if (op == ScalarOp::kDivideUnsigned || op == ScalarOp::kRemainderUnsigned || op == ScalarOp::kCeilDivideUnsigned) {
    if (ub == 0) return std::nullopt;
    if (op == ScalarOp::kDivideUnsigned) return signed_of(ua / ub);
    if (op == ScalarOp::kRemainderUnsigned) return signed_of(ua % ub);
    return signed_of(ua / ub + (ua % ub != 0 ? 1 : 0));
  }
  if (!divides(a, b)) return std::nullopt;
  const std::int64_t quotient = a / b;
  const bool is_exact = a % b == 0;
  const bool is_negative = (a < 0) != (b < 0);
  switch (op) {
    case ScalarOp::kDivide: return quotient;
    case ScalarOp::kRemainder: return a % b;
    case ScalarOp::kFloorDivide: return quotient - (!is_exact && is_negative ? 1 : 0);
    default: return quotient + (!is_exact && !is_negative ? 1 : 0);
  }
}

}  // namespace

std::optional<std::int64_t> evaluate_rare_scalar(ScalarOp op, std::int64_t a, std::int64_t b, std::int64_t predicate,
                                                 int bits) {
  switch (op) {
    case ScalarOp::kZero: return 0;
    case ScalarOp::kCopy:
    case ScalarOp::kTruncate: return a;
    case ScalarOp::kExtend: return bits == 1 ? -(a & 1) : a;
    case ScalarOp::kExtendUnsigned: return signed_of(unsigned_of(a, bits));
    case ScalarOp::kMinimumUnsigned: return unsigned_of(a, bits) < unsigned_of(b, bits) ? a : b;
    case ScalarOp::kMaximumUnsigned: return unsigned_of(a, bits) > unsigned_of(b, bits) ? a : b;
    case ScalarOp::kXor: return a ^ b;
    case ScalarOp::kAbsolute: return a < 0 ? signed_of(0 - static_cast<std::uint64_t>(a)) : a;
    case ScalarOp::kCompare: return compared(predicate, a, b, bits);
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRight:
    case ScalarOp::kShiftRightUnsigned: return shifted(op, a, b, bits);
    case ScalarOp::kDivide:
    case ScalarOp::kDivideUnsigned:
    case ScalarOp::kCeilDivide:
    case ScalarOp::kCeilDivideUnsigned:
    case ScalarOp::kFloorDivide:
    case ScalarOp::kRemainder:
    case ScalarOp::kRemainderUnsigned: return divided(op, a, b, bits);
    default: return std::nullopt;
  }
}

}  // namespace hloroof::internal::inline kernel

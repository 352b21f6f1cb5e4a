// The values of constants.
//
//   if (std::optional<std::int64_t> n = scalar_integer(constant)) use(*n);        // s32[] constant(8)
//   absl::StatusOr<Literal> l = literal(constant);                               // f32[2] constant({1, 2.5})
//   for (std::size_t i = 0; i < l->size(); ++i) use(l->real(i));
#ifndef HLOROOF_LITERAL_H_
#define HLOROOF_LITERAL_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/element_type.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// An array of values, row-major in the order of its logical dimensions whatever its layout.
struct Literal {
  ElementType element_type = ElementType::kInvalid;
  std::vector<std::int64_t> dimensions;
  // The text says {...} in place of values: none are held.
  bool elided = false;
  // hloroof::bytes(element_type) bytes an element, little-endian, as XLA stores them: a pred is 0 or 1, a value
  // narrower than a byte has a byte of its own, a complex its real part first.
  std::vector<std::uint8_t> bytes;

  std::size_t size() const;  // elements held
  // Element `i` as a number. integer() of a float is truncated and saturates; NaN is 0. real() of an integer beyond
  // 2^53 is rounded. imaginary() of what is no complex is 0.
  std::int64_t integer(std::size_t i) const;
  double real(std::size_t i) const;
  double imaginary(std::size_t i) const;
};

// The value of a constant that is an array. Errors: InvalidArgument for another opcode, for a tuple, and for a text
// that does not match the shape.
absl::StatusOr<Literal> literal(InstructionView constant);

// The arrays inside a constant, depth first; one for an array.
absl::StatusOr<std::vector<Literal>> literal_leaves(InstructionView constant);

// The value of a constant with exactly one element; nothing for others, elided ones and, in scalar_integer, floats.
std::optional<std::int64_t> scalar_integer(InstructionView constant);
std::optional<double> scalar_number(InstructionView constant);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_LITERAL_H_

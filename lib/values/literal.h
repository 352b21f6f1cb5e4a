// Values of constants as numbers.
#ifndef HLOROOF_LIB_VALUES_LITERAL_H_
#define HLOROOF_LIB_VALUES_LITERAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline values {

// An array of values. They are row-major in the logical dimensions, independent of the layout.
struct Literal {
  ElementType element_type = ElementType::kInvalid;
  std::vector<std::int64_t> dimensions;
  // The text has {...} in place of values, and `bytes` is empty.
  bool elided = false;
  // hloroof::bytes(element_type) bytes per element, little-endian, as XLA stores them. A pred is 0 or 1, a value
  // narrower than a byte takes a whole byte, and a complex has its real part first.
  std::vector<std::uint8_t> bytes;

  std::size_t size() const;  // the number of elements in `bytes`
  // Element `i` as a number. integer() truncates and saturates floats, and returns 0 for NaN. real() rounds integers
  // beyond 2^53. imaginary() returns 0 for types that are not complex.
  std::int64_t integer(std::size_t i) const;
  double real(std::size_t i) const;
  double imaginary(std::size_t i) const;
};

// The value of an array constant. Errors: InvalidArgument for another opcode, for a tuple, and for a text that does not
// match the shape.
absl::StatusOr<Literal> literal(InstructionView constant);

// The arrays of a constant in depth-first order. An array constant has one.
absl::StatusOr<std::vector<Literal>> literal_leaves(InstructionView constant);

// The value of a constant with exactly one element. nullopt for other constants, floats and elided
// ones.
std::optional<std::int64_t> scalar_integer(InstructionView constant);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_LITERAL_H_

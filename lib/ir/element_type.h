// The columns of element_type.def that only the library reads.
#ifndef HLOROOF_LIB_IR_ELEMENT_TYPE_H_
#define HLOROOF_LIB_IR_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "hloroof/shape.h"

namespace hloroof::internal::inline ir {

enum class ElementKind : std::uint8_t { kPredicate, kSigned, kUnsigned, kFloat, kComplex, kToken, kOpaque, kAggregate };

// The type spelled `text`, which must be lower case; nullopt if there is none.
std::optional<ElementType> element_type_from_string(std::string_view text);
ElementKind kind(ElementType type);

// The width of one value in bits: 4 for s4, 16 for bf16, 128 for c128, 0 for token and aggregates.
int bits(ElementType type);

// The bytes of one element if the layout has no E(bits): 1 for s4 and pred, 0 for token and aggregates.
int bytes(ElementType type);

inline bool is_floating(ElementType type) { return kind(type) == ElementKind::kFloat; }
inline bool is_complex(ElementType type) { return kind(type) == ElementKind::kComplex; }

inline bool is_integral(ElementType type) {
  return kind(type) == ElementKind::kSigned || kind(type) == ElementKind::kUnsigned;
}

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_ELEMENT_TYPE_H_

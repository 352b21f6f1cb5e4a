// The element types of HLO arrays: bf16, f32, s4, pred and so on, generated from element_type.def.
#ifndef HLOROOF_ELEMENT_TYPE_H_
#define HLOROOF_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hloroof {
inline namespace v0 {

enum class ElementType : std::uint8_t {
#define HLOROOF_ELEMENT_TYPE(enumerator, text, number, bits, bytes, kind) enumerator,
#include "hloroof/element_type.def"
  kTuple,    // a tuple of shapes
  kBuffer,   // b(array): mutable memory that holds an array
  kInvalid,  // not a shape
};

enum class ElementKind : std::uint8_t { kPredicate, kSigned, kUnsigned, kFloat, kComplex, kToken, kOpaque, kAggregate };

// The spelling in HLO text ("bf16"); "tuple", "buffer" and "invalid" for kTuple, kBuffer and kInvalid.
std::string_view to_string(ElementType type);

// The type spelled `text`, which must be lower case; nullopt if there is none.
std::optional<ElementType> element_type_from_string(std::string_view text);

ElementKind kind(ElementType type);

// The width of one value in bits: 4 for s4, 16 for bf16, 128 for c128, 0 for token and aggregates.
int bits(ElementType type);

// The bytes of one element if the layout has no E(bits): 1 for s4 and pred, 0 for token and aggregates.
int bytes(ElementType type);

inline bool is_array_type(ElementType type) { return type < ElementType::kToken; }
inline bool is_floating(ElementType type) { return kind(type) == ElementKind::kFloat; }
inline bool is_complex(ElementType type) { return kind(type) == ElementKind::kComplex; }
inline bool is_integral(ElementType type) {
  return kind(type) == ElementKind::kSigned || kind(type) == ElementKind::kUnsigned;
}

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ELEMENT_TYPE_H_

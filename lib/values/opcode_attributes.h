// The required and allowed attributes of each opcode, from opcode_attributes.def.
#ifndef HLOROOF_LIB_VALUES_OPCODE_ATTRIBUTES_H_
#define HLOROOF_LIB_VALUES_OPCODE_ATTRIBUTES_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "hloroof/module.h"

namespace hloroof::internal::inline values {

// A set of attribute keys with one bit per key.
struct KeySet {
  std::uint64_t bits[2] = {0, 0};

  constexpr KeySet() = default;
  constexpr KeySet(std::initializer_list<AttributeKey> keys) {
    for (AttributeKey key : keys) insert(key);
  }
  constexpr void insert(AttributeKey key) { bits[index(key)] |= bit(key); }
  constexpr bool contains(AttributeKey key) const { return (bits[index(key)] & bit(key)) != 0; }
  constexpr bool contains_all(const KeySet& other) const {
    return (other.bits[0] & ~bits[0]) == 0 && (other.bits[1] & ~bits[1]) == 0;
  }
  constexpr KeySet operator|(const KeySet& other) const {
    KeySet both = *this;
    both.bits[0] |= other.bits[0];
    both.bits[1] |= other.bits[1];
    return both;
  }

 private:
  static constexpr unsigned index(AttributeKey key) { return static_cast<unsigned>(key) / 64; }
  static constexpr std::uint64_t bit(AttributeKey key) { return std::uint64_t{1} << (static_cast<unsigned>(key) % 64); }
};
static_assert(static_cast<unsigned>(AttributeKey::kUnknown) < 128);

struct OpcodeAttributes {
  KeySet required;
  KeySet allowed;     // includes the required and the common ones
  int operands = -1;  // the number of operands; -1 if it varies or if checks.cc has the rule
};

const OpcodeAttributes& opcode_attributes(Opcode opcode);

// The attributes of every opcode.
const KeySet& common_attribute_keys();

// The attributes of the HloModule line.
const KeySet& header_attribute_keys();

// `a, b, c`: the spellings in the order of attribute.def.
std::string to_string(const KeySet& keys);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_OPCODE_ATTRIBUTES_H_

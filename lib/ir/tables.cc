// Lookups in the three .def tables.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline ir {

namespace {

struct ElementTypeRow {
  std::string_view text;
  int bits;
  int bytes;
  ElementKind kind;
};

constexpr ElementKind kPredicate = ElementKind::kPredicate;
constexpr ElementKind kSigned = ElementKind::kSigned;
constexpr ElementKind kUnsigned = ElementKind::kUnsigned;
constexpr ElementKind kFloat = ElementKind::kFloat;
constexpr ElementKind kComplex = ElementKind::kComplex;
constexpr ElementKind kTokenKind = ElementKind::kToken;
constexpr ElementKind kOpaqueKind = ElementKind::kOpaque;

constexpr ElementTypeRow kElementTypes[] = {
#define kToken kTokenKind
#define kOpaque kOpaqueKind
#define HLOROOF_ELEMENT_TYPE(enumerator, text, number, bits, bytes, kind) {text, bits, bytes, kind},
#include "hloroof/element_type.def"
#undef kToken
#undef kOpaque
    {"tuple", 0, 0, ElementKind::kAggregate},
    {"buffer", 0, 0, ElementKind::kAggregate},
    {"invalid", 0, 0, ElementKind::kAggregate},
};

struct AttributeRow {
  std::string_view text;
  AttributeForm form;
};

constexpr AttributeRow kAttributes[] = {
#define HLOROOF_ATTRIBUTE(enumerator, text, value_form) {text, AttributeForm::value_form},
#include "hloroof/attribute.def"
    {"", AttributeForm::kRaw},
    {"", AttributeForm::kRaw},
};

constexpr std::string_view spelling(std::string_view text) { return text; }
template <typename Row>
constexpr std::string_view spelling(const Row& row) {
  return row.text;
}

// A constexpr hash table from a spelling to its row. It uses open addressing over a hash of the first four bytes, the
// last four bytes and the length, which distinguish nearly all spellings. Rows without a spelling are omitted. Each
// instruction needs one lookup of an opcode and two or three of attributes; this table made parsing 5 % faster than a
// general hash map did.
template <std::size_t kSlots>
class TextIndex {
 public:
  template <typename Rows>
  constexpr TextIndex(const Rows& rows, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = spelling(rows[i]);
      if (text.empty()) continue;
      std::size_t slot = first_slot(text);
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint8_t>(i + 1);
      keys_[i] = key_of(text);
    }
  }

  template <typename Enum, typename Rows>
  std::optional<Enum> find(const Rows& rows, std::string_view text) const {
    if (text.empty()) return std::nullopt;
    const std::size_t n = text.size();
    const std::uint64_t key = key_of(text);
    for (std::size_t slot = slot_of(key, n); slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const std::size_t i = slots_[slot] - std::size_t{1};
      // Key and length determine a spelling of up to eight bytes. Compare the middle of a longer one.
      const bool same = keys_[i] == key && spelling(rows[i]).size() == n &&
                        (n <= 8 || std::memcmp(spelling(rows[i]).data() + 4, text.data() + 4, n - 8) == 0);
      if (same) return static_cast<Enum>(i);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t key_of(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])); };
    const std::size_t n = text.size();
    return n >= 4 ? byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24 | byte(n - 4) << 32 | byte(n - 3) << 40 |
                        byte(n - 2) << 48 | byte(n - 1) << 56
                  : byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  static constexpr std::size_t slot_of(std::uint64_t key, std::size_t n) {
    return static_cast<std::size_t>(((key ^ n) * 0x9e3779b97f4a7c15u) >> 40) % kSlots;
  }
  static constexpr std::size_t first_slot(std::string_view text) { return slot_of(key_of(text), text.size()); }

  std::array<std::uint8_t, kSlots> slots_ = {};
  std::array<std::uint64_t, 160> keys_ = {};  // by row
};

constexpr TextIndex<128> kElementTypeIndex(kElementTypes, static_cast<std::size_t>(ElementType::kTuple));
constexpr TextIndex<1024> kOpcodeIndex(opcode_columns::kText, kOpcodeCount);
constexpr TextIndex<1024> kAttributeIndex(kAttributes, std::size(kAttributes));
static_assert(opcode_columns::kRows <= 160 && std::size(kAttributes) <= 160);

}  // namespace
ElementKind kind(ElementType type) { return kElementTypes[static_cast<int>(type)].kind; }
int bits(ElementType type) { return kElementTypes[static_cast<int>(type)].bits; }
int bytes(ElementType type) { return kElementTypes[static_cast<int>(type)].bytes; }

std::optional<ElementType> element_type_from_string(std::string_view text) {
  return kElementTypeIndex.find<ElementType>(kElementTypes, text);
}
AttributeForm form(AttributeKey key) { return kAttributes[static_cast<int>(key)].form; }

std::optional<AttributeKey> attribute_from_string(std::string_view text) {
  return kAttributeIndex.find<AttributeKey>(kAttributes, text);
}

std::optional<Opcode> opcode_from_string(std::string_view text) {
  return kOpcodeIndex.find<Opcode>(opcode_columns::kText, text);
}

std::vector<std::string> opcode_names() {
  std::vector<std::string> names;
  names.reserve(kOpcodeCount);
  for (int i = 0; i < kOpcodeCount; ++i) names.emplace_back(to_string(static_cast<Opcode>(i)));
  return names;
}

}  // namespace hloroof::internal::inline ir

namespace hloroof::inline v0 {
using namespace internal;

std::string_view to_string(ElementType type) { return kElementTypes[static_cast<int>(type)].text; }

std::string_view to_string(Opcode opcode) { return opcode_columns::kText[static_cast<std::size_t>(opcode)]; }
bool is_elementwise(Opcode opcode) {
  return work_class(opcode) == WorkClass::kElementwise || work_class(opcode) == WorkClass::kTranscendental;
}

std::string_view to_string(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllGather: return "all-gather";
    case CollectiveKind::kReduceScatter: return "reduce-scatter";
    case CollectiveKind::kAllReduce: return "all-reduce";
    case CollectiveKind::kAllToAll: return "all-to-all";
    case CollectiveKind::kRaggedAllToAll: return "ragged-all-to-all";
    case CollectiveKind::kCollectivePermute: return "collective-permute";
    case CollectiveKind::kCollectiveBroadcast: return "collective-broadcast";
    case CollectiveKind::kSend: return "send";
    case CollectiveKind::kRecv: return "recv";
  }
  return "";
}

std::string_view to_string(AttributeKey key) { return kAttributes[static_cast<int>(key)].text; }

}  // namespace hloroof::inline v0

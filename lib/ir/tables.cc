// What the three .def tables say, looked up.
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "hloroof/attribute.h"
#include "hloroof/element_type.h"
#include "hloroof/opcode.h"
#include "lib/base/strings.h"

namespace hloroof::inline v0 {
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

struct OpcodeRow {
  std::string_view text;
  int arity;
  bool shape_inferable;
  WorkClass work_class;
};

constexpr OpcodeRow kOpcodes[] = {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class) \
  {text, arity, shape_inferable, WorkClass::work_class},
#include "hloroof/opcode.def"
    {"unknown", -1, false, WorkClass::kCustomCall},
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

// Name to enumerator over one of the tables above; rows without a name are left out.
template <typename Enum, typename Rows>
absl::flat_hash_map<absl::string_view, Enum> index_by_text(const Rows& rows, std::size_t count) {
  absl::flat_hash_map<absl::string_view, Enum> index;
  for (std::size_t i = 0; i < count; ++i) {
    if (!rows[i].text.empty()) index.emplace(to_absl(rows[i].text), static_cast<Enum>(i));
  }
  return index;
}

template <typename Enum>
std::optional<Enum> find(const absl::flat_hash_map<absl::string_view, Enum>& index, std::string_view text) {
  const auto it = index.find(to_absl(text));
  if (it == index.end()) return std::nullopt;
  return it->second;
}

}  // namespace

std::string_view to_string(ElementType type) { return kElementTypes[static_cast<int>(type)].text; }
ElementKind kind(ElementType type) { return kElementTypes[static_cast<int>(type)].kind; }
int bits(ElementType type) { return kElementTypes[static_cast<int>(type)].bits; }
int bytes(ElementType type) { return kElementTypes[static_cast<int>(type)].bytes; }

std::optional<ElementType> element_type_from_string(std::string_view text) {
  static const auto& index = *new absl::flat_hash_map<absl::string_view, ElementType>(
      index_by_text<ElementType>(kElementTypes, static_cast<std::size_t>(ElementType::kTuple)));
  return find(index, text);
}

std::string_view to_string(Opcode opcode) { return kOpcodes[static_cast<int>(opcode)].text; }
int arity(Opcode opcode) { return kOpcodes[static_cast<int>(opcode)].arity; }
bool shape_inferable(Opcode opcode) { return kOpcodes[static_cast<int>(opcode)].shape_inferable; }
WorkClass work_class(Opcode opcode) { return kOpcodes[static_cast<int>(opcode)].work_class; }

std::optional<Opcode> opcode_from_string(std::string_view text) {
  static const auto& index =
      *new absl::flat_hash_map<absl::string_view, Opcode>(index_by_text<Opcode>(kOpcodes, kOpcodeCount));
  return find(index, text);
}

std::string_view to_string(AttributeKey key) { return kAttributes[static_cast<int>(key)].text; }
AttributeForm form(AttributeKey key) { return kAttributes[static_cast<int>(key)].form; }

std::optional<AttributeKey> attribute_from_string(std::string_view text) {
  static const auto& index = *new absl::flat_hash_map<absl::string_view, AttributeKey>(
      index_by_text<AttributeKey>(kAttributes, std::size(kAttributes)));
  return find(index, text);
}

}  // namespace hloroof::inline v0

#include "lib/mlir/attributes.h"

#include <cstddef>

#include "lib/mlir/bytes.h"
#include "lib/mlir/dense.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::string_view kBuiltin = "builtin";
constexpr std::uint32_t kMaxWidth = (1U << 24U) - 1;  // of an integer, as in MLIR

// Reads the parts of one attribute or type.
class EntryReader {
 public:
  EntryReader(const Module& module, const Encoded& entry)
      : module_(module), cursor(module.bytes, entry.begin, std::size_t{entry.begin} + entry.size) {}

  AttributeId attribute() {
    return AttributeId{cursor.index(module_.attributes.size(), "the index of an attribute is out of range")};
  }
  TypeId type() { return TypeId{cursor.index(module_.types.size(), "the index of a type is out of range")}; }

  std::string_view string() {
    const std::uint32_t index = cursor.index(module_.strings.size(), "the index of a string is out of range");
    return cursor.ok() ? module_.strings[index] : std::string_view();
  }

  // The value of an attribute that must be a string.
  std::string_view string_attribute() {
    const AttributeId id = attribute();
    if (!cursor.ok()) return {};
    const std::optional<std::string_view> value = mlir::string(module_, id);
    if (!value) cursor.fail("an attribute that must be a string is not one");
    return value.value_or(std::string_view());
  }

  std::vector<AttributeId> attributes() {
    std::vector<AttributeId> out(cursor.count());
    for (std::size_t i = 0; i < out.size() && cursor.ok(); ++i) out[i] = attribute();
    return out;
  }
  std::vector<TypeId> types() {
    std::vector<TypeId> out(cursor.count());
    for (std::size_t i = 0; i < out.size() && cursor.ok(); ++i) out[i] = type();
    return out;
  }
  std::vector<std::int64_t> signed_numbers() {
    std::vector<std::int64_t> out(cursor.count());
    for (std::size_t i = 0; i < out.size() && cursor.ok(); ++i) out[i] = cursor.signed_varint();
    return out;
  }

  // bits := byte               if the type has at most 8 bits
  //         signed             at most 64 bits
  //         count, signed*     the words of a wider integer
  std::vector<std::uint64_t> bits(std::uint32_t width) {
    if (width <= 8) return {cursor.byte()};
    if (width <= 64) return {static_cast<std::uint64_t>(cursor.signed_varint())};
    std::vector<std::uint64_t> words(cursor.count());
    for (std::size_t i = 0; i < words.size() && cursor.ok(); ++i) {
      words[i] = static_cast<std::uint64_t>(cursor.signed_varint());
    }
    if (words.size() > (width + 63) / 64) cursor.fail("an integer has more words than its type");
    return words;
  }

 private:
  const Module& module_;

 public:
  ByteCursor cursor;
};

bool is_builtin(const Module& module, const Encoded& entry) {
  return entry.is_binary && module.dialects[entry.dialect.index].name == kBuiltin;
}

// text := bytes, NUL
std::string_view text_of(ByteCursor& cursor) {
  const std::string_view text = cursor.c_string();
  if (cursor.ok() && cursor.remaining() > 0) cursor.fail("bytes follow the text of an attribute or type");
  return text;
}

// The bits of an integer or float type; 0 if it is another type.
std::uint32_t scalar_width(const Module& module, TypeId id) {
  const absl::StatusOr<Type> type = decode(module, id);
  return type.ok() ? bit_width(*type) : 0;
}

// file range := file, count, line and column numbers: none, begin line, begin line and column, begin line and column
// and
//               end column, or all four
void read_file_range(EntryReader& in, Attribute& out) {
  out.text = in.string_attribute();
  const std::uint32_t count = in.cursor.count();
  std::int64_t read[4] = {0, 0, 0, 0};
  if (count > 4) in.cursor.fail("a range of a file has more than four numbers");
  for (std::uint32_t i = 0; i < count && in.cursor.ok(); ++i) read[i] = static_cast<std::int64_t>(in.cursor.varint());
  const std::int64_t end_line = count == 4 ? read[2] : read[0];
  const std::int64_t end_column = count == 4 ? read[3] : count == 3 ? read[2] : read[1];
  out.numbers = {read[0], read[1], end_line, end_column};
}

// attribute := code varint, payload     the payload of each code is in the order of its case
void read_payload(const Module& module, EntryReader& in, Attribute& out) {
  ByteCursor& cursor = in.cursor;
  switch (out.kind) {
    case AttributeKind::kArray:
    case AttributeKind::kFusedLocation: out.elements = in.attributes(); return;
    case AttributeKind::kDictionary: {
      out.members.resize(cursor.count());
      for (NamedAttribute& member : out.members) {
        if (!cursor.ok()) return;
        member.name = in.string_attribute();
        member.value = in.attribute();
      }
      return;
    }
    case AttributeKind::kString: out.text = in.string(); return;
    case AttributeKind::kTypedString:
      out.text = in.string();
      out.type = in.type();
      return;
    case AttributeKind::kFlatSymbol: out.text = in.string_attribute(); return;
    case AttributeKind::kSymbol: {
      out.elements = {in.attribute()};
      const std::vector<AttributeId> nested = in.attributes();
      out.elements.insert(out.elements.end(), nested.begin(), nested.end());
      return;
    }
    case AttributeKind::kType: out.type = in.type(); return;
    case AttributeKind::kUnit:
    case AttributeKind::kUnknownLocation: return;
    case AttributeKind::kInteger:
    case AttributeKind::kFloat: {
      out.type = in.type();
      if (!cursor.ok()) return;
      const std::uint32_t width = scalar_width(module, out.type);
      if (width == 0) {
        cursor.fail("the type of a number is not a number");
        return;
      }
      out.words = in.bits(width);
      return;
    }
    case AttributeKind::kCallSiteLocation:
    case AttributeKind::kDistinct:
      out.elements.push_back(in.attribute());
      if (out.kind == AttributeKind::kCallSiteLocation) out.elements.push_back(in.attribute());
      return;
    case AttributeKind::kFileLocation: {
      out.text = in.string_attribute();
      const auto line = static_cast<std::int64_t>(cursor.varint());
      out.numbers = {line, static_cast<std::int64_t>(cursor.varint())};
      return;
    }
    case AttributeKind::kFusedLocationWithMetadata:
      out.elements = in.attributes();
      out.elements.push_back(in.attribute());
      return;
    case AttributeKind::kNameLocation:
      out.text = in.string_attribute();
      out.elements = {in.attribute()};
      return;
    case AttributeKind::kDenseResource: {
      out.type = in.type();
      const std::size_t count = module.resources.size() - module.external_resource_count;
      const std::uint32_t index = cursor.index(count, "the index of a resource is out of range");
      if (cursor.ok()) out.text = module.resources[module.external_resource_count + index].key;
      return;
    }
    case AttributeKind::kDenseArray:
      out.type = in.type();
      out.numbers = {static_cast<std::int64_t>(cursor.varint())};
      out.text = cursor.bytes(cursor.varint());
      return;
    case AttributeKind::kDenseElements:
      out.type = in.type();
      out.text = cursor.bytes(cursor.varint());
      return;
    case AttributeKind::kDenseStrings: {
      out.type = in.type();
      const bool is_splat = cursor.varint() != 0;
      while (cursor.ok() && cursor.remaining() > 0) out.strings.push_back(in.string());
      if (is_splat && out.strings.size() != 1) cursor.fail("equal strings are not written as one");
      return;
    }
    case AttributeKind::kSparseElements:
      out.type = in.type();
      out.elements = {in.attribute()};
      out.elements.push_back(in.attribute());
      return;
    case AttributeKind::kFileRangeLocation: read_file_range(in, out); return;
    case AttributeKind::kAffineMap: out.affine = read_affine_map(cursor); return;
    case AttributeKind::kIntegerSet: out.affine = read_integer_set(cursor); return;
    case AttributeKind::kStridedLayout: {
      out.numbers = {cursor.signed_varint()};
      const std::vector<std::int64_t> strides = in.signed_numbers();
      out.numbers.insert(out.numbers.end(), strides.begin(), strides.end());
      return;
    }
    case AttributeKind::kText:
    case AttributeKind::kUnknown: return;
  }
}

// type := code varint, payload     the payload of each code is in the order of its case
void read_payload(EntryReader& in, Type& out) {
  ByteCursor& cursor = in.cursor;
  switch (out.kind) {
    case TypeKind::kInteger: {
      const std::uint64_t head = cursor.varint();
      if (head >> 2U > kMaxWidth || head >> 2U == 0) cursor.fail("the width of an integer is out of range");
      if ((head & 3U) == 3) cursor.fail("the signedness of an integer is unknown");
      out.width = static_cast<std::uint32_t>(head >> 2U);
      out.signedness = static_cast<Signedness>(head & 3U);
      return;
    }
    case TypeKind::kFunction:
      out.inputs = in.types();
      out.results = in.types();
      return;
    case TypeKind::kTuple: out.inputs = in.types(); return;
    case TypeKind::kComplex:
    case TypeKind::kUnrankedMemRef:
    case TypeKind::kUnrankedTensor: out.element = in.type(); return;
    case TypeKind::kUnrankedMemRefInSpace:
      out.space_or_encoding = in.attribute();
      out.element = in.type();
      return;
    case TypeKind::kMemRef:
    case TypeKind::kMemRefInSpace:
      if (out.kind == TypeKind::kMemRefInSpace) out.space_or_encoding = in.attribute();
      out.shape = in.signed_numbers();
      out.element = in.type();
      out.layout = in.attribute();
      return;
    case TypeKind::kTensor:
    case TypeKind::kEncodedTensor:
      if (out.kind == TypeKind::kEncodedTensor) out.space_or_encoding = in.attribute();
      out.shape = in.signed_numbers();
      out.element = in.type();
      return;
    case TypeKind::kVector:
    case TypeKind::kScalableVector:
      if (out.kind == TypeKind::kScalableVector) {
        out.is_scalable.resize(cursor.count());
        for (std::size_t i = 0; i < out.is_scalable.size(); ++i) out.is_scalable[i] = cursor.byte() != 0;
      }
      out.shape = in.signed_numbers();
      out.element = in.type();
      if (out.kind == TypeKind::kScalableVector && out.is_scalable.size() != out.shape.size()) {
        cursor.fail("a vector has not one flag for each dimension");
      }
      return;
    default: return;  // floats, index, none: nothing follows
  }
}

template <typename Result, typename Kind>
absl::StatusOr<Result> decode_entry(const Module& module, const Encoded& entry, std::uint64_t known_codes) {
  EntryReader in(module, entry);
  Result out;
  if (!entry.is_binary) {
    out.kind = Kind::kText;
    out.text = text_of(in.cursor);
  } else {
    const std::uint64_t code = in.cursor.varint();
    if (!is_builtin(module, entry) || code >= known_codes) {
      out.kind = Kind::kUnknown;
      out.text = module.bytes.substr(entry.begin, entry.size);
      return out;
    }
    out.kind = static_cast<Kind>(code);
    if constexpr (std::is_same_v<Result, Attribute>) {
      read_payload(module, in, out);
    } else {
      read_payload(in, out);
    }
    if (in.cursor.ok() && in.cursor.remaining() > 0) in.cursor.fail("bytes follow an attribute or type");
  }
  if (!in.cursor.ok()) return in.cursor.status();
  return out;
}

// Calls fn(name index, value index) for the members of a dictionary until it returns false.
template <typename Function>
void for_each_member(const Module& module, AttributeId dictionary, Function&& fn) {
  if (!dictionary.valid() || !is_builtin(module, module.attributes[dictionary.index])) return;
  EntryReader in(module, module.attributes[dictionary.index]);
  if (in.cursor.varint() != static_cast<std::uint64_t>(AttributeKind::kDictionary)) return;
  const std::uint32_t count = in.cursor.count();
  for (std::uint32_t i = 0; i < count; ++i) {
    const AttributeId name = in.attribute();
    const AttributeId value = in.attribute();
    if (!in.cursor.ok() || !fn(name, value)) return;
  }
}

}  // namespace

absl::StatusOr<Attribute> decode(const Module& module, AttributeId id) {
  if (!id.valid()) return absl::NotFoundError("MLIR: there is no such attribute");
  return decode_entry<Attribute, AttributeKind>(module, module.attributes[id.index],
                                                static_cast<std::uint64_t>(AttributeKind::kText));
}

absl::StatusOr<Type> decode(const Module& module, TypeId id) {
  if (!id.valid()) return absl::NotFoundError("MLIR: there is no such type");
  return decode_entry<Type, TypeKind>(module, module.types[id.index], static_cast<std::uint64_t>(TypeKind::kText));
}

AttributeId find(const Module& module, AttributeId dictionary, std::string_view name) {
  AttributeId found;
  for_each_member(module, dictionary, [&](AttributeId key, AttributeId value) {
    if (string(module, key) != name) return true;
    found = value;
    return false;
  });
  return found;
}

AttributeId find(const Module& module, OpId op, std::string_view name) {
  const Op& row = module[op];
  const AttributeId found = find(module, row.attributes, name);
  return found.valid() ? found : find(module, row.properties, name);
}

std::optional<std::string_view> string(const Module& module, AttributeId id) {
  // A symbol refers to a string. A second step from there would be malformed.
  for (int step = 0; step < 2 && id.valid(); ++step) {
    const Encoded& entry = module.attributes[id.index];
    if (!is_builtin(module, entry)) return std::nullopt;
    EntryReader in(module, entry);
    const std::uint64_t code = in.cursor.varint();
    if (code == static_cast<std::uint64_t>(AttributeKind::kString)) {
      const std::string_view value = in.string();
      return in.cursor.ok() ? std::optional(value) : std::nullopt;
    }
    if (code != static_cast<std::uint64_t>(AttributeKind::kFlatSymbol)) return std::nullopt;
    id = in.attribute();
    if (!in.cursor.ok()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer(const Module& module, AttributeId id) {
  if (!id.valid()) return std::nullopt;
  const absl::StatusOr<Attribute> attribute = decode(module, id);
  if (!attribute.ok() || attribute->kind != AttributeKind::kInteger || attribute->words.size() != 1)
    return std::nullopt;
  const absl::StatusOr<Type> type = decode(module, attribute->type);
  if (!type.ok()) return std::nullopt;
  return extended(*type, attribute->words[0]);
}

std::optional<std::vector<std::int64_t>> integers(const Module& module, AttributeId id) {
  constexpr std::uint64_t kMaxExpanded = 1U << 20U;
  if (!id.valid()) return std::nullopt;
  const absl::StatusOr<Attribute> attribute = decode(module, id);
  if (!attribute.ok()) return std::nullopt;
  std::vector<std::int64_t> out;
  if (attribute->kind == AttributeKind::kArray) {
    for (const AttributeId element : attribute->elements) {
      const std::optional<std::int64_t> value = integer(module, element);
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }
  const absl::StatusOr<DenseView> dense = dense_view(module, *attribute);
  if (!dense.ok() || !is_integer(dense->element) || dense->parts != 1 || dense->count > kMaxExpanded)
    return std::nullopt;
  for (std::uint64_t i = 0; i < dense->count; ++i) {
    const std::optional<std::int64_t> value = extended(dense->element, dense->bits(i));
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace hloroof::internal::mlir

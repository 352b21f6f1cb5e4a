// Literals: LiteralProto.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/shape.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/float_format.h"
#include "lib/proto/fields.h"
#include "lib/proto/messages.h"

namespace hloroof::internal::inline proto {
namespace {

// The field of LiteralProto that holds the elements of a type; 0 if there is none. The fields of type `bytes` are
// little-endian; integers of at most a byte take one byte each.
std::uint32_t literal_field(ElementType type) {
  using enum ElementType;
  // From field 2 on; kInvalid: the field has no elements.
  static constexpr ElementType kTypes[] = {
      kPred,     kU8,  kS32,  kS64,           kU32,        kU64,        kF32,      kF64,      kInvalid,
      kF16,      kC64, kBf16, kInvalid,       kS8,         kU16,        kS16,      kC128,     kF8e5m2,
      kF8e4m3fn, kS4,  kU4,   kF8e4m3b11fnuz, kF8e5m2fnuz, kF8e4m3fnuz, kS2,       kU2,       kF8e4m3,
      kF8e3m4,   kS1,  kU1,   kF4e2m1fn,      kF8e8m0fnu,  kInvalid,    kF6e3m2fn, kF6e2m3fn,
  };
  if (type == kInvalid) return 0;
  const auto* const found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return found == std::end(kTypes) ? 0 : static_cast<std::uint32_t>(found - std::begin(kTypes)) + 2;
}

// Whether the field is of varints. Those of the others are of fixed numbers or of type `bytes`.
bool is_of_varints(ElementType type) {
  using enum ElementType;
  return type == kPred || type == kS32 || type == kS64 || type == kU32 || type == kU64;
}

// Whether `minor_to_major` is rank-1, ..., 1, 0, or empty.
bool is_row_major(absl::Span<const std::int64_t> minor_to_major) {
  for (std::size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<std::int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

// A literal stores its elements in the order of its layout. Element i of the result is the row-major position of the
// i-th stored one. Empty if `minor_to_major` is not a permutation of the dimensions, or if these do not have `count`
// elements.
std::vector<std::int64_t> elements_in_memory(absl::Span<const std::int64_t> dimensions,
                                             absl::Span<const std::int64_t> minor_to_major, std::int64_t count) {
  const std::size_t rank = dimensions.size();
  if (minor_to_major.size() != rank) return {};
  std::vector<std::int64_t> strides(rank, 0);  // 0 for a dimension that the order does not name yet
  for (std::int64_t dimension : minor_to_major) {
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank)) return {};
    std::int64_t& stride = strides[static_cast<std::size_t>(dimension)];
    if (stride != 0) return {};
    stride = 1;
  }
  std::int64_t total = 1;
  for (std::size_t d = rank; d-- > 0;) {
    strides[d] = total;
    if (dimensions[d] <= 0 || __builtin_mul_overflow(total, dimensions[d], &total) || total > count) return {};
  }
  if (total != count) return {};
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(count));
  std::vector<std::int64_t> at(rank, 0);
  std::int64_t position = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    order.push_back(position);
    for (std::int64_t dimension : minor_to_major) {
      const auto d = static_cast<std::size_t>(dimension);
      position += strides[d];
      if (++at[d] < dimensions[d]) break;
      position -= strides[d] * dimensions[d];
      at[d] = 0;
    }
  }
  return order;
}

// nan, or nan(0x123) if its payload is not the usual one.
std::string nan_text(const FloatFormat& format, std::uint64_t bits) {
  const bool negative =
      bits == nan_bits(format, true, 0) || (bits >> (format.exponent_bits + format.mantissa_bits)) != 0;
  const std::uint64_t payload = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const char* word = negative ? "-nan" : "nan";
  const bool is_usual = format.specials != FloatFormat::Specials::kIeee || bits == nan_bits(format, negative, 0);
  return is_usual ? word : absl::StrFormat("%s(0x%x)", word, payload);
}

// A text that reads back as the same value: %.6g for 32 bits or %.15g for 64 bits if that suffices, otherwise all
// digits of the type.
std::string float_text(ElementType type, std::uint64_t bits) {
  const FloatFormat format = float_format(type);
  const double value = value_of_bits(format, bits);
  if (std::isnan(value)) return nan_text(format, bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const int digits10 = type == ElementType::kF32 || type == ElementType::kC64    ? 6
                       : type == ElementType::kF64 || type == ElementType::kC128 ? 15
                                                                                 : 0;
  if (digits10 > 0) {
    std::string text = absl::StrFormat("%.*g", digits10, value);
    double read = 0;
    if (absl::SimpleAtod(text, &read) &&
        (digits10 == 15 ? read == value : static_cast<float>(read) == static_cast<float>(value))) {
      return text;
    }
  }
  // max_digits10 of a format whose mantissa has p bits including the hidden one: ceil(1 + p log10(2)).
  const int max_digits10 = static_cast<int>(std::ceil(1 + (format.mantissa_bits + 1) * std::log10(2.0)));
  return absl::StrFormat("%.*g", max_digits10, value);
}

// Iterates over the elements of one literal.
class Elements {
 public:
  Elements(const WireMessage& literal, ElementType type) : type_(type) {
    const auto width = static_cast<std::size_t>(bytes(type));
    const std::size_t part = is_complex() ? width / 2 : width;
    const std::uint32_t number = literal_field(type);
    if (is_of_varints(type)) {
      for (std::int64_t value : literal.integers(number)) append(static_cast<std::uint64_t>(value), part);
      return;
    }
    for (const WireField& field : literal.fields()) {
      if (field.number != number) continue;
      if (field.type == WireType::kBytes) {
        bytes_ += field.bytes;
      } else {
        append(field.value, part);
      }
    }
  }

  // Puts the elements, which are in the order of the layout, in row-major order. `order` is elements_in_memory().
  void reorder(const std::vector<std::int64_t>& order) {
    const auto width = static_cast<std::size_t>(bytes(type_));
    if (width == 0 || bytes_.size() != order.size() * width) return;
    std::string sorted(bytes_.size(), '\0');
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(sorted.data() + static_cast<std::size_t>(order[i]) * width, bytes_.data() + i * width, width);
    }
    bytes_ = std::move(sorted);
  }

  // Appends the next element. Returns false at the end.
  bool next(std::string& out) {
    const auto width = static_cast<std::size_t>(bytes(type_));
    std::uint64_t value = 0;
    std::uint64_t imaginary = 0;
    if (is_complex()) {
      if (!load(width / 2, value) || !load(width / 2, imaginary)) return false;
      absl::StrAppend(&out, "(", float_text(type_, value), ", ", float_text(type_, imaginary), ")");
      return true;
    }
    if (!load(width, value)) return false;
    const int unused = 64 - bits(type_);
    if (is_floating(type_)) {
      out += float_text(type_, value);
    } else if (kind(type_) == ElementKind::kSigned) {
      absl::StrAppend(&out, static_cast<std::int64_t>(value << unused) >> unused);
    } else {
      absl::StrAppend(&out, value << unused >> unused);
    }
    return true;
  }

 private:
  bool is_complex() const { return type_ == ElementType::kC64 || type_ == ElementType::kC128; }

  void append(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }

  bool load(std::size_t size, std::uint64_t& bits) {
    if (size == 0 || at_ + size > bytes_.size()) return false;
    bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    }
    at_ += size;
    return true;
  }

  ElementType type_;
  std::string bytes_;
  std::size_t at_ = 0;
};

// Rank 0: the value. Rank 1: {1, 2}. Rank 2 and above: { { 1, 2 }, { 3, 4 } }, with rows of one
// element written {1}.
bool append_nested(Elements& elements, const std::vector<std::int64_t>& dimensions, std::string& out) {
  const std::size_t rank = dimensions.size();
  std::vector<std::int64_t> at(rank, 0);
  std::size_t depth = 0;  // of open braces
  const auto is_spaced = [&](std::size_t d) { return rank > 1 && (d + 1 < rank || dimensions[d] > 1); };
  while (true) {
    if (depth < rank && (depth == 0 || at[depth - 1] < dimensions[depth - 1])) {
      // Descend into the next dimension.
      out += is_spaced(depth) ? "{ " : "{";
      at[depth++] = 0;
      if (dimensions[depth - 1] > 0) continue;
    }
    if (depth == rank && (rank == 0 || at[rank - 1] < dimensions[rank - 1])) {
      if (!elements.next(out)) return false;
      if (rank == 0) return true;
      if (++at[rank - 1] < dimensions[rank - 1]) {
        out += ", ";
        continue;
      }
    }
    // Leave the finished dimensions.
    while (depth > 0 && at[depth - 1] >= dimensions[depth - 1]) {
      out += is_spaced(depth - 1) ? " }" : "}";
      if (--depth == 0) return true;
      if (++at[depth - 1] < dimensions[depth - 1]) out += ", ";
    }
  }
}

// The number of elements, or nullopt if a dimension is negative or the number overflows.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& dimensions) {
  std::int64_t count = 1;
  for (std::int64_t dimension : dimensions) {
    if (dimension < 0 || __builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  }
  return count;
}

// Whether to elide an array. Rows without elements are printed too and no bytes limit their number, so empty dimensions
// count as one and only the usual number of rows is printed.
bool is_elided(const std::vector<std::int64_t>& dimensions, std::int64_t count, std::int64_t most_elements) {
  if (count > 0) return count > most_elements;
  std::int64_t rows = 1;
  for (std::int64_t dimension : dimensions) {
    if (dimension > kUsualElements) return true;
    rows *= std::max<std::int64_t>(dimension, 1);
    if (rows > kUsualElements) return true;
  }
  return false;
}

bool append_array(const WireMessage& literal, const WireMessage& shape, std::int64_t most_elements, std::string& out) {
  const std::optional<ElementType> type = element_type_of(shape.integer(fields::shape::kElementType));
  if (!type) return false;
  if (*type == ElementType::kToken) {
    out += "token";
    return true;
  }
  const std::vector<std::int64_t> dimensions = shape.integers(fields::shape::kDimensions);
  const std::optional<std::int64_t> count = element_count(dimensions);
  if (std::any_of(dimensions.begin(), dimensions.end(), [](std::int64_t dimension) { return dimension < 0; })) {
    return false;
  }
  const bool has_values = literal.has(literal_field(*type)) || count.value_or(1) == 0;
  if (!count || !has_values || is_elided(dimensions, *count, most_elements)) {
    out += "{...}";
    return true;
  }
  if (*type == ElementType::kPred && dimensions.empty()) {
    out += literal.integers(fields::literal::kPreds) == std::vector<std::int64_t>{1} ? "true" : "false";
    return true;
  }
  Elements elements(literal, *type);
  const std::vector<std::int64_t> layout =
      shape.message(fields::shape::kLayout).integers(fields::layout::kMinorToMajor);
  if (!is_row_major(layout)) elements.reorder(elements_in_memory(dimensions, layout, *count));
  return append_nested(elements, dimensions, out);
}

// The elements of a literal in the order of its layout.
class StoredElements {
 public:
  StoredElements(const Literal& literal, const Layout& layout)
      : literal_(literal), width_(static_cast<std::size_t>(bytes(literal.element_type))) {
    const std::size_t count = literal.size();
    if (!is_row_major(layout.minor_to_major)) {
      order_ = elements_in_memory(literal.dimensions, layout.minor_to_major, static_cast<std::int64_t>(count));
    }
  }

  std::size_t count() const { return literal_.size(); }
  const std::uint8_t* at(std::size_t i) const {
    return literal_.bytes.data() + (order_.empty() ? i : static_cast<std::size_t>(order_[i])) * width_;
  }
  std::size_t width() const { return width_; }

 private:
  const Literal& literal_;
  std::size_t width_;
  std::vector<std::int64_t> order_;
};

// The value of an integer or of a predicate as the proto's varint: sign-extended if it is signed.
std::uint64_t varint_of(const StoredElements& elements, std::size_t i, bool is_signed) {
  std::uint64_t bits = 0;
  for (std::size_t b = 0; b < elements.width(); ++b) bits |= std::uint64_t{elements.at(i)[b]} << (8 * b);
  if (elements.width() == 0 || elements.width() >= sizeof bits) return bits;
  const auto unused = static_cast<int>(64 - 8 * elements.width());
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused) : bits;
}

void append_elements(const Literal& literal, const Layout& layout, WireWriter& out) {
  const std::uint32_t field = literal_field(literal.element_type);
  const StoredElements elements(literal, layout);
  if (field == 0 || elements.count() == 0) return;
  std::string packed;
  if (is_of_varints(literal.element_type)) {
    const bool is_signed = kind(literal.element_type) == ElementKind::kSigned;
    packed.reserve(elements.count() * 2);
    for (std::size_t i = 0; i < elements.count(); ++i) append_varint(varint_of(elements, i, is_signed), packed);
  } else {
    // A value narrower than a byte takes one, and its other bits are 0.
    const int width = bits(literal.element_type);
    const auto mask = static_cast<std::uint8_t>(width < 8 ? (1U << width) - 1 : 0xffU);
    packed.reserve(elements.count() * elements.width());
    for (std::size_t i = 0; i < elements.count(); ++i) {
      for (std::size_t b = 0; b < elements.width(); ++b) packed += static_cast<char>(elements.at(i)[b] & mask);
    }
  }
  out.bytes(field, packed);
}

}  // namespace

// literal := array | '( ' literal (', ' literal)* ' )'       uses a stack instead of recursion
bool append_literal(std::string_view literal_proto, std::int64_t most_elements, std::string& out) {
  std::vector<std::vector<std::string_view>> open;  // the remaining elements of each open tuple, last first
  std::string_view bytes = literal_proto;
  while (true) {
    const WireMessage literal(bytes);
    const WireMessage shape = literal.message(fields::literal::kShape);
    if (!literal.ok() || !shape.ok()) return false;
    if (shape.integer(fields::shape::kElementType) != fields::shape::kTuple) {
      if (!append_array(literal, shape, most_elements, out)) return false;
    } else if (most_elements <= kUsualElements) {
      out += "{...}";
    } else {
      out += "( ";
      open.push_back(literal.all(fields::literal::kTuple));
      std::reverse(open.back().begin(), open.back().end());
      if (!open.back().empty()) {
        bytes = open.back().back();
        open.back().pop_back();
        continue;
      }
    }
    while (!open.empty() && open.back().empty()) {
      out += " )";
      open.pop_back();
    }
    if (open.empty()) return true;
    out += ", ";
    bytes = open.back().back();
    open.back().pop_back();
  }
}

std::string literal_proto(ShapeProtos& shapes, ShapeId id, absl::Span<const Literal> leaves, bool* elided) {
  struct Open {
    ShapeId id;
    std::size_t next = 0;
    WireWriter out;
  };
  std::vector<Open> open;
  std::size_t leaf = 0;
  ShapeId at = id;
  while (true) {
    Open& top = open.emplace_back();
    top.id = at;
    top.out.bytes(fields::literal::kShape, shapes.of(at));
    const Shape& shape = shapes.table()[at];
    if (!shape.is_tuple() && leaf < leaves.size()) {
      const Literal& array = leaves[leaf++];
      if (array.elided) *elided = true;
      append_elements(array, shape.layout, top.out);
    }
    // Close what is complete.
    while (true) {
      const Shape& of = shapes.table()[open.back().id];
      if (of.is_tuple() && open.back().next < of.elements.size()) break;
      std::string done = open.back().out.take();
      open.pop_back();
      if (open.empty()) return done;
      open.back().out.bytes(fields::literal::kTuple, done);
    }
    at = shapes.table()[open.back().id].elements[open.back().next++];
  }
}

}  // namespace hloroof::internal::inline proto

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/shape.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/float_format.h"
#include "lib/proto/fields.h"
#include "lib/proto/literal_layout.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal::inline proto {
namespace {

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
    const std::uint32_t field = literal_field(type);
    switch (type) {
      case ElementType::kPred:
      case ElementType::kS32:
      case ElementType::kS64:
      case ElementType::kU32:
      case ElementType::kU64: integers_ = literal.integers(field); return;
      case ElementType::kF32:
      case ElementType::kC64: collect_fixed(literal, field, 4); return;
      case ElementType::kF64:
      case ElementType::kC128: collect_fixed(literal, field, 8); return;
      default: bytes_ = literal.bytes(field); return;
    }
  }

  // Puts the elements, which are in the order of the layout, in row-major order. `order` is elements_in_memory().
  void reorder(const std::vector<std::int64_t>& order) {
    if (integers_.size() == order.size()) {
      std::vector<std::int64_t> sorted(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) sorted[static_cast<std::size_t>(order[i])] = integers_[i];
      integers_ = std::move(sorted);
      return;
    }
    const auto width = static_cast<std::size_t>(bytes(type_));
    if (width == 0 || bytes_.size() != order.size() * width) return;
    std::string sorted(bytes_.size(), '\0');
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(sorted.data() + static_cast<std::size_t>(order[i]) * width, bytes_.data() + i * width, width);
    }
    fixed_ = std::move(sorted);
    bytes_ = fixed_;
  }

  // Appends the next element. Returns false at the end.
  bool next(std::string& out) {
    switch (type_) {
      case ElementType::kPred:
      case ElementType::kS32:
      case ElementType::kS64: return next_integer([&](std::int64_t v) { absl::StrAppend(&out, v); });
      case ElementType::kU32:
      case ElementType::kU64:
        return next_integer([&](std::int64_t v) { absl::StrAppend(&out, static_cast<std::uint64_t>(v)); });
      case ElementType::kC64:
      case ElementType::kC128: {
        std::uint64_t re = 0;
        std::uint64_t im = 0;
        const std::size_t part = static_cast<std::size_t>(bytes(type_)) / 2;
        if (!load(part, re) || !load(part, im)) return false;
        absl::StrAppend(&out, "(", float_text(type_, re), ", ", float_text(type_, im), ")");
        return true;
      }
      default: break;
    }
    if (is_floating(type_)) {
      std::uint64_t value = 0;
      if (!load(static_cast<std::size_t>(bytes(type_)), value)) return false;
      out += float_text(type_, value);
      return true;
    }
    return next_small_integer(out);
  }

 private:
  void collect_fixed(const WireMessage& literal, std::uint32_t field, std::size_t size) {
    for (const WireField& f : literal.fields()) {
      if (f.number != field) continue;
      if (f.type == WireType::kBytes) {
        fixed_.append(f.bytes);
      } else {
        fixed_.append(reinterpret_cast<const char*>(&f.value), size);
      }
    }
    bytes_ = fixed_;
  }

  template <typename Append>
  bool next_integer(const Append& append) {
    if (at_ >= integers_.size()) return false;
    append(integers_[at_++]);
    return true;
  }

  bool load(std::size_t size, std::uint64_t& bits) {
    if (at_ + size > bytes_.size()) return false;
    bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    }
    at_ += size;
    return true;
  }

  bool next_small_integer(std::string& out) {
    std::uint64_t value = 0;
    if (!load(static_cast<std::size_t>(bytes(type_)), value)) return false;
    const int width = bits(type_);
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    const bool negative = kind(type_) == ElementKind::kSigned && (value >> (width - 1) & 1) != 0;
    if (negative) {
      absl::StrAppend(&out, static_cast<std::int64_t>(value) - (std::int64_t{1} << width));
    } else {
      absl::StrAppend(&out, value);
    }
    return true;
  }

  ElementType type_;
  std::vector<std::int64_t> integers_;
  std::string fixed_;
  std::string_view bytes_;
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

}  // namespace hloroof::internal::inline proto

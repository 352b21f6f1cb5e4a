#include <algorithm>

#include "lib/ir/element_type.h"
#include "lib/proto/encode.h"
#include "lib/proto/fields.h"
#include "lib/proto/literal_layout.h"

namespace hloroof::internal::inline proto {
namespace {

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
  switch (literal.element_type) {
    case ElementType::kPred:
    case ElementType::kS32:
    case ElementType::kS64:
    case ElementType::kU32:
    case ElementType::kU64: {
      const bool is_signed = kind(literal.element_type) == ElementKind::kSigned;
      packed.reserve(elements.count() * 2);
      for (std::size_t i = 0; i < elements.count(); ++i) append_varint(varint_of(elements, i, is_signed), packed);
      break;
    }
    default: {
      // A value narrower than a byte takes one, and its other bits are 0.
      const int width = bits(literal.element_type);
      const auto mask = static_cast<std::uint8_t>(width < 8 ? (1U << width) - 1 : 0xffU);
      packed.reserve(elements.count() * elements.width());
      for (std::size_t i = 0; i < elements.count(); ++i) {
        for (std::size_t b = 0; b < elements.width(); ++b) packed += static_cast<char>(elements.at(i)[b] & mask);
      }
    }
  }
  out.bytes(field, packed);
}

}  // namespace

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

#include "hloroof/shape.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/inlined_vector.h"
#include "lib/base/open_addressing.h"
#include "lib/ir/element_type.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline ir {

namespace {

constexpr std::size_t kMaxLeaves = std::size_t{1} << 20;
constexpr std::size_t kFewestSlots = 64;

std::uint64_t hash_of(const Shape& s) {
  std::uint64_t h = static_cast<std::uint64_t>(s.element_type) + 1;
  const auto mix = [&h](std::uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15u + (h >> 29); };
  const auto mix_list = [&mix](const std::vector<std::int64_t>& list) {
    mix(list.size());
    for (const std::int64_t v : list) mix(static_cast<std::uint64_t>(v));
  };
  mix_list(s.dimensions);
  mix_list(s.layout.minor_to_major);
  for (const Tile& t : s.layout.tiles) mix_list(t.dimensions);
  mix(static_cast<std::uint64_t>(s.layout.memory_space));
  mix(static_cast<std::uint64_t>(s.layout.element_size_in_bits));
  for (ShapeId e : s.elements) mix(e.index);
  return h;
}

void append_list(std::string& out, const std::vector<std::int64_t>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    out += values[i] == Tile::kCombine ? "*" : std::to_string(values[i]);
  }
}

// layout := '{' minor_to_major? ( ':' item* )? '}', with the items in the order that XLA requires. Appends nothing for
// the default layout of a scalar, because `f32[]{}` is not valid HLO.
void append_layout(std::string& out, const Shape& shape) {
  const Layout& l = shape.layout;
  if (!l.present) return;
  std::string items;
  if (!l.tiles.empty()) {
    items += 'T';
    for (const Tile& t : l.tiles) {
      items += '(';
      append_list(items, t.dimensions);
      items += ')';
    }
  }
  const auto item = [&items](const char* name, const std::string& value) {
    items += name;
    items += '(' + value + ')';
  };
  if (l.tail_padding_alignment != 1) item("L", std::to_string(l.tail_padding_alignment));
  if (l.index_type != ElementType::kInvalid) item("#", std::string(to_string(l.index_type)));
  if (l.pointer_type != ElementType::kInvalid) item("*", std::string(to_string(l.pointer_type)));
  if (l.element_size_in_bits != 0) item("E", std::to_string(l.element_size_in_bits));
  if (l.memory_space != 0) item("S", std::to_string(l.memory_space));
  if (!l.split_configs.empty()) {
    items += "SC";
    for (const SplitConfig& s : l.split_configs) {
      items += '(' + std::to_string(s.dimension) + ':';
      append_list(items, s.indices);
      items += ')';
    }
  }
  if (l.dynamic_shape_metadata_prefix_bytes > 0) item("M", std::to_string(l.dynamic_shape_metadata_prefix_bytes));
  if (l.minor_to_major.empty() && items.empty()) return;
  out += '{';
  append_list(out, l.minor_to_major);
  if (!items.empty()) out += ':' + items;
  out += '}';
}

}  // namespace

void append_leaf(std::string& out, const Shape& shape, ShapeText form) {
  out += to_string(shape.element_type);
  out += '[';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ',';
    if (shape.dimensions[i] == Shape::kUnboundedSize) {
      out += '?';
      continue;
    }
    if (is_dynamic(shape, i)) out += "<=";
    out += std::to_string(shape.dimensions[i]);
  }
  out += ']';
  if (form == ShapeText::kWithLayout) append_layout(out, shape);
}

namespace {

bool compatible_dimensions(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a == b) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != Shape::kUnboundedSize && b[i] != Shape::kUnboundedSize) return false;
  }
  return true;
}

}  // namespace

bool compatible(const ShapeTable& a_table, ShapeId a, const ShapeTable& b_table, ShapeId b, FloatTypes float_types) {
  // A pair of tuples with the same number of elements, and the position in both.
  struct Open {
    const Shape* a;
    const Shape* b;
    std::size_t next;
  };
  absl::InlinedVector<Open, 8> open;
  const auto differ = [&](ShapeId x_id, ShapeId y_id) -> bool {
    if (&a_table == &b_table && x_id == y_id) return false;
    const Shape& x = a_table[x_id];
    const Shape& y = b_table[y_id];
    const bool same_type =
        x.element_type == y.element_type ||
        (float_types == FloatTypes::kIgnore && is_floating(x.element_type) && is_floating(y.element_type));
    if (!same_type || !compatible_dimensions(x.dimensions, y.dimensions) || x.elements.size() != y.elements.size()) {
      return true;
    }
    if (!x.elements.empty()) open.push_back({&x, &y, 0});
    return false;
  };
  if (differ(a, b)) return false;
  while (!open.empty()) {
    const Open at = open.back();
    if (at.next == at.a->elements.size()) {
      open.pop_back();
      continue;
    }
    ++open.back().next;
    if (differ(at.a->elements[at.next], at.b->elements[at.next])) return false;
  }
  return true;
}

Shape canonical(Shape shape) {
  const bool is_unbounded = std::count(shape.dimensions.begin(), shape.dimensions.end(), Shape::kUnboundedSize) > 0;
  if (is_unbounded || !shape.dynamic_dimensions.empty()) {
    shape.dynamic_dimensions.resize(shape.dimensions.size(), 0);
    for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
      std::uint8_t& flag = shape.dynamic_dimensions[i];
      flag = flag != 0 || shape.dimensions[i] == Shape::kUnboundedSize ? 1 : 0;
    }
    if (std::count(shape.dynamic_dimensions.begin(), shape.dynamic_dimensions.end(), 1) == 0) {
      shape.dynamic_dimensions.clear();
    }
  }
  if (!shape.is_array()) shape.layout = {};
  Layout nothing;
  nothing.present = shape.layout.present;
  const bool states_nothing = shape.layout == nothing;
  shape.layout.present = states_nothing ? shape.layout.present && shape.rank() > 0 : true;
  if (!states_nothing && shape.layout.minor_to_major.empty()) {
    for (int d = shape.rank(); d-- > 0;) shape.layout.minor_to_major.push_back(d);
  }
  return shape;
}

void append_to(std::string& out, const ShapeTable& table, ShapeId id, ShapeText form) {
  // A tuple and the position in it. Text is written both before and after the elements.
  struct Open {
    ShapeId id;
    std::size_t next;
  };
  std::vector<Open> open;
  const auto begin = [&](ShapeId shape_id) {
    const Shape& shape = table[shape_id];
    if (shape.is_tuple()) {
      out += '(';
      open.push_back({shape_id, 0});
    } else if (shape.element_type == ElementType::kBuffer) {
      out += "b(";
      append_leaf(out, table[shape.elements.front()], form);
      out += ')';
    } else {
      append_leaf(out, shape, form);
    }
  };
  begin(id);
  while (!open.empty()) {
    const Shape& shape = table[open.back().id];
    const std::size_t i = open.back().next++;
    if (i == shape.elements.size()) {
      out += ')';
      open.pop_back();
      continue;
    }
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
    begin(shape.elements[i]);
  }
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t product = 1;
  for (std::int64_t d : shape.dimensions) {
    if (d == Shape::kUnboundedSize) continue;
    if (d == 0) return 0;
    if (__builtin_mul_overflow(product, d, &product)) product = std::numeric_limits<std::int64_t>::max();
  }
  return product;
}

}  // namespace hloroof::internal::inline ir

namespace hloroof::inline v0 {
using namespace internal;

// The public headers are C++17, which has no defaulted comparison. A structured binding names all members instead, so
// that a new member must be added here.
bool operator==(const Layout& a, const Layout& b) {
  const auto& [present, minor_to_major, tiles, tail_padding, index, pointer, element_size, memory, split, prefix] = a;
  return std::tie(present, minor_to_major, tiles, tail_padding, index, pointer, element_size, memory, split, prefix) ==
         std::tie(b.present, b.minor_to_major, b.tiles, b.tail_padding_alignment, b.index_type, b.pointer_type,
                  b.element_size_in_bits, b.memory_space, b.split_configs, b.dynamic_shape_metadata_prefix_bytes);
}

bool operator==(const Shape& a, const Shape& b) {
  const auto& [element_type, dimensions, dynamic_dimensions, layout, elements] = a;
  return std::tie(element_type, dimensions, dynamic_dimensions, layout, elements) ==
         std::tie(b.element_type, b.dimensions, b.dynamic_dimensions, b.layout, b.elements);
}

void ShapeTable::clear() {
  size_ = 0;
  parts_.clear();
  leaves_.clear();
  std::fill(slots_.begin(), slots_.end(), Slot());
}

// The slot of the next shape. It may still contain a shape from before clear().
Shape& ShapeTable::new_shape() {
  const std::size_t at = size_++;
  if (at / kBlock == blocks_.size()) blocks_.emplace_back();
  return blocks_[at / kBlock][at % kBlock];
}

ShapeId ShapeTable::intern(const Shape& shape) {
  const auto is_used = [](const Slot& slot) { return slot.id.valid(); };
  if (2 * (size_ + 1) > slots_.size()) {
    grow_slots(slots_, kFewestSlots, is_used, [](const Slot& slot) { return slot.hash; });
  }
  const std::uint64_t wide_hash = hash_of(shape);
  const auto hash = static_cast<std::uint32_t>(wide_hash ^ (wide_hash >> 32));
  Slot& slot = probe(slots_.data(), slots_.size() - 1, hash, is_used,
                     [&](const Slot& s) { return s.hash == hash && (*this)[s.id] == shape; });
  if (is_used(slot)) return slot.id;
  const ShapeId id(size_);
  slot = {hash, id};
  new_shape() = shape;
  Parts parts;
  parts.leaf_begin = leaves_.size();
  if (shape.is_tuple()) {
    for (ShapeId e : shape.elements) {
      const Parts inner = parts_[e.index];
      const std::size_t room = kMaxLeaves - std::min(kMaxLeaves, leaves_.size() - parts.leaf_begin);
      const std::size_t count = std::min<std::size_t>(room, inner.leaf_count);
      for (std::size_t i = 0; i < count; ++i) leaves_.push_back(leaves_[inner.leaf_begin + i]);
      parts.depth = std::max(parts.depth, inner.depth + 1);
    }
  } else {
    leaves_.push_back(shape.element_type == ElementType::kBuffer ? shape.elements.front() : id);
  }
  parts.leaf_count = static_cast<std::uint32_t>(leaves_.size() - parts.leaf_begin);
  parts_.push_back(parts);
  return id;
}

std::string to_string(const ShapeTable& table, ShapeId id, ShapeText form) {
  std::string out;
  append_to(out, table, id, form);
  return out;
}

}  // namespace hloroof::inline v0

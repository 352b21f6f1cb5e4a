#include "lib/values/shape_parser.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "lib/ir/element_type.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline values {
namespace {

constexpr std::size_t kFirstCapacity = 256;
constexpr std::ptrdiff_t kLongestArray = 512;  // longer texts of arrays are not cached

// A guess of the end of the shape that begins at `p`: after the `]` and layout of an array, or after the `)` of a
// tuple. Null if there is something unusual, including more than `max_depth` nested parentheses, which read_tuple
// handles. A wrong guess is harmless: the prefix is only a cache key, and a hit means that it was parsed in full
// before.
const char* shape_end(const char* p, const char* end, int max_depth) {
  if (*p == '(') {
    int depth = 0;
    do {
      p = find_first_of<'(', ')'>(p, end);
      if (p == end) return nullptr;
      depth += *p == '(' ? 1 : -1;
      if (depth > max_depth) return nullptr;
      ++p;
    } while (depth > 0);
    return p;
  }
  end = std::min(end, p + std::min<std::ptrdiff_t>(end - p, kLongestArray));
  p = find_first_of<']'>(p, end);
  if (p == end) return nullptr;
  const char* layout = ++p;
  while (is_space(*layout)) ++layout;
  if (*layout != '{') return *layout == '/' ? nullptr : p;
  const bool glued = layout++ == p;
  if (glued && (is_digit(*layout) || *layout == ':')) {
    p = find_first_of<'}'>(layout, end);
    return p == end ? nullptr : p + 1;
  }
  // A brace after white space opens a body, as in `-> f32[] {`, unless it is a layout.
  while (is_space(*layout)) ++layout;
  return is_digit(*layout) || *layout == ':' || *layout == '-' || *layout == '/' ? nullptr : p;
}

}  // namespace

bool at_shape(Cursor& cursor) {
  const char c = cursor.peek();
  if (c == '(') return true;
  if (!is_word_start(c)) return false;
  const char* p = cursor.at() + 1;  // types have three or four letters, too few for a scan by blocks
  while (is_word(*p)) ++p;
  if (*p == '[') return true;  // only a type is followed by a bracket here; read_array reports an unknown type
  if (*p == ':' || *p == '=') return false;
  const std::string_view word(cursor.at(), static_cast<std::size_t>(p - cursor.at()));
  if (word == "b") {
    const char* from = cursor.at();
    cursor.move_to(p);
    const bool is_buffer = cursor.peek() == '(';
    cursor.move_to(from);
    return is_buffer;
  }
  return element_type_from_string(word).has_value();
}

ElementType accept_element_type(Cursor& cursor) {
  cursor.skip_space();
  const char* from = cursor.at();
  const std::string_view word = cursor.accept_word();
  if (!word.empty() && *cursor.at() != ':' && *cursor.at() != '=') {
    if (const std::optional<ElementType> type = element_type_from_string(word)) return *type;
  }
  cursor.move_to(from);
  return ElementType::kInvalid;
}

void ShapeParser::start(ShapeTable* table, std::size_t bytes, std::size_t arrays) {
  table_ = table;
  max_leaves_ = max_shape_parts(bytes);
  listed_leaves_ = 0;
  exceeded_limit_ = false;
  if (++generation_ == 0) {  // wrapped around: reset the generation of all entries
    cache_.clear();
    generation_ = 1;
  }
  cached_ = 0;
  if (cache_.empty()) cache_.resize(kFirstCapacity);
  arrays_.start(arrays);
}

bool ShapeParser::read(Cursor& cursor, ShapeId* id) {
  if (cursor.peek() != '(') return read_array_or_buffer(cursor, id);
  const char* begin = cursor.at();
  const char* end = shape_end(begin, cursor.end(), cursor.max_depth() - cursor.depth());
  if (end == nullptr) return read_tuple(cursor, id);
  const std::uint32_t size = static_cast<std::uint32_t>(end - begin);
  const std::uint32_t hash = hash_bytes(begin, size, cursor.end());
  if (const Cached* entry = find(begin, size, hash, id != nullptr)) {
    if (id != nullptr) *id = entry->id;
    cursor.move_to(end);
    return true;
  }
  ShapeId read_id;
  if (!read_tuple(cursor, id == nullptr ? nullptr : &read_id)) return false;
  if (id != nullptr) *id = read_id;
  if (cursor.at() == end) remember(begin, size, hash, read_id);
  return true;
}

const ShapeParser::Cached* ShapeParser::find(const char* text, std::uint32_t size, std::uint32_t hash,
                                             bool with_id) const {
  const auto is_used = [&](const Cached& entry) { return entry.generation == generation_; };
  const Cached& entry = probe(cache_.data(), cache_.size() - 1, hash, is_used, [&](const Cached& e) {
    return e.hash == hash && e.size == size && equal_bytes(e.text, text, size) && (e.id.valid() || !with_id);
  });
  return is_used(entry) ? &entry : nullptr;
}

// shape  := array | tuple | buffer
//
// Also reads the elements of tuples, because a new tuple consists of elements that are in the cache.
bool ShapeParser::read_array_or_buffer(Cursor& cursor, ShapeId* id) {
  cursor.skip_space();
  ArrayText text;
  const char* end = array_end(cursor.at(), cursor.end(), &text);
  if (end == nullptr) return read_long_array(cursor, id);
  ArrayTexts::Entry& entry = arrays_.at(text);
  if (arrays_.holds(entry) && (entry.id.valid() || id == nullptr)) {
    if (id != nullptr) *id = entry.id;
    cursor.move_to(end);
    return true;
  }
  ShapeId read_id;
  if (!read_new_array(cursor, id == nullptr ? nullptr : &read_id)) return false;
  if (id != nullptr) *id = read_id;
  if (cursor.at() == end) arrays_.set(entry, text, read_id);
  return true;
}

bool ShapeParser::read_long_array(Cursor& cursor, ShapeId* id) {
  const char* begin = cursor.at();
  const char* end = shape_end(begin, cursor.end(), 0);
  std::uint32_t size = 0;
  std::uint32_t hash = 0;
  if (end != nullptr) {
    size = static_cast<std::uint32_t>(end - begin);
    hash = hash_bytes(begin, size, cursor.end());
    if (const Cached* entry = find(begin, size, hash, id != nullptr)) {
      if (id != nullptr) *id = entry->id;
      cursor.move_to(end);
      return true;
    }
  }
  ShapeId read_id;
  if (!read_new_array(cursor, id == nullptr ? nullptr : &read_id)) return false;
  if (id != nullptr) *id = read_id;
  if (cursor.at() == end) remember(begin, size, hash, read_id);
  return true;
}

// buffer := 'b' '(' array ')'
bool ShapeParser::read_new_array(Cursor& cursor, ShapeId* id) {
  const bool is_buffer = cursor.accept_keyword("b");
  if (is_buffer && !cursor.expect('(')) return false;
  if (!read_array(cursor)) return false;
  if (is_buffer && !cursor.expect(')')) return false;
  if (id == nullptr) return true;
  *id = table_->intern(array_);
  if (is_buffer) {
    tuple_.element_type = ElementType::kBuffer;
    tuple_.elements.assign(1, *id);
    *id = table_->intern(tuple_);
  }
  return true;
}

void ShapeParser::remember(const char* text, std::uint32_t size, std::uint32_t hash, ShapeId id) {
  const auto is_used = [&](const Cached& entry) { return entry.generation == generation_; };
  if (2 * (cached_ + 1) > cache_.size()) {
    grow_slots(cache_, kFirstCapacity, is_used, [](const Cached& entry) { return entry.hash; });
  }
  probe(cache_.data(), cache_.size() - 1, hash, is_used, [](const Cached&) { return false; }) = {text, size, hash,
                                                                                                 generation_, id};
  ++cached_;
}

// tuple  := '(' list(shape) ')'
bool ShapeParser::read_tuple(Cursor& cursor, ShapeId* id) {
  const int depth = cursor.depth();
  open_.clear();
  elements_.clear();
  ShapeId done;
  while (true) {
    // The start of a shape.
    cursor.skip_space();
    const char* begin = cursor.at();
    if (cursor.accept('(')) {
      if (!cursor.enter()) return false;
      open_.push_back({elements_.size(), begin});
      if (cursor.peek() != ')') continue;  // its first element
    } else {
      if (!read_array_or_buffer(cursor, id == nullptr ? nullptr : &done)) return false;
      elements_.push_back(done);
      if (cursor.accept(',')) continue;
    }
    // Close the tuples that end here.
    bool finished = false;
    while (true) {
      if (!cursor.expect(')')) return cursor.fail(open_.back().begin, "error in this tuple shape");
      if (id != nullptr) {
        tuple_.element_type = ElementType::kTuple;
        tuple_.elements.assign(elements_.begin() + static_cast<std::ptrdiff_t>(open_.back().first), elements_.end());
        done = table_->intern(tuple_);
        listed_leaves_ += table_->leaves(done).size();
        if (listed_leaves_ > max_leaves_) {
          exceeded_limit_ = true;
          return cursor.fail(open_.back().begin,
                             "shapes have more parts than the limit of " + std::to_string(max_leaves_));
        }
      }
      elements_.resize(open_.back().first);
      open_.pop_back();
      cursor.leave();
      if (open_.empty()) {
        finished = true;
        break;
      }
      elements_.push_back(done);
      if (cursor.accept(',')) break;
    }
    if (finished) break;
  }
  cursor.set_depth(depth);
  if (id != nullptr) *id = done;
  return true;
}

// array := PRIM '[' list(dim) ']' layout?
bool ShapeParser::read_array(Cursor& cursor) {
  array_.dimensions.clear();
  array_.dynamic_dimensions.clear();
  array_.layout.present = false;
  array_.layout.minor_to_major.clear();
  for (Tile& tile : array_.layout.tiles) spare_.push_back(std::move(tile.dimensions));
  array_.layout.tiles.clear();
  array_.layout.tail_padding_alignment = 1;
  array_.layout.index_type = array_.layout.pointer_type = ElementType::kInvalid;
  array_.layout.element_size_in_bits = 0;
  array_.layout.memory_space = 0;
  for (SplitConfig& split : array_.layout.split_configs) spare_.push_back(std::move(split.indices));
  array_.layout.split_configs.clear();
  array_.layout.dynamic_shape_metadata_prefix_bytes = 0;

  array_.element_type = accept_element_type(cursor);
  if (array_.element_type == ElementType::kInvalid) return cursor.fail_expects("a shape");
  if (!read_dimensions(cursor)) return false;

  // A `{` is a layout if and only if an integer or a colon follows. Otherwise it is a body, or an error that the caller
  // reports.
  if (cursor.peek() != '{') return true;
  const char* begin = cursor.at();
  cursor.move_to(begin + 1);
  const char next = cursor.peek();
  cursor.move_to(begin);
  const bool starts_integer = is_digit(next) || next == '-';
  if (!starts_integer && next != ':') return true;
  return read_layout(cursor) && check_layout(cursor, begin);
}

// dim := INT | '<=' INT | '?'
bool ShapeParser::read_dimensions(Cursor& cursor) {
  if (!cursor.expect('[')) return false;
  if (cursor.accept(']')) return true;
  do {
    bool dynamic = false;
    std::int64_t size = Shape::kUnboundedSize;
    if (cursor.accept('?')) {
      dynamic = true;
    } else {
      dynamic = cursor.accept("<=");
      cursor.skip_space();
      const char* at = cursor.at();
      if (!cursor.read_integer(&size)) return false;
      if (size < 0) return cursor.fail(at, "a dimension is negative or does not fit 63 bits");
    }
    if (dynamic) array_.dynamic_dimensions.resize(array_.dimensions.size(), 0);
    array_.dimensions.push_back(size);
    if (dynamic || !array_.dynamic_dimensions.empty()) array_.dynamic_dimensions.push_back(dynamic ? 1 : 0);
  } while (cursor.accept(','));
  return cursor.expect(']');
}

// layout := '{' minor_to_major? ( ':' item* )? '}'
bool ShapeParser::read_layout(Cursor& cursor) {
  Layout& layout = array_.layout;
  layout.present = true;
  if (!cursor.expect('{')) return false;
  if (cursor.peek() != ':') {
    do {
      std::int64_t dimension = 0;
      if (!cursor.read_integer(&dimension)) return false;
      layout.minor_to_major.push_back(dimension);
    } while (cursor.accept(','));
  }
  if (cursor.accept(':') && !read_layout_items(cursor)) return false;
  // An empty layout {:} of a scalar counts as no layout.
  if (array_.dimensions.empty()) {
    Layout nothing;
    nothing.present = true;
    if (layout == nothing) layout.present = false;
  }
  return cursor.expect('}');
}

// item, each at most once and in this order:
//   'D' '(' list(('D'|'C'|'S'|'H') '+'? '~'?) ')'   'T' ('(' list(INT | '*') ')')+   'L' '(' INT ')'   '#' '(' type ')'
//   '*' '(' type ')'   'E' '(' INT ')'   'S' '(' INT ')'   'SC' ('(' INT ':' list(INT) ')')+   'P' '(' shape ')'
//   'M' '(' INT ')'
bool ShapeParser::read_layout_items(Cursor& cursor) {
  Layout& layout = array_.layout;
  const auto parenthesised = [&cursor](std::int64_t* value) {
    return cursor.expect('(') && cursor.read_integer(value) && cursor.expect(')');
  };
  const auto type_in_parentheses = [&cursor](ElementType* type) {
    if (!cursor.expect('(')) return false;
    *type = accept_element_type(cursor);
    return *type != ElementType::kInvalid ? cursor.expect(')') : cursor.fail_expects("an element type");
  };
  if (cursor.accept_keyword("D")) {
    // Dimension level types of sparse arrays are obsolete; skip them.
    if (!cursor.expect('(')) return false;
    do {
      if (!cursor.accept_keyword("D") && !cursor.accept_keyword("C") && !cursor.accept_keyword("S") &&
          !cursor.accept_keyword("H")) {
        return cursor.fail_expects("a dimension level type D, C, S or H");
      }
      cursor.accept('+');
      cursor.accept('~');
    } while (cursor.accept(','));
    if (!cursor.expect(')')) return false;
  }
  if (cursor.accept_keyword("T")) {
    do {
      if (!cursor.expect('(')) return false;
      Tile tile;
      tile.dimensions = take_spare();
      do {
        std::int64_t size = Tile::kCombine;
        cursor.skip_space();
        const char* at = cursor.at();
        if (!cursor.accept('*')) {
          if (!cursor.read_integer(&size)) return false;
          if (size <= 0) return cursor.fail(at, "a tile dimension must be positive");
        }
        tile.dimensions.push_back(size);
      } while (cursor.accept(','));
      if (!cursor.expect(')')) return false;
      layout.tiles.push_back(std::move(tile));
    } while (cursor.peek() == '(');
  }
  if (cursor.accept_keyword("L") && !parenthesised(&layout.tail_padding_alignment)) return false;
  if (cursor.accept('#') && !type_in_parentheses(&layout.index_type)) return false;
  if (cursor.accept('*') && !type_in_parentheses(&layout.pointer_type)) return false;
  if (cursor.accept_keyword("E") && !parenthesised(&layout.element_size_in_bits)) return false;
  if (cursor.accept_keyword("S") && !parenthesised(&layout.memory_space)) return false;
  if (cursor.accept_keyword("SC")) {
    do {
      SplitConfig split;
      split.indices = take_spare();
      if (!cursor.expect('(') || !cursor.read_integer(&split.dimension) || !cursor.expect(':')) return false;
      do {
        std::int64_t index = 0;
        if (!cursor.read_integer(&index)) return false;
        split.indices.push_back(index);
      } while (cursor.accept(','));
      if (!cursor.expect(')')) return false;
      layout.split_configs.push_back(std::move(split));
    } while (cursor.peek() == '(');
  }
  if (cursor.peek() == 'P') {
    const char* at = cursor.at();
    if (cursor.accept_keyword("P"))
      return cursor.fail(at, "a physical shape is only for sparse arrays, this one is dense");
  }
  if (cursor.accept_keyword("M")) {
    cursor.skip_space();
    const char* at = cursor.at();
    if (!parenthesised(&layout.dynamic_shape_metadata_prefix_bytes)) return false;
    if (layout.dynamic_shape_metadata_prefix_bytes < 0) {
      return cursor.fail(at, "the metadata prefix must not be negative");
    }
  }
  return true;
}

// Returns an empty list that reuses the memory of an earlier one if possible.
std::vector<std::int64_t> ShapeParser::take_spare() {
  std::vector<std::int64_t> list;
  if (spare_.empty()) return list;
  list.swap(spare_.back());
  spare_.pop_back();
  list.clear();
  return list;
}

bool ShapeParser::check_layout(Cursor& cursor, const char* begin) {
  const Layout& layout = array_.layout;
  const std::size_t rank = array_.dimensions.size();
  if (layout.minor_to_major.size() != rank) {
    return cursor.fail(begin, "Dimensions size is " + std::to_string(rank) + ", but minor to major size is " +
                                  std::to_string(layout.minor_to_major.size()) + ".");
  }
  // Each dimension must occur once. Ranks over 64 do not occur in practice, so they take a quadratic check.
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t d = layout.minor_to_major[i];
    bool repeated = d < 0 || d >= static_cast<std::int64_t>(rank);
    if (!repeated && rank <= 64) {
      repeated = (seen >> d & 1) != 0;
      seen |= std::uint64_t{1} << d;
    } else if (!repeated) {
      repeated =
          std::find(layout.minor_to_major.begin(), layout.minor_to_major.begin() + static_cast<std::ptrdiff_t>(i), d) !=
          layout.minor_to_major.begin() + static_cast<std::ptrdiff_t>(i);
    }
    if (repeated) return cursor.fail(begin, "the minor to major order must name each dimension once");
  }
  if (layout.tail_padding_alignment < 1) return cursor.fail(begin, "the tail padding alignment L() must be 1 or more");
  if (layout.element_size_in_bits < 0) return cursor.fail(begin, "the element size E() must not be negative");
  for (std::size_t i = 0; i < layout.split_configs.size(); ++i) {
    const SplitConfig& split = layout.split_configs[i];
    if (split.dimension < 0 || split.dimension >= static_cast<std::int64_t>(rank)) {
      return cursor.fail(begin,
                         "a split names dimension " + std::to_string(split.dimension) + " of " + std::to_string(rank));
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (layout.split_configs[k].dimension == split.dimension) {
        return cursor.fail(begin, "dimension " + std::to_string(split.dimension) + " is split twice");
      }
    }
    const std::int64_t dimension = layout.minor_to_major[rank - 1 - static_cast<std::size_t>(split.dimension)];
    const std::int64_t size = array_.dimensions[static_cast<std::size_t>(dimension)];
    std::int64_t last = 0;
    for (std::int64_t index : split.indices) {
      if (index <= last || (size != Shape::kUnboundedSize && index >= size)) {
        return cursor.fail(begin, "split indices must increase inside the dimension");
      }
      last = index;
    }
  }
  return true;
}

bool read_shape(Cursor& cursor, ShapeTable* table, ShapeId* id) {
  ShapeParser parser;
  parser.start(table);
  return parser.read(cursor, id);
}

}  // namespace hloroof::internal::inline values

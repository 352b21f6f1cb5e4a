// Parses literals, which are the values of constants, and checks them against their shape.
#include <cmath>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_format.h"
#include "lib/ir/element_type.h"
#include "lib/ir/float_format.h"
#include "lib/values/literal.h"
#include "lib/values/shape_parser.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

void append_bytes(std::uint64_t bits, int count, Literal* out) {
  for (int i = 0; i < count; ++i) out->bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

std::string spelled(ElementType type) { return std::string(to_string(type)); }

// Parses scalars of one element type. Precomputes everything that depends only on the type, because a literal may have
// millions of elements.
class ScalarReader {
 public:
  ScalarReader(Cursor& cursor, ElementType type, Literal* out)
      : cursor_(cursor), type_(type), kind_(kind(type)), bytes_(bytes(type)), out_(out) {
    if (kind_ == ElementKind::kFloat || kind_ == ElementKind::kComplex) {
      format_ = float_format(type);
      lowest_ = smallest_finite(format_);
      highest_ = largest_finite(format_);
      // A value strictly inside the range rounds to a finite value, except in a format without zero.
      inner_ = format_.specials == FloatFormat::Specials::kPowersOfTwo ? -1 : highest_;
    } else if (kind_ != ElementKind::kPredicate) {
      const int width = bits(type);
      const bool is_signed = kind_ == ElementKind::kSigned;
      low_ = is_signed ? static_cast<std::int64_t>(~std::uint64_t{0} << (width - 1)) : 0;
      high_ = is_signed ? -(low_ + 1) : width == 64 ? -1 : static_cast<std::int64_t>((std::uint64_t{1} << width) - 1);
      any_bits_ = width == 64 && !is_signed;
    }
  }

  // scalar := INT | DECIMAL | 'inf' | '-inf' | 'nan' | 'true' | 'false' | '(' number ',' number ')'
  bool read(char first) {
    switch (kind_) {
      case ElementKind::kPredicate: return read_predicate(first);
      case ElementKind::kSigned:
      case ElementKind::kUnsigned: return read_integral();
      case ElementKind::kFloat: return read_part();
      case ElementKind::kComplex:
        if (first != '(') return cursor_.fail_expects("a complex value (real, imaginary)");
        return cursor_.expect('(') && read_part() && cursor_.expect(',') && read_part() && cursor_.expect(')');
      default: return cursor_.fail("no literal of type " + spelled(type_));
    }
  }

 private:
  bool read_predicate(char first) {
    bool truth = false;
    if (first == 't' || first == 'f') {
      if (!cursor_.read_bool(&truth)) return false;
    } else {
      std::int64_t value = 0;
      if (!read_integer(cursor_, &value)) return false;
      truth = value != 0;
    }
    if (out_ != nullptr) out_->bytes.push_back(truth ? 1 : 0);
    return true;
  }

  bool read_integral() {
    const char* where = cursor_.at();
    std::int64_t value = 0;
    if (!read_integer(cursor_, &value)) return false;
    if (!any_bits_ && (value < low_ || value > high_)) {
      return cursor_.fail(where, "value " + std::to_string(value) + " is out of range for literal's primitive type " +
                                     spelled(type_) + ", namely [" + std::to_string(low_) + ", " +
                                     std::to_string(high_) + "]");
    }
    // A value narrower than a byte is sign-extended to one byte.
    if (out_ != nullptr) append_bytes(static_cast<std::uint64_t>(value), bytes_, out_);
    return true;
  }

  // A float, or one part of a complex value.
  bool read_part() {
    cursor_.skip_space();
    const char* where = cursor_.at();
    Number number;
    if (!cursor_.read_number(&number)) return false;
    std::uint64_t stored = 0;
    if (number.kind == Number::kNan) {
      const std::uint64_t largest = largest_nan_payload(format_);
      if (number.has_payload && number.payload > largest) {
        return cursor_.fail(where, largest == 0 ? spelled(type_) + " does not support NaN payloads"
                                                : absl::StrFormat("NaN payload 0x%x is out of range (0x%x) for %s",
                                                                  number.payload, largest, spelled(type_)));
      }
      stored = nan_bits(format_, number.negative, number.payload);
    } else {
      double value = number.kind == Number::kInteger ? static_cast<double>(number.integer) : number.decimal;
      if (number.kind == Number::kInfinity) {
        value = number.negative ? -HUGE_VAL : HUGE_VAL;
      } else if (std::isinf(value)) {
        return cursor_.fail(where, "constant is out of range for double (+/-1.79769e+308)");
      }
      if (out_ != nullptr || !(std::abs(value) < inner_)) {
        stored = round_to_format(format_, value);
        if (number.kind != Number::kInfinity && !std::isfinite(value_of_bits(format_, stored))) {
          return cursor_.fail(where, absl::StrFormat("value %g is out of range for literal's primitive type %s, namely "
                                                     "[%g, %g]",
                                                     value, spelled(type_), lowest_, highest_));
        }
      }
    }
    if (out_ != nullptr) append_bytes(stored, kind_ == ElementKind::kComplex ? bytes_ / 2 : bytes_, out_);
    return true;
  }

  Cursor& cursor_;
  ElementType type_;
  ElementKind kind_;
  int bytes_;
  Literal* out_;
  FloatFormat format_;
  double lowest_ = 0;
  double highest_ = 0;
  double inner_ = 0;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  bool any_bits_ = false;
};

// '{' '...' '}' in place of a tuple or scalar. Some forms print it, but XLA cannot read it.
bool accept_elided(Cursor& cursor) {
  const char* from = cursor.at();
  if (cursor.accept('{') && cursor.accept("...") && cursor.accept('}')) return true;
  cursor.move_to(from);
  return false;
}

// array   := scalar | nested | '{' '...' '}'
// nested  := '{' ((nested | scalar | '...') ','?)* '}'        to exactly rank levels; commas are allowed anywhere
//
// '...' is permitted at the first level and replaces all omitted elements.
bool read_array(Cursor& cursor, const Shape& shape, Literal* out) {
  if (!shape.is_array()) return cursor.fail("no literal of type " + spelled(shape.element_type));
  if (out != nullptr) {
    out->element_type = shape.element_type;
    out->dimensions = shape.dimensions;
  }
  const std::size_t rank = shape.dimensions.size();
  ScalarReader scalars(cursor, shape.element_type, out);
  const char first = cursor.peek();
  if (first != '{' && first != ',' && first != '}' && first != '.') {
    // Fingerprint forms print 0 or 1 in place of an array, which XLA accepts.
    if (rank > 0 && out != nullptr) out->elided = true;
    if (!scalars.read(first)) return false;
    if (rank > 0 && out != nullptr) out->bytes.clear();
    return true;
  }
  if (rank == 0) {
    // The same forms print {...} in place of a scalar.
    if (!accept_elided(cursor)) return cursor.fail_expects("a scalar");
    if (out != nullptr) out->elided = true;
    return true;
  }
  absl::InlinedVector<std::int64_t, 8> seen(rank);  // the number of elements or subarrays of each open level
  std::size_t level = 0;
  const auto count = [&](std::size_t dimension) {
    if (seen[dimension] < shape.dimensions[dimension]) {
      ++seen[dimension];
      return true;
    }
    return cursor.fail("expects " + std::to_string(shape.dimensions[dimension]) + " elements in dimension " +
                       std::to_string(dimension) + ", but sees more");
  };
  do {
    switch (const char c = cursor.peek()) {
      case ',': cursor.move_to(cursor.at() + 1); break;
      case '{':
        if (level == rank)
          return cursor.fail("expects nested array in rank " + std::to_string(rank) + ", but sees larger");
        if (level > 0 && !count(level - 1)) return false;
        if (!cursor.enter()) return false;
        seen[level++] = 0;
        cursor.move_to(cursor.at() + 1);
        break;
      case '}':
        if (level == 0) return cursor.fail("unexpected '}' in a literal");
        --level;
        if (seen[level] != shape.dimensions[level]) {
          return cursor.fail("expects " + std::to_string(shape.dimensions[level]) + " elements in dimension " +
                             std::to_string(level) + ", but sees " + std::to_string(seen[level]));
        }
        cursor.leave();
        cursor.move_to(cursor.at() + 1);
        break;
      case '.':
        if (level != 1) return cursor.fail("expects '...' at nesting level 1, but sees it at " + std::to_string(level));
        if (!cursor.accept("...")) return cursor.fail_expects("'...'");
        seen[0] = shape.dimensions[0];
        if (out != nullptr) out->elided = true;
        break;
      default:
        if (level != rank) {
          return cursor.fail("expects nested array in rank " + std::to_string(rank) + ", but sees " +
                             std::to_string(level));
        }
        if (!count(rank - 1) || !scalars.read(c)) return false;
    }
  } while (level > 0);
  if (out != nullptr && out->elided) out->bytes.clear();
  return true;
}

void append_elided(const ShapeTable& table, ShapeId id, std::vector<Literal>* out) {
  if (out == nullptr) return;
  for (ShapeId leaf : table.leaves(id)) {
    Literal& literal = out->emplace_back();
    literal.element_type = table[leaf].element_type;
    literal.dimensions = table[leaf].dimensions;
    literal.elided = true;
  }
}

}  // namespace

// literal := array | '(' (literal ','?)* ')'            according to the shape; uses a stack instead of recursion
bool read_literal(Cursor& cursor, const ShapeTable& table, ShapeId id, std::vector<Literal>* out) {
  struct Open {
    ShapeId id;
    std::size_t next;  // the next element
  };
  std::vector<Open> open;
  const int depth = cursor.depth();
  ShapeId at = id;
  while (true) {
    const Shape& shape = table[at];
    if (!shape.is_tuple()) {
      if (!read_array(cursor, shape, out == nullptr ? nullptr : &out->emplace_back())) return false;
    } else if (cursor.peek() == '{' && accept_elided(cursor)) {
      append_elided(table, at, out);
    } else {
      if (!cursor.expect('(') || !cursor.enter()) return false;
      open.push_back({at, 0});
    }
    while (!open.empty() && open.back().next == table[open.back().id].elements.size()) {
      if (!cursor.expect(')')) return false;
      open.pop_back();
      cursor.leave();
    }
    if (open.empty()) break;
    if (open.back().next > 0) cursor.accept(',');  // optional, as in XLA
    at = table[open.back().id].elements[open.back().next++];
  }
  cursor.set_depth(depth);
  return true;
}

// shaped := shape array | '(' list(shaped) ')'
bool read_shaped_literal(Cursor& cursor) {
  ShapeTable table;
  ShapeParser shapes;
  shapes.start(&table);
  return read_nested(cursor, [&] {
    ShapeId id;
    return shapes.read(cursor, &id) && read_array(cursor, table[id], nullptr);
  });
}

}  // namespace hloroof::internal::inline values

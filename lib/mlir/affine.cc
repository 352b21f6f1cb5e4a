#include "lib/mlir/affine.h"

#include <cstddef>

namespace hloroof::internal::mlir {
namespace {

constexpr std::uint64_t kMaxDimensions = 4096;

std::uint32_t small_count(ByteCursor& cursor, std::uint64_t value) {
  if (value <= kMaxDimensions) return static_cast<std::uint32_t>(value);
  cursor.fail("an affine map has more than 4096 dimensions, symbols or results");
  return 0;
}

AffineTerm dimension(std::uint64_t number) {
  return AffineTerm{AffineTerm::Kind::kDimension, static_cast<std::int64_t>(number)};
}

// expression := kind varint, (number varint | constant signed | expression, expression)
void read_expression(ByteCursor& cursor, AffineMap& map) {
  for (std::size_t pending = 1; pending > 0 && cursor.ok();) {
    AffineTerm term;
    term.kind = static_cast<AffineTerm::Kind>(cursor.index(8, "an affine expression is of an unknown kind"));
    switch (term.kind) {
      case AffineTerm::Kind::kDimension:
        term.value = cursor.index(map.dimensions, "the number of a dimension is out of range");
        break;
      case AffineTerm::Kind::kSymbol:
        term.value = cursor.index(map.symbols, "the number of a symbol is out of range");
        break;
      case AffineTerm::Kind::kConstant: term.value = cursor.signed_varint(); break;
      default: pending += 2; break;
    }
    --pending;
    map.terms.push_back(term);
  }
}

}  // namespace

// affine map := (dimensions << 2 | kind)                                   identity: kind 0
//               (dimensions << 2 | kind), dimension * dimensions            permutation: kind 1
//               (dimensions << 2 | kind), count, dimension * count          projection: kind 2
//               (dimensions << 2 | kind), symbols, count, expression * count    kind 3
AffineMap read_affine_map(ByteCursor& cursor) {
  AffineMap map;
  const std::uint64_t head = cursor.varint();
  map.dimensions = small_count(cursor, head >> 2U);
  switch (head & 3U) {
    case 0:
      map.results = map.dimensions;
      for (std::uint32_t i = 0; i < map.results; ++i) map.terms.push_back(dimension(i));
      break;
    case 1:
    case 2:
      map.results = (head & 3U) == 1 ? map.dimensions : cursor.count();
      for (std::uint32_t i = 0; i < map.results && cursor.ok(); ++i) {
        map.terms.push_back(dimension(cursor.index(map.dimensions, "the number of a dimension is out of range")));
      }
      break;
    default:
      map.symbols = small_count(cursor, cursor.varint());
      map.results = cursor.count();
      for (std::uint32_t i = 0; i < map.results && cursor.ok(); ++i) read_expression(cursor, map);
  }
  return map;
}

// integer set := dimensions, symbols, count, expression * count, byte * count     a byte is 1 for an equality
AffineMap read_integer_set(ByteCursor& cursor) {
  AffineMap set;
  set.dimensions = small_count(cursor, cursor.varint());
  set.symbols = small_count(cursor, cursor.varint());
  set.results = cursor.count();
  for (std::uint32_t i = 0; i < set.results && cursor.ok(); ++i) read_expression(cursor, set);
  for (std::uint32_t i = 0; i < set.results && cursor.ok(); ++i) set.is_equality.push_back(cursor.byte() != 0);
  return set;
}

}  // namespace hloroof::internal::mlir

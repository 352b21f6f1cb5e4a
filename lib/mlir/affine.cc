#include "lib/mlir/affine.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::uint64_t kMaxDimensions = 4096;
constexpr std::size_t kMaxPrintedTerms = 10'000;

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

// An expression as text, with what the expression around it needs to know.
struct Piece {
  std::string text;
  bool is_binary = false;
  bool is_sum = false;
  std::optional<std::int64_t> constant;
  // If this is a product with a constant on the right: the other factor as it is printed in a sum and in a product.
  std::optional<std::int64_t> factor;
  std::string factored;
  std::string factored_tight;
};

std::string tight(const Piece& piece) { return piece.is_binary ? "(" + piece.text + ")" : piece.text; }

std::string negated(std::int64_t value) {
  const std::string text = std::to_string(value);
  return text.substr(1);
}

Piece combine(AffineTerm::Kind kind, const Piece& lhs, const Piece& rhs) {
  Piece out;
  out.is_binary = true;
  if (kind == AffineTerm::Kind::kAdd) {
    out.is_sum = true;
    if (rhs.factor == -1) {
      out.text = lhs.text + " - " + rhs.factored;
    } else if (rhs.factor && *rhs.factor < -1) {
      out.text = lhs.text + " - " + rhs.factored_tight + " * " + negated(*rhs.factor);
    } else if (rhs.constant && *rhs.constant < 0) {
      out.text = lhs.text + " - " + negated(*rhs.constant);
    } else {
      out.text = lhs.text + " + " + rhs.text;
    }
    return out;
  }
  if (kind == AffineTerm::Kind::kMultiply && rhs.constant) {
    out.factor = rhs.constant;
    out.factored_tight = tight(lhs);
    out.factored = lhs.is_sum ? out.factored_tight : lhs.text;
    if (rhs.constant == -1) {
      out.text = "-" + out.factored_tight;
      return out;
    }
  }
  const char* symbol = kind == AffineTerm::Kind::kMultiply      ? " * "
                       : kind == AffineTerm::Kind::kModulo      ? " mod "
                       : kind == AffineTerm::Kind::kFloorDivide ? " floordiv "
                                                                : " ceildiv ";
  out.text = tight(lhs) + symbol + tight(rhs);
  return out;
}

// The texts of all results. The terms are in prefix order, so operands are complete when terms are taken from the end.
std::vector<Piece> pieces_of(const AffineMap& map) {
  std::vector<Piece> stack;
  for (std::size_t i = map.terms.size(); i > 0; --i) {
    const AffineTerm& term = map.terms[i - 1];
    Piece piece;
    switch (term.kind) {
      case AffineTerm::Kind::kDimension: piece.text = absl::StrCat("d", term.value); break;
      case AffineTerm::Kind::kSymbol: piece.text = absl::StrCat("s", term.value); break;
      case AffineTerm::Kind::kConstant:
        piece.text = absl::StrCat(term.value);
        piece.constant = term.value;
        break;
      default: {
        const Piece lhs = std::move(stack.back());
        stack.pop_back();
        const Piece rhs = std::move(stack.back());
        stack.pop_back();
        piece = combine(term.kind, lhs, rhs);
        break;
      }
    }
    stack.push_back(std::move(piece));
  }
  return stack;
}

void append_names(std::string& out, char open, char prefix, std::uint32_t count, char close) {
  out += open;
  for (std::uint32_t i = 0; i < count; ++i) absl::StrAppend(&out, i == 0 ? "" : ", ", std::string(1, prefix), i);
  out += close;
}

}  // namespace

bool AffineMap::is_identity() const {
  if (symbols != 0 || results != dimensions || terms.size() != results) return false;
  for (std::uint32_t i = 0; i < results; ++i) {
    if (terms[i].kind != AffineTerm::Kind::kDimension || terms[i].value != i) return false;
  }
  return true;
}

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

absl::StatusOr<std::string> affine_text(const AffineMap& map, bool is_set) {
  if (map.terms.size() > kMaxPrintedTerms) {
    return absl::ResourceExhaustedError("MLIR text: an affine map has more than 10000 terms");
  }
  std::vector<Piece> pieces = pieces_of(map);
  std::string out = is_set ? "affine_set<" : "affine_map<";
  append_names(out, '(', 'd', map.dimensions, ')');
  if (map.symbols > 0) append_names(out, '[', 's', map.symbols, ']');
  out += is_set ? " : (" : " -> (";
  // The first result is on top of the stack.
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string& text = pieces[pieces.size() - 1 - i].text;
    absl::StrAppend(&out, i == 0 ? "" : ", ", text, is_set ? (map.is_equality[i] ? " == 0" : " >= 0") : "");
  }
  out += ")>";
  return out;
}

}  // namespace hloroof::internal::mlir

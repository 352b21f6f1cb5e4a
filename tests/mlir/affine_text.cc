#include "tests/mlir/affine_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::size_t kMaxPrintedTerms = 10'000;

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

bool is_identity(const AffineMap& map) {
  if (map.symbols != 0 || map.results != map.dimensions || map.terms.size() != map.results) return false;
  for (std::uint32_t i = 0; i < map.results; ++i) {
    if (map.terms[i].kind != AffineTerm::Kind::kDimension || map.terms[i].value != i) return false;
  }
  return true;
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

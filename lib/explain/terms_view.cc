#include "lib/explain/terms_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/names.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::size_t kWidestName = 38;
constexpr std::size_t kSecondsWidth = 8;
constexpr double kLeastShare = 0.01;  // minimum share of the whole for a main leaf

std::string amount_text(const Term& term) {
  if (term.unit == "flop") return format_flops(term.amount, 4);
  return format_quantity(term.amount, term.unit == "op" ? "operation" : term.unit);
}

// Example: " x 2 / (197 Tflop/s x 0.955)".
std::string factors_text(const std::vector<Factor>& factors) {
  std::string text;
  std::string below;
  std::size_t divisors = 0;
  for (const Factor& factor : factors) {
    if (!factor.divides) {
      text += " x " + format_quantity(factor.value, factor.unit);
      continue;
    }
    below += (divisors++ > 0 ? " x " : "") + format_quantity(factor.value, factor.unit);
  }
  if (divisors == 0) return text;
  return text + (divisors > 1 ? " / (" + below + ")" : " / " + below);
}

// Returns the formula for the seconds.
std::string formula(const Term& term) {
  if (term.is_leaf()) {
    if (term.factors.empty()) return "";
    // A cost that occurs once is the parameter itself.
    if (term.unit.empty() && term.amount == 1 && term.factors.size() == 1 && !term.factors[0].parameters.empty()) {
      return std::string(term.factors[0].parameters[0]);
    }
    return amount_text(term) + factors_text(term.factors);
  }
  std::string text;
  switch (term.combine) {
    case Combine::kMax: text = term.children.size() > 2 ? "the largest" : "the larger"; break;
    case Combine::kMin: text = term.children.size() > 2 ? "the least" : "the lesser"; break;
    case Combine::kNorm: text = format_number(term.exponent) + "-norm: they overlap in part"; break;
    default: text = "sum"; break;
  }
  return text + factors_text(term.factors);
}

struct TermLine {
  std::string name;  // indented
  std::string seconds;
  std::string text;
};

void add_rows(const Term& term, std::size_t depth, std::vector<TermLine>& rows) {
  std::string text = formula(term);
  if (!term.note.empty()) text += (text.empty() ? "" : "; ") + term.note;
  rows.push_back({std::string(2 * depth, ' ') + term.name, format_seconds(term.seconds), std::move(text)});
  for (const Term& child : term.children) add_rows(child, depth + 1, rows);
}

}  // namespace

std::string terms_table(const Term& term, std::size_t width) {
  std::vector<TermLine> rows;
  add_rows(term, 1, rows);
  std::size_t name_width = 0;
  for (const TermLine& row : rows) name_width = std::max(name_width, row.name.size());
  name_width = std::min(name_width, kWidestName);
  const std::size_t text_column = name_width + 1 + kSecondsWidth + 2;
  std::string out;
  for (const TermLine& row : rows) {
    const std::string name = row.name.size() > name_width ? shorten(row.name, name_width) : row.name;
    std::string line =
        absl::StrFormat("%-*s %*s", static_cast<int>(name_width), name, static_cast<int>(kSecondsWidth), row.seconds);
    if (!row.text.empty()) line += "  " + wrap(row.text, width, text_column);
    out += line + "\n";
  }
  return out;
}

std::string parameters_table(const Term& term, const Device& device, std::size_t width) {
  std::vector<std::string_view> paths;
  add_parameters(term, paths);
  Table table({{.title = "number", .is_whole = true}, {"value", Align::kRight}, {"kind"}, {"source"}});
  for (const Parameter& parameter : parameters(device)) {
    if (!std::binary_search(paths.begin(), paths.end(), parameter.path)) continue;
    table.add({parameter.path, format_parameter(parameter),
               std::string(word_of(kProvenanceWords, parameter.source.kind)), parameter.source.source});
  }
  return table.to_string({.width = width});
}

std::string main_terms(const Term& term, std::size_t most, double times) {
  std::vector<std::pair<std::string_view, double>> sums;
  for (const Contribution& part : contributions(term)) {
    const auto at =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == part.term->name; });
    if (at != sums.end()) {
      at->second += part.seconds;
    } else {
      sums.emplace_back(part.term->name, part.seconds);
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < sums.size() && i < most; ++i) {
    if (i > 0 && sums[i].second < kLeastShare * term.seconds) break;
    text += (i > 0 ? ", " : "") + std::string(sums[i].first) + " " + format_seconds(sums[i].second * times);
  }
  return text;
}

}  // namespace hloroof::internal::inline explain

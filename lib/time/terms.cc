#include "lib/time/terms.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lib/hardware/device_fields.h"
#include "lib/time/term_builder.h"

namespace hloroof::internal::inline time {
namespace {

double combine_seconds(Combine combine, double exponent, const std::vector<double>& seconds) {
  if (seconds.empty()) return 0;
  const double most = *std::max_element(seconds.begin(), seconds.end());
  switch (combine) {
    case Combine::kAmount: return 0;
    case Combine::kMax: return most;
    case Combine::kMin: return *std::min_element(seconds.begin(), seconds.end());
    case Combine::kSum: {
      double total = 0;
      for (const double s : seconds) total += s;
      return total;
    }
    case Combine::kNorm: {
      if (most <= 0) return 0;
      double powers = 0;
      for (const double s : seconds) powers += std::pow(s / most, exponent);
      return most * std::pow(powers, 1 / exponent);
    }
  }
  return 0;
}

// NOLINTBEGIN(misc-no-recursion): the depth of a tree depends on the formulas and not on the program.
// Adds the contributions of the leaves of `term` to `found`. `scale` is the product of the shares and factors of the
// terms above it.
void add_contributions(const Term& term, double scale, std::vector<Contribution>& found) {
  if (term.is_leaf()) {
    found.push_back({&term, term.seconds * scale});
    return;
  }
  const double inner = scale * term.scale();
  if (term.combine == Combine::kSum || term.combine == Combine::kNorm) {
    // In a norm of value r, a child of value a contributes a * (a/r)^(n-1). These contributions add up to r.
    const double whole = term.seconds / term.scale();
    for (const Term& child : term.children) {
      const double share = term.combine == Combine::kSum ? 1 : std::pow(child.seconds / whole, term.exponent - 1);
      add_contributions(child, inner * share, found);
    }
    return;
  }
  const auto by_seconds = [](const Term& a, const Term& b) { return a.seconds < b.seconds; };
  const auto deciding = term.combine == Combine::kMax
                            ? std::max_element(term.children.begin(), term.children.end(), by_seconds)
                            : std::min_element(term.children.begin(), term.children.end(), by_seconds);
  add_contributions(*deciding, inner, found);
}

// Merges nested maxima: the maximum of maxima is the maximum of all their terms.
std::vector<Term> flattened(std::vector<Term> terms) {
  std::vector<Term> flat;
  for (Term& term : terms) {
    if (term.combine == Combine::kMax && term.factors.empty()) {
      std::move(term.children.begin(), term.children.end(), std::back_inserter(flat));
    } else {
      flat.push_back(std::move(term));
    }
  }
  return flat;
}

}  // namespace

Term::Term(const Term& other) = default;
Term& Term::operator=(const Term& other) = default;

std::string_view combine_name(Combine combine) {
  switch (combine) {
    case Combine::kAmount: return "amount";
    case Combine::kSum: return "sum";
    case Combine::kMax: return "max";
    case Combine::kMin: return "min";
    case Combine::kNorm: return "norm";
  }
  return "amount";
}

double Term::scale() const {
  double product = 1;
  for (const Factor& factor : factors) product = factor.divides ? product / factor.value : product * factor.value;
  return product;
}

double evaluate(const Term& term) {
  if (term.is_leaf()) return term.amount * term.scale();
  std::vector<double> seconds;
  seconds.reserve(term.children.size());
  for (const Term& child : term.children) seconds.push_back(evaluate(child));
  return combine_seconds(term.combine, term.exponent, seconds) * term.scale();
}

std::vector<Contribution> contributions(const Term& term) {
  std::vector<Contribution> found;
  if (term.seconds > 0) add_contributions(term, 1, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Contribution& a, const Contribution& b) { return a.seconds > b.seconds; });
  return found;
}

void add_parameters(const Term& term, std::vector<std::string_view>& paths) {
  const auto add = [&paths](std::string_view path) {
    const auto at = std::lower_bound(paths.begin(), paths.end(), path);
    if (at == paths.end() || *at != path) paths.insert(at, path);
  };
  for (const Factor& factor : term.factors) {
    for (const std::string_view path : factor.parameters) add(path);
  }
  if (!term.exponent_parameter.empty()) add(term.exponent_parameter);
  for (const Term& child : term.children) add_parameters(child, paths);
}
// NOLINTEND(misc-no-recursion)

Term leaf(std::string name, double seconds, double amount, std::string_view unit, std::vector<Factor> factors,
          std::string note) {
  Term term;
  term.name = std::move(name);
  term.seconds = seconds;
  term.amount = amount;
  term.unit = unit;
  term.factors = std::move(factors);
  // Omits factors of 1 that name no parameter: numbers that the device lacks, and counts of one.
  term.factors.erase(std::remove_if(term.factors.begin(), term.factors.end(),
                                    [](const Factor& f) { return f.value == 1 && f.parameters.empty(); }),
                     term.factors.end());
  term.note = std::move(note);
  return term;
}

Term combined(Combine combine, std::string name, std::vector<Term> children, const Factor& exponent) {
  Term term;
  term.combine = combine;
  if (combine == Combine::kNorm) {
    term.exponent = exponent.value;
    if (!exponent.parameters.empty()) term.exponent_parameter = exponent.parameters[0];
  }
  term.name = std::move(name);
  const auto takes_none = [](const Term& child) { return child.seconds <= 0; };
  if (combine == Combine::kMin && std::any_of(children.begin(), children.end(), takes_none)) children.clear();
  children.erase(std::remove_if(children.begin(), children.end(), takes_none), children.end());
  if (children.size() == 1) return std::move(children[0]);
  if (combine == Combine::kMax) children = flattened(std::move(children));
  std::vector<double> seconds;
  seconds.reserve(children.size());
  for (const Term& child : children) seconds.push_back(child.seconds);
  term.seconds = combine_seconds(combine, term.exponent, seconds);
  term.children = std::move(children);
  return term;
}

Factor times(double value) { return {value, "1", false, {}}; }
Factor over(double value) { return {value, "1", true, {}}; }

}  // namespace hloroof::internal::inline time

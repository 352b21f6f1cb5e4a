#include "lib/time/traced.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "lib/time/numbers.h"
#include "lib/time/term_builder.h"

namespace hloroof::internal::inline time {
// NOLINTBEGIN(misc-no-recursion): trees of terms are as deep as the formulas nest, which the input does not decide
namespace {

constexpr std::ptrdiff_t kMostNotes = 4;  // of amounts that became one

// A number of any form as one factor.
Factor as_factor(const Traced& number, bool divides) { return {number.value(), "1", divides, number.parameters()}; }

void add_paths(const Term& term, Paths& paths) {
  for (const Factor& factor : term.factors)
    paths.insert(paths.end(), factor.parameters.begin(), factor.parameters.end());
  if (!term.exponent_parameter.empty()) paths.push_back(term.exponent_parameter);
  for (const Term& child : term.children) add_paths(child, paths);
}

bool same_factor(const Factor& a, const Factor& b) {
  return a.value == b.value && a.unit == b.unit && a.parameters == b.parameters;
}

// The position of the child that decides a maximum.
std::ptrdiff_t decisive(const Term& term) {
  const auto by_seconds = [](const Term& a, const Term& b) { return a.seconds < b.seconds; };
  return std::max_element(term.children.begin(), term.children.end(), by_seconds) - term.children.begin();
}

// Whether the sum of two terms is a term of the same form, with the sums of their amounts. For two maxima this holds if
// the same side decides both.
bool can_merge(const Term& a, const Term& b) {
  const bool same_factors =
      std::equal(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                 [](const Factor& x, const Factor& y) { return x.divides == y.divides && same_factor(x, y); });
  if (!same_factors || a.name != b.name || a.unit != b.unit || a.combine != b.combine) return false;
  if (a.is_leaf() && b.is_leaf()) return true;
  return a.combine == Combine::kMax && decisive(a) == decisive(b) &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    [](const Term& x, const Term& y) { return x.is_leaf() && y.is_leaf() && can_merge(x, y); });
}

// "557,056 convert, 327,680 multiply, ..."
void add_note(std::string& notes, const std::string& note) {
  if (note.empty()) return;
  std::ptrdiff_t separators = 0;
  for (std::size_t at = notes.find(", "); at != std::string::npos; at = notes.find(", ", at + 2)) ++separators;
  if (notes.empty()) {
    notes = note;
  } else if (separators + 1 < kMostNotes) {
    notes += ", " + note;
  } else if (separators + 1 == kMostNotes) {
    notes += ", ...";
  }
}

void merge(const Term& part, Term& into) {
  into.amount += part.amount;
  into.seconds += part.seconds;
  add_note(into.note, part.note);
  for (std::size_t i = 0; i < into.children.size(); ++i) merge(part.children[i], into.children[i]);
}

// Whether `term` is a sum that is to be part of another.
bool is_open_sum(const Term& term) {
  return !term.is_leaf() && term.combine == Combine::kSum && term.name.empty() && term.factors.empty();
}

}  // namespace

Traced::Traced(double number) {
  term_.seconds = number;
  term_.amount = number == 0 ? 0 : 1;
  if (number != 0 && number != 1) term_.factors.push_back(times(number));
}

Traced::Traced(Factor factor) {
  term_.seconds = factor.value;
  term_.amount = 1;
  term_.factors.push_back(std::move(factor));
}

Paths Traced::parameters() const {
  Paths paths;
  add_paths(term_, paths);
  Paths different;
  for (const std::string_view path : paths) {
    if (std::find(different.begin(), different.end(), path) == different.end()) different.push_back(path);
  }
  return different;
}

// Two equal numbers of the device cancel. Rates are placed before counts and shares. A count of the program becomes the
// amount if that is one of something.
void add_factor_to(Factor factor, Term& term) {
  if (term.is_leaf() && term.amount == 1 && !term.unit.empty() && !factor.divides && factor.parameters.empty() &&
      factor.unit == "1") {
    term.amount = factor.value;
    return;
  }
  std::vector<Factor>& factors = term.factors;
  const auto opposite = std::find_if(factors.begin(), factors.end(), [&](const Factor& f) {
    return f.divides != factor.divides && !f.parameters.empty() && same_factor(f, factor);
  });
  if (opposite != factors.end()) {
    factors.erase(opposite);
    return;
  }
  const auto share = std::find_if(factors.begin(), factors.end(), [&](const Factor& f) {
    return f.divides == factor.divides && f.unit == "1" && factor.unit != "1";
  });
  factors.insert(share, std::move(factor));
}

// A factor of a sum without a name is a factor of each of its parts.
void Traced::add_factor(Factor factor) {
  if (!is_open_sum(term_)) return add_factor_to(std::move(factor), term_);
  for (Term& child : term_.children) {
    add_factor_to(factor, child);
    child.seconds = factor.divides ? child.seconds / factor.value : child.seconds * factor.value;
  }
}

void Traced::add_factors(Traced scale, bool divides) {
  if (scale.value() == 0) term_.amount = 0;
  for (Factor& factor : scale.term_.factors) {
    factor.divides = factor.divides != divides;
    add_factor(std::move(factor));
  }
}

Traced operator*(Traced a, Traced b) {
  const double product = a.value() * b.value();
  if (a.is_scale_ && !b.is_scale_) std::swap(a, b);
  if (b.is_scale_) {
    a.add_factors(std::move(b), false);
  } else {
    a.add_factor(as_factor(b, false));
  }
  a.term_.seconds = product;
  return a;
}

Traced operator/(Traced a, Traced b) {
  const double quotient = a.value() / b.value();
  if (b.is_scale_) {
    a.add_factors(std::move(b), true);
  } else {
    a.add_factor(as_factor(b, true));
  }
  a.term_.seconds = quotient;
  return a;
}

namespace traced {

Traced combine(Combine combine, std::string_view name, double value, std::vector<Term> parts, const Traced& exponent) {
  if (combine == Combine::kSum && std::any_of(parts.begin(), parts.end(), is_open_sum)) {
    std::vector<Term> terms;
    for (Term& part : parts) {
      if (is_open_sum(part)) {
        std::move(part.children.begin(), part.children.end(), std::back_inserter(terms));
      } else {
        terms.push_back(std::move(part));
      }
    }
    parts = std::move(terms);
  }
  Factor power;
  if (combine == Combine::kNorm) {
    power.value = exponent.value();
    power.parameters = exponent.parameters();
  }
  Term term = combined(combine, std::string(name), std::move(parts), power);
  term.seconds = value;
  return Traced(std::move(term));
}

double norm(const double* parts, std::size_t count, double exponent) {
  const double most = *std::max_element(parts, parts + count);
  if (most <= 0) return 0;
  double powers = 0;
  for (std::size_t i = 0; i < count; ++i) powers += parts[i] == most ? 1 : std::pow(parts[i] / most, exponent);
  return most * std::pow(powers, 1 / exponent);
}

Traced added_alike(Traced total, Traced part) {
  if (part.value() <= 0) return total;
  const double seconds = total.value() + part.value();
  if (total.value() <= 0) return part;
  if (is_open_sum(part.term())) {
    for (Term& child : part.term().children) total = added_alike(std::move(total), Traced(std::move(child)));
    total.term().seconds = seconds;
    return total;
  }
  Term whole = std::move(total.term());
  if (!is_open_sum(whole)) {
    Term sum;
    sum.combine = Combine::kSum;
    sum.children.push_back(std::move(whole));
    whole = std::move(sum);
  }
  const auto alike = std::find_if(whole.children.begin(), whole.children.end(),
                                  [&](const Term& child) { return can_merge(child, part.term()); });
  if (alike == whole.children.end()) {
    whole.children.push_back(std::move(part).term());
  } else {
    merge(part.term(), *alike);
  }
  if (whole.children.size() == 1) {
    Term only = std::move(whole.children[0]);
    whole = std::move(only);
  }
  whole.seconds = seconds;
  return Traced(std::move(whole));
}

Traced again(std::string_view name, const Traced& term) {
  Term leaf;
  leaf.name = name;
  leaf.seconds = leaf.amount = term.value();
  leaf.unit = "s";
  return Traced(std::move(leaf));
}

}  // namespace traced

double sum_of_many(std::string_view /*name*/, const std::vector<double>& parts, std::size_t /*most*/) {
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

Traced sum_of_many(std::string_view name, std::vector<Traced> parts, std::size_t most) {
  double total = 0;
  for (const Traced& part : parts) total += part.value();
  std::stable_sort(parts.begin(), parts.end(), [](const Traced& a, const Traced& b) { return a.value() > b.value(); });
  std::vector<Term> longest;
  double rest = 0;
  for (Traced& part : parts) {
    if (longest.size() < most) {
      longest.push_back(std::move(part).term());
    } else {
      rest += part.value();
    }
  }
  longest.push_back(again("others", Traced(rest)).term());
  return traced::combine(Combine::kSum, name, total, std::move(longest));
}

Traced without_notes(Traced term) {
  term.term().note.clear();
  for (Term& child : term.term().children) child = without_notes(Traced(std::move(child))).term();
  return term;
}

void note_missing(const MissingNumbers& missing, const Device& device, Term& term) {
  if (missing.empty() || term.seconds <= 0) return;
  std::string text;
  for (const void* slot : missing.slots()) {
    text += text.empty() ? "the device file lacks " : ", ";
    text += path_of(slot, device);
  }
  term.note += (term.note.empty() ? "" : "; ") + text;
}

Traced with_floor(std::string_view name, Traced busy, Traced rest, Traced floor) {
  const double seconds = with_floor(name, busy.value(), rest.value(), floor.value());
  Traced whole = sum(name, std::move(busy), std::move(rest));
  if (floor.value() > 0) {
    whole.term().name = "work and overheads";
    whole = slowest(name, std::move(whole), std::move(floor));
  }
  whole.term().seconds = seconds;
  return whole;
}

Factor computed_factor(double number, std::string_view unit, std::initializer_list<const Traced*> from) {
  Factor factor{number, unit, false, {}};
  for (const Traced* one : from) {
    for (const std::string_view path : one->parameters()) {
      if (std::find(factor.parameters.begin(), factor.parameters.end(), path) == factor.parameters.end()) {
        factor.parameters.push_back(path);
      }
    }
  }
  return factor;
}

const DeviceField* field_of(const void* number, const Device& device) {
  // The members of all devices of one family have the same offsets.
  using Fields = std::unordered_map<std::ptrdiff_t, const DeviceField*>;
  const auto offset = [](const void* member, const Device& whole) {
    return static_cast<const char*>(member) - reinterpret_cast<const char*>(&whole);
  };
  const auto fields_of = [&](Device whole) {
    auto* fields = new Fields();
    for (const DeviceField& field : device_fields()) {
      const void* const member = std::visit(
          [](auto slot) -> const void* {
            if constexpr (std::is_pointer_v<decltype(slot)>) return slot;
            return nullptr;
          },
          field.slot(whole));
      if (member != nullptr) fields->emplace(offset(member, whole), &field);
    }
    return fields;
  };
  const auto with_core = [](auto core) {
    Device whole;
    whole.core = std::move(core);
    return whole;
  };
  static const Fields* const tpu = fields_of(with_core(TpuCore()));
  static const Fields* const gpu = fields_of(with_core(GpuCore()));
  static const Fields* const other = fields_of(Device());
  const Fields& fields = device.tpu() != nullptr ? *tpu : device.gpu() != nullptr ? *gpu : *other;
  const auto found = fields.find(offset(number, device));
  return found == fields.end() ? nullptr : found->second;
}

// NOLINTEND(misc-no-recursion)
}  // namespace hloroof::internal::inline time

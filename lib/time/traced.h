// The numbers that a time formula computes with. A formula is a template over Num, which is one of two types:
//
//   double   the prediction: plain arithmetic
//   Traced   the explanation: the same arithmetic, which also records the tree of terms (terms.h) that `explain` prints
//
// The formula is written once, so that the tree shows what was computed:
//
//   template <class Num>
//   Num host_seconds(double bytes, Numbers<Num>& n) {
//     return n.amount("host memory", bytes, "B") / n.known_or(n.device().host.bandwidth, 0.0);
//   }
//
// A Traced is a scale or a term. A scale is a number without a name: a number of the device or of the program, or a
// product of these. A term is an amount with a name, or a combination of terms. Multiplying or dividing a term by a
// scale appends factors to it. The functions below combine terms; for double they ignore the name.
//
// The value of a Traced is computed by the operations that compute the double, so that both are equal to the last bit.
#ifndef HLOROOF_LIB_TIME_TRACED_H_
#define HLOROOF_LIB_TIME_TRACED_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/time/terms.h"

namespace hloroof::internal::inline time {

class Traced {
 public:
  Traced() : Traced(0.0) {}
  Traced(double number);  // NOLINT(google-explicit-constructor): a number of the program
  explicit Traced(Term term) : term_(std::move(term)), is_scale_(false) {}
  // A scale with one factor, which comes from the device.
  explicit Traced(Factor factor);

  double value() const { return term_.seconds; }
  const Term& term() const& { return term_; }
  Term& term() & { return term_; }
  Term&& term() && { return std::move(term_); }

  // The paths of the device's numbers in this number.
  Paths parameters() const;

  friend Traced operator*(Traced a, Traced b);
  friend Traced operator/(Traced a, Traced b);

 private:
  void add_factor(Factor factor);
  void add_factors(Traced scale, bool divides);

  Term term_;
  bool is_scale_ = true;
};

inline double value(double number) { return number; }
inline double value(const Traced& number) { return number.value(); }

template <class P>
concept TracedPart = std::same_as<P, Traced>;
template <class P>
concept PlainPart = std::same_as<P, double>;

namespace traced {
Traced combine(Combine combine, std::string_view name, double value, std::vector<Term> parts,
               const Traced& exponent = 1.0);
double norm(const double* parts, std::size_t count, double exponent);
// Adds `part` to `total`, see add_alike().
Traced added_alike(Traced total, Traced part);
Traced again(std::string_view name, const Traced& term);

template <class... Parts>
std::vector<Term> list(Parts&&... parts) {
  std::vector<Term> all;
  all.reserve(sizeof...(parts));
  (all.push_back(std::forward<Parts>(parts).term()), ...);
  return all;
}
}  // namespace traced

// One after another. A sum without a name becomes part of the sum that it is added to.
template <PlainPart... P>
double sum(std::string_view /*name*/, P... parts) {
  return (... + parts);
}
template <TracedPart... P>
Traced sum(std::string_view name, P... parts) {
  const double total = (... + parts.value());
  return traced::combine(Combine::kSum, name, total, traced::list(std::move(parts)...));
}

// At the same time: the slowest part decides. A slowest() inside of a slowest() is merged with it.
template <PlainPart... P>
double slowest(std::string_view /*name*/, P... parts) {
  return std::max({parts...});
}
template <TracedPart... P>
Traced slowest(std::string_view name, P... parts) {
  const double most = std::max({parts.value()...});
  return traced::combine(Combine::kMax, name, most, traced::list(std::move(parts)...));
}

// The least of several limits.
template <PlainPart... P>
double least(std::string_view /*name*/, P... parts) {
  return std::min({parts...});
}
template <TracedPart... P>
Traced least(std::string_view name, P... parts) {
  const double smallest = std::min({parts.value()...});
  return traced::combine(Combine::kMin, name, smallest, traced::list(std::move(parts)...));
}

// Partly at the same time: (a^n + b^n + ...)^(1/n), where n is `exponent`.
template <PlainPart... P>
double norm(std::string_view /*name*/, double exponent, P... parts) {
  const double all[] = {parts...};
  return traced::norm(all, sizeof...(parts), exponent);
}
template <TracedPart... P>
Traced norm(std::string_view name, const Traced& exponent, P... parts) {
  const double all[] = {parts.value()...};
  const double joined = traced::norm(all, sizeof...(parts), exponent.value());
  return traced::combine(Combine::kNorm, name, joined, traced::list(std::move(parts)...), exponent);
}

// Adds one after another. Amounts of the same name and factors become one amount.
inline void add_alike(double& total, double part) { total += part; }
inline void add_alike(Traced& total, Traced part) { total = traced::added_alike(std::move(total), std::move(part)); }

// One after another, for lists of any length. The terms show the `most` longest parts, and the others as one.
double sum_of_many(std::string_view name, const std::vector<double>& parts, std::size_t most);
Traced sum_of_many(std::string_view name, std::vector<Traced> parts, std::size_t most);

// Time that starts `busy` seconds before a limit ends: busy + max(rest, floor - busy). It is the longer of the whole
// and `floor`.
inline double with_floor(std::string_view /*name*/, double busy, double rest, double floor) {
  return busy + std::max(rest, floor - busy);
}
Traced with_floor(std::string_view name, Traced busy, Traced rest, Traced floor);

// A term that is part of the tree in another place, as a number of seconds.
inline double again(std::string_view /*name*/, double term) { return term; }
inline Traced again(std::string_view name, const Traced& term) { return traced::again(name, term); }

// Names a term.
inline double named(std::string_view /*name*/, double term) { return term; }
inline Traced named(std::string_view name, Traced term) {
  term.term().name = name;
  return term;
}

// Removes the notes of a term and of its parts.
inline double without_notes(double term) { return term; }
Traced without_notes(Traced term);

// Adds the text that `text` returns to a term, unless its time is zero.
template <class Text>
double noted(double term, const Text& /*text*/) {
  return term;
}
template <class Text>
Traced noted(Traced term, const Text& text) {
  if (term.value() > 0) term.term().note = text();
  return term;
}

// amount / rate, or zero if the rate is not known.
inline double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }
inline Traced over(Traced amount, Traced rate) {
  return rate.value() > 0 ? std::move(amount) / std::move(rate) : Traced();
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_TRACED_H_

// The time of an operation as a tree of named terms.
//
//   time of one execution          402 us   sum
//     compute and memory           399 us   overlapping, 4-norm
//       matrix product             385 us   4.40 Tflop / (197 Tflop/s x 0.955)
//       HBM                        170 us   sum
//         reads                    120 us   90.0 MiB / (819 GB/s x 0.919)
//         ...
//
// A leaf is an amount multiplied and divided by factors. Any other term combines its children. Factors that come from
// the device carry their paths in the device file, so that a printer of the tree can show the source of each number.
//
// The trees are recorded on demand, and not during prediction, by the functions that compute the time (traced.h).
// evaluate() computes a tree from its leaves. Its result agrees with the seconds of the prediction;
// tests/predict/terms_test.cc checks this for every operation of every dump.
#ifndef HLOROOF_LIB_TIME_TERMS_H_
#define HLOROOF_LIB_TIME_TERMS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline time {

// How the seconds of a term follow from its children.
enum class Combine : std::uint8_t {
  kAmount,  // a leaf: its seconds come from the amount, not from children
  kSum,     // one after another
  kMax,     // at the same time; the slowest decides
  kMin,     // the least of several limits
  kNorm,    // partly at the same time: (a^n + b^n + ...)^(1/n)
};
std::string_view combine_name(Combine combine);  // "amount", "sum", "max", "min", "norm"

// Paths in the device file. Most numbers have one.
using Paths = absl::InlinedVector<std::string_view, 1>;

// A number that multiplies or divides an amount, or the combined seconds of the children.
struct Factor {
  double value = 1;
  std::string_view unit;  // "B/s"; "1" for counts and shares
  bool divides = false;
  // Device-file paths of the parameters that the value comes from. With one path, the value is that parameter. With
  // none, the value follows from the program.
  Paths parameters;
};

// A tree is as deep as the formula that it follows. What copies it is out of line, so that nothing else recurses.
struct Term {
  Term() = default;
  Term(const Term& other);
  Term(Term&& other) noexcept = default;
  Term& operator=(const Term& other);
  Term& operator=(Term&& other) noexcept = default;
  ~Term() = default;

  std::string name;
  double seconds = 0;
  Combine combine = Combine::kAmount;
  double exponent = 0;                  // n of kNorm
  std::string_view exponent_parameter;  // its path in the device file; empty if it does not come from the device
  double amount = 0;                    // for a leaf
  std::string_view unit;                // of the amount: "flop", "B", "op", "s", "register"
  std::vector<Factor> factors;
  std::string note;            // may be empty
  std::vector<Term> children;  // never of zero seconds

  bool is_leaf() const { return children.empty(); }
  // The product of the factors; a leaf takes amount * scale() seconds.
  double scale() const;
};

// The seconds of the tree, computed from the amounts of its leaves alone.
double evaluate(const Term& term);

// The leaves that determine the seconds of `term`, longest first, each with its share of those seconds. Leaves hidden
// behind a slower term are omitted.
struct Contribution {
  const Term* term = nullptr;
  double seconds = 0;
};
std::vector<Contribution> contributions(const Term& term);

// Adds all parameters that the tree uses to `paths`, sorted and without duplicates.
void add_parameters(const Term& term, std::vector<std::string_view>& paths);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_TERMS_H_

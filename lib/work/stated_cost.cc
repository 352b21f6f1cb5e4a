#include "lib/work/stated_cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/base/units.h"
#include "lib/ir/shapes.h"
#include "lib/kernel/common/isa.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline work {
namespace {

// Operations on one element that are not part of a product: a long polynomial, or the rounds of a sort.
constexpr double kMostOpsPerElement = 256;
// The rows of the smallest block that a kernel works on.
constexpr double kLeastRows = kRegisterSublanes;
// How often a kernel reads an array that has no other array to be combined with.
constexpr double kMostPasses = 4;
// Numbers that differ by less are the same number, rounded.
constexpr double kRounding = 0.01;

// The multiply-adds of the largest product of two arrays: all pairs of elements that agree in the leading dimensions
// and in the shortest dimension that both have.
double most_products(const Shape& a, const Shape& b) {
  const std::vector<std::int64_t>& x = a.dimensions;
  const std::vector<std::int64_t>& y = b.dimensions;
  double pairs = static_cast<double>(element_count(a)) * static_cast<double>(element_count(b));
  std::size_t leading = 0;
  while (leading + 2 < std::min(x.size(), y.size()) && x[leading] == y[leading]) {
    pairs /= std::max(static_cast<double>(x[leading]), 1.0);
    ++leading;
  }
  double common = 0;
  for (std::size_t i = leading; i < x.size(); ++i) {
    if (std::find(y.begin() + static_cast<std::ptrdiff_t>(leading), y.end(), x[i]) == y.end()) continue;
    const double size = static_cast<double>(x[i]);
    common = common == 0 ? size : std::min(common, size);
  }
  return pairs / std::max(common, 1.0);
}

double rows_of(const Shape& shape) {
  const double minor = shape.dimensions.empty() ? 1 : static_cast<double>(shape.dimensions.back());
  return static_cast<double>(element_count(shape)) / std::max(minor, 1.0);
}

}  // namespace

WorkBounds work_bounds(InstructionView call) {
  const ShapeTable& table = call.module().shapes();
  std::vector<const Shape*> arrays;
  std::vector<const Shape*> results;
  const auto add = [](const Shape& shape, std::vector<const Shape*>& to) {
    if (shape.is_array()) to.push_back(&shape);
  };
  arrays.reserve(call.operand_count());
  for (InstructionView operand : call.operands()) {
    for (ShapeId leaf : table.leaves(operand.shape_id())) add(table[leaf], arrays);
  }
  const absl::Span<const ShapeId> leaves = table.leaves(call.shape_id());
  results.reserve(leaves.size());
  for (ShapeId leaf : leaves) add(table[leaf], results);
  WorkBounds bounds;
  std::vector<bool> is_shared(results.size(), false);
  for (const OperandAlias& alias : output_to_operand_aliasing(call)) {
    const std::size_t index = alias.output.empty() ? 0 : static_cast<std::size_t>(alias.output.front());
    if (index < is_shared.size()) is_shared[index] = true;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_shared[i]) bounds.least_bytes += static_cast<double>(logical_bytes(*results[i]));
  }
  arrays.insert(arrays.end(), results.begin(), results.end());
  double rows = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    bounds.most_flops += kMostOpsPerElement * static_cast<double>(element_count(*arrays[i]));
    rows = std::max(rows, rows_of(*arrays[i]));
    for (std::size_t j = 0; j < i; ++j) bounds.most_flops += 2 * most_products(*arrays[j], *arrays[i]);
  }
  for (const Shape* array : arrays) {
    bounds.most_bytes += static_cast<double>(logical_bytes(*array)) * std::max(rows / kLeastRows, kMostPasses);
  }
  return bounds;
}

StatedCost check_stated_cost(InstructionView call, const CostEstimate& estimate) {
  const WorkBounds bounds = work_bounds(call);
  StatedCost cost;
  const auto check = [&](std::string_view what, const std::optional<double>& stated, double least, double most,
                         std::string (*format)(double value), std::optional<double>& to) {
    if (!stated) return;
    const char* const start = "The author's cost_estimate of ";
    if (!std::isfinite(*stated) || *stated < 0) {
      cost.remarks.push_back(absl::StrCat(start, std::string(what), " is refused: it is no number from 0."));
    } else if (*stated < least * (1 - kRounding)) {
      cost.remarks.push_back(
          absl::StrCat(start, format(*stated), " is refused: the results alone have ", format(least), "."));
    } else if (*stated > most * (1 + kRounding)) {
      cost.remarks.push_back(absl::StrCat(start, format(*stated), " is refused: operands and results of these shapes ",
                                          "allow at most ", format(most), "."));
    } else {
      to = stated;
    }
  };
  check(
      "operations", estimate.flops, 0, bounds.most_flops, [](double value) { return format_flops(value); }, cost.flops);
  check("transcendental operations", estimate.transcendentals, 0, bounds.most_flops / 2, format_count,
        cost.transcendentals);
  check("bytes", estimate.bytes_accessed, bounds.least_bytes, bounds.most_bytes, format_bytes, cost.bytes);
  return cost;
}

std::string reconcile(const CostEstimate& estimate, double least_share, Work& work) {
  if (!estimate.flops || work.flops <= 0) return "";
  const double stated = *estimate.flops;
  const double share = stated / work.flops;
  const std::string start = std::isfinite(stated)
                                ? absl::StrCat("The author's cost_estimate states ", format_flops(stated), "; ")
                                : "The author's cost_estimate is no number; ";
  const std::string counted = absl::StrCat("the shapes give ", format_flops(work.flops));
  if (std::abs(share - 1) <= kRounding) return absl::StrCat(start, counted, ", the same.");
  if (!(share >= least_share * (1 - kRounding)) || share > 1) {
    const std::string allowed =
        least_share < 1 ? absl::StrCat(", and at least ", format_flops(least_share * work.flops), ",") : ",";
    return absl::StrCat(start, counted, allowed, " which is used.");
  }
  work.flops *= share;
  work.matrix_flops *= share;
  work.transcendentals *= share;
  for (MatrixWork& product : work.matrix) {
    product.batch *= share;
    product.flops *= share;
  }
  for (VectorWork& part : work.vector) part.elements *= share;
  work.source = CostSource::kModel;
  return absl::StrCat(start, counted, " at most. The statement is used, as the author may know more of the mask.");
}

}  // namespace hloroof::internal::inline work

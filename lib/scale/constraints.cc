#include "lib/scale/constraints.h"

#include "lib/scale/exponents.h"
#include "lib/scale/placed_error.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kTwoSizes =
    "one dimension of its operands and results would have to grow in two ways; another program computes this at the "
    "other size";

// Adds up all products until nothing changes. Returns the first contradiction.
const Product* settle(Exponents& exponents, std::vector<const Product*>& open, bool major_first) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<const Product*> left;
    for (const Product* product : open) {
      switch (exponents.add_up(product->left, product->right, major_first && !changed)) {
        case Exponents::Sum::kContradiction: return product;
        case Exponents::Sum::kDecided: changed = true; break;
        case Exponents::Sum::kOpen: left.push_back(product);
      }
    }
    open = std::move(left);
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::vector<int>> solve(const Module& module, const Dimensions& dimensions,
                                       const Constraints& constraints) {
  Exponents exponents(dimensions.size());
  const auto fix = [&](const Fixed& fixed) -> absl::Status {
    if (exponents.fix(fixed.node, fixed.exponent)) return absl::OkStatus();
    return placed_error(module.instruction(fixed.at), fixed.why);
  };
  for (const Fixed& seed : constraints.seeds) {
    if (absl::Status status = fix(seed); !status.ok()) return status;
  }
  for (const Link& link : constraints.links) {
    if (!exponents.link(link.a, link.b, link.offset)) return placed_error(module.instruction(link.at), kTwoSizes);
  }
  for (const Fixed& fixed : constraints.fixed) {
    if (absl::Status status = fix(fixed); !status.ok()) return status;
  }
  std::vector<const Product*> open;
  for (const Product& product : constraints.products) open.push_back(&product);
  const auto settle_all = [&](bool major_first) -> absl::Status {
    const Product* wrong = settle(exponents, open, major_first);
    return wrong == nullptr ? absl::OkStatus() : placed_error(module.instruction(wrong->at), kTwoSizes);
  };
  if (absl::Status status = settle_all(false); !status.ok()) return status;
  exponents.keep_largest(constraints.state);
  for (Node node : constraints.inputs) {
    if (!exponents.of(node)) exponents.fix(node, 0);
  }
  if (absl::Status status = settle_all(false); !status.ok()) return status;
  if (absl::Status status = settle_all(true); !status.ok()) return status;
  std::vector<int> result(dimensions.size(), 0);
  for (Node node = 0; node < result.size(); ++node) {
    if (!exponents.of(node)) exponents.fix(node, 0);
    result[node] = *exponents.of(node);
  }
  for (const Product& product : constraints.products) {
    if (exponents.add_up(product.left, product.right) != Exponents::Sum::kDecided) {
      return placed_error(module.instruction(product.at), kTwoSizes);
    }
  }
  return result;
}

}  // namespace hloroof::internal::inline scale

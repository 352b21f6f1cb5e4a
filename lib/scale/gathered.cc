#include "lib/scale/gathered.h"

#include <cmath>
#include <cstddef>
#include <map>

#include "absl/strings/str_cat.h"
#include "lib/base/units.h"
#include "lib/ir/element_type.h"
#include "lib/scale/exponents.h"

namespace hloroof::internal::inline scale {
namespace {

// Bytes at the given size and at the other one.
struct Bytes {
  double before = 0;
  double after = 0;
};

}  // namespace

std::vector<OtherGather> find_other_gathers(const Module& module, const Dimensions& dimensions,
                                            const Constraints& constraints, const std::vector<int>& exponents,
                                            Ratio ratio) {
  std::vector<OtherGather> result;
  if (constraints.gathered.empty()) return result;
  // Dimensions that are one and the same, so far as links without an offset say.
  Exponents same(dimensions.size());
  for (const Link& link : constraints.links) {
    if (link.offset == 0) same.link(link.a, link.b);
  }
  std::map<Node, const Gathered*> by_root;
  for (const Gathered& gathered : constraints.gathered) by_root.emplace(same.root_of(gathered.node), &gathered);
  const auto gathered_of = [&](const std::vector<Node>& nodes) -> const Gathered* {
    for (const Node node : nodes) {
      if (const auto found = by_root.find(same.root_of(node)); found != by_root.end()) return found->second;
    }
    return nullptr;
  };
  const double growth = static_cast<double>(ratio.to) / static_cast<double>(ratio.from);
  const auto bytes_of = [&](InstructionView value) {
    const Shape& shape = dimensions.array(value.id(), 0);
    Bytes bytes{bits(shape.element_type) / 8.0, bits(shape.element_type) / 8.0};
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
      const auto size = static_cast<double>(shape.dimensions[d]);
      bytes.before *= size;
      bytes.after *= size * std::pow(growth, exponents[dimensions.first(value.id()) + d]);
    }
    return bytes;
  };
  for (const Multiplied& product : constraints.multiplied) {
    for (const std::size_t side : {0, 1}) {
      const Gathered* const gathered = gathered_of(product.free[side]);
      if (gathered == nullptr || gathered_of(product.free[1 - side]) != nullptr) continue;
      const InstructionView at = module.instruction(product.at);
      const Bytes whole = bytes_of(at.operand(side));
      Bytes other = bytes_of(at.operand(1 - side));
      other.before *= static_cast<double>(gathered->devices);
      other.after *= static_cast<double>(gathered->new_devices);
      if (other.before < whole.before || other.after >= whole.after) continue;
      result.push_back(
          {product.at,
           absl::StrCat("its gathered operand has ", format_bytes(whole.after), ", and the other one only ",
                        format_bytes(other.after), " on all devices together at the other size (",
                        format_bytes(other.before), " in the given program); a compiler may gather that one")});
    }
  }
  return result;
}

}  // namespace hloroof::internal::inline scale

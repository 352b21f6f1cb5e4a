// What each instruction says about the growth of dimensions.
#ifndef HLOROOF_LIB_SCALE_CONSTRAINTS_H_
#define HLOROOF_LIB_SCALE_CONSTRAINTS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/scale/dimensions.h"

namespace hloroof::internal::inline scale {

// The exponent of `b` is that of `a` plus `offset`.
struct Link {
  Node a = 0;
  Node b = 0;
  int offset = 0;
  InstructionId at;
};

// The dimension stays as it is, because of `why`: the end of "it cannot grow: ...".
struct Fixed {
  Node node = 0;
  int exponent = 0;
  InstructionId at;
  std::string_view why;
};

// The products of two lists of dimensions, major first, grow alike.
struct Product {
  std::vector<Node> left;
  std::vector<Node> right;
  InstructionId at;
};

// A dimension of a gathered array, and how many devices have parts of it, in the given program and at the other size.
struct Gathered {
  Node node = 0;
  std::int64_t devices = 1;
  std::int64_t new_devices = 1;
};

// A product, and the dimensions of each of its operands that are dimensions of the result.
struct Multiplied {
  std::array<std::vector<Node>, 2> free;
  InstructionId at;
};

struct Constraints {
  std::vector<Fixed> seeds;  // come first
  std::vector<Link> links;
  std::vector<Fixed> fixed;
  std::vector<Product> products;
  std::vector<Gathered> gathered;
  std::vector<Multiplied> multiplied;
  // Dimensions of state of which the text does not say whether they are sharded. What grows together with one stays at
  // its largest: a shard that is gathered is a part of what stays.
  std::vector<Node> state;
  std::vector<Node> inputs;  // dimensions of the entry's parameters, which stay unless something says otherwise
};

// The exponent of each dimension. Dimensions about which nothing is known stay as they are. Errors: InvalidArgument at
// the instruction where two statements contradict each other.
absl::StatusOr<std::vector<int>> solve(const Module& module, const Dimensions& dimensions,
                                       const Constraints& constraints);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_CONSTRAINTS_H_

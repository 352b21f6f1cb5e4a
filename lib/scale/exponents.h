// Finds by which power of one ratio each dimension grows.
//
// A dimension that grows by ratio^x has the exponent x. Equations state what the program fixes: two dimensions have the
// same exponent, or exponents that differ by a known number, or the products of two lists of dimensions grow alike.
// The differences are a union-find with offsets. The products remain sums, which are solved when one unknown is left.
#ifndef HLOROOF_LIB_SCALE_EXPONENTS_H_
#define HLOROOF_LIB_SCALE_EXPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/scale/dimensions.h"

namespace hloroof::internal::inline scale {

class Exponents {
 public:
  explicit Exponents(std::size_t nodes);

  // States that `b` has the exponent of `a` plus `offset`. Returns false if they are known to differ otherwise.
  bool link(Node a, Node b, int offset = 0);
  // States the exponent of a dimension. Returns false if it is known to be another.
  bool fix(Node node, int exponent);

  // States that the exponents of `left` add up to the same as those of `right`, as far as that is decided now.
  enum class Sum : std::uint8_t { kOpen, kDecided, kContradiction };
  // If `major_first` is set and several dimensions are open, the first open one of the longer list takes all: where a
  // dimension is split or merged, contiguous shards are shards of the major part.
  Sum add_up(const std::vector<Node>& left, const std::vector<Node>& right, bool major_first = false);

  // Of all dimensions that are linked to one of `nodes`, and whose exponents are open, the largest exponent becomes 0.
  void keep_largest(const std::vector<Node>& nodes);

  // nullopt if nothing states it.
  std::optional<int> of(Node node);

  // A node that all nodes have which are linked to this one.
  Node root_of(Node node) { return find(node).root; }

 private:
  struct Place {
    Node root = 0;
    int offset = 0;  // exponent of the node - exponent of the root
  };
  Place find(Node node);

  std::vector<Node> parent_;
  std::vector<int> offset_;                   // to the parent
  std::vector<std::optional<int>> exponent_;  // of roots
};

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_EXPONENTS_H_

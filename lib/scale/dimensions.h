// The dimensions of all values of a module, numbered.
#ifndef HLOROOF_LIB_SCALE_DIMENSIONS_H_
#define HLOROOF_LIB_SCALE_DIMENSIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

using Node = std::uint32_t;  // a dimension of an array of a value

// A value is the result of an instruction: its arrays in depth-first order, and their dimensions in logical order.
class Dimensions {
 public:
  explicit Dimensions(const Module& module) : module_(module), begin_(module.instruction_limit(), 0) {
    walk(module, [&](InstructionView i) {
      begin_[i.id().index] = count_;
      for (ShapeId leaf : module.shapes().leaves(i.shape_id())) {
        count_ += static_cast<Node>(module.shape(leaf).dimensions.size());
      }
    });
  }

  std::size_t size() const { return count_; }
  std::size_t arrays(InstructionId id) const { return leaves(id).size(); }
  const Shape& array(InstructionId id, std::size_t leaf) const { return module_.shape(leaves(id)[leaf]); }

  // The first dimension of array `leaf` of a value; the others follow.
  Node first(InstructionId id, std::size_t leaf = 0) const {
    Node node = begin_[id.index];
    for (std::size_t i = 0; i < leaf; ++i) node += static_cast<Node>(array(id, i).dimensions.size());
    return node;
  }
  // Behind the last dimension of the last array.
  Node end(InstructionId id) const { return first(id, arrays(id)); }

 private:
  absl::Span<const ShapeId> leaves(InstructionId id) const {
    return module_.shapes().leaves(module_.instruction(id).shape_id());
  }

  const Module& module_;
  std::vector<Node> begin_;
  Node count_ = 0;
};

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_DIMENSIONS_H_

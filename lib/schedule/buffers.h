// Determines which results share memory. A value is one array of an instruction's result (a leaf of its shape). A
// buffer is a set of values that XLA keeps in one allocation because they are forwarded, updated in place, or carried
// through a loop.
#ifndef HLOROOF_LIB_SCHEDULE_BUFFERS_H_
#define HLOROOF_LIB_SCHEDULE_BUFFERS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline schedule {

using ValueId = std::uint32_t;
using BufferId = std::uint32_t;  // the representative value of the set

class Buffers {
 public:
  // Collects the values of the scheduled computations and applies XLA's aliasing rules (docs of hlo_dataflow_analysis
  // and hlo_alias_analysis). If there are more than `max_values` values, builds nothing and complete() is false.
  Buffers(const Module& module, const CallGraph& calls, std::size_t max_values = std::size_t{1} << 24);

  bool complete() const { return complete_; }
  std::size_t value_count() const { return parent_.size(); }

  // Leaf i of an instruction is the value first_value(id) + i. Instructions that are not executed have no values.
  ValueId first_value(InstructionId id) const { return base_[id.index]; }
  std::uint32_t leaf_count(InstructionId id) const { return count_[id.index]; }

  BufferId buffer_of(ValueId value) const;

  // Returns the index of the first leaf of element `path` of a tuple shape, or nullopt if the path does not exist.
  std::optional<std::uint32_t> leaf_at(ShapeId shape, const ShapeIndex& path) const;

  // Results of the entry that reuse the memory of a parameter, as pairs (value of the entry's root, value of the
  // parameter).
  const std::vector<std::pair<ValueId, ValueId>>& donated() const { return donated_; }

 private:
  void share(ValueId a, ValueId b);
  void share(InstructionId a, std::uint32_t a_leaf, InstructionId b, std::uint32_t b_leaf, std::uint32_t count);
  void share_all(InstructionId a, InstructionId b);
  void visit(InstructionView instruction);
  void visit_caller(InstructionView caller);
  void visit_start(InstructionView start);
  void visit_update(InstructionView update);
  void visit_done(InstructionView done);
  void visit_stated_aliases(InstructionView instruction);
  void visit_in_place_root(InstructionView caller, ComputationView callee, std::uint32_t first_leaf);
  void visit_donations();
  std::uint32_t element_offset(ShapeId tuple, std::size_t element) const;

  const Module& module_;
  bool complete_ = true;
  std::vector<ValueId> base_;
  std::vector<std::uint32_t> count_;
  mutable std::vector<ValueId> parent_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> offsets_;  // by ShapeId
  std::vector<std::pair<ValueId, ValueId>> donated_;
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_BUFFERS_H_

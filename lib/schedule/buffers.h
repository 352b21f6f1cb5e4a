// Which results share memory. A value is one array of an instruction's result (a leaf of its shape); a buffer is a set
// of values that XLA keeps in one allocation: forwarded, updated in place, or carried through a loop.
#ifndef HLOROOF_LIB_SCHEDULE_BUFFERS_H_
#define HLOROOF_LIB_SCHEDULE_BUFFERS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/attribute_values.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

using ValueId = std::uint32_t;
using BufferId = std::uint32_t;  // the value that stands for the set

class Buffers {
 public:
  // The values of the scheduled computations, with XLA's aliasing rules applied (docs of hlo_dataflow_analysis and
  // hlo_alias_analysis). Above `max_values` values nothing is built and complete() is false.
  Buffers(const Module& module, const CallGraph& calls, std::size_t max_values = std::size_t{1} << 24);

  bool complete() const { return complete_; }
  std::size_t value_count() const { return parent_.size(); }

  // Values of an instruction: leaf i is first_value(id) + i. Instructions that are not executed have none.
  ValueId first_value(InstructionId id) const { return base_[id.index]; }
  std::uint32_t leaf_count(InstructionId id) const { return count_[id.index]; }

  BufferId buffer_of(ValueId value) const;

  // Where element `path` of a tuple shape begins among its leaves; nothing for a path that does not exist.
  std::optional<std::uint32_t> leaf_at(ShapeId shape, const ShapeIndex& path) const;

  // Results of the entry that take a parameter's memory: value of the entry's root, value of the parameter.
  const std::vector<std::pair<ValueId, ValueId>>& donated() const { return donated_; }

 private:
  void share(ValueId a, ValueId b);
  void share(InstructionId a, std::uint32_t a_leaf, InstructionId b, std::uint32_t b_leaf, std::uint32_t count);
  void share_all(InstructionId a, InstructionId b);
  void visit(InstructionView instruction);
  void visit_start(InstructionView start);
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

// True for instructions whose result is memory that exists already, under another name.
bool forwards(Opcode opcode);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_BUFFERS_H_

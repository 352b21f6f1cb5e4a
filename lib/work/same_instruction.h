// Finds instructions that have the same work, without counting it. Programs repeat: the layers of a model are written
// out one after another, and each runs fusions of its own that differ from those of the layer before in names alone.
#ifndef HLOROOF_LIB_WORK_SAME_INSTRUCTION_H_
#define HLOROOF_LIB_WORK_SAME_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline work {

class InsideTable;

// Keeps the work of instructions, and returns it for others that are written alike: with the same opcode, shapes,
// attributes and called computations. Attributes that no work depends on, such as metadata, may differ. Two
// computations are alike if their instructions are, in the same order. Likeness is conservative: instructions that
// count as different may have the same work. Not thread-safe. Describes the module as it was at the first query.
class SameInstructions {
 public:
  // `insides` must outlive this object.
  SameInstructions(const Module& module, const InsideTable& insides);
  SameInstructions(const SameInstructions&) = delete;
  SameInstructions& operator=(const SameInstructions&) = delete;

  // The work of an instruction like this one: what count(instruction) returned for the first of them.
  //
  // `instruction` must be one whose work depends on nothing but what is_local() describes.
  template <typename Count>
  const Shared<Work>& find(InstructionView instruction, Count count) {
    const auto [found, is_new] = works_.try_emplace(key_of(instruction));
    if (is_new) found->second = count(instruction);
    return found->second;
  }

  // Whether the work of an instruction depends on its row, its operands' shapes, whether these are scalars in HBM, and
  // the computations that it calls. It depends on more for opcodes that look at what computes their operands, and for
  // custom calls, of which the user may state the cost by name.
  static bool is_local(InstructionView instruction);

 private:
  // An instruction and the hash of what is compared.
  struct Key {
    InstructionId id;
    std::size_t hash = 0;
  };
  struct Called {
    ComputationId id;
    std::size_t hash = 0;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.hash; }
    std::size_t operator()(const Called& called) const { return called.hash; }
  };
  struct Alike {
    const SameInstructions* all;
    bool operator()(const Key& a, const Key& b) const { return a.hash == b.hash && all->are_alike(a.id, b.id); }
    bool operator()(const Called& a, const Called& b) const { return a.hash == b.hash && all->are_alike(a.id, b.id); }
  };

  Key key_of(InstructionView instruction);
  // Finds the first computation like each of those that an instruction calls.
  void find_called(InstructionView instruction);
  void find_first(ComputationId id);

  std::size_t row_hash(const InstructionData& row) const;
  std::size_t computation_hash(ComputationId id) const;
  bool are_alike(InstructionId a, InstructionId b) const;
  bool are_alike(ComputationId a, ComputationId b) const;
  bool have_like_rows(const InstructionData& a, const InstructionData& b) const;
  bool have_like_values(const AttributeData& a, const AttributeData& b) const;
  bool have_like_places(InstructionId a, InstructionId b) const;

  const Module& module_;
  const InsideTable& insides_;
  std::vector<ComputationId> first_;  // by ComputationId: the first like it; invalid if it was not looked for
  std::vector<ComputationId> open_;
  absl::flat_hash_set<Called, Hash, Alike> called_;
  absl::flat_hash_map<Key, Shared<Work>, Hash, Alike> works_;
};

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_SAME_INSTRUCTION_H_

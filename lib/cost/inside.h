// What happens inside one instruction: arithmetic, and which parts of its operands and results are touched.
#ifndef HLOROOF_LIB_COST_INSIDE_H_
#define HLOROOF_LIB_COST_INSIDE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

// The part of an array that is touched, 0 .. 1: of its bytes with padding, where whole tiles count, and without.
struct Share {
  double padded = 0;
  double logical = 0;

  void add(Share other) {
    padded = padded + other.padded < 1 ? padded + other.padded : 1;
    logical = logical + other.logical < 1 ? logical + other.logical : 1;
  }
  friend Share operator*(Share a, Share b) { return {a.padded * b.padded, a.logical * b.logical}; }
};

inline constexpr Share kAll{1, 1};

// How one result leaf of a computation is written.
struct LeafWrite {
  bool in_place = false;  // only `written` of it, in the memory of parameter `parameter`; nothing if handed on
  int parameter = -1;
  double written_padded = 0;  // bytes, if in place
  double written_logical = 0;
  double read_back = 0;              // padded bytes of the tiles that the update covers in part and that are read first
  double partial_tile_elements = 0;  // padded elements of those tiles
};

// The inside of a computation that is part of another instruction (a fusion, an async wrapper), all results wanted.
struct Inside {
  std::vector<Share> parameters;  // read from each parameter, by number; updates in place left out
  std::vector<LeafWrite> leaves;  // of the root, in the order of ShapeTable::leaves
  Work work;                      // arithmetic only: flops, transcendentals, matrix, vector, source
  MemoryBytes constants;          // arrays in the program text that it reads
};

// The computation that runs as part of a fusion, call or async-start; invalid where it is not in the text, and for
// every other instruction.
ComputationId inlined_computation(InstructionView instruction);

// Computes and keeps the insides of computations. Not thread-safe; holds for the module as it was when first asked.
class InsideTable {
 public:
  explicit InsideTable(const Module& module);

  // All results wanted, written to memory of their own except where an update in place can be made in a parameter's.
  const Inside& of(ComputationId id);

  // The inside of a top-level fusion: what the text says of results that lie in the memory of operands holds as well.
  const Inside& of_fusion(InstructionView fusion);

  // The same for an instruction taken alone, as if it were a computation of its own: `parameters` are its operands.
  Inside of_instruction(InstructionView instruction);

  SizeCache& sizes() { return sizes_; }

 private:
  friend class Examination;

  // Sees to it that `of` has an answer for every computation that `id` calls.
  void compute_callees(ComputationId id);

  const Module& module_;
  SizeCache sizes_;
  std::vector<std::unique_ptr<Inside>> known_;  // by ComputationId
  std::vector<std::uint32_t> place_;            // by InstructionId: its place in its computation
  Inside fusion_;                               // the last answer of of_fusion
  // Of the computation under examination, by place.
  std::vector<InstructionView> order_;
  std::vector<Share> wanted_;
  std::vector<char> in_place_;
};

// Adds `share` of the arithmetic of `instruction`, which is neither a call nor a fusion, to `work`.
void add_arithmetic(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// Adds `share` of `inner`'s arithmetic to `work`.
void add_arithmetic(const Work& inner, double share, Work& work);

// Adds to the entry of its kind.
void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane = false);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_INSIDE_H_

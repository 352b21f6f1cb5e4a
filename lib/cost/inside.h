// What happens inside one instruction: arithmetic, and which parts of its operands and results are touched.
#ifndef HLOROOF_LIB_COST_INSIDE_H_
#define HLOROOF_LIB_COST_INSIDE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/cost/recomputation.h"
#include "lib/cost/size_cache.h"
#include "lib/cost/touched.h"

namespace hloroof::inline v0 {

// The inside of a computation that is part of another instruction (a fusion, an async wrapper), all results wanted.
struct Inside {
  std::vector<Share> parameters;  // read from each parameter, by number; updates in place left out
  std::vector<double> uses;       // times each element of a parameter is asked for; empty where that is not counted
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
  std::vector<char> by_element_;                // by ComputationId: whether its fusion works element by element
  Inside fusion_;                               // the last answer of of_fusion
  // Of the computation under examination, by place.
  std::vector<InstructionView> order_;
  std::vector<Share> wanted_;
  std::vector<char> in_place_;
  std::vector<char> follows_product_;
  Recomputation recomputation_;
};

// Adds `share` of the arithmetic of `instruction`, which is neither a call nor a fusion, to `work`.
void add_arithmetic(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// Adds `share` of `inner`'s arithmetic to `work`.
void add_arithmetic(const Work& inner, double share, Work& work);

// Comparisons an element of the best k of a row, which keep a heap of k: log2 k.
double topk_levels(InstructionView topk);

// Adds to the entry of its kind.
void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane = false);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_INSIDE_H_

// Determines the arithmetic inside one instruction, and the parts of its operands and results that it touches.
#ifndef HLOROOF_LIB_WORK_INSIDE_H_
#define HLOROOF_LIB_WORK_INSIDE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/work/recomputation.h"
#include "lib/work/size_cache.h"
#include "lib/work/touched.h"

namespace hloroof::internal::inline work {

// The work inside a computation that is part of another instruction (a fusion, an async wrapper), if all its results
// are needed.
struct Inside {
  std::vector<Share> parameters;  // read from each parameter, by number, without in-place updates
  std::vector<double> uses;       // how often each element of a parameter is needed; empty if not counted
  std::vector<LeafWrite> leaves;  // writes of the root, in the order of ShapeTable::leaves
  Work work;                      // arithmetic only: flops, transcendentals, matrix, vector, source
  MemoryBytes constants;          // constant arrays of the program that it reads
};

// The computation that runs as part of a fusion, call or async-start. Invalid if the text does not contain it, and for
// any other instruction.
ComputationId inlined_computation(InstructionView instruction);

// Whether some instruction has a tiled layout. Only TPU layouts have tiles, and the TPU compiler works on tiles. The
// shapes in the table of the module do not matter, because not all of them are in use after edits.
bool uses_tiles(const Module& module);

// Computes and caches the inside of each computation. Not thread-safe. The results describe the module as it was at the
// first query.
class InsideTable {
 public:
  explicit InsideTable(const Module& module);

  // Assumes that all results are needed. A result is written to separate memory, unless it can be updated in place in
  // the memory of a parameter.
  const Inside& of(ComputationId id);

  // The inside of a top-level fusion. Also applies the aliases that the text states, which place results in the memory
  // of operands.
  const Inside& of_fusion(InstructionView fusion);

  // The same for a single instruction, treated as a computation whose parameters are its operands.
  Inside of_instruction(InstructionView instruction);

  SizeCache& sizes() { return sizes_; }

 private:
  friend class Examination;

  // Computes the inside of every computation that `id` calls, so that `of` can return it.
  void compute_callees(ComputationId id);

  const Module& module_;
  SizeCache sizes_;
  std::vector<std::unique_ptr<Inside>> known_;  // by ComputationId
  std::vector<std::uint32_t> place_;  // by InstructionId: its position in its computation, if that was examined
  std::vector<char> by_element_;      // by ComputationId: whether its fusion computes element by element
  Inside fusion_;                     // the last result of of_fusion()
  // The state of the computation under examination, by position.
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

// The comparisons per element to select the best k of a row with a heap of k elements: log2 k.
double topk_levels(InstructionView topk);

// Adds `elements` to the entry of `work.vector` for the same opcode, type and `cross_lane`. Appends an entry if there
// is none.
void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane = false,
                ElementType to = ElementType::kInvalid);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_INSIDE_H_

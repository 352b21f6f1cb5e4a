// What happens inside one instruction: arithmetic, and which parts of its operands and results are touched.
#ifndef HLOROOF_LIB_COST_INSIDE_H_
#define HLOROOF_LIB_COST_INSIDE_H_

#include <unordered_map>
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
  bool in_place = false;       // only `written` of it, in the memory of parameter `parameter`
  int parameter = -1;
  double written_padded = 0;   // bytes, if in place
  double written_logical = 0;
  double read_back = 0;        // padded bytes of the tiles that the update covers in part and that are read first
  double partial_tile_elements = 0;  // padded elements of those tiles
};

// The inside of a computation that is part of another instruction (a fusion, an async wrapper), all results wanted.
struct Inside {
  std::vector<Share> parameters;   // read from each parameter, by number; updates in place left out
  std::vector<LeafWrite> leaves;   // of the root, in the order of ShapeTable::leaves
  Work work;                       // arithmetic only: flops, transcendentals, matrix, vector, source
  MemoryBytes constants;           // arrays in the program text that it reads
};

// Computes and keeps the insides of computations. Not thread-safe; holds for the module as it was when first asked.
class InsideTable {
 public:
  explicit InsideTable(const Module& module) : module_(module), sizes_(module.shapes()) {}

  const Inside& of(ComputationId id);

  // The same for an instruction taken alone, as if it were a computation of its own: `parameters` are its operands.
  Inside of_instruction(InstructionView instruction);

  SizeCache& sizes() { return sizes_; }

 private:
  Inside compute(ComputationView computation);

  const Module& module_;
  SizeCache sizes_;
  std::unordered_map<std::uint32_t, Inside> known_;
};

// Adds `share` of the arithmetic of `instruction`, which is neither a call nor a fusion, to `work`.
void add_arithmetic(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// Adds `share` of `inner`'s arithmetic to `work`.
void add_arithmetic(const Work& inner, double share, Work& work);

// Adds to the entry of its kind.
void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane = false);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_INSIDE_H_

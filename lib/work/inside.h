// Determines the arithmetic inside one instruction, and the parts of its operands and results that it touches.
#ifndef HLOROOF_LIB_WORK_INSIDE_H_
#define HLOROOF_LIB_WORK_INSIDE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/work/positions.h"
#include "lib/work/recomputation.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// The parts of arrays that one instruction reads and writes follow: slices, gathers, in-place updates, whole tiles.

// The read fraction of an array: of its bytes with padding, where whole tiles count, and of its bytes without. A
// fraction exceeds 1 only in tiled memory, where no cache keeps what was read: for blocks that a gather fetches
// repeatedly, and for arrays that are needed at several places.
struct Share {
  double padded = 0;
  double logical = 0;

  // Adds what is read by windows of its own. The sum is limited, because each instruction of a chain may double it.
  void add_apart(Share other) {
    constexpr double kMost = 1e6;
    padded = std::min(padded + other.padded, std::max(padded, kMost));
    logical = std::min(logical + other.logical, std::max(logical, kMost));
  }

  void add(Share other) {
    padded = united(padded, other.padded);
    logical = united(logical, other.logical);
  }
  friend Share operator*(Share a, Share b) { return {a.padded * b.padded, a.logical * b.logical}; }

 private:
  static double united(double a, double b) { return std::min(a + b, std::max({a, b, 1.0})); }
};

inline constexpr Share kAll{1, 1};

// The way one result leaf of a computation is written.
struct LeafWrite {
  bool in_place = false;  // only `written_*` bytes, in the memory of parameter `parameter`; 0 if passed through
  int parameter = -1;
  double written_padded = 0;  // bytes, if in place
  double written_logical = 0;
  bool combines = false;             // with what is there, so that the written bytes are read first
  double read_back = 0;              // padded bytes that are read first: those, or of the partially covered tiles
  double partial_tile_elements = 0;  // padded elements of those tiles
  double rows = 0;                   // of an update that lies row by row; 0: of another
  double row_registers = 0;          // of those rows
};

// The share of operand `i` that an instruction reads if the share `wanted` of its result is needed. Does not account
// for in-place updates.
Share operand_share(InstructionView instruction, int i, Share wanted, SizeCache& cache);

// The write of a dynamic-update-slice of `update` into `array`, which is parameter `parameter`. Partially covered tiles
// are read first. If `update` lies row by row (`T(1,128)`), its rows are stored as they are; in other layouts each
// register of it has rows of several tiles.
LeafWrite update_slice(const Shape& array, const Shape& update, int parameter);

// The write of operand `operand` of a scatter, which has shape `array` and is in the memory of parameter `parameter`.
// The elements that the updates combine with are read first.
LeafWrite update_scatter(InstructionView scatter, int operand, const Shape& array, int parameter);

// The contiguous elements of a block of `sizes` in an array of `shape` without tiles.
double run_of(const Shape& shape, const std::vector<std::int64_t>& sizes);

// Adds the parts of an array without tiles that a gather, a scatter or a slice touches one by one, and the atomic
// updates of a scatter.
void add_pieces(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// Adds pieces to those of the same kind.
void add_pieces(const Pieces& pieces, Work& work);

// The size of a block of `sizes` in `array` with the array's tiles, so that a block narrower than a tile covers the
// whole tile.
ArraySize block_size(const Shape& array, const std::vector<std::int64_t>& sizes);

// The elements of such a block.
double window_elements(const std::vector<std::int64_t>& sizes);

// The size of one update window of a scatter, in the dimensions of its operand.
std::vector<std::int64_t> scatter_window(InstructionView scatter, const Shape& operand, const Shape& update);

inline int scatter_operands(InstructionView scatter) { return static_cast<int>((scatter.operand_count() - 1) / 2); }

// The instruction behind those that only rename, copy, reshape or convert its result. An in-place update of that result
// can be made through them.
InstructionView updated_through(InstructionView at);

// The work inside a computation that is part of another instruction (a fusion, an async wrapper), if all its results
// are needed.
struct Inside {
  std::vector<Share> parameters;  // read from each parameter, by number, without in-place updates
  std::vector<double> uses;       // how often each element of a parameter is needed; empty if not counted
  // Of `parameters`, the padded shares that are read in the windows of a product's operands, by number. On tiles only.
  struct InWindows {
    double lhs = 0;
    double rhs = 0;
  };
  std::vector<InWindows> in_operand_windows;
  std::vector<LeafWrite> leaves;   // writes of the root, in the order of ShapeTable::leaves
  Work work;                       // arithmetic only: flops, transcendentals, matrix, vector, source
  MemoryBytes constants;           // constant arrays of the program that it reads
  bool has_reduce_window = false;  // itself, not in what it calls
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

  // Whether the fusion that calls a computation computes element by element.
  bool is_by_element(ComputationId id) const { return by_element_[id.index] != 0; }

  SizeCache& sizes() { return sizes_; }
  bool is_on_tiles() const { return uses_tiles_; }

 private:
  friend class Examination;

  // Computes the inside of every computation that `id` calls, so that `of` can return it.
  void compute_callees(ComputationId id);

  const Module& module_;
  bool uses_tiles_ = false;
  SizeCache sizes_;
  std::vector<std::unique_ptr<Inside>> known_;  // by ComputationId
  std::vector<char> by_element_;                // by ComputationId: whether its fusion computes element by element
  Inside fusion_;                               // the last result of of_fusion()
  // The state of the computation under examination, by position.
  Positions place_;
  std::vector<InstructionView> order_;
  std::vector<Share> wanted_;
  std::vector<Share> moved_;      // the part of wanted_ for instructions that have windows of their own
  std::vector<char> in_windows_;  // on tiles: which operand of a product or reduce-window a result is
  std::vector<char> in_place_;
  std::vector<char> follows_product_;
  std::vector<char> done_by_user_;  // on tiles: whether the code of a conversion that uses the result computes it too
  Recomputation recomputation_;
};

// Where the operands of an instruction come from.
enum class Place : std::uint8_t {
  kAlone,  // memory
  kFused,  // the instructions before it in its fusion, whose registers it sees
};

// Adds `share` of the arithmetic of `instruction`, which is neither a call nor a fusion, to `work`.
void add_arithmetic(InstructionView instruction, double share, Place place, SizeCache& sizes, Work& work);

// The dimensions of its result along which a broadcast repeats its operand.
std::vector<std::int64_t> repeated_dimensions(InstructionView broadcast);

// The elements that a broadcast along the lanes of a TPU spreads. An array that comes from memory has a row's value in
// a lane, which must spread over all lanes of the row's registers. A value that was reduced over lanes in the same
// fusion already fills them. 0 for any other broadcast.
double spread_elements(InstructionView broadcast, Place place, SizeCache& sizes);

// Adds `share` of `inner`'s arithmetic to `work`.
void add_arithmetic(const Work& inner, double share, Work& work);

// The k of a top-k.
double best_values(InstructionView topk);
// The comparisons per element to select the best k of a row with a heap of k elements: log2 k.
double topk_levels(InstructionView topk);

// Adds the elements of `part` to the entry of `vector` that is of the same kind in everything else. Appends an entry if
// there is none.
void add_vector(const VectorWork& part, std::vector<VectorWork>& vector);
void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane = false,
                ElementType to = ElementType::kInvalid);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_INSIDE_H_

// Computes the FLOPs, transcendentals and unit work of single instructions.
//
// FLOPs follow the definition of XLA's HloCostAnalysis (openxla/xla xla/service/hlo_cost_analysis.cc), except where
// that counts operations that do not run: in prefix sums written as reduce-windows, in ragged dots over all groups, and
// in sorts. Sorts are counted row by row here. The vector units process padded elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/value_walk.h"
#include "lib/kernel/common/isa.h"
#include "lib/values/attribute_values.h"
#include "lib/work/contraction.h"
#include "lib/work/inside.h"
#include "lib/work/reductions.h"
#include "lib/work/registers.h"
#include "lib/work/rows.h"
#include "lib/work/shortcuts.h"

namespace hloroof::internal::inline work {
namespace {

double elements_of(InstructionView instruction, SizeCache& sizes) {
  double sum = 0;
  for (ShapeId leaf : instruction.module().shapes().leaves(instruction.shape_id())) sum += sizes[leaf].logical_elements;
  return sum;
}

// The way elements move within their registers. Rows that only change sublanes are gathered. If lanes become something
// else than sublanes, or sublanes something else than lanes, rows are gathered before or after the array is turned.
enum class Relayout { kNone, kRows, kLanes, kLanesOfRows };

// The dimension of the input that is dimension `d` of the output: source[d]. An empty `source` is the identity.
std::int64_t original(const std::vector<std::int64_t>& source, std::int64_t d) {
  return d >= 0 && d < static_cast<std::int64_t>(source.size()) ? source[d] : d;
}

// The relayout that turns `from` into `to`.
Relayout relayout(const Shape& from, const Shape& to, const std::vector<std::int64_t>& source) {
  if (!is_tiled(from) || !is_tiled(to)) return Relayout::kNone;
  const MinorDimensions before = minor_dimensions(from);
  const MinorDimensions after = minor_dimensions(to);
  if (before.lane != original(source, after.lane)) {
    const bool is_plain =
        before.sublane == original(source, after.lane) && before.lane == original(source, after.sublane);
    return is_plain ? Relayout::kLanes : Relayout::kLanesOfRows;
  }
  return before.sublane != original(source, after.sublane) ? Relayout::kRows : Relayout::kNone;
}

// How many strided loads gather a register of the result of a copy whose rows change sublanes, if its array is in VMEM
// and has the stride of its layout. A strided load takes a row from each bank of VMEM. Otherwise one: the windows of an
// array in HBM are moved by other code. Source: the final code of libtpu 0.0.52 for v6e, in which rows of a stride of 8
// take two loads and rows of a stride of 32 eight.
double loads_of_rows(const Shape& from, std::int64_t rows) {
  const std::vector<std::int64_t>& order = from.layout.minor_to_major;
  if (!is_in_vmem(from) || order.size() < 2) return 1;
  const bool shares_register = tile_extent(from, order[1]) < kernel::kRegisterSublanes && !lies_by_rows(from);
  if (shares_register) return 1;  // with other rows of the array
  // Modulo the banks. A tile of 8 packed rows takes less than a register.
  std::int64_t stride =
      std::max<std::int64_t>(tile_extent(from, order[1]) / elements_of_word(from.element_type), 1) % kernel::kVmemBanks;
  for (std::size_t i = 0; i < order.size() && (i < 2 || order[i] != rows); ++i) {
    stride = stride * (tiles_along(from, order[i]) % kernel::kVmemBanks) % kernel::kVmemBanks;
  }
  const std::int64_t banks = kernel::kVmemBanks / std::gcd(stride, kernel::kVmemBanks);
  return static_cast<double>(kernel::kRegisterSublanes) /
         static_cast<double>(std::min(banks, kernel::kRegisterSublanes));
}

// The way an array moves into or out of another one, by the places at which it starts there: to the next tile, to other
// rows of its tiles, or to other lanes.
struct Shift {
  bool rows = false;
  bool lanes = false;

  void add(const Shape& shape, std::int64_t d, std::int64_t start) {
    const std::int64_t extent = tile_extent(shape, d);
    if (extent <= 1 || start % extent == 0) return;
    (d == minor_dimensions(shape).lane ? lanes : rows) = true;
  }
};

// Adds the passage of registers through the cross-lane unit, each as it is, packed or not.
void add_rotations(Opcode opcode, ElementType type, double elements, Work& work) {
  add_vector(work, opcode, type, elements * std::min(bits(type), kernel::kLaneBits) / kernel::kLaneBits, true);
}

// Adds the shift of `elements` of an array, of which those of `shifted` change lanes. A load may start at any row of
// 32-bit elements; narrower ones are taken apart and joined.
void add_shift(Opcode opcode, ElementType type, const Shift& shift, double elements, double shifted, Work& work) {
  const int steps = (shift.rows ? 1 : 0) + (shift.lanes ? 1 : 0);
  if (steps == 0) return;
  if (shift.lanes) add_rotations(opcode, type, shifted, work);
  if (bits(type) < kernel::kLaneBits) add_vector(work, opcode, type, steps * elements);
}

// The elements of the registers of the result of a pad that pass through the cross-lane unit: those of all columns of
// tiles, also of those that only hold the value of the padding, of which two of 32 bits pass as one. Source: the final
// code of libtpu 0.0.52 for v5e, v6e and 7x.
double shifted_by_pad(InstructionView pad, const std::vector<PaddingDimension>& dimensions, SizeCache& sizes) {
  const Shape& shape = pad.shape();
  const Shape& operand = pad.operand(0).shape();
  const double elements = sizes[pad.shape_id()].padded_elements;
  const std::int64_t lane = minor_dimensions(shape).lane;
  if (lane >= operand.rank() || dimensions[lane].interior != 0 || bits(shape.element_type) < kernel::kLaneBits) {
    return elements;
  }
  const auto extent = static_cast<double>(tile_extent(shape, lane));
  const double start = std::fmod(static_cast<double>(dimensions[lane].low), extent);
  const double reached = std::ceil((start + static_cast<double>(operand.dimensions[lane])) / extent);
  return elements * (1 + std::min(reached / static_cast<double>(tiles_along(shape, lane)), 1.0)) / 2;
}

// Adds the shifts of the operands of a concatenation with tiles, each of which starts where the one before ends.
void add_concatenated_shifts(InstructionView concatenate, double share, SizeCache& sizes, Work& work) {
  const Shape& shape = concatenate.shape();
  for (const std::int64_t d : integers(concatenate, AttributeKey::kDimensions)) {
    if (d < 0 || d >= shape.rank()) continue;
    const auto extent = static_cast<std::uint64_t>(tile_extent(shape, d));
    std::uint64_t start = 0;  // inside a tile: a text can name sizes whose sum is no number
    for (const InstructionView operand : concatenate.operands()) {
      Shift shift;
      shift.add(shape, d, static_cast<std::int64_t>(start));
      const double elements = sizes[operand.shape_id()].padded_elements * share;
      add_shift(Opcode::kConcatenate, operand.shape().element_type, shift, elements, elements, work);
      if (d >= operand.shape().rank()) continue;
      start = (start + static_cast<std::uint64_t>(operand.shape().dimensions[d]) % extent) % extent;
    }
  }
}

// Adds what a slice, a pad or a concatenation moves inside the tiles.
void add_shifts(InstructionView instruction, double share, SizeCache& sizes, Work& work) {
  const Shape& shape = instruction.shape();
  if (!is_tiled(shape) || instruction.operand_count() == 0) return;
  const Opcode opcode = instruction.opcode();
  Shift shift;
  switch (opcode) {
    case Opcode::kSlice: {
      const std::vector<SliceRange> ranges = slice_ranges(instruction);
      for (std::size_t d = 0; d < ranges.size(); ++d) shift.add(shape, static_cast<std::int64_t>(d), ranges[d].start);
      const double elements = sizes[instruction.shape_id()].padded_elements * share;
      return add_shift(opcode, shape.element_type, shift, elements, elements, work);
    }
    case Opcode::kPad: {
      const std::vector<PaddingDimension> dimensions = padding(instruction);
      for (std::size_t d = 0; d < dimensions.size(); ++d) {
        shift.add(shape, static_cast<std::int64_t>(d), dimensions[d].low);
      }
      const double elements = sizes[instruction.operand(0).shape_id()].padded_elements * share;
      const double shifted = shift.lanes ? shifted_by_pad(instruction, dimensions, sizes) * share : 0;
      return add_shift(opcode, shape.element_type, shift, elements, shifted, work);
    }
    default: return add_concatenated_shifts(instruction, share, sizes, work);
  }
}

// Adds the registers of a dynamic slice that pass through the cross-lane unit. The compiler cannot know where it begins
// unless it takes whole tiles, which lie at multiples of tiles where programs divide an array.
void add_dynamic_shift(InstructionView slice, double share, SizeCache& sizes, Work& work) {
  const Shape& shape = slice.shape();
  const std::int64_t lane = minor_dimensions(shape).lane;
  if (!is_tiled(shape) || lane < 0 || slice.operand_count() == 0) return;
  const Shape& operand = slice.operand(0).shape();
  if (lane >= operand.rank() || shape.dimensions[lane] == operand.dimensions[lane]) return;
  if (shape.dimensions[lane] % tile_extent(shape, lane) == 0) return;
  add_rotations(Opcode::kSlice, shape.element_type, sizes[slice.shape_id()].padded_elements * share, work);
}

// Adds the rows of a slice that takes one of each tile, and whose result lies row by row.
void add_sliced_rows(InstructionView slice, double share, SizeCache& sizes, Work& work) {
  const Shape& shape = slice.shape();
  if (slice.operand_count() == 0 || !lies_by_rows(shape)) return;
  const Shape& operand = slice.operand(0).shape();
  if (!is_tiled(operand) || operand.rank() != shape.rank() || lies_by_rows(operand)) return;
  const MinorDimensions minor = minor_dimensions(shape);
  const auto lanes = static_cast<double>(tile_extent(shape, minor.lane));
  const auto sublanes = static_cast<double>(tile_extent(shape, minor.sublane));
  work.sliced_rows += sizes[slice.shape_id()].padded_elements / lanes / sublanes * share;
}

// Whether an array is assembled from whole tiles. This only changes addresses and computes nothing.
bool joins_whole_tiles(InstructionView instruction) {
  const Shape& shape = instruction.shape();
  if (!is_tiled(shape)) return false;
  if (instruction.opcode() == Opcode::kPad) {
    const std::vector<PaddingDimension> dimensions = padding(instruction);
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const PaddingDimension& p = dimensions[d];
      const std::int64_t extent = tile_extent(shape, static_cast<std::int64_t>(d));
      if (extent > 1 && (p.low % extent != 0 || p.high % extent != 0 || p.interior != 0)) return false;
    }
    return true;
  }
  for (std::int64_t d : integers(instruction, AttributeKey::kDimensions)) {
    const std::int64_t extent = tile_extent(shape, d);
    for (InstructionView operand : instruction.operands()) {
      const std::vector<std::int64_t>& sizes = operand.shape().dimensions;
      if (d >= 0 && d < static_cast<std::int64_t>(sizes.size()) && sizes[d] % extent != 0) return false;
    }
  }
  return true;
}

// How many registers of `value` hold the same, because a broadcast repeats it along their tiles or because it is the
// total of its row; 0 if it is neither.
double equal_registers(InstructionView value, Place place) {
  if (place == Place::kAlone) return 0;  // it comes from memory
  const InstructionView source = origin(value, [](InstructionView at) { return flow(at.opcode()) == Flow::kConverts; });
  const Shape& shape = source.shape();
  if (source.opcode() == Opcode::kReduceWindow && totals_lanes(source)) {
    return static_cast<double>(tiles_along(shape, minor_dimensions(shape).lane));
  }
  if (source.opcode() != Opcode::kBroadcast || !is_tiled(shape)) return 0;
  const std::vector<std::int64_t> repeated = repeated_dimensions(source);
  double equal = repeated.empty() ? 0 : 1;
  for (std::int64_t d : repeated) equal *= static_cast<double>(tiles_along(shape, d));
  return equal;
}

// How many elements a conversion on a TPU converts. A value that a broadcast repeats is converted once.
double converted_elements(InstructionView convert, Place place, SizeCache& sizes) {
  const double elements = sizes[convert.shape_id()].padded_elements;
  if (place == Place::kAlone || !is_tiled(convert.shape()) || convert.operand_count() == 0) return elements;
  const InstructionView source =
      origin(convert.operand(0), [](InstructionView at) { return flow(at.opcode()) == Flow::kRenames; });
  if (source.opcode() == Opcode::kBroadcast && source.operand_count() == 1) {
    return std::min(elements, sizes[source.operand(0).shape_id()].padded_elements);
  }
  return elements;
}

// Adds a conversion. Compiled code for a fusion on a TPU joins some with what is before them.
void add_conversion(InstructionView convert, double share, Place place, SizeCache& sizes, Work& work) {
  const ElementType to = convert.shape().element_type;
  VectorWork part = {Opcode::kConvert, to, converted_elements(convert, place, sizes) * share, false, to};
  if (convert.operand_count() > 0) part.type = convert.operand(0).shape().element_type;
  if (place == Place::kFused && is_tiled(convert.shape())) {
    if (const auto before = narrow_conversion_before(convert)) part.type = before->operand(0).shape().element_type;
    if (const auto rounding = rounding_of(convert)) {
      part.shortcut = Shortcut::kRounded;
      // Code that rounds and converts at once clamps for it if the program does not.
      if (!rounding->is_clamped && bits(to) < kernel::kLaneBits) {
        add_vector(work, Opcode::kClamp, ElementType::kF32, part.elements);
      }
    }
  }
  add_vector(part, work.vector);
}

// Adds what the core of a TPU does to lay out what a sliding window covers, if the batch of its input is on the lanes.
// A position with few features fills a part of a register, and is moved to its place beside the others. If the result
// has its features on the lanes, what the window covers is then turned. Source: the final code of libtpu 0.0.52, in
// which turning takes transpose_cycles a register, and placing 0.5 to 0.7 cycles a position.
void add_patches(const MatrixWork& product, double share, Work& work) {
  const SlidingWindow& sliding = product.sliding;
  if (sliding.taps <= 0 || sliding.batch_on_lanes <= 0) return;
  constexpr auto kLanes = static_cast<double>(kernel::kRegisterLanes);
  constexpr auto kSublanes = static_cast<double>(kernel::kRegisterSublanes);
  const double registers = product.m / sliding.batch_on_lanes * std::ceil(sliding.batch_on_lanes / kLanes) * share;
  if (sliding.features < kSublanes) {
    add_vector(work, Opcode::kConvolution, ElementType::kF32, registers * sliding.taps * kernel::kRegisterElements);
  }
  if (sliding.patch_is_resident) return;
  const double rows = kSublanes * kernel::kLaneBits / bits(product.lhs);
  add_vector(work, Opcode::kConvolution, product.lhs,
             registers * std::ceil(sliding.taps * sliding.features / rows) * kernel::kRegisterElements, true);
}

void add_contraction(InstructionView contraction, double share, Work& work) {
  MatrixWork product = matrix_work(contraction);
  if (product.flops <= 0) return;
  // With one input and one output channel, no other channel shares the weights. The vector units compute such a
  // product.
  if (product.n == 1 && product.k == product.window_positions && product.batch > 1) {
    const double multiplies = product.flops / 2 * share;
    work.flops += product.flops * share;
    add_vector(work, Opcode::kMultiply, is_tiled(contraction.shape()) ? ElementType::kF32 : product.lhs, multiplies);
    add_vector(work, Opcode::kAdd, ElementType::kF32, multiplies);
    return;
  }
  product.flops *= share;
  product.batch *= share;
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  add_patches(product, share, work);
}

// How many registers a sort of a tiled array takes for one that its elements would fill: tiles of fewer than eight rows
// fill a register only in part.
double registers_of_tiles(const Shape& array) {
  const std::vector<std::int64_t>& tile = array.layout.tiles[0].dimensions;
  if (array.rank() < 2 || tile.size() < 2) return 1;
  const std::int64_t rows = std::clamp<std::int64_t>(tile[tile.size() - 2], 1, kernel::kRegisterSublanes);
  return static_cast<double>(kernel::kRegisterSublanes) / static_cast<double>(rows);
}

// The share of the elements for which compiled code computes what a comparator needs of one of its two elements alone,
// such as the order of floating-point numbers as integers: some of it is kept for the next comparison. Derived from the
// final code of libtpu 0.0.52 for v5e and v6e, of sorts of f32 and of s32: 1.7 times for a pair. Along lanes nothing is
// kept.
constexpr double kNeededOfOne = 0.85;

// Adds the operations of the comparator of a sort on `elements`, those on one of two elements for a share of them.
void add_comparator(InstructionView sort, double elements, double share_of_one, Work& work) {
  enum : char { kFirst = 1, kSecond = 2, kBoth = 3 };
  for (const ComputationView computation : sort.computations(AttributeKey::kToApply)) {
    absl::flat_hash_map<std::uint32_t, char> sees;  // which of the two elements
    for (const InstructionView inner : computation.instructions()) {
      char seen = 0;
      if (inner.opcode() == Opcode::kParameter) seen = inner.parameter_number() % 2 == 0 ? kFirst : kSecond;
      for (const InstructionView operand : inner.operands()) seen = static_cast<char>(seen | sees[operand.id().index]);
      sees[inner.id().index] = seen;
      if (!takes_operation(inner.opcode())) continue;
      add_vector(work, inner.opcode(), ElementType::kF32, seen == kBoth ? elements : elements * share_of_one);
    }
  }
}

// Adds the kernels into which XLA divides a sort for a GPU. Blocks of threads hold tiles of a row in shared memory and
// do there all stages whose pairs lie in one tile. A row of 2^q tiles takes one kernel for the stages within tiles, and
// for each of the q further merges one for each distance beyond a tile and one for all within. Every kernel reads and
// writes all operands (EmitSort in openxla/xla xla/service/gpu/ir_emitter_unnested.cc; the thunks of programs compiled
// for H100: 3 kernels for rows of 8192 elements, 15 for 65,536, 91 for 16,777,216).
void add_sort_kernels(InstructionView sort, double levels, double share, SizeCache& sizes, Work& work) {
  constexpr double kElementsOfTile = 4096;      // four for each of 1024 threads
  constexpr double kSharedBytes = 48 * 1024.0;  // of a block that asks for no more (CUDA C++ Programming Guide)
  double bytes_of_element = 0;
  double moved = 0;
  for (InstructionView operand : sort.operands()) {
    bytes_of_element += std::max(bits(operand.shape().element_type) / 8.0, 1.0);
    moved += 2 * sizes[operand.shape_id()].padded_bytes;
  }
  const double tile_levels = std::floor(std::log2(std::min(kElementsOfTile, kSharedBytes / bytes_of_element)));
  const double merges = std::max(levels - tile_levels, 0.0);
  const double further = merges * (merges + 3) / 2;
  work.kernels = std::max(work.kernels, 1 + further);
  work.between_kernels += further * moved * share;
}

void add_sort(InstructionView sort, double share, SizeCache& sizes, Work& work) {
  if (sort.operand_count() == 0) return;
  const Shape& keys = sort.operand(0).shape();
  const std::vector<std::int64_t> dimensions = integers(sort, AttributeKey::kDimensions);
  const std::int64_t along = dimensions.empty() ? keys.rank() - 1 : dimensions[0];
  const double row =
      along >= 0 && along < keys.rank() ? static_cast<double>(std::max<std::int64_t>(keys.dimensions[along], 1)) : 1;
  const ArraySize size = sizes[sort.operand(0).shape_id()];
  const double levels = log2_ceil(row);
  const double compared = sort.opcode() == Opcode::kTopk ? topk_levels(sort) : levels;
  work.flops += size.logical_elements * compared * share;
  // A bitonic network has levels * (levels + 1) / 2 stages, each of which processes every element.
  const double stages = levels * (levels + 1) / 2;
  if (!is_tiled(keys)) {
    // A block of threads sorts a row, each thread a pair of its elements.
    if (levels > 0) work.block_threads = std::exp2(levels - 1);
    if (sort.opcode() == Opcode::kSort) add_sort_kernels(sort, levels, share, sizes, work);
    for (InstructionView operand : sort.operands()) {
      add_vector(work, Opcode::kSort, operand.shape().element_type,
                 sizes[operand.shape_id()].padded_elements * stages * share, true);
    }
    return;
  }
  // In the final code of v5e and v6e, each register is compared with its partner by all operations of the comparator,
  // and each array is loaded, chosen and stored. Along lanes it is turned both ways, and one of the two is chosen.
  const double once = size.padded_elements * registers_of_tiles(keys) * stages * share;
  const bool is_along_lanes = along == minor_dimensions(keys).lane;
  add_comparator(sort, once, is_along_lanes ? 1 : kNeededOfOne, work);
  add_vector(work, Opcode::kSort, ElementType::kF32,
             once * (is_along_lanes ? 2 : 1) * static_cast<double>(sort.operand_count()), true);
}

// GPU: what the kernels of a transform move beyond reading its operand and writing its result. cuFFT has a kernel for
// each dimension, and two for one that is longer than what the threads of a block hold. XLA copies the operand of an
// inverse transform to real numbers, which cuFFT overwrites, and scales the result of an inverse one with cuBLAS
// (openxla/xla xla/backends/gpu/runtime/fft_thunk.cc).
double moved_between_transforms(InstructionView fft, SizeCache& sizes) {
  constexpr std::int64_t kLongestInOneKernel = 16384;  // c64 in 128 KiB of shared memory
  const double read = sizes[fft.operand(0).shape_id()].padded_bytes;
  const double written = sizes[fft.shape_id()].padded_bytes;
  double kernels = 0;
  for (std::int64_t length : integers(fft, AttributeKey::kFftLength)) kernels += length > kLongestInOneKernel ? 2 : 1;
  const std::string_view type = word(fft, AttributeKey::kFftType);
  double moved = std::max(kernels - 1, 0.0) * 2 * (type == "IRFFT" ? read : written);
  if (type == "IRFFT") moved += 2 * read;
  if (type == "IRFFT" || type == "IFFT") moved += 2 * written;
  return moved;
}

void add_linear_algebra(InstructionView instruction, double share, SizeCache& sizes, Work& work) {
  if (instruction.operand_count() == 0) return;
  const Shape& a = instruction.operand(0).shape();
  const double n = a.rank() > 0 ? static_cast<double>(std::max<std::int64_t>(a.dimensions.back(), 1)) : 1;
  const double elements = sizes[instruction.operand(0).shape_id()].logical_elements;
  double flops = 0;
  switch (instruction.opcode()) {
    case Opcode::kCholesky: flops = n * elements / 3; break;
    case Opcode::kTriangularSolve:
      if (instruction.operand_count() < 2) return;
      flops = n * sizes[instruction.operand(1).shape_id()].logical_elements;
      break;
    default: {  // fft: 5 n log2 n real operations for a complex transform of length n
      double levels = 0;
      for (std::int64_t length : integers(instruction, AttributeKey::kFftLength)) {
        levels += log2_ceil(static_cast<double>(length));
      }
      flops = 5 * levels * elements;
      work.between_kernels += moved_between_transforms(instruction, sizes) * share;
      break;
    }
  }
  work.flops += flops * share;
  add_vector(work, Opcode::kMultiply, ElementType::kF32, flops * share);
}

void add_data_movement(InstructionView instruction, double share, Place place, SizeCache& sizes, Work& work) {
  const ArraySize out = sizes[instruction.shape_id()];
  const ElementType type = instruction.shape().element_type;
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kReverse: {
      if (instruction.operand_count() != 1) return;
      const Shape& from = instruction.operand(0).shape();
      const std::vector<std::int64_t> source = integers(instruction, AttributeKey::kDimensions);
      Relayout moves = Relayout::kNone;
      if (instruction.opcode() == Opcode::kReverse) {
        const MinorDimensions minor = minor_dimensions(from);
        for (std::int64_t d : source) {
          if (d == minor.lane || d == minor.sublane) moves = Relayout::kLanes;
        }
      } else if (instruction.opcode() == Opcode::kReshape) {
        const bool crosses = instruction.operand(0).shape_id() != instruction.shape_id() && is_tiled(from) &&
                             from.rank() > 1 && instruction.shape().rank() > 1;
        moves = crosses ? Relayout::kLanes : Relayout::kNone;
      } else {
        moves = relayout(from, instruction.shape(),
                         instruction.opcode() == Opcode::kTranspose ? source : std::vector<std::int64_t>());
      }
      if (moves == Relayout::kNone) return;
      const double elements = std::max(out.padded_elements, sizes[instruction.operand(0).shape_id()].padded_elements);
      if (moves == Relayout::kLanesOfRows) {
        // Packed elements are taken apart for it.
        add_vector(work, Opcode::kTranspose, ElementType::kF32, elements * share, true);
        add_vector(work, Opcode::kTranspose, ElementType::kF32, elements * share);
        return;
      }
      if (moves == Relayout::kRows) {
        const double loads = loads_of_rows(from, original(source, minor_dimensions(instruction.shape()).sublane));
        const bool is_by_rows = is_in_vmem(from) && lies_by_rows(from);
        if (loads > 1) {
          add_vector(work, Opcode::kCopy, ElementType::kF32,
                     (is_by_rows ? out.padded_elements : elements) * loads * share);
          return;
        }
        if (is_by_rows) return;  // one load finds eight rows at a stride, as it does eight that follow one another
      }
      add_vector(work, Opcode::kTranspose, type, elements * share, moves == Relayout::kLanes);
      return;
    }
    case Opcode::kBroadcast:
      add_vector(work, Opcode::kBroadcast, ElementType::kF32, spread_elements(instruction, place, sizes) * share, true);
      return;
    case Opcode::kSlice:
      add_shifts(instruction, share, sizes, work);
      add_sliced_rows(instruction, share, sizes, work);
      return;
    case Opcode::kDynamicSlice:
      add_dynamic_shift(instruction, share, sizes, work);
      add_sliced_rows(instruction, share, sizes, work);
      return;
    case Opcode::kPad:
    case Opcode::kConcatenate:
      if (joins_whole_tiles(instruction)) return;
      add_shifts(instruction, share, sizes, work);
      if (is_tiled(instruction.shape()) && bits(type) < kernel::kLaneBits) return;
      [[fallthrough]];
    case Opcode::kIota:
    case Opcode::kDynamicUpdateSlice: add_vector(work, instruction.opcode(), type, out.padded_elements * share); return;
    default: return;
  }
}

}  // namespace

std::vector<std::int64_t> repeated_dimensions(InstructionView broadcast) {
  const std::vector<std::int64_t> kept = integers(broadcast, AttributeKey::kDimensions);
  std::vector<std::int64_t> repeated;
  for (std::int64_t d = 0; d < broadcast.shape().rank(); ++d) {
    if (std::find(kept.begin(), kept.end(), d) == kept.end()) repeated.push_back(d);
  }
  return repeated;
}

double spread_elements(InstructionView broadcast, Place place, SizeCache& sizes) {
  if (broadcast.operand_count() != 1 || broadcast.operand(0).shape().rank() == 0) return 0;
  const Shape& out = broadcast.shape();
  const std::int64_t lane = minor_dimensions(out).lane;
  if (!is_tiled(out) || lane < 0) return 0;
  for (const std::int64_t d : integers(broadcast, AttributeKey::kDimensions)) {
    if (d == lane) return 0;
  }
  if (place == Place::kFused) {
    const InstructionView source = origin(broadcast.operand(0), [](InstructionView at) {
      return is_elementwise(at.opcode()) || flow(at.opcode()) == Flow::kRenames || flow(at.opcode()) == Flow::kReshapes;
    });
    if (source.opcode() != Opcode::kParameter) return 0;
  }
  return lane_reduction_elements(out, sizes[broadcast.shape_id()]);
}

double best_values(InstructionView topk) {
  const absl::Span<const ShapeId> leaves = topk.module().shapes().leaves(topk.shape_id());
  if (leaves.empty()) return 1;
  const Shape& best = topk.module().shape(leaves[0]);
  return best.rank() > 0 ? static_cast<double>(std::max<std::int64_t>(best.dimensions.back(), 1)) : 1;
}

double topk_levels(InstructionView topk) { return std::max(log2_ceil(best_values(topk)), 1.0); }

void add_vector(Work& work, Opcode opcode, ElementType type, double elements, bool cross_lane, ElementType to) {
  add_vector({opcode, type, elements, cross_lane, to}, work.vector);
}

void add_vector(const VectorWork& part, std::vector<VectorWork>& vector) {
  // The binding names all members, so that a new one must be compared here.
  const auto& [opcode, type, elements, cross_lane, to, shortcut] = part;
  if (elements <= 0) return;
  for (VectorWork& entry : vector) {
    if (entry.opcode == opcode && entry.type == type && entry.cross_lane == cross_lane && entry.to == to &&
        entry.shortcut == shortcut) {
      entry.elements += elements;
      return;
    }
  }
  vector.push_back(part);
}

void add_arithmetic(const Work& inner, double share, Work& work) {
  work.flops += inner.flops * share;
  work.transcendentals += inner.transcendentals * share;
  work.matrix_flops += inner.matrix_flops * share;
  work.source = std::max(work.source, inner.source);
  for (MatrixWork product : inner.matrix) {
    product.batch *= share;
    product.flops *= share;
    work.matrix.push_back(product);
  }
  for (VectorWork v : inner.vector) {
    v.elements *= share;
    add_vector(v, work.vector);
  }
  for (Pieces pieces : inner.pieces) {
    pieces.count *= share;
    add_pieces(pieces, work);
  }
  work.rows.moved += inner.rows.moved * share;
  work.rows.moved_registers += inner.rows.moved_registers * share;
  work.rows.combined += inner.rows.combined * share;
  work.rows.stores += inner.rows.stores * share;
  work.rows.array_bytes = std::max(work.rows.array_bytes, inner.rows.array_bytes);
  work.sliced_rows += inner.sliced_rows * share;
  work.units_in_turn += inner.units_in_turn * share;
  work.window_steps += inner.window_steps * share;
  work.between_kernels += inner.between_kernels * share;
  work.atomics += inner.atomics * share;
  work.narrow_atomics += inner.narrow_atomics * share;
  if (inner.block_threads > 0) {  // a sort
    work.block_threads = std::max(work.block_threads, inner.block_threads);
    work.kernels = std::max(work.kernels, inner.kernels);
  }
}

void add_arithmetic(InstructionView instruction, double share, Place place, SizeCache& sizes, Work& work) {
  const Opcode opcode = instruction.opcode();
  switch (work_class(opcode)) {
    case WorkClass::kElementwise:
    case WorkClass::kTranscendental: {
      if (opcode == Opcode::kBitcastConvert) return;
      const ArraySize size = sizes[instruction.shape_id()];
      const bool is_transcendental = work_class(opcode) == WorkClass::kTranscendental;
      (is_transcendental ? work.transcendentals : work.flops) += size.logical_elements * share;
      if (opcode == Opcode::kConvert) return add_conversion(instruction, share, place, sizes, work);
      // The cost of a comparison depends on the type of its operand.
      const bool by_operand = opcode == Opcode::kCompare && instruction.operand_count() > 0;
      const ElementType type =
          by_operand ? instruction.operand(0).shape().element_type : instruction.shape().element_type;
      const ElementType to = opcode == Opcode::kDivide ? original_type(instruction) : ElementType::kInvalid;
      if (opcode == Opcode::kDivide && !is_integral(type) && instruction.operand_count() == 2) {
        // Reciprocals are computed once for registers of divisors that are equal. Each element is multiplied by one.
        const double equal = equal_registers(instruction.operand(1), place);
        if (equal > 0) {
          add_vector(work, Opcode::kDivide, type, size.padded_elements / equal * share, false, to);
          add_vector(work, Opcode::kMultiply, type, size.padded_elements * share);
          return;
        }
      }
      // An operation that stands alone has its operands in memory.
      const Shortcut shortcut = place == Place::kFused ? shortcut_of(instruction) : Shortcut::kNone;
      add_vector({opcode, type, size.padded_elements * share, false, to, shortcut}, work.vector);
      return;
    }
    case WorkClass::kContraction: add_contraction(instruction, share, work); return;
    case WorkClass::kReduction:
      if (opcode == Opcode::kReduce) {
        add_reduce(instruction, share, place, sizes, work);
      } else if (opcode == Opcode::kReduceWindow) {
        add_reduce_window(instruction, share, place, sizes, work);
      } else if (opcode == Opcode::kSelectAndScatter) {
        double positions = 1;
        for (const WindowDimension& d : window(instruction).value_or(Window{}).dimensions) {
          positions *= static_cast<double>(std::max<std::int64_t>(d.size, 1));
        }
        if (instruction.operand_count() < 2) return;
        const ArraySize source = sizes[instruction.operand(1).shape_id()];
        const ElementType type = instruction.shape().element_type;
        const double windows = (positions - 1) * share;
        add_applied(applied(instruction, AttributeKey::kSelect), windows * source.logical_elements,
                    windows * source.padded_elements, type, work);
        add_applied(applied(instruction, AttributeKey::kScatter), source.logical_elements * share,
                    source.padded_elements * share, type, work);
      } else if (instruction.operand_count() > 0) {  // map, scan
        const ArraySize size = sizes[instruction.operand(0).shape_id()];
        add_applied(applied(instruction, AttributeKey::kToApply), size.logical_elements * share,
                    size.padded_elements * share, instruction.operand(0).shape().element_type, work);
      }
      return;
    case WorkClass::kSort: add_sort(instruction, share, sizes, work); return;
    case WorkClass::kLinearAlgebra: add_linear_algebra(instruction, share, sizes, work); return;
    case WorkClass::kGatherScatter: {
      // All updates are made, however small the part of the array is that they change.
      if (opcode == Opcode::kScatter && share > 0) share = std::max(share, 1.0);
      add_pieces(instruction, share, sizes, work);
      const ArraySize size = opcode == Opcode::kScatter && instruction.operand_count() >= 3
                                 ? sizes[instruction.operand(instruction.operand_count() - 1).shape_id()]
                                 : sizes[instruction.shape_id()];
      const ElementType type = instruction.operand(0).shape().element_type;
      if (opcode == Opcode::kScatter) {
        add_applied(applied(instruction, AttributeKey::kToApply), size.logical_elements * share, 0, type, work);
      }
      // Without tiles, a thread computes where each of its elements lies: integers of 32 bits, whatever the type.
      const bool is_found_by_thread = opcode == Opcode::kGather && !is_tiled(instruction.operand(0).shape());
      add_vector(work, opcode, is_found_by_thread ? ElementType::kS32 : type, size.padded_elements * share);
      add_rows(instruction, share, sizes, work);
      return;
    }
    case WorkClass::kNormalization: {
      // Mean, variance and scaling take about eight operations per element.
      const double kOperations = 8;
      if (instruction.operand_count() == 0) return;
      const ArraySize size = sizes[instruction.operand(0).shape_id()];
      work.flops += kOperations * size.logical_elements * share;
      add_vector(work, Opcode::kMultiply, instruction.operand(0).shape().element_type,
                 kOperations * size.padded_elements * share);
      return;
    }
    case WorkClass::kRandom: {
      const double elements = elements_of(instruction, sizes) * share;
      work.transcendentals += opcode == Opcode::kRng ? elements : 0;
      add_vector(work, Opcode::kRngBitGenerator, ElementType::kU32, elements);
      return;
    }
    case WorkClass::kDataMovement:
      add_pieces(instruction, share, sizes, work);
      add_data_movement(instruction, share, place, sizes, work);
      return;
    default: return;
  }
}

}  // namespace hloroof::internal::inline work

#include "lib/work/reductions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/kernel/common/isa.h"
#include "lib/values/attribute_values.h"
#include "lib/work/registers.h"
#include "lib/work/window_reads.h"

namespace hloroof::internal::inline work {
namespace {

// The longest prefix that code without tiles computes in one window, whose positions a thread visits one by one.
// Source: the option xla_reduce_window_rewrite_base_length of XLA, whose pass computes longer ones of such.
constexpr std::int64_t kLongestPrefix = 16;

// How a reduce-window slides along one dimension.
struct Slide {
  std::int64_t dimension = 0;
  WindowDimension window;
  double length = 1;     // of the result
  double in_length = 1;  // of the operand
  // A window that spans its whole dimension from every position computes prefix results, or the total for every
  // position.
  bool is_total = false;
  bool is_prefix = false;
  // How many registers a tile of the result takes as the code goes from tile to tile along the dimension; 0 if tiles
  // include the dimension.
  double running = 0;

  double extent() const { return static_cast<double>(std::max<std::int64_t>(window.size, 1)); }
  // From tile to tile, one operation adds a register to a running result. A tree computes prefixes within registers
  // with one operation per element and level instead of one per window position. The TPU compiler makes none along
  // lanes. Source: the final code of libtpu 0.0.52 for v6e.
  double positions() const {
    if (is_total) return 1;
    if (!is_prefix) return extent();
    return running > 0 ? 1 + running : log2_ceil(length) + 1;
  }
};

// How many positions along the sublanes take as much as a pass over the rows of the operand.
constexpr double kPositionsOfPass = 3;

std::vector<Slide> slides_of(InstructionView instruction, const Shape& out) {
  const Shape& in = instruction.operand(0).shape();
  const std::vector<WindowDimension> dimensions = window(instruction).value_or(Window{}).dimensions;
  const MinorDimensions minor = minor_dimensions(out);
  std::vector<Slide> slides;
  for (std::size_t d = 0; d < dimensions.size() && d < out.dimensions.size() && d < in.dimensions.size(); ++d) {
    const WindowDimension& along = dimensions[d];
    if (along.size <= 1) continue;
    Slide slide;
    slide.dimension = static_cast<std::int64_t>(d);
    slide.window = along;
    slide.length = static_cast<double>(std::max<std::int64_t>(out.dimensions[d], 1));
    slide.in_length = static_cast<double>(std::max<std::int64_t>(in.dimensions[d], 1));
    slide.is_total = along.size == 2 * out.dimensions[d] - 1 && along.pad_low == out.dimensions[d] - 1;
    // Every window has the first element, or every window has the last. In floating point: a text can name any padding.
    const auto low = static_cast<double>(along.pad_low);
    const bool has_ends = slide.length - 1 <= low || static_cast<double>(along.size) - low >= slide.in_length;
    slide.is_prefix = along.stride == 1 && slide.in_length <= slide.length && has_ends &&
                      !(is_tiled(out) && slide.dimension == minor.lane);
    if (slide.is_prefix && !is_tiled(out)) {
      slide.is_prefix = false;
      slide.window.size = std::min(slide.window.size, kLongestPrefix);
    }
    if (is_tiled(out) && slide.dimension != minor.lane && slide.dimension != minor.sublane) {
      slide.running = std::max(
          1.0, static_cast<double>(kernel::kRegisterSublanes) / static_cast<double>(tile_extent(out, minor.sublane)));
    }
    slides.push_back(slide);
  }
  return slides;
}

// The operations per element of the result.
double operations_of(const std::vector<Slide>& slides) {
  double positions = 1;
  bool is_total = false;
  for (const Slide& slide : slides) {
    positions *= slide.positions();
    is_total |= slide.is_total;
  }
  return is_total && positions == 1 ? 1 : std::max(positions - 1, is_total ? 1.0 : 0.0);
}

// Whether the code for windows widens the elements, computes in 32 bits and narrows the results. A fusion states the
// conversions of totals. Source: the final code of libtpu 0.0.52 for v5e and v6e.
bool widens(const Shape& out, const std::vector<Slide>& slides) {
  const bool has_total = std::any_of(slides.begin(), slides.end(), [](const Slide& slide) { return slide.is_total; });
  return !has_total && is_tiled(out) && is_floating(out.element_type) && bits(out.element_type) < kernel::kLaneBits;
}

// The product of the strides of the other dimensions: the rows that a window goes on.
double strides_beside(const Slide& slide, const std::vector<Slide>& slides) {
  double product = 1;
  for (const Slide& other : slides) {
    if (other.dimension == slide.dimension) continue;
    product *= static_cast<double>(std::max<std::int64_t>(other.window.stride, 1));
  }
  return product;
}

const Shape* first_result(InstructionView instruction) {
  const absl::Span<const ShapeId> leaves = instruction.module().shapes().leaves(instruction.shape_id());
  return leaves.empty() || instruction.operand_count() == 0 ? nullptr : &instruction.module().shape(leaves[0]);
}

// How often an element of the operand is in what the windows of a result fetch, if each has `outputs` positions. Window
// i begins at i * step - pad_low and reaches `reach` further; what lies outside of the operand is not fetched. The sums
// are those of arithmetic series, since a text can name any number of windows.
double fetches(const Slide& slide, double outputs) {
  const double stride = static_cast<double>(std::max<std::int64_t>(slide.window.stride, 1));
  const double low = static_cast<double>(slide.window.pad_low);
  const double length = slide.in_length;
  const double reach = (outputs - 1) * stride + slide.extent();
  const double step = outputs * stride;
  const double first = std::max(std::floor((low - reach) / step) + 1, 0.0);
  const double last = std::min(std::ceil(slide.length / outputs), std::ceil((length + low) / step));
  if (last <= first) return 1;
  // The sum of where these windows begin.
  const auto begins_of = [&](double from, double to) { return (to - from) * (step * (from + to - 1) / 2 - low); };
  const double inside = std::clamp(std::ceil(low / step), first, last);                  // the first to begin there
  const double cut = std::clamp(std::ceil((length - reach + low) / step), first, last);  // the first to end at the end
  const double fetched =
      (cut - first) * reach + (last - cut) * length - begins_of(cut, last) + begins_of(first, inside);
  return std::max(fetched / length, 1.0);
}

// The type of the elements of a reduction. A TPU that reduces several arrays together, as argmax does, compares and
// selects registers of as many elements as the widest of them has. Source: the final code of libtpu 0.0.52 for v6e,
// which takes the operations of f32 for the argmax of bf16.
ElementType type_of_reduction(InstructionView reduce) {
  ElementType type = reduce.operand(0).shape().element_type;
  if (!is_tiled(reduce.operand(0).shape())) return type;
  for (InstructionView operand : reduce.operands()) {
    if (bits(operand.shape().element_type) > bits(type)) type = operand.shape().element_type;
  }
  return type;
}

// Adds what a window takes that slides along the lanes or the sublanes of registers: an unaligned register and a mask
// for every position. The device says how many operations that is. In a fusion, or along the lanes, these are positions
// of all dimensions, and twice as many with a stride: rows or lanes are picked out one by one.
//
// Other code slides along the sublanes after all else: it first combines the rows of a window of each other dimension,
// or picks out the rows of a stride, in passes over the rows of the operand in VMEM. Each row of tiles of a pass starts
// as a window does. Source: the final code of libtpu 0.0.52 for v5e and v6e, 1x2 to 5x5 positions with strides of 1
// and 2. `elements` are those of the result, padded.
void add_slides(const Shape& in, const Shape& out, const std::vector<Slide>& slides, double positions, double elements,
                Place place, Work& work) {
  const MinorDimensions minor = minor_dimensions(in);
  double most = 0;  // positions
  for (const Slide& slide : slides) {
    if (slide.is_total || (slide.dimension != minor.lane && slide.dimension != minor.sublane)) continue;
    if (place == Place::kFused || slide.dimension == minor.lane) {
      most = std::max(most, positions * (slide.window.stride > 1 ? 2 : 1));
      continue;
    }
    double passes = slide.positions() < positions ? 1 : 0;
    if (slide.window.stride > 1) passes = std::max(passes, strides_beside(slide, slides));
    most = std::max(most, slide.positions() + passes * kPositionsOfPass);
    const double registers = elements / kernel::kRegisterElements;
    work.window_steps += passes * registers / static_cast<double>(tiles_along(out, minor.sublane));
  }
  add_vector(work, Opcode::kReduceWindow, ElementType::kF32, most * elements);
}

}  // namespace

bool takes_operation(Opcode opcode) {
  return is_elementwise(opcode) && opcode != Opcode::kConvert && opcode != Opcode::kBitcastConvert;
}

Applied applied(InstructionView caller, AttributeKey key) {
  Applied result;
  for (ComputationView computation : caller.computations(key)) {
    for (InstructionView inner : computation.instructions()) {
      const WorkClass kind = work_class(inner.opcode());
      if (kind == WorkClass::kElementwise) result.flops += 1;
      if (kind == WorkClass::kTranscendental) result.transcendentals += 1;
      if (takes_operation(inner.opcode())) result.operations.push_back(inner.opcode());
    }
  }
  return result;
}

void add_applied(const Applied& what, double logical, double padded, ElementType type, Work& work) {
  work.flops += what.flops * logical;
  work.transcendentals += what.transcendentals * logical;
  for (Opcode opcode : what.operations) add_vector(work, opcode, type, padded);
}

void add_reduce(InstructionView reduce, double share, Place place, SizeCache& sizes, Work& work) {
  if (reduce.operand_count() == 0) return;
  const ArraySize in = sizes[reduce.operand(0).shape_id()];
  const ShapeId first = reduce.module().shapes().leaves(reduce.shape_id()).empty()
                            ? reduce.shape_id()
                            : reduce.module().shapes().leaves(reduce.shape_id())[0];
  const double done = std::max(in.logical_elements - sizes[first].logical_elements, 0.0);
  const ElementType type = type_of_reduction(reduce);
  // What a TPU reads from memory for it becomes f32. A fusion states its conversions.
  const bool is_widened =
      place == Place::kAlone && is_tiled(reduce.operand(0).shape()) && bits(type) < kLaneBits && !is_integral(type);
  add_applied(applied(reduce, AttributeKey::kToApply), done * share, in.padded_elements * share,
              is_widened ? ElementType::kF32 : type, work);
  if (is_widened) {
    add_vector({Opcode::kConvert, type, in.padded_elements * share, false, ElementType::kF32}, work.vector);
  }
  const Shape& operand = reduce.operand(0).shape();
  const MinorDimensions minor = minor_dimensions(operand);
  const double inputs = static_cast<double>(std::max<std::size_t>(reduce.operand_count() / 2, 1));
  // On a TPU, the sums so far are loaded and stored between the registers that are added to them, in f32 whatever the
  // type. The device says how much longer than the additions that takes.
  if (is_tiled(operand)) {
    add_vector(work, Opcode::kReduce, ElementType::kF32, inputs * in.padded_elements * share);
  }
  for (std::int64_t d : integers(reduce, AttributeKey::kDimensions)) {
    if (d != minor.lane) continue;
    add_vector(work, Opcode::kReduce, type, inputs * lane_reduction_elements(operand, in) * share, true);
  }
}

// The registers of the operand that are added up for a row, up to which the rows decide: the additions of 64 registers
// hide them, those of 8 do not (LIBTPU-LLO).
constexpr double kRegistersOfRow = 8;

// In the final code of libtpu 0.0.52 for v5e, v5p, v6e and 7x, each row is rotated within its sublanes, added up, and
// stored where the scalar units say, after the row before it. Rows of a result take what those take that a scatter
// combines in VMEM: 10.1 to 12 bundles of 128 floats, 15.6 to 20 of 1024 (LIBTPU-LLO).
void add_result_rows(InstructionView reduce, Work& work) {
  const Shape* const out = first_result(reduce);
  if (out == nullptr || out->rank() < 2 || !is_tiled(*out)) return;
  const Shape& operand = reduce.operand(0).shape();
  const MinorDimensions minor = minor_dimensions(operand);
  const std::vector<std::int64_t> reduced = integers(reduce, AttributeKey::kDimensions);
  const auto is_reduced = [&](std::int64_t d) {
    return d >= 0 && std::find(reduced.begin(), reduced.end(), d) != reduced.end();
  };
  if (!is_tiled(operand) || !is_reduced(minor.sublane) || is_reduced(minor.lane)) return;
  if (operand.dimensions[minor.sublane] <= 1 || tile_extent(operand, minor.sublane) <= 1) return;
  const double inputs = static_cast<double>(reduce.operand_count()) / 2;
  double rows = std::floor(inputs);
  double registers = static_cast<double>(tiles_along(operand, minor.lane));  // of a row
  for (std::int64_t d = 0; d < operand.rank(); ++d) {
    if (d == minor.lane) continue;
    const auto size = static_cast<double>(std::max<std::int64_t>(operand.dimensions[d], 1));
    if (d == minor.sublane) {
      registers *= static_cast<double>(tiles_along(operand, d));
    } else {
      (is_reduced(d) ? registers : rows) *= size;
    }
  }
  if (registers > kRegistersOfRow) return;
  work.rows.combined += rows;
  work.rows.stores += rows * static_cast<double>(tiles_along(operand, minor.lane));
}

// The bounds of a window are those of the operand, in tiles. Source: the final code of libtpu 0.0.52 for v2 to 7x.
ReductionWindows windows_of(InstructionView reduce, const WindowConfig& config) {
  ReductionWindows result;
  const std::size_t inputs = reduce.operand_count() / 2;
  if (inputs == 0) return result;
  const Shape& operand = reduce.operand(0).shape();
  const auto& order = operand.layout.minor_to_major;
  const std::vector<std::int64_t>& bounds = config.output_window_bounds;
  if (!is_tiled(operand) || bounds.empty() || bounds.size() != order.size()) return result;
  if (inputs == 1 && applied(reduce, AttributeKey::kToApply).operations.size() != 1) return result;
  const std::vector<std::int64_t> reduced = integers(reduce, AttributeKey::kDimensions);
  double windows = 1;
  double registers = 1;
  double sums = 1;
  bool is_whole = true;  // a window has all that is added to its sums
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t d = order[i];
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    const double along = windows_along(operand, d, bounds);
    const auto size = static_cast<double>(tiles_of_window(operand, i, bounds));
    windows *= along;
    registers *= size;
    if (!is_reduced) sums *= size;
    if (is_reduced && along > 1) is_whole = false;
  }
  result.windows = windows;
  result.registers = registers;
  result.sums = sums;
  if (!is_whole) result.carried = windows * sums * static_cast<double>(inputs);
  // One register of sums is added to from window to window, and its lanes are reduced at the end.
  if (std::find(reduced.begin(), reduced.end(), minor_dimensions(operand).lane) != reduced.end()) {
    result.results = sums > 1 || is_whole ? windows : 1;
  }
  return result;
}

void add_reduce_window(InstructionView instruction, double share, Place place, SizeCache& sizes, Work& work) {
  const Shape* const out = first_result(instruction);
  if (out == nullptr) return;
  const ArraySize size = sizes[instruction.module().shapes().leaves(instruction.shape_id())[0]];
  const std::vector<Slide> slides = slides_of(instruction, *out);
  const double operations = operations_of(slides);
  const Shape& in = instruction.operand(0).shape();
  const bool is_widened = widens(*out, slides);
  add_applied(applied(instruction, AttributeKey::kToApply), operations * size.logical_elements * share,
              operations * size.padded_elements * share, is_widened ? ElementType::kF32 : out->element_type, work);
  if (!is_tiled(in)) {
    // A thread finds the element of each position and asks whether it is one of the padding.
    add_vector(work, Opcode::kReduceWindow, ElementType::kF32, (operations + 1) * size.logical_elements * share);
    return;
  }
  if (is_widened) {
    const double widened = sizes[instruction.operand(0).shape_id()].padded_elements * share;
    add_vector(work, Opcode::kConvert, in.element_type, widened, false, ElementType::kF32);
    add_vector(work, Opcode::kConvert, ElementType::kF32, size.padded_elements * share, false, out->element_type);
  }
  for (const Slide& slide : slides) {
    if (slide.is_total && slide.dimension == minor_dimensions(in).lane) {
      add_vector(work, Opcode::kReduce, out->element_type,
                 lane_reduction_elements(in, sizes[instruction.operand(0).shape_id()]) * share, true);
    }
  }
  add_slides(in, *out, slides, operations + 1, size.padded_elements * share, place, work);
}

bool totals_lanes(InstructionView reduce_window) {
  const Shape* const out = first_result(reduce_window);
  if (out == nullptr || !is_tiled(*out)) return false;
  const std::vector<Slide> slides = slides_of(reduce_window, *out);
  return std::any_of(slides.begin(), slides.end(), [lane = minor_dimensions(*out).lane](const Slide& slide) {
    return slide.is_total && slide.dimension == lane;
  });
}

// The final code of libtpu 0.0.52 computes a total anew for each window of the result, and prefixes as such only if one
// window of the result has all of them; otherwise every position of the window takes an operation, padding included. If
// a window of the result has one position, the sums stay in VMEM between the positions.
WindowRepeats repeats_of(InstructionView instruction, const WindowConfig& config, SizeCache& sizes) {
  WindowRepeats repeats;
  const Shape* const out = first_result(instruction);
  if (out == nullptr || !is_tiled(*out) || config.output_window_bounds.size() != out->layout.minor_to_major.size()) {
    return repeats;
  }
  const ArraySize size = sizes[instruction.module().shapes().leaves(instruction.shape_id())[0]];
  std::vector<Slide> slides = slides_of(instruction, *out);
  const double counted = operations_of(slides);
  double again = 1;  // totals
  bool in_vmem = false;
  for (Slide& slide : slides) {
    const double windows = windows_along(*out, slide.dimension, config.output_window_bounds);
    const double outputs = std::ceil(slide.length / windows);
    repeats.reads *= fetches(slide, outputs);
    if (slide.is_total) again *= windows;
    if (windows <= 1) continue;
    slide.is_prefix = false;
    in_vmem |= !slide.is_total && outputs <= 1;
  }
  const double operations = operations_of(slides) * again;
  add_applied(applied(instruction, AttributeKey::kToApply), (operations - counted) * size.logical_elements,
              (operations - counted) * size.padded_elements,
              widens(*out, slides) ? ElementType::kF32 : out->element_type, repeats.work);
  const double carried = in_vmem ? operations : again - 1;
  if (carried > 0) {
    add_vector(repeats.work, Opcode::kReduce, ElementType::kF32, carried * size.padded_elements);
  }
  return repeats;
}

}  // namespace hloroof::internal::inline work

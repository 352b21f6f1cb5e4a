#include "lib/work/work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/megascale.h"
#include "lib/analysis/sizes.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/values/backend_config.h"
#include "lib/work/custom_call.h"
#include "lib/work/gpu_tiles.h"
#include "lib/work/inside.h"
#include "lib/work/kernel_runs.h"
#include "lib/work/reductions.h"
#include "lib/work/rows.h"
#include "lib/work/same_instruction.h"
#include "lib/work/same_work.h"
#include "lib/work/vector_windows.h"
#include "lib/work/window_reads.h"

namespace hloroof::internal::inline work {
namespace {

// Remembers which computations run as a program of their own on another thread of the device: what an async-start
// wraps, such as the program of a SparseCore. Not thread-safe.
class ThreadTable {
 public:
  explicit ThreadTable(const Module& module) : module_(module), known_(module.computation_limit(), kNotKnown) {}

  // Whether the instructions of a computation that an async-start wraps are counted one by one: it runs custom calls,
  // loops, conditionals, or asynchronous operations of its own, itself or through calls. The other computations count
  // as one operation, like a fusion.
  bool runs_apart(ComputationId id);

 private:
  enum : std::int8_t { kNotKnown, kAsOne, kApart };

  const Module& module_;
  std::vector<std::int8_t> known_;  // by ComputationId
};

// Calls of calls may run a product exponentially often. Beyond this number, the time of products is unknown.
constexpr std::size_t kMostProducts = 4096;

bool is_counted_alone(InstructionView instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kCustomCall) return !is_free_custom_call(instruction);
  return opcode == Opcode::kAsyncStart || (calls_schedules(opcode) && flow(opcode) != Flow::kCalls);
}

bool ThreadTable::runs_apart(ComputationId id) {
  if (known_[id.index] != kNotKnown) return known_[id.index] == kApart;
  std::vector<ComputationId> open = {id};
  while (!open.empty()) {
    const ComputationId at = open.back();
    const std::size_t before = open.size();
    std::int8_t found = kAsOne;
    for (InstructionView instruction : module_.computation(at).instructions()) {
      if (is_counted_alone(instruction)) found = kApart;
      if (flow(instruction.opcode()) != Flow::kCalls) continue;
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) continue;
      if (known_[called.index] == kNotKnown) open.push_back(called);
      if (known_[called.index] == kApart) found = kApart;
    }
    if (found == kAsOne && open.size() > before) continue;
    open.resize(before - 1);
    known_[at.index] = found;
  }
  return known_[id.index] == kApart;
}

// Adds `next`, which runs after the operations in `total`. `total.is_free` says that there are none yet.
void append_work(const Work& next, Work& total) {
  if (next.is_free) return;
  if (total.is_free) {
    total = next;
    return;
  }
  // A stated time replaces the model's time for one operation and says nothing about the others. They are assumed to
  // take none.
  const bool is_mixed = total.seconds.has_value() != next.seconds.has_value();
  if (next.seconds) total.seconds = total.seconds.value_or(0) + *next.seconds;
  add_arithmetic(next, 1, total);
  if (total.matrix.size() > kMostProducts) {
    total.matrix.clear();
    total.source = CostSource::kUnknown;
  }
  // The record of one kernel does not give the time of several operations. Their work is added, as if of one operation.
  const bool has_kernel = total.kernel != nullptr || next.kernel != nullptr;
  total.kernel.reset();
  if (is_mixed || has_kernel) total.source = std::max(total.source, CostSource::kAssumed);
  for (const auto& [from, to] : {std::pair(&next.read, &total.read), std::pair(&next.written, &total.written)}) {
    to->hbm += from->hbm;
    to->vmem += from->vmem;
    to->host += from->host;
    to->scalar += from->scalar;
  }
  total.logical_bytes += next.logical_bytes;
  total.padded_bytes += next.padded_bytes;
  total.scalars_read += next.scalars_read;
  total.scalars_written += next.scalars_written;
  total.fetched_elements += next.fetched_elements;
  total.stored_elements += next.stored_elements;
  total.epilogue.clear();  // the windows of one product say nothing about those of several
  total.product_steps = 1;
  total.read_again += next.read_again;
  total.between_kernels += next.between_kernels;
  total.partial_tile_elements += next.partial_tile_elements;
  total.rows.updated += next.rows.updated;
  total.rows.updated_registers += next.rows.updated_registers;
  total.loads_in_turn += next.loads_in_turn;
  total.window_waits += next.window_waits;
  total.window_copies += next.window_copies;
  total.thread_elements += next.thread_elements;
  total.kernels = std::max(total.kernels, 1.0) + std::max(next.kernels, 1.0);
  total.sort_passes += next.sort_passes;
  total.block_threads = 0;  // blocks of one kernel say nothing about those of several
  total.is_chained |= next.is_chained;
}

double& of_space(MemoryBytes& bytes, MemorySpace space) {
  switch (space) {
    case MemorySpace::kHbm: return bytes.hbm;
    case MemorySpace::kVmem: return bytes.vmem;
    case MemorySpace::kHost: return bytes.host;
    case MemorySpace::kScalar: return bytes.scalar;
  }
  return bytes.hbm;
}

bool is_one_element_in_hbm(const ArraySize& size) {
  return size.space == MemorySpace::kHbm && size.logical_elements <= 1;
}

bool is_one_element_in_hbm(InstructionView value, SizeCache& sizes) {
  return !value.shape().is_tuple() && is_one_element_in_hbm(sizes[value.shape_id()]);
}

// Whether the value is an array of one element that lies in HBM: of rank 1 or more, or such an array seen as a scalar.
// In the final code of libtpu 0.0.50.1 each operation on scalars that reads `bitcast(s32[1])` fetches it anew.
bool lies_in_hbm(InstructionView value, SizeCache& sizes) {
  if (!is_one_element_in_hbm(value, sizes)) return false;
  if (value.shape().rank() > 0) return true;
  return value.opcode() == Opcode::kBitcast && value.operand_count() == 1 && value.operand(0).shape().rank() > 0 &&
         is_one_element_in_hbm(value.operand(0), sizes);
}

// Whether a part of the result is an array of one element in HBM, or such a scalar.
bool stores_element(InstructionView instruction, SizeCache& sizes) {
  for (const ShapeId leaf : instruction.module().shapes().leaves(instruction.shape_id())) {
    if (is_one_element_in_hbm(sizes[leaf])) return true;
  }
  return false;
}

// Counts the arrays of one element that an operation waits for. A scalar that the vector units compute is stored as any
// array is, in a transfer of its own, and all that an operation stores move at once (final code of libtpu 0.0.50.1).
// One that is computed from scalars stays where it is.
void add_elements(InstructionView instruction, SizeCache& sizes, Work& work) {
  const Shape& shape = instruction.shape();
  const Opcode opcode = instruction.opcode();
  if (shape.is_tuple() && flow(opcode) != Flow::kFuses && opcode != Opcode::kReduce) return;
  double fetched = 0;
  bool has_arrays = shape.is_tuple() || shape.rank() > 0;
  for (std::size_t i = 0; i < instruction.operand_count() && !has_arrays; ++i) {
    const InstructionView operand = instruction.operand(i);
    has_arrays = operand.shape().is_tuple() || sizes[operand.shape_id()].logical_elements > 1;
    fetched += lies_in_hbm(operand, sizes) ? 1 : 0;
  }
  if (has_arrays) {
    work.stored_elements = stores_element(instruction, sizes) ? 1 : 0;
  } else {
    work.fetched_elements = fetched;
  }
}

void add_read(Work& work, const ArraySize& size, Share share) {
  of_space(work.read, size.space) += size.padded_bytes * share.padded;
  if (is_one_element_in_hbm(size)) work.scalars_read += size.padded_bytes * share.padded;
  work.logical_bytes += size.logical_bytes * share.logical;
}

void add_write(Work& work, const ArraySize& size, const LeafWrite& leaf) {
  if (!leaf.in_place) {
    of_space(work.written, size.space) += size.padded_bytes;
    if (is_one_element_in_hbm(size)) work.scalars_written += size.padded_bytes;
    work.logical_bytes += size.logical_bytes;
    return;
  }
  of_space(work.written, size.space) += leaf.written_padded;
  of_space(work.read, size.space) += leaf.read_back;
  work.logical_bytes += leaf.written_logical * (leaf.combines ? 2 : 1);
  work.partial_tile_elements += leaf.partial_tile_elements;
  work.rows.updated += leaf.rows;
  work.rows.updated_registers += leaf.row_registers;
}

// Whether an instruction has no work: structure, the end of an asynchronous pair, or an instruction that runs other
// computations.
bool is_free(InstructionView instruction) {
  const Opcode opcode = instruction.opcode();
  const AsyncRole role = async_role(opcode);
  if (role == AsyncRole::kDone || role == AsyncRole::kUpdate || calls_schedules(opcode)) return true;
  switch (work_class(opcode)) {
    case WorkClass::kFree: return true;
    case WorkClass::kCustomCall: return is_free_custom_call(instruction);
    default: return false;
  }
}

// The array leaves that an instruction writes. For an asynchronous start these are the results, and not the operands it
// passes through or its contexts.
absl::Span<const ShapeId> written_leaves(InstructionView instruction) {
  const ShapeTable& shapes = instruction.module().shapes();
  if (instruction.opcode() == Opcode::kSend) return {};
  return shapes.leaves(result_of(instruction));
}

// The number of windows along the contracted dimensions of `work`'s products. Each window holds at least one position.
// The bounds of the compiler's loop start with those along the result.
double product_steps(const std::optional<WindowConfig>& config, const Work& work) {
  if (!config) return 1;
  double positions = 1;
  for (const MatrixWork& product : work.matrix) positions = std::max(positions, product.k);
  return std::min(loop_steps(*config, config->output_window_bounds.size()), positions);
}

// Whether the block is a placeholder. A program compiled without a GPU is not autotuned, and has the first block of a
// list that depends on the device: a small block with one stage (16 x 8 or 64 x 32 on Hopper), or one that no tuning
// chooses for a large result (64 x 64 with three stages on Blackwell), which fills any GPU with blocks four times as
// large.
bool is_placeholder(double m, double n, std::int64_t stages, const MatrixWork& product) {
  constexpr double kPlaceholder = 64 * 32;
  constexpr double kSmallBlock = 64 * 64;
  constexpr double kLargeResult = 512 * 4 * kSmallBlock;
  // No tuning chooses a larger block than the product.
  if (product.m <= m && product.n <= n) return false;
  if (stages <= 1 && m * n <= kPlaceholder) return true;
  return m * n <= kSmallBlock && product.batch * product.m * product.n >= kLargeResult;
}

// Whether the rows of the result lie along the columns of `product`: XLA computes the transposed product if its left
// operand would have few rows, and states the block of the result.
bool is_turned(const Shape& result, const MatrixWork& product) {
  if (result.dimensions.size() < 2) return false;
  const auto rows = static_cast<double>(result.dimensions[result.dimensions.size() - 2]);
  const auto columns = static_cast<double>(result.dimensions.back());
  return rows == product.n && columns == product.m && rows != columns;
}

// Sets the block of a Triton matmul, unless it is a placeholder that no run would use. The model then chooses a tile as
// for the calls of libraries, whose texts state none either: the rates of a device are fitted to products that XLA has
// tuned.
void add_chosen_tile(InstructionView fusion, Work& work) {
  if (work.matrix.empty() || fusion.text(AttributeKey::kBackendConfig).find("block_") == std::string_view::npos) return;
  const auto config = fusion_backend_config(fusion);
  if (!config) return;
  double m = 0;
  double n = 0;
  std::int64_t stages = 1;
  const bool is_block_of_result = !config->triton_gemm;
  if (config->triton_gemm) {
    m = static_cast<double>(config->triton_gemm->block_m);
    n = static_cast<double>(config->triton_gemm->block_n);
    stages = config->triton_gemm->num_stages;
  } else if (config->block_level && !config->block_level->output_tiles.empty()) {
    const std::vector<std::int64_t>& sizes = config->block_level->output_tiles[0];
    if (sizes.size() < 2) return;
    m = static_cast<double>(sizes[sizes.size() - 2]);
    n = static_cast<double>(sizes[sizes.size() - 1]);
    stages = config->block_level->num_stages;
  }
  if (m <= 0 || n <= 0) return;
  for (MatrixWork& product : work.matrix) {
    product.is_untuned = is_placeholder(m, n, stages, product);
    if (product.is_untuned) continue;
    const bool turned = is_block_of_result && is_turned(fusion.shape(), product);
    product.tile_m = turned ? n : m;
    product.tile_n = turned ? m : n;
  }
}

Work free_work() {
  Work work;
  work.is_free = true;
  return work;
}

class WorkCounter {
 public:
  WorkCounter(const Module& module, const WorkOptions& options)
      : module_(module),
        given_(options.custom_calls, options.kernel_lists),
        insides_(module),
        threads_(module),
        kernels_(options.kernels != nullptr ? options.kernels : std::make_shared<KernelRuns>()) {}

  Work count(InstructionView instruction) {
    return is_sequence(instruction) ? sequence(sequence_of(instruction)) : count_alone(instruction);
  }

  // Counts the work of instructions of a whole module, which repeat one another.
  class OfModule;

 private:
  bool is_sequence(InstructionView instruction) {
    return instruction.opcode() == Opcode::kAsyncStart && sequence_of(instruction).valid();
  }

  // The work of an instruction that runs no sequence.
  Work count_alone(InstructionView instruction) {
    if (is_free(instruction)) return free_work();
    Work work;
    const Opcode opcode = instruction.opcode();
    const ComputationId called = inlined_computation(instruction);
    Inside alone;
    if (!called.valid()) alone = insides_.of_instruction(instruction);
    const Inside& inside = called.valid() ? insides_.of_fusion(instruction) : alone;
    add_arithmetic(inside.work, 1, work);
    const absl::Span<const ShapeId> results =
        called.valid() ? written_by(instruction, called) : written_leaves(instruction);
    const bool rows_in_vmem = are_rows_in_vmem(instruction, work.rows, inside.leaves, results, insides_.sizes());
    if (!rows_in_vmem) work.rows = {};
    if (called.valid()) {
      work.epilogue = inside.work.epilogue;
      work.read.hbm += inside.constants.hbm;
      work.logical_bytes += inside.constants.hbm;
      if (opcode == Opcode::kFusion) {
        add_chosen_tile(instruction, work);
        add_gpu_tiles(instruction, called, work);
      }
    }
    add_boundary(instruction, inside, results, rows_in_vmem, work);
    if (is_by_element(instruction, called)) work.thread_elements = written_elements(inside, results);
    if (opcode == Opcode::kFusion && called.valid() && !insides_.is_on_tiles()) {
      add_thread_blocks(instruction, called, work);
    }
    if (!called.valid()) {
      if (opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart || opcode == Opcode::kUnknown) {
        work.source = CostSource::kUnknown;  // the computation or the opcode is not in the text
      }
    }
    // Code for a TPU runs in windows. Without tiles only those of products are of use.
    const std::optional<WindowConfig> windows =
        insides_.is_on_tiles() || !work.matrix.empty() ? window_config(instruction) : std::nullopt;
    if (windows && called.valid() && opcode == Opcode::kFusion) {
      add_window_repeats(instruction, *windows, called, inside, work);
    }
    if (work.matrix.empty()) add_result_rows_of(instruction, called, work);
    if (windows && work.matrix.empty()) {
      add_reduction_windows(instruction, *windows, called, work);
      const bool is_reduction = work.reduction.windows > 0;
      if (!is_reduction) add_vector_windows(instruction, called, *windows, inside, insides_.sizes(), work);
    }
    if (!work.matrix.empty()) {
      if (called.valid()) work.product_steps = product_steps(windows, work);
      if (windows) add_window_reads(instruction, *windows, inside, work);
    }
    if (opcode == Opcode::kCustomCall) add_custom_call(instruction, given_, insides_.sizes(), *kernels_, work);
    if (opcode == Opcode::kInfeed) work.read.host += work.written.total();
    if (opcode == Opcode::kOutfeed) work.written.host += work.read.total();
    if (opcode == Opcode::kRecv && flag(instruction, AttributeKey::kIsHostTransfer)) {
      work.read.host += work.written.total();
    }
    if (opcode == Opcode::kSend && flag(instruction, AttributeKey::kIsHostTransfer)) {
      work.written.host += work.read.total();
    }
    if (megascale_fault(instruction))
      work.source = CostSource::kUnknown;  // only the bytes to and from the host are known
    add_elements(instruction, insides_.sizes(), work);
    work.padded_bytes = work.read.total() + work.written.total();
    return work;
  }

  // Whether a GPU computes the instruction, which calls `called`, with a thread for each element.
  bool is_by_element(InstructionView instruction, ComputationId called) const {
    if (insides_.is_on_tiles()) return false;
    if (called.valid()) return insides_.is_by_element(called);
    switch (work_class(instruction.opcode())) {
      case WorkClass::kElementwise:
      case WorkClass::kTranscendental:
      case WorkClass::kDataMovement:
      case WorkClass::kGatherScatter: return true;
      default: return false;
    }
  }

  // The elements of the largest array that an instruction writes, or of the part of it.
  double written_elements(const Inside& inside, absl::Span<const ShapeId> leaves) {
    double most = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const ArraySize& size = insides_.sizes()[leaves[i]];
      if (size.logical_bytes <= 0) continue;
      const bool in_place = i < inside.leaves.size() && inside.leaves[i].in_place;
      const double written = in_place ? inside.leaves[i].written_logical / size.logical_bytes : 1;
      most = std::max(most, size.logical_elements * written);
    }
    return most;
  }

  // The array leaves that an instruction which calls `called` writes.
  absl::Span<const ShapeId> written_by(InstructionView instruction, ComputationId called) {
    const InstructionId root = row_of(instruction.module(), called).root;
    const bool wraps = instruction.opcode() == Opcode::kAsyncStart && root.valid();
    const ShapeId result = wraps ? instruction.module().instruction(root).shape_id() : instruction.shape_id();
    return instruction.module().shapes().leaves(result);
  }

  void add_boundary(InstructionView instruction, const Inside& inside, absl::Span<const ShapeId> leaves,
                    bool rows_in_vmem, Work& work) {
    SizeCache& sizes = insides_.sizes();
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      Share share = i < inside.parameters.size() ? inside.parameters[i] : kAll;
      // The array that the rows are in is copied once.
      if (rows_in_vmem) share = {std::min(share.padded, 1.0), std::min(share.logical, 1.0)};
      for (ShapeId leaf : instruction.module().shapes().leaves(instruction.operand(i).shape_id())) {
        add_read(work, sizes[leaf], share);
      }
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      LeafWrite leaf = i < inside.leaves.size() ? inside.leaves[i] : LeafWrite{};
      const ArraySize& size = sizes[leaves[i]];
      // Rows of registers are stored as they are.
      if (rows_in_vmem && leaf.in_place) leaf.partial_tile_elements = leaf.rows = leaf.row_registers = 0;
      if (rows_in_vmem && leaf.in_place && size.space != MemorySpace::kVmem) {
        leaf.combines = true;
        leaf.written_padded = leaf.read_back = size.padded_bytes;
        leaf.written_logical = size.logical_bytes;
      }
      add_write(work, size, leaf);
    }
  }

  // Adds how the windows of an instruction are reduced. Of several reductions in a fusion, the one that waits longest.
  void add_reduction_windows(InstructionView instruction, const WindowConfig& config, ComputationId called,
                             Work& work) {
    const auto is_reduction = [](const VectorWork& v) { return v.opcode == Opcode::kReduce && !v.cross_lane; };
    if (std::none_of(work.vector.begin(), work.vector.end(), is_reduction)) return;
    const Shape* computed = nullptr;  // what the windows have the dimensions of
    if (instruction.opcode() == Opcode::kReduce) {
      computed = &instruction.operand(0).shape();
      work.reduction = windows_of(instruction, config);
      work.reduction.is_alone = work.reduction.windows > 0;
      work.reduction.is_by_rows = work.reduction.results > 0;
      add_reduction_loads(instruction, config, insides_.sizes(), work);
    } else if (called.valid()) {
      for (const InstructionView inner : instruction.module().computation(called).instructions()) {
        if (inner.opcode() != Opcode::kReduce) continue;
        const ReductionWindows windows = windows_of(inner, config);
        if (windows.windows > 0 && (work.reduction.windows == 0 || windows.sums < work.reduction.sums)) {
          work.reduction = windows;
          computed = &inner.operand(0).shape();
        }
      }
    }
    if (computed == nullptr || work.reduction.windows <= 0) return;
    if (work.reduction.sums > 1) reduce_in_windows(*computed, config, work);
    if (called.valid()) spread_in_windows(instruction, called, *computed, config, insides_.sizes(), work);
  }

  // Adds the rows of the results of an instruction that reduces over sublanes, or of the reductions in its fusion.
  static void add_result_rows_of(InstructionView instruction, ComputationId called, Work& work) {
    if (instruction.opcode() == Opcode::kReduce) add_result_rows(instruction, work);
    if (!called.valid() || instruction.opcode() != Opcode::kFusion) return;
    for (const InstructionView inner : instruction.module().computation(called).instructions()) {
      if (inner.opcode() == Opcode::kReduce) add_result_rows(inner, work);
    }
  }

  // Adds what reduce-windows compute and fetch again because the result of their fusion is computed in windows.
  void add_window_repeats(InstructionView fusion, const WindowConfig& windows, ComputationId called,
                          const Inside& inside, Work& work) {
    if (!inside.has_reduce_window) return;
    const ComputationView computation = fusion.module().computation(called);
    for (const InstructionView inner : computation.instructions()) {
      if (inner.opcode() != Opcode::kReduceWindow) continue;
      const WindowRepeats repeats = repeats_of(inner, windows, insides_.sizes());
      add_arithmetic(repeats.work, 1, work);
      if (repeats.reads <= 1) continue;
      for (const InstructionId id : computation.parameters()) {
        if (!id.valid()) continue;
        const InstructionView parameter = fusion.module().instruction(id);
        if (parameter.shape().dimensions != inner.operand(0).shape().dimensions) continue;
        const ArraySize& size = insides_.sizes()[parameter.shape_id()];
        if (size.space == MemorySpace::kHbm) work.read_again += size.padded_bytes * (repeats.reads - 1);
      }
    }
  }

  // Adds what a product fetches again because its windows do not cover their operands.
  void add_window_reads(InstructionView instruction, const WindowConfig& windows, const Inside& inside, Work& work) {
    const WindowReads reads = window_reads(instruction, windows);
    const std::vector<double>& fetches = reads.fetches;
    if (work.matrix.size() == 1) {
      work.matrix[0].lhs_uses = reads.lhs_uses;
      work.matrix[0].rhs_uses = reads.rhs_uses;
    }
    if (std::all_of(fetches.begin(), fetches.end(), [](double times) { return times <= 1; })) return;
    for (std::size_t i = 0; i < fetches.size() && i < inside.parameters.size(); ++i) {
      const ArraySize& size = insides_.sizes()[instruction.operand(i).shape_id()];
      if (size.space != MemorySpace::kHbm) continue;
      const auto [lhs, rhs] = i < inside.in_operand_windows.size() ? inside.in_operand_windows[i] : Inside::InWindows();
      const double share = lhs + rhs > 0 ? lhs + rhs : inside.parameters[i].padded;
      const bool is_both = lhs > 0 && rhs > 0;
      const double again =
          is_both ? lhs * (reads.lhs_fetches - 1) + rhs * (reads.rhs_fetches - 1) : share * (fetches[i] - 1);
      work.read_again += size.padded_bytes * again;
    }
  }

  // The work of an instruction of a sequence. The sequences that it calls are known.
  Work step(InstructionView instruction) {
    if (const ComputationId called = sequence_of(instruction); called.valid()) return *sequences_[called.index];
    if (!calls_schedules(instruction.opcode())) return count_alone(instruction);
    // A loop, a conditional or a call of a computation that is not in the text: nothing says what it costs.
    Work work;
    add_boundary(instruction, insides_.of_instruction(instruction), written_leaves(instruction), false, work);
    work.padded_bytes = work.read.total() + work.written.total();
    work.source = CostSource::kUnknown;
    return work;
  }

  // The computation that `instruction` runs as a sequence of its own; invalid if there is none.
  ComputationId sequence_of(InstructionView instruction) {
    if (const ComputationId program = program_of_sparse_core(instruction); program.valid()) {
      return given_.find(instruction) == nullptr ? program : ComputationId();
    }
    const bool is_call = flow(instruction.opcode()) == Flow::kCalls;
    if (!is_call && instruction.opcode() != Opcode::kAsyncStart) return {};
    const ComputationId called = inlined_computation(instruction);
    return called.valid() && (is_call || threads_.runs_apart(called)) ? called : ComputationId();
  }

  // The work of a computation whose instructions run one after another. Callees come first, with an explicit stack,
  // because the input controls the nesting depth.
  Work sequence(ComputationId id) {
    sequences_.resize(module_.computation_limit());
    std::vector<ComputationId> open = {id};
    while (!open.empty()) {
      const ComputationId at = open.back();
      const std::size_t before = open.size();
      for (InstructionView instruction : module_.computation(at).instructions()) {
        const ComputationId called = sequence_of(instruction);
        if (called.valid() && sequences_[called.index] == nullptr) open.push_back(called);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (sequences_[at.index] != nullptr) continue;
      Work work = free_work();
      for (InstructionView instruction : module_.computation(at).instructions()) append_work(step(instruction), work);
      sequences_[at.index] = std::make_unique<Work>(std::move(work));
    }
    return *sequences_[id.index];
  }

  const Module& module_;
  GivenCosts given_;
  InsideTable insides_;
  ThreadTable threads_;
  std::shared_ptr<KernelRuns> kernels_;
  std::vector<std::unique_ptr<Work>> sequences_;  // by ComputationId
};

// Counts equal instructions once, and shares equal work between all.
class WorkCounter::OfModule {
 public:
  explicit OfModule(WorkCounter& counter)
      : counter_(counter), same_(counter.module_, counter.insides_), free_(works_.share(free_work())) {}

  Shared<Work> count(InstructionView instruction) {
    if (is_free(instruction) && !counter_.is_sequence(instruction)) return free_;
    const auto share = [this](InstructionView i) { return works_.share(counter_.count(i)); };
    const bool is_local = SameInstructions::is_local(instruction) && !counter_.is_sequence(instruction);
    return is_local ? same_.find(instruction, share) : share(instruction);
  }

 private:
  WorkCounter& counter_;
  SharedWorks works_;
  SameInstructions same_;
  Shared<Work> free_;
};

}  // namespace

double loop_steps(const WindowConfig& config, std::size_t first) {
  double steps = 1;
  for (std::size_t i = first; i < config.iteration_bounds.size(); ++i) {
    steps *= static_cast<double>(std::max<std::int64_t>(config.iteration_bounds[i], 1));
  }
  return steps;
}

Work compute_work(InstructionView instruction, const WorkOptions& options) {
  return WorkCounter(instruction.module(), options).count(instruction);
}

// Takes 1.7 ms for the 15385 instructions of llm_unrolled_fsdp.v5e_2x4 (3.2 MB) on a shared core. Measured with
// bench/counts_bench.
PagedTable<Shared<Work>> compute_work(const Module& module, const CallGraph& calls, const WorkOptions& options) {
  PagedTable<Shared<Work>> result(module.instruction_limit());
  WorkCounter counter(module, options);
  WorkCounter::OfModule of_module(counter);
  for (ComputationId id : CallFacts::scheduled(calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      result.at(instruction.id().index) = of_module.count(instruction);
    }
  }
  return result;
}

std::vector<Work> compute_work(const Module& module, absl::Span<const InstructionId> instructions,
                               const WorkOptions& options) {
  std::vector<Work> result;
  WorkCounter counter(module, options);
  for (InstructionId id : instructions) result.push_back(counter.count(module.instruction(id)));
  return result;
}

}  // namespace hloroof::internal::inline work

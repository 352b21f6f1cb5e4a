#include "lib/kernel/gpu/gpu_mosaic.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/body_facts.h"
#include "lib/kernel/common/isa.h"
#include "lib/kernel/gpu/gpu_ptx.h"
#include "lib/kernel/gpu/gpu_tiles.h"

namespace hloroof::internal::inline kernel {
namespace {

class MosaicGpuCounter {
 public:
  explicit MosaicGpuCounter(const mlir::Module& kernel)
      : kernel_(kernel), facts_(gpu_op_facts(kernel)), tiles_(kernel, facts_) {}

  absl::StatusOr<GpuKernelWork> count() {
    const mlir::OpId launch = find_launch();
    if (!launch.valid() || kernel_[launch].region_count != 1) {
      return absl::InvalidArgumentError("the module launches no kernel");
    }
    const std::optional<GpuLaunch> how = read_launch(launch);
    if (!how) return absl::InvalidArgumentError("the grid of the kernel is not constant");
    absl::StatusOr<BlockRuns> runs = count_block_runs(kernel_, facts_, kernel_.regions_of(launch)[0], *how);
    if (!runs.ok()) return runs.status();
    work_.is_for_threads = true;
    work_.grid = how->grid;
    work_.programs = runs->programs;
    work_.warps = (how->threads + kWarpThreads - 1) / kWarpThreads;
    work_.is_sampled = runs->is_sampled;
    for (const mlir::OpId op : runs->data_dependent) {
      work_.add_data_dependent(body_op_name(kernel_, kernel_[op].name));
    }
    for (std::uint32_t i = launch.index + 1; i < kernel_[launch].end.index; ++i) {
      const mlir::OpId op{i};
      const double times = runs->runs[kernel_[op].block.index];
      if (times > 0) add(op, times);
    }
    return std::move(work_);
  }

 private:
  mlir::OpId find_launch() const {
    for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
      if (body_op_name(kernel_, kernel_.ops[i].name) == "gpu.launch") return mlir::OpId{i};
    }
    return {};
  }

  std::optional<std::int64_t> constant(mlir::OpId op, std::size_t number) const {
    if (number >= kernel_[op].operand_count) return std::nullopt;
    const mlir::OpId source = kernel_[kernel_.operand(op, static_cast<std::uint32_t>(number))].op;
    if (!source.valid() || facts_[kernel_[source].name.index].scalar != ScalarOp::kConstant) return std::nullopt;
    return mlir::integer(kernel_, gpu_attribute(kernel_, source, "value", "r", 0));
  }

  // Operands: asynchronous dependencies, grid (3), block (3), cluster (3 or none), bytes of shared memory.
  std::optional<GpuLaunch> read_launch(mlir::OpId op) const {
    const auto sizes = mlir::integers(kernel_, mlir::find(kernel_, op, "operandSegmentSizes"));
    std::size_t at = 0;
    if (sizes && !sizes->empty() && (*sizes)[0] >= 0 && (*sizes)[0] < kernel_[op].operand_count) {
      at = static_cast<std::size_t>((*sizes)[0]);
    }
    GpuLaunch launch;
    launch.threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::optional<std::int64_t> blocks = constant(op, at + axis);
      const std::optional<std::int64_t> threads = constant(op, at + 3 + axis);
      if (!blocks || !threads || *blocks < 0 || *threads < 1 || *threads > kMostBlockThreads) return std::nullopt;
      launch.grid[axis] = *blocks;
      launch.threads = std::min(launch.threads * *threads, kMostBlockThreads);
      const bool has_cluster = sizes && sizes->size() > 7 && (*sizes)[7] == 1;
      if (has_cluster) launch.cluster[axis] = constant(op, at + 6 + axis).value_or(1);
    }
    return launch;
  }

  // `times` counts threads.
  void add(mlir::OpId op, double times) {
    const mlir::Op& o = kernel_[op];
    const GpuOpFacts& facts = facts_[o.name.index];
    const bool is_counted =
        facts.cost != OpCost::kFree && facts.cost != OpCost::kControl && facts.cost != OpCost::kShuffle;
    if (is_counted && tiles_.has_open_size(op)) return work_.add_unread(body_op_name(kernel_, o.name));
    switch (facts.cost) {
      case OpCost::kFree:
      case OpCost::kControl:
      case OpCost::kShuffle: return;
      case OpCost::kElementwise: {
        if (o.result_count == 0 || tiles_.is_absorbed(op)) return;
        const TileType& out = tiles_.type(o.first_result);
        const TileType& type =
            facts.opcode == Opcode::kCompare && o.operand_count > 0 ? tiles_.type(kernel_.operand(op, 0)) : out;
        if (out.is_tile || is_floating(type.element)) {
          work_.add_elementwise(facts.opcode, type.element, times * out.elements());
        }
        return;
      }
      case OpCost::kExpectBytes: add_expected(op, times); return;
      case OpCost::kCopyBytes: {
        const std::optional<std::int64_t> size = mlir::integer(kernel_, mlir::find(kernel_, op, "size"));
        add_loaded(size.value_or(0), times);
        return;
      }
      case OpCost::kThreadLoad:
        if (o.result_count > 0 && o.operand_count > 0 && !is_shared(kernel_.operand(op, 0))) {
          work_.loaded_bytes += times * tiles_.bytes(o.first_result);
        }
        return;
      case OpCost::kInlineAssembly: {
        const auto assembly = mlir::string(kernel_, mlir::find(kernel_, op, "asm_string"));
        for (const PtxInstruction& instruction : read_ptx(assembly.value_or("without text"))) {
          add_instruction(op, instruction, times);
        }
        return;
      }
      default: work_.add_unread(body_op_name(kernel_, o.name)); return;
    }
  }

  // Whether a reference is to shared memory: "memref<8xf32, #gpu.address_space<workgroup>>".
  bool is_shared(mlir::ValueId value) const {
    const absl::StatusOr<mlir::Type> type = mlir::decode(kernel_, kernel_[value].type);
    if (!type.ok() || !type->space_or_encoding.valid()) return false;
    const absl::StatusOr<mlir::Attribute> space = mlir::decode(kernel_, type->space_or_encoding);
    return space.ok() && space->text.find("workgroup") != std::string_view::npos;
  }

  // The second operand is the number of bytes.
  void add_expected(mlir::OpId op, double times) {
    const std::optional<std::int64_t> expected = constant(op, 1);
    if (!expected) {
      work_.add_unread("mbarrier.arrive.expect_tx of a varying number of bytes");
    } else {
      add_loaded(*expected, times);
    }
  }

  void add_loaded(std::int64_t size, double times) {
    if (size < 0) {
      work_.add_unread("transfer of a negative number of bytes");
    } else {
      work_.loaded_bytes += times * static_cast<double>(size);
    }
  }

  void add_instruction(mlir::OpId op, const PtxInstruction& instruction, double times) {
    switch (instruction.cost) {
      case OpCost::kFree:
      case OpCost::kShuffle: return;
      case OpCost::kElementwise:
        work_.add_elementwise(instruction.opcode, instruction.type, times * instruction.elements);
        return;
      case OpCost::kExpectBytes: add_expected(op, times); return;
      case OpCost::kDot: {
        GpuDotWork dot;
        dot.m = instruction.m;
        dot.n = instruction.n;
        dot.k = instruction.k;
        dot.lhs = instruction.lhs;
        dot.rhs = instruction.rhs;
        dot.runs = times / instruction.threads;
        add_dot(dot);
        return;
      }
      default: work_.add_unread("instruction " + std::string(instruction.name)); return;
    }
  }

  // Instructions of one shape follow one another in the body.
  void add_dot(const GpuDotWork& dot) {
    for (GpuDotWork& other : work_.dots) {
      if (other.m == dot.m && other.n == dot.n && other.k == dot.k && other.lhs == dot.lhs && other.rhs == dot.rhs) {
        other.runs += dot.runs;
        return;
      }
    }
    work_.dots.push_back(dot);
  }

  const mlir::Module& kernel_;
  std::vector<GpuOpFacts> facts_;
  GpuTiles tiles_;
  GpuKernelWork work_;
};

}  // namespace

absl::StatusOr<GpuKernelWork> mosaic_gpu_work(const mlir::Module& kernel) { return MosaicGpuCounter(kernel).count(); }

}  // namespace hloroof::internal::inline kernel

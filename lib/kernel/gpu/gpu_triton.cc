#include "lib/kernel/gpu/gpu_triton.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/body_facts.h"
#include "lib/kernel/gpu/gpu_tiles.h"

namespace hloroof::internal::inline kernel {
namespace {

// The function that a launch runs: the first with a body.
mlir::OpId entry_function(const mlir::Module& kernel) {
  for (const mlir::OpId module : kernel.top_level()) {
    for (const mlir::RegionId region : kernel.regions_of(module)) {
      for (const mlir::BlockId block : kernel.blocks_of(region)) {
        for (const mlir::OpId op : kernel.ops_of(block)) {
          if (kernel[op].region_count == 1 && kernel[kernel.regions_of(op)[0]].block_count > 0) return op;
        }
      }
    }
  }
  return {};
}

class TritonCounter {
 public:
  TritonCounter(const mlir::Module& kernel, const TritonLaunch& launch)
      : kernel_(kernel), launch_(launch), facts_(gpu_op_facts(kernel)), tiles_(kernel, facts_) {}

  absl::StatusOr<GpuKernelWork> count() {
    const mlir::OpId function = entry_function(kernel_);
    if (!function.valid()) return absl::InvalidArgumentError("the kernel has no function with a body");
    const mlir::RegionId body = kernel_.regions_of(function)[0];
    absl::StatusOr<BlockRuns> runs = count_block_runs(kernel_, facts_, body, {launch_.grid});
    if (!runs.ok()) return runs.status();
    work_.grid = launch_.grid;
    work_.programs = runs->programs;
    work_.warps = launch_.warps;
    work_.is_sampled = runs->is_sampled;
    for (const mlir::OpId op : runs->data_dependent) {
      work_.add_data_dependent(body_op_name(kernel_, kernel_[op].name));
    }
    for (std::uint32_t i = function.index + 1; i < kernel_[function].end.index; ++i) {
      const mlir::OpId op{i};
      const double times = runs->runs[kernel_[op].block.index];
      // Blocks of reductions do not run by themselves.
      if (times > 0) add(op, times);
    }
    return std::move(work_);
  }

 private:
  const GpuOpFacts& facts(mlir::OpId op) const { return facts_[kernel_[op].name.index]; }
  const TileType& type(mlir::ValueId value) const { return tiles_.type(value); }

  void add(mlir::OpId op, double times) {
    const mlir::Op& o = kernel_[op];
    const OpCost cost = facts(op).cost;
    const bool is_counted = cost != OpCost::kFree && cost != OpCost::kControl;
    if (is_counted && tiles_.has_open_size(op)) return work_.add_unread(body_op_name(kernel_, o.name));
    switch (cost) {
      case OpCost::kFree:
      case OpCost::kControl: return;
      case OpCost::kElementwise: add_elementwise(op, facts(op).opcode, times); return;
      case OpCost::kLibraryFunction: {
        const std::optional<std::string_view> symbol =
            mlir::string(kernel_, gpu_attribute(kernel_, op, "symbol", "rrrr", 3));
        const std::optional<Opcode> opcode = gpu_function_opcode(symbol.value_or(""));
        if (opcode) {
          add_elementwise(op, *opcode, times);
        } else {
          work_.add_unread("function " + std::string(symbol.value_or("without a name")));
        }
        return;
      }
      case OpCost::kDot: add_dot(op, times); return;
      case OpCost::kReduce: add_reduction(op, times); return;
      case OpCost::kLoad:
        // Pallas loads what it overwrites. The compiler removes that.
        if (o.result_count == 0 || !tiles_.is_used(o.first_result)) return;
        work_.loaded_bytes += times * tiles_.distinct_bytes(o.first_result);
        return;
      case OpCost::kStore: {
        const bool is_descriptor = body_op_name(kernel_, o.name) == "tt.descriptor_store";
        const std::uint32_t number = is_descriptor ? o.operand_count - 1 : 1;
        if (number < o.operand_count) work_.stored_bytes += times * tiles_.bytes(kernel_.operand(op, number));
        return;
      }
      case OpCost::kAtomic:
        if (o.operand_count > 1) {
          const double bytes_moved = times * tiles_.bytes(kernel_.operand(op, 1));
          work_.loaded_bytes += bytes_moved;
          work_.stored_bytes += bytes_moved;
        }
        return;
      case OpCost::kShuffle:
      case OpCost::kExpectBytes:
      case OpCost::kCopyBytes:
      case OpCost::kThreadLoad:
      case OpCost::kInlineAssembly:
      case OpCost::kUnknown: work_.add_unread(body_op_name(kernel_, o.name)); return;
    }
  }

  void add_elementwise(mlir::OpId op, Opcode opcode, double times) {
    const mlir::Op& o = kernel_[op];
    if (o.result_count == 0 || !type(o.first_result).is_tile || !tiles_.is_data(o.first_result)) return;
    if (tiles_.is_absorbed(op)) return;
    // A comparison or a selection works on the type that it reads.
    ElementType element = type(o.first_result).element;
    if (opcode == Opcode::kCompare && o.operand_count > 0) element = type(kernel_.operand(op, 0)).element;
    work_.add_elementwise(opcode, element, times * tiles_.distinct(o.first_result));
  }

  void add_dot(mlir::OpId op, double times) {
    const mlir::Op& o = kernel_[op];
    const bool is_scaled = body_op_name(kernel_, o.name) == "tt.dot_scaled";
    if (o.operand_count < 2 || o.result_count == 0 || is_scaled) {
      work_.add_unread(body_op_name(kernel_, o.name));
      return;
    }
    const TileType& lhs = type(kernel_.operand(op, 0));
    const TileType& rhs = type(kernel_.operand(op, 1));
    const TileType& out = type(o.first_result);
    const std::size_t rank = out.shape.size();
    if (rank < 2 || lhs.shape.size() != rank || rhs.shape.size() != rank) {
      work_.add_unread(body_op_name(kernel_, o.name));
      return;
    }
    GpuDotWork dot;
    dot.m = static_cast<double>(out.shape[rank - 2]);
    dot.n = static_cast<double>(out.shape[rank - 1]);
    dot.k = static_cast<double>(lhs.shape[rank - 1]);
    dot.lhs = lhs.element;
    dot.rhs = rhs.element;
    dot.out = out.element;
    dot.runs = times * out.elements() / std::max(dot.m * dot.n, 1.0);
    set_precision(op, dot);
    work_.dots.push_back(dot);
  }

  void set_precision(mlir::OpId op, GpuDotWork& dot) const {
    constexpr GpuPrecision kPrecisions[] = {GpuPrecision::kTf32, GpuPrecision::kTf32x3, GpuPrecision::kF32,
                                            GpuPrecision::kBf16x3, GpuPrecision::kBf16x6};  // of Triton's enum
    const std::int64_t number =
        mlir::integer(kernel_, gpu_attribute(kernel_, op, "inputPrecision", "oo", 0)).value_or(0);
    if (number >= 0 && number < 5) dot.precision = kPrecisions[number];
  }

  // Every element is combined once. The operations of the combining region count for each element.
  void add_reduction(mlir::OpId op, double times) {
    const mlir::Op& o = kernel_[op];
    if (o.operand_count == 0 || o.region_count == 0) return;
    const double elements = times * tiles_.distinct(kernel_.operand(op, 0));
    for (std::uint32_t i = op.index + 1; i < o.end.index; ++i) {
      const mlir::OpId inner{i};
      if (facts(inner).cost != OpCost::kElementwise || kernel_[inner].result_count == 0) continue;
      work_.add_elementwise(facts(inner).opcode, type(kernel_[inner].first_result).element, elements);
    }
  }

  const mlir::Module& kernel_;
  TritonLaunch launch_;
  std::vector<GpuOpFacts> facts_;
  GpuTiles tiles_;
  GpuKernelWork work_;
};

}  // namespace

absl::StatusOr<GpuKernelWork> triton_work(const mlir::Module& kernel, const TritonLaunch& launch) {
  return TritonCounter(kernel, launch).count();
}

}  // namespace hloroof::internal::inline kernel

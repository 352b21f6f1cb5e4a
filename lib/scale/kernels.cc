#include "lib/scale/kernels.h"

#include <optional>

#include "absl/strings/escaping.h"
#include "lib/kernel/tpu/kernel_code.h"
#include "lib/kernel/tpu/program.h"
#include "lib/mlir/module.h"
#include "lib/scale/placed_error.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline scale {
namespace {

using DimensionOfGrid = std::size_t;

// Which dimension of the grid each index of a window is, if it is one.
using Indices = std::vector<std::optional<DimensionOfGrid>>;

// Of the operations within `op`, how many operands are `value`.
std::size_t uses(const mlir::Module& kernel, mlir::OpId op, mlir::ValueId value) {
  std::size_t count = 0;
  for (mlir::OpId at{op.index + 1}; at.index < kernel[op].end.index; ++at.index) {
    for (std::uint32_t n = 0; n < kernel[at].operand_count; ++n) {
      if (kernel.operand(at, n) == value) ++count;
    }
  }
  return count;
}

const mlir::Block* body_of(const mlir::Module& kernel, mlir::OpId function) {
  if (!function.valid() || kernel[function].region_count != 1) return nullptr;
  const mlir::Region& region = kernel[kernel[function].first_region];
  return region.block_count == 0 ? nullptr : &kernel[region.first_block];
}

// nullopt if an index depends on dimension `d` of the grid in another way than being its number.
std::optional<Indices> indices_of(const mlir::Module& kernel, const KernelWindow& window, DimensionOfGrid d) {
  Indices result;
  if (!window.has_index) return result;
  if (window.map) {
    using Kind = mlir::AffineTerm::Kind;
    if (window.map->terms.size() != window.map->results) return std::nullopt;  // not one term for each
    for (const mlir::AffineTerm& term : window.map->terms) {
      result.push_back(term.kind == Kind::kDimension ? std::optional(static_cast<DimensionOfGrid>(term.value))
                                                     : std::nullopt);
    }
    return result;
  }
  const mlir::Block* block = body_of(kernel, window.function);
  if (block == nullptr || d >= block->argument_count || block->op_count == 0) return std::nullopt;
  const mlir::ValueId argument{block->first_argument.index + static_cast<std::uint32_t>(d)};
  mlir::OpId last = block->first_op;
  for (std::uint32_t n = 1; n < block->op_count; ++n) last = kernel[last].end;
  std::size_t returned = 0;
  for (std::uint32_t n = 0; n < kernel[last].operand_count; ++n) {
    const bool is_argument = kernel.operand(last, n) == argument;
    returned += is_argument ? 1 : 0;
    result.push_back(is_argument ? std::optional(d) : std::nullopt);
  }
  if (uses(kernel, window.function, argument) != returned) return std::nullopt;
  return result;
}

std::optional<BatchOfGrid> batch_of(const mlir::Module& kernel, const KernelProgram& program, DimensionOfGrid d) {
  const mlir::Block* body = body_of(kernel, program.function);
  if (body == nullptr || d >= body->argument_count || program.grid[d] < 2) return std::nullopt;
  const mlir::ValueId argument{body->first_argument.index + static_cast<std::uint32_t>(d)};
  if (uses(kernel, program.function, argument) > 0) return std::nullopt;
  BatchOfGrid batch{d, program.grid[d], {}};
  for (const KernelWindow& window : program.windows) {
    const std::optional<Indices> indices = indices_of(kernel, window, d);
    if (!indices) return std::nullopt;
    const KernelArray& array = program.arrays[window.array];
    for (std::size_t k = 0; k < indices->size(); ++k) {
      if ((*indices)[k] != d) continue;
      const bool is_one_each = k < window.block.size() && window.block[k] == 1 && k < array.shape.size() &&
                               window.block.size() == array.shape.size() && array.shape[k] == batch.bound;
      if (!is_one_each) return std::nullopt;
      batch.places.push_back({window.array, k});
    }
  }
  if (batch.places.empty()) return std::nullopt;
  return batch;
}

std::string bytes_of(const std::vector<std::int64_t>& numbers) {
  std::string bytes;
  for (const std::int64_t number : numbers) {
    for (int byte = 0; byte < 8; ++byte) {
      bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(number) >> (8 * byte)) & 0xFF));
    }
  }
  return bytes;
}

struct Read {
  std::string body;
  mlir::Module kernel;
  KernelProgram program;
};

bool read(InstructionView call, Read& out) {
  if (!mlir::is_bytecode(out.body)) return false;
  absl::StatusOr<mlir::Module> kernel = mlir::read_module(out.body);
  if (!kernel.ok()) return false;
  out.kernel = *std::move(kernel);
  const KernelCode code(out.kernel);
  absl::StatusOr<KernelProgram> program = read_program(call, code);
  if (!program.ok()) return false;
  out.program = *std::move(program);
  return true;
}

}  // namespace

std::vector<BatchOfGrid> batches_of_grid(InstructionView call) {
  std::vector<BatchOfGrid> result;
  if (call.text(AttributeKey::kCustomCallTarget) != "\"tpu_custom_call\"") return result;
  for (InstructionView operand : call.operands()) {
    if (!operand.shape().is_array()) return result;
  }
  Read kernel{kernel_body(call), {}, {}};
  if (!read(call, kernel) || kernel.program.dynamic_bounds > 0) return result;
  for (DimensionOfGrid d = 0; d < kernel.program.grid.size(); ++d) {
    if (auto batch = batch_of(kernel.kernel, kernel.program, d)) result.push_back(*std::move(batch));
  }
  return result;
}

absl::StatusOr<std::string> with_bound(InstructionView call, const BatchOfGrid& batch, std::int64_t bound) {
  const absl::Status error = placed_error(call, "the bounds of the grid of its kernel cannot be changed in its body");
  Read kernel{kernel_body(call), {}, {}};
  if (!read(call, kernel)) return error;
  std::vector<std::int64_t> grid = kernel.program.grid;
  const std::string before = bytes_of(grid);
  grid[batch.dimension] = bound;
  std::string body = kernel.body;
  const std::size_t place = body.find(before);
  if (place == std::string::npos || body.find(before, place + 1) != std::string::npos) return error;
  body.replace(place, before.size(), bytes_of(grid));
  Read changed{body, {}, {}};
  if (!read(call, changed) || changed.program.grid != grid) return error;
  // Equal lists are stored once: nothing else may have changed with the bounds.
  for (std::size_t w = 0; w < kernel.program.windows.size(); ++w) {
    if (changed.program.windows[w].block != kernel.program.windows[w].block) return error;
  }
  std::string config(call.text(AttributeKey::kBackendConfig));
  const std::string old_text = absl::Base64Escape(kernel.body);
  const std::size_t at = config.find(old_text);
  if (at == std::string::npos) return error;
  return config.replace(at, old_text.size(), absl::Base64Escape(body));
}

}  // namespace hloroof::internal::inline scale

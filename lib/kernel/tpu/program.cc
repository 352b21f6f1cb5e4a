#include "lib/kernel/tpu/program.h"

#include <algorithm>
#include <string_view>

#include "lib/ir/memory_spaces.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/mlir/attributes.h"
#include "lib/values/literal.h"

namespace hloroof::internal::inline kernel {
namespace {

GridSemantics semantics_of(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (has("core_parallel") && !has("subcore")) return GridSemantics::kCoreParallel;
  if (has("subcore_parallel")) return GridSemantics::kSubcoreParallel;
  return has("parallel") ? GridSemantics::kParallel : GridSemantics::kArbitrary;
}

std::string attribute_text(const mlir::Module& kernel, mlir::AttributeId id) {
  if (!id.valid()) return "";
  const absl::StatusOr<mlir::Attribute> attribute = mlir::decode(kernel, id);
  return attribute.ok() ? std::string(attribute->text) : "";
}

std::vector<GridSemantics> read_semantics(const mlir::Module& kernel, mlir::OpId function) {
  std::vector<GridSemantics> semantics;
  const mlir::AttributeId id = mlir::find(kernel, function, "dimension_semantics");
  if (!id.valid()) return semantics;
  const absl::StatusOr<mlir::Attribute> list = mlir::decode(kernel, id);
  if (!list.ok()) return semantics;
  semantics.reserve(list->elements.size());
  for (const mlir::AttributeId element : list->elements)
    semantics.push_back(semantics_of(attribute_text(kernel, element)));
  return semantics;
}

// The integers of a constant; nullopt if it is none, or its text is elided.
std::optional<std::vector<std::int64_t>> constant_values(InstructionView instruction) {
  if (instruction.opcode() == Opcode::kBitcast || instruction.opcode() == Opcode::kCopy) {
    if (instruction.operand_count() == 1) instruction = instruction.operand(0);
  }
  if (instruction.opcode() != Opcode::kConstant) return std::nullopt;
  const absl::StatusOr<Literal> value = literal(instruction);
  if (!value.ok() || value->elided) return std::nullopt;
  std::vector<std::int64_t> values;
  values.reserve(value->size());
  for (std::size_t i = 0; i < value->size(); ++i) values.push_back(value->integer(i));
  return values;
}

KernelArray array_of(const Shape& shape, bool is_output) {
  KernelArray array;
  array.shape = shape.dimensions;
  array.bits = shape.is_array() ? bits(shape.element_type) : 0;
  array.is_output = is_output;
  array.is_on_chip = shape.layout.memory_space == kVmemSpace;
  return array;
}

KernelWindow read_window(const mlir::Module& kernel, const FunctionsByName& functions, mlir::AttributeId id) {
  KernelWindow window;
  if (const auto bounds = mlir::integers(kernel, mlir::find(kernel, id, "window_bounds"))) window.block = *bounds;
  window.is_synchronous =
      attribute_text(kernel, mlir::find(kernel, id, "pipeline_mode")).find("synchronous") != std::string::npos;
  const mlir::AttributeId index = mlir::find(kernel, id, "transform_indices");
  if (!index.valid()) return window;
  if (const auto name = mlir::string(kernel, index)) {
    const auto found = functions.find(*name);
    if (found != functions.end()) window.function = found->second;
    window.has_index = window.function.valid();
    return window;
  }
  const absl::StatusOr<mlir::Attribute> map = mlir::decode(kernel, index);
  if (map.ok() && map->kind == mlir::AttributeKind::kAffineMap) {
    window.map = map->affine;
    window.has_index = true;
  }
  return window;
}

}  // namespace

void append_arguments(InstructionView call, std::string& out) {
  const ShapeTable& shapes = call.module().shapes();
  const auto append = [&out](std::int64_t number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const auto append_arrays = [&](ShapeId id) {
    append(static_cast<std::int64_t>(shapes[id].element_type));
    append(static_cast<std::int64_t>(shapes.leaves(id).size()));
    for (const ShapeId leaf : shapes.leaves(id)) {
      const Shape& shape = shapes[leaf];
      append(static_cast<std::int64_t>(shape.element_type));
      append(shape.is_array() ? shape.layout.memory_space : 0);
      append(static_cast<std::int64_t>(shape.dimensions.size()));
      for (const std::int64_t size : shape.dimensions) append(size);
    }
  };
  append(static_cast<std::int64_t>(call.operand_count()));
  append_arrays(call.shape_id());
  for (InstructionView operand : call.operands()) {
    append_arrays(operand.shape_id());
    const auto values = constant_values(operand);
    append(values ? static_cast<std::int64_t>(values->size()) : -1);
    if (!values) continue;
    for (const std::int64_t value : *values) append(value);
  }
}

absl::StatusOr<KernelProgram> read_program(InstructionView call, const KernelCode& code) {
  const mlir::Module& kernel = *code.module;
  KernelProgram program;
  program.function = main_function(kernel);
  if (!program.function.valid()) return absl::InvalidArgumentError("the body has no main function");
  const mlir::Op& function = kernel[program.function];
  if (function.region_count != 1 || kernel[function.first_region].block_count == 0) {
    return absl::InvalidArgumentError("the main function of the body is empty");
  }
  program.name = kernel_name(kernel);
  const std::string core = attribute_text(kernel, mlir::find(kernel, program.function, "tpu.core_type"));
  program.runs_on_sparse_core = core.find("sc_") != std::string::npos;
  program.grid = mlir::integers(kernel, mlir::find(kernel, program.function, "iteration_bounds"))
                     .value_or(std::vector<std::int64_t>());
  program.semantics = read_semantics(kernel, program.function);
  const auto prefetched = mlir::integer(kernel, mlir::find(kernel, program.function, "scalar_prefetch")).value_or(0);
  program.prefetched = static_cast<std::uint32_t>(std::max<std::int64_t>(prefetched, 0));
  program.dynamic_bounds =
      static_cast<std::uint32_t>(std::count_if(program.grid.begin(), program.grid.end(), [](auto d) { return d < 0; }));

  for (std::uint32_t i = 0; i < program.dynamic_bounds && i < call.operand_count(); ++i) {
    const auto values = constant_values(call.operand(i));
    program.bounds.push_back(values && values->size() == 1 ? std::optional<std::int64_t>(values->front())
                                                           : std::nullopt);
  }
  for (std::size_t i = program.dynamic_bounds; i < call.operand_count(); ++i) {
    const Shape& shape = call.operand(i).shape();
    if (!shape.is_array()) continue;
    KernelArray array = array_of(shape, false);
    array.values = constant_values(call.operand(i));
    program.arrays.push_back(std::move(array));
  }
  for (const ShapeId leaf : call.module().shapes().leaves(call.shape_id())) {
    if (call.module().shape(leaf).is_array()) program.arrays.push_back(array_of(call.module().shape(leaf), true));
  }

  program.first_array_argument = static_cast<std::uint32_t>(program.grid.size());
  if (program.grid.empty()) {
    program.first_array_argument = static_cast<std::uint32_t>(program.semantics.size());
  }
  program.prefetched = std::min(program.prefetched, static_cast<std::uint32_t>(program.arrays.size()));
  const mlir::Block& entry = kernel[kernel[function.first_region].first_block];
  if (entry.argument_count < program.first_array_argument + program.arrays.size()) {
    return absl::InvalidArgumentError("the main function of the body has fewer arguments than the call has operands");
  }

  const mlir::AttributeId params = mlir::find(kernel, program.function, "window_params");
  if (params.valid()) {
    const absl::StatusOr<mlir::Attribute> list = mlir::decode(kernel, params);
    if (list.ok()) {
      for (std::size_t i = 0; i < list->elements.size(); ++i) {
        KernelWindow window = read_window(kernel, code.functions, list->elements[i]);
        window.array = program.prefetched + static_cast<std::uint32_t>(i);
        if (window.array >= program.arrays.size()) break;
        const KernelArray& array = program.arrays[window.array];
        const KernelType& type = code.types.of(
            kernel, mlir::ValueId{entry.first_argument.index + program.first_array_argument + window.array});
        // Kernels that the compiler writes state blocks only as the shapes of arguments.
        if (window.block.empty() && type.kind == KernelType::Kind::kMemory && is_static(type))
          window.block = type.shape;
        window.has_index = window.has_index && !window.block.empty();
        window.bytes = padded_bytes(window.block, array.bits);
        if (type.space == KernelSpace::kSmem || type.space == KernelSpace::kHbm) window.has_index = false;
        if (window.has_index) program.window_vmem_bytes += (window.is_synchronous ? 1 : 2) * window.bytes;
        program.windows.push_back(std::move(window));
      }
    }
  }
  const std::uint32_t first_scratch = program.first_array_argument + static_cast<std::uint32_t>(program.arrays.size());
  for (std::uint32_t i = first_scratch; i < entry.argument_count; ++i) {
    const KernelType& type = code.types.of(kernel, mlir::ValueId{entry.first_argument.index + i});
    if (type.space == KernelSpace::kVmem) program.scratch_vmem_bytes += padded_bytes(type.shape, type.bits);
  }
  return program;
}

}  // namespace hloroof::internal::inline kernel

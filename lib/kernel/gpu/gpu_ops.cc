#include "lib/kernel/gpu/gpu_ops.h"

#include <algorithm>
#include <unordered_map>

#include "lib/kernel/common/body_facts.h"
#include "lib/mlir/bytes.h"

namespace hloroof::internal::inline kernel {
namespace {

struct NamedOp {
  std::string_view name;
  GpuOpFacts facts;
};

constexpr NamedOp kGpuOps[] = {
#define HLOROOF_GPU_OP(name, scalar, cost, opcode) {name, {ScalarOp::scalar, OpCost::cost, Opcode::opcode}},
#include "lib/kernel/gpu/gpu_ops.def"
};

struct NamedFunction {
  std::string_view stem;
  Opcode opcode;
};

constexpr NamedFunction kGpuFunctions[] = {
#define HLOROOF_GPU_FUNCTION(stem, opcode) {stem, Opcode::opcode},
#include "lib/kernel/gpu/gpu_functions.def"
};

std::optional<Opcode> function_of_stem(std::string_view stem) {
  for (const NamedFunction& function : kGpuFunctions) {
    if (function.stem == stem) return function.opcode;
  }
  return std::nullopt;
}

// A pointer of Triton: "!tt.ptr<bf16>", or with an address space, "!tt.ptr<bf16, 3>".
bool read_pointer(std::string_view text, TileType& type) {
  constexpr std::string_view kPointer = "!tt.ptr<";
  if (text.substr(0, kPointer.size()) != kPointer) return false;
  text.remove_prefix(kPointer.size());
  type.is_pointer = true;
  type.element = element_of_text(text.substr(0, text.find_first_of(",>")));
  return true;
}

// Sets everything except the shape.
void read_scalar(const mlir::Type& from, TileType& type) {
  if (from.kind == mlir::TypeKind::kIndex) {
    type.element = ElementType::kS64;
  } else if (from.kind == mlir::TypeKind::kText) {
    read_pointer(from.text, type);
  } else {
    type.element = element_of(from);
  }
}

}  // namespace

std::vector<GpuOpFacts> gpu_op_facts(const mlir::Module& kernel) {
  static const auto* const kByName = [] {
    auto* const map = new std::unordered_map<std::string_view, GpuOpFacts>();
    for (const NamedOp& op : kGpuOps) map->emplace(op.name, op.facts);
    return map;
  }();
  std::vector<GpuOpFacts> result;
  result.reserve(kernel.op_names.size());
  for (std::uint32_t i = 0; i < kernel.op_names.size(); ++i) {
    const auto found = kByName->find(body_op_name(kernel, mlir::OpNameId{i}));
    result.push_back(found == kByName->end() ? GpuOpFacts() : found->second);
  }
  return result;
}

std::optional<Opcode> gpu_function_opcode(std::string_view symbol) {
  constexpr std::string_view kPrefix = "__nv_";
  if (symbol.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  symbol.remove_prefix(kPrefix.size());
  if (const std::optional<Opcode> found = function_of_stem(symbol)) return found;
  if (symbol.empty() || symbol.back() != 'f') return std::nullopt;
  return function_of_stem(symbol.substr(0, symbol.size() - 1));
}

// properties := attribute*
// attribute  := varint                required: the number of the attribute
//             | varint                optional: 0, or the number << 1 | 1
// Source: mlir/lib/Bytecode/Writer/BytecodeWriter.cpp, writeAttribute and writeOptionalAttribute.
mlir::AttributeId gpu_attribute(const mlir::Module& kernel, mlir::OpId op, std::string_view name,
                                std::string_view layout, std::size_t position) {
  const mlir::AttributeId found = mlir::find(kernel, op, name);
  const std::string_view raw = kernel[op].raw_properties;
  if (found.valid() || raw.empty() || position >= layout.size()) return found;
  mlir::ByteCursor cursor(raw, 0, raw.size());
  for (std::size_t i = 0; i <= position; ++i) {
    bool is_present = true;
    const std::uint64_t number = layout[i] == 'o' ? cursor.flagged_varint(is_present) : cursor.varint();
    if (!cursor.ok()) return {};
    if (i < position) continue;
    if (!is_present || number >= kernel.attributes.size()) return {};
    return mlir::AttributeId{static_cast<std::uint32_t>(number)};
  }
  return {};
}

bool TileType::is_open() const {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t d) { return d < 0; });
}

double TileType::elements() const {
  double product = 1;
  for (const std::int64_t d : shape) product *= static_cast<double>(std::max<std::int64_t>(d, 0));
  return product;
}

std::vector<TileType> gpu_tile_types(const mlir::Module& kernel) {
  std::vector<TileType> types(kernel.types.size());
  for (std::uint32_t i = 0; i < kernel.types.size(); ++i) {
    absl::StatusOr<mlir::Type> type = mlir::decode(kernel, mlir::TypeId{i});
    if (!type.ok()) continue;
    const bool is_tile = type->kind == mlir::TypeKind::kTensor || type->kind == mlir::TypeKind::kEncodedTensor ||
                         type->kind == mlir::TypeKind::kVector;
    if (!is_tile) {
      read_scalar(*type, types[i]);
      continue;
    }
    const absl::StatusOr<mlir::Type> element = mlir::decode(kernel, type->element);
    if (!element.ok()) continue;
    types[i].is_tile = true;
    types[i].shape = std::move(type->shape);
    read_scalar(*element, types[i]);
  }
  return types;
}

}  // namespace hloroof::internal::inline kernel

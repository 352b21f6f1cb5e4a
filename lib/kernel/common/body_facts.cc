#include "lib/kernel/common/body_facts.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "lib/ir/element_type.h"
#include "lib/mlir/read_text.h"

namespace hloroof::internal::inline kernel {
namespace {

ElementType integer_element(std::uint32_t width, bool is_unsigned) {
  switch (width) {
    case 1: return ElementType::kPred;
    case 2: return is_unsigned ? ElementType::kU2 : ElementType::kS2;
    case 4: return is_unsigned ? ElementType::kU4 : ElementType::kS4;
    case 8: return is_unsigned ? ElementType::kU8 : ElementType::kS8;
    case 16: return is_unsigned ? ElementType::kU16 : ElementType::kS16;
    case 32: return is_unsigned ? ElementType::kU32 : ElementType::kS32;
    case 64: return is_unsigned ? ElementType::kU64 : ElementType::kS64;
    default: return ElementType::kInvalid;
  }
}

// The spelling of each float type of MLIR.
struct FloatName {
  mlir::TypeKind type_kind;
  std::string_view text;
};

constexpr FloatName kFloatNames[] = {
#define HLOROOF_MLIR_FLOAT(enumerator, code, name, ...) {mlir::TypeKind::enumerator, name},
#include "lib/mlir/type_kinds.def"
};

}  // namespace

std::string_view without_stable_dialect(std::string_view name) {
  for (const std::string_view prefix : {"stable_mosaic.", "stable_mosaic_gpu."}) {
    if (name.substr(0, prefix.size()) == prefix) return name.substr(prefix.size());
  }
  return name;
}

std::string body_op_name(const mlir::Module& body, mlir::OpNameId id) {
  const mlir::OpName& name = body.op_names[id.index];
  std::string full(body.dialects[name.dialect.index].name);
  if (!name.name.empty()) full.append(".").append(name.name);
  return std::string(without_stable_dialect(full));
}

absl::StatusOr<mlir::Module> read_body(std::string& body) {
  if (mlir::is_text(body)) {
    absl::StatusOr<std::string> bytecode = mlir::bytecode_of_text(body);
    if (!bytecode.ok()) return bytecode.status();
    body = *std::move(bytecode);
  }
  if (!mlir::is_bytecode(body)) return absl::NotFoundError("the text has no body of this kernel in MLIR");
  return mlir::read_module(body);
}

FunctionsByName functions_by_name(const mlir::Module& body) {
  std::vector<bool> is_function(body.op_names.size(), false);
  for (std::uint32_t i = 0; i < body.op_names.size(); ++i) {
    is_function[i] = body_op_name(body, mlir::OpNameId{i}) == "func.func";
  }
  FunctionsByName functions;
  for (std::uint32_t i = 0; i < body.ops.size(); ++i) {
    const mlir::OpId op{i};
    if (!is_function[body.ops[i].name.index] || body.ops[i].region_count != 1) continue;
    if (const auto name = mlir::string(body, mlir::find(body, op, "sym_name"))) functions.emplace(*name, op);
  }
  return functions;
}

ElementType element_of(const mlir::Type& type) {
  if (type.kind == mlir::TypeKind::kInteger) {
    return integer_element(type.width, type.signedness == mlir::Signedness::kUnsigned);
  }
  // Products of f32 operands with fewer bits: the arrays hold f32.
  if (type.kind == mlir::TypeKind::kTF32) return ElementType::kF32;
  for (const FloatName& name : kFloatNames) {
    if (name.type_kind == type.kind) return element_of_text(name.text);
  }
  return ElementType::kInvalid;
}

ElementType element_of_text(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.size() > 1 && lower.size() < 4 && lower[0] == 'i' &&
      std::all_of(lower.begin() + 1, lower.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return integer_element(static_cast<std::uint32_t>(std::stoul(lower.substr(1))), false);
  }
  return element_type_from_string(lower).value_or(ElementType::kInvalid);
}

}  // namespace hloroof::internal::inline kernel

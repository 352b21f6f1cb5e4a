#include "lib/code/scalar_ops.h"

namespace hloroof::internal::inline code {
namespace {

constexpr ScalarOpRow kScalarOps[] = {
#define HLOROOF_SCALAR_OP(name, opcode, operands, does) {name, ScalarOpcode::opcode, operands, ScalarKind::k##does},
#include "lib/code/scalar_ops.def"
};

}  // namespace

const ScalarOpRow* find_scalar_op(std::string_view name) {
  while (!name.empty()) {
    for (const ScalarOpRow& row : kScalarOps) {
      if (row.name == name) return &row;
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    name = name.substr(0, dot);
  }
  return nullptr;
}

}  // namespace hloroof::internal::inline code

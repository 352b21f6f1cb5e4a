// Writes a module as a graph and as JSON.
#ifndef HLOROOF_LIB_REPORT_MODULE_VIEWS_H_
#define HLOROOF_LIB_REPORT_MODULE_VIEWS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// Writes Graphviz DOT with a cluster for each computation, a node for each instruction, arrows for operands and dashed
// arrows for calls.
std::string module_dot(const Module& module);

// Writes the part of that graph around the instruction `name`: its operands and users up to `radius` steps away.
// Errors: NotFound with the nearest names.
absl::StatusOr<std::string> neighbourhood_dot(const Module& module, std::string_view name, std::size_t radius);

// {schema "hloroof.module/1", name, computations[{name, is_entry, instructions[{name, opcode, shape, operands,
// ...}]}]}.
std::string module_json(const Module& module);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_MODULE_VIEWS_H_

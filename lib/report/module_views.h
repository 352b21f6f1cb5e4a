// A module as a graph and as JSON.
#ifndef HLOROOF_LIB_REPORT_MODULE_VIEWS_H_
#define HLOROOF_LIB_REPORT_MODULE_VIEWS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// Graphviz DOT: a cluster for every computation, a node for every instruction, operands as arrows, calls dashed.
std::string module_dot(const Module& module);

// Of that the part around the instruction called `name`: what it uses and what uses it, up to `radius` steps away.
// Errors: NotFound with the nearest names.
absl::StatusOr<std::string> neighbourhood_dot(const Module& module, std::string_view name, std::size_t radius);

// {schema "hloroof.module/1", name, computations[{name, is_entry, instructions[{name, opcode, shape, operands,
// ...}]}]}.
std::string module_json(const Module& module);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_MODULE_VIEWS_H_

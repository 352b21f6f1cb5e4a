// Writes a module as JSON.
#ifndef HLOROOF_LIB_REPORT_MODULE_JSON_H_
#define HLOROOF_LIB_REPORT_MODULE_JSON_H_

#include <string>

#include "hloroof/module.h"

namespace hloroof::internal::inline report {

// {schema "hloroof.module/1", name, computations[{name, is_entry, instructions[{name, opcode, shape, operands,
// ...}]}]}.
std::string module_json(const Module& module);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_MODULE_JSON_H_

// The legal orders of an edited module, for Python.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_ORDER_RULES_H_
#define HLOROOF_LIB_FRONTS_PYTHON_ORDER_RULES_H_

#include "hloroof/order.h"
#include "lib/fronts/python/edited_module.h"

namespace hloroof::internal::inline python {

struct RulesHandle {
  SharedModule owner;
  OrderRules rules;
};

// Throws InvalidInputError if the module is not scheduled.
RulesHandle rules_of(const SharedModule& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_ORDER_RULES_H_

// The rules of hloroof/order.h from the facts of a prediction.
#ifndef HLOROOF_LIB_STEP_ORDER_RULES_H_
#define HLOROOF_LIB_STEP_ORDER_RULES_H_

#include "absl/status/statusor.h"
#include "hloroof/order.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// find_order_rules() with existing facts, also of a module without a schedule. Errors: Unimplemented if there are too
// many values to follow.
absl::StatusOr<OrderRules> find_order_rules(const StepFacts& facts);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_ORDER_RULES_H_

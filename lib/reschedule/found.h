// What a search found, for its report.
#ifndef HLOROOF_LIB_RESCHEDULE_FOUND_H_
#define HLOROOF_LIB_RESCHEDULE_FOUND_H_

#include "absl/status/statusor.h"
#include "lib/reschedule/orders.h"
#include "lib/reschedule/search.h"

namespace hloroof::internal::inline reschedule {

// Describes the current order, how it came about, and what keeps the step from being shorter. Errors: those of
// Predictor::predict().
absl::StatusOr<Rescheduling> describe_found(Orders& orders, const RescheduleOptions& options);

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_FOUND_H_

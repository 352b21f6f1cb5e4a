// What a search for a better order found; lib/reschedule/search.h.
#ifndef HLOROOF_LIB_REPORT_RESCHEDULE_REPORT_H_
#define HLOROOF_LIB_REPORT_RESCHEDULE_REPORT_H_

#include <cstddef>
#include <string>

#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/reschedule/search.h"

namespace hloroof::internal::inline reschedule {

// Step and memory before and after, at most `limit` moves (0: all), and what keeps the step from being shorter.
std::string reschedule_view(const Rescheduling& result, std::size_t limit, const TextLayout& layout);

// Schema "hloroof.reschedule/1".
std::string reschedule_json(const Rescheduling& result);

// One line for each move.
std::string reschedule_csv(const Rescheduling& result);

ResultTable reschedule_table();

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_REPORT_RESCHEDULE_REPORT_H_

// The formulas behind a time, with the numbers put in.
#ifndef HLOROOF_LIB_REPORT_EXPLAIN_TIME_H_
#define HLOROOF_LIB_REPORT_EXPLAIN_TIME_H_

#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

// How the seconds that `work` keeps `resource` busy come about, a line a step; empty for resources on wires and where
// there is no work for it.
std::vector<std::string> explain_resource(Resource resource, const Work& work, const Device& device);

// How the resources and the overhead of `time` make its seconds.
std::string explain_together(const OpTime& time, const Work& work, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_EXPLAIN_TIME_H_

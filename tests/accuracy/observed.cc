#include <vector>

#include "tests/accuracy/observed_cases.h"
#include "tests/accuracy/sections.h"

namespace hloroof {

void report_observed(Report& report) {
  report.heading("Observed examples");
  report.paragraph("Single figures; where one value was observed the range is 5 % about it.");
  std::vector<std::vector<std::string>> rows;
  double outside = 0;
  for (const ObservedCase& c : observed_cases()) {
    const double seconds = predict_observed(c);
    const bool inside = seconds >= c.low && seconds <= c.high;
    outside += inside ? 0 : 1;
    rows.push_back({c.what, c.device, microseconds(seconds), microseconds(c.low) + " to " + microseconds(c.high),
                    inside ? "yes" : "no", c.source});
  }
  report.figure("observed.outside", outside);
  report.table({"what", "device", "predicted", "observed", "inside", "source"}, rows);
}

}  // namespace hloroof

#include <vector>

#include "tests/accuracy/observed_cases.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {

void report_observed(Report& report) {
  report.heading("Observed examples");
  report.paragraph(
      "Single figures. Where one value was observed, the range is 5 % to either side of it, and 10 % for the start of "
      "a transfer. That a fitted row lies "
      "inside its range shows only that the fit was made.");
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> held_back;
  double outside = 0;
  for (const ObservedCase& c : observed_cases()) {
    const double seconds = predict_observed(c);
    const bool inside = seconds >= c.low && seconds <= c.high;
    outside += inside ? 0 : 1;
    rows.push_back({c.what, c.device, to_string(c.standing), microseconds(seconds),
                    microseconds(c.low) + " to " + microseconds(c.high), inside ? "yes" : "no", c.source});
    if (c.standing == Standing::kHeldBack) held_back.push_back({c.what, seconds, (c.low + c.high) / 2, 1, ""});
  }
  report.figure("observed.outside", outside);
  report.table({"what", "device", "row", "predicted", "observed", "inside", "source"}, rows);
  report.held_back("observed examples, TPU v5e and v5p, against the middle of the range", held_back);
}

}  // namespace hloroof::internal

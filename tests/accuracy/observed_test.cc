// The observed examples, each in the range that was observed.
#include "tests/accuracy/observed_cases.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("Observed times") {
  for (const ObservedCase& c : observed_cases()) {
    INFO(c.device << ": " << c.what << " (" << c.source << ")");
    const double seconds = predict_observed(c);
    CHECK(seconds >= c.low);
    CHECK(seconds <= c.high);
  }
}

}  // namespace
}  // namespace hloroof::internal

// The table of collectives, from predictions put together by hand.
#include <string>

#include "lib/report/views.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

StepPrediction prediction_with(const std::vector<double>& exposed) {
  StepPrediction p;
  for (const double seconds : exposed) {
    CollectivePrediction c;
    c.name = "all-gather." + std::to_string(p.collectives.size());
    c.kind = "all-gather";
    c.seconds = 1;
    c.exposed_seconds = seconds;
    p.collectives.push_back(c);
  }
  return p;
}

TEST_CASE("collectives that are left out of the table are added up, not taken for the rest of the total") {
  // 0.1 + 0.2 is a little more than 0.3.
  StepPrediction p = prediction_with({0.2, 0.1, 0, 0});
  p.exposed_communication_seconds = 0.3;
  ViewOptions options;
  options.rows.limit = 2;
  const std::string view = collectives_view(p, options);
  INFO(view);
  CHECK(view.find("[2 others]") != std::string::npos);
  CHECK(view.find("-0") == std::string::npos);
}

TEST_CASE("long kinds, axes and names share 80 columns") {
  StepPrediction p = prediction_with({17.7e-3});
  p.topology = "4x4";
  p.exposed_communication_seconds = 17.7e-3;
  CollectivePrediction& c = p.collectives[0];
  c.name = "collective-permute-start.21";
  c.kind = "collective-permute";
  c.axis_names = {"axis4_stride16", "axis2_stride2"};
  c.group_count = 16;
  c.group_size = 128;
  c.bytes = 123.4 * (1 << 20);
  const std::string view = collectives_view(p, {});
  INFO(view);
  std::size_t begin = 0;
  while (begin < view.size()) {
    const std::size_t end = view.find('\n', begin);
    CHECK(end - begin <= 80);
    begin = end + 1;
  }
  CHECK(view.find("collectiv..art.21") == std::string::npos);  // not cut more than needed
}

}  // namespace
}  // namespace hloroof::internal

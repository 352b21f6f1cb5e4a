// Programs timed on an H100 are predicted to within what is known of the model.
#include "tests/accuracy/h100_programs.h"

#include <map>
#include <string>
#include <vector>

#include "tests/accuracy/figures.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kFurthestStep = 1.4;

TEST_CASE("Programs measured on an H100") {
  const auto programs = h100_programs();
  INFO(programs.status());
  REQUIRE(programs.ok());
  std::map<std::string, std::vector<Sample>> by_group;
  for (const H100Program& program : *programs) {
    INFO(program.name << ": " << program.predicted << " s, measured " << program.measured << " s");
    by_group[program.group].push_back({program.name, program.predicted, program.measured, 1, ""});
    if (program.group != "steps") continue;
    CHECK(program.predicted / program.measured < kFurthestStep);
    CHECK(program.predicted / program.measured > 1 / kFurthestStep);
  }
  REQUIRE(by_group.size() == 5);
  CHECK(by_group["steps"].size() == 19);
  CHECK(by_group["steps2"].size() == 19);
  for (const auto& [group, samples] : by_group) {
    INFO(group);
    CHECK(figures(samples).median < (group == "access2" || group == "steps2" ? 0.3 : 0.1));
  }
}

}  // namespace
}  // namespace hloroof::internal

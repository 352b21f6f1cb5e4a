#include "lib/base/nearest.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("nearest: edit distance") {
  const struct {
    std::string a;
    std::string b;
    size_t distance;
  } cases[] = {{"", "", 0},      {"", "abc", 3},   {"abc", "abc", 0},        {"abc", "abd", 1},       {"abc", "acb", 1},
               {"abc", "ab", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"tpu_v5e", "tpuv5e", 1}};
  for (const auto& c : cases) {
    CAPTURE(c.a, c.b);
    CHECK(edit_distance(c.a, c.b) == c.distance);
    CHECK(edit_distance(c.b, c.a) == c.distance);
  }
}

TEST_CASE("nearest: ranks by distance, then by order") {
  const std::vector<std::string> names = {"gamma", "beta", "bets", "alpha"};
  CHECK(nearest_names("bet", names, 2) == std::vector<std::string>{"beta", "bets"});
  CHECK(nearest_names("alpha", names, 1) == std::vector<std::string>{"alpha"});
  CHECK(nearest_names("x", names, 9).size() == 4);
  CHECK(nearest_names("x", {}, 3).empty());
}

TEST_CASE("nearest: a name of megabytes costs no more than a long one") {
  CHECK(nearest_names(std::string(10'000'000, 'x'), {"beta", std::string(10'000'000, 'y')}, 1).size() == 1);
}

}  // namespace
}  // namespace hloroof::internal

// The equations of growth.
#include "lib/scale/exponents.h"

#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("exponents follow links in both directions and with offsets") {
  Exponents exponents(5);
  CHECK(exponents.link(0, 1));
  CHECK(exponents.link(2, 1, 1));
  CHECK(exponents.link(3, 2, -2));
  CHECK_FALSE(exponents.of(0).has_value());
  CHECK(exponents.fix(3, 1));
  CHECK(exponents.of(2) == -1);
  CHECK(exponents.of(1) == 0);
  CHECK(exponents.of(0) == 0);
  CHECK_FALSE(exponents.of(4).has_value());
}

TEST_CASE("what contradicts is refused") {
  Exponents exponents(4);
  CHECK(exponents.fix(0, 0));
  CHECK(exponents.fix(1, 1));
  CHECK_FALSE(exponents.link(0, 1));
  CHECK(exponents.link(0, 1, 1));
  CHECK(exponents.link(1, 2));
  CHECK_FALSE(exponents.link(0, 2, 2));
  CHECK_FALSE(exponents.fix(2, 0));
  CHECK(exponents.fix(2, 1));
}

TEST_CASE("long chains of links") {
  constexpr Node kNodes = 10000;
  Exponents exponents(kNodes);
  for (Node node = 0; node + 1 < kNodes; ++node) CHECK(exponents.link(node + 1, node, -1));
  CHECK(exponents.fix(0, 0));
  CHECK(exponents.of(kNodes - 1) == static_cast<int>(kNodes - 1));
  CHECK(exponents.of(kNodes / 2) == static_cast<int>(kNodes / 2));
}

TEST_CASE("products are solved for the last unknown") {
  Exponents exponents(4);
  const std::vector<Node> split = {0, 1};
  const std::vector<Node> merged = {2};
  CHECK(exponents.add_up(split, merged) == Exponents::Sum::kOpen);
  CHECK(exponents.fix(2, 1));
  CHECK(exponents.add_up(split, merged) == Exponents::Sum::kOpen);
  CHECK(exponents.fix(1, 0));
  CHECK(exponents.add_up(split, merged) == Exponents::Sum::kDecided);
  CHECK(exponents.of(0) == 1);
  CHECK(exponents.add_up({3, 3}, {2}) == Exponents::Sum::kContradiction);
}

TEST_CASE("the major part of a split takes the growth") {
  Exponents exponents(3);
  CHECK(exponents.fix(2, -1));
  CHECK(exponents.add_up({0, 1}, {2}, true) == Exponents::Sum::kDecided);
  CHECK(exponents.of(0) == -1);
  CHECK(exponents.of(1) == 0);
}

}  // namespace
}  // namespace hloroof::internal

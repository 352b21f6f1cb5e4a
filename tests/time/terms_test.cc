// How terms combine, and which of them count.
#include "lib/time/term_builder.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

Term seconds(const char* name, double value) { return leaf(name, value, value, "s"); }

TEST_CASE("terms combine as their names say") {
  struct Case {
    const char* what;
    Term term;
    double expected;
    std::size_t children;
  };
  const Case cases[] = {
      {"a sum", sum("t", {seconds("a", 3), seconds("b", 4)}), 7, 2},
      {"a maximum", slowest("t", {seconds("a", 3), seconds("b", 4)}), 4, 2},
      {"a minimum", least("t", {seconds("a", 3), seconds("b", 4)}), 3, 2},
      {"a norm", overlapped("t", {seconds("a", 3), seconds("b", 4)}, times(2)), 5, 2},
      {"terms of no time are left out", sum("t", {seconds("a", 3), seconds("b", 0), seconds("c", 4)}), 7, 2},
      {"one term stands alone", sum("t", {seconds("a", 0), seconds("b", 4)}), 4, 0},
      {"a minimum with no time is no time", least("t", {seconds("a", 0), seconds("b", 4)}), 0, 0},
      {"nothing", sum("t", {}), 0, 0},
      {"a maximum in a maximum", slowest("t", {slowest("u", {seconds("a", 3), seconds("b", 4)}), seconds("c", 2)}), 4,
       3},
      {"a scaled maximum stays one term",
       slowest("t", {scaled(slowest("u", {seconds("a", 3), seconds("b", 4)}), times(2)), seconds("c", 2)}), 8, 2},
      {"a leaf of factors", leaf("t", 6, 24, "B", {times(2), over(8)}), 6, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(c.term.seconds == Approx(c.expected));
    CHECK(evaluate(c.term) == Approx(c.expected));
    CHECK(c.term.children.size() == c.children);
  }
}

TEST_CASE("what is hidden adds nothing, and what counts adds up to the whole") {
  const Term term = scaled(sum("t", {overlapped("o", {seconds("compute", 3), seconds("memory", 4)}, times(2)),
                                     slowest("m", {seconds("hidden", 1), seconds("seen", 2)})}),
                           times(2));
  const std::vector<Contribution> parts = contributions(term);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].term->name == "memory");
  double whole = 0;
  for (const Contribution& part : parts) {
    CHECK(part.term->name != "hidden");
    whole += part.seconds;
  }
  CHECK(whole == Approx(term.seconds));
}

TEST_CASE("factors are the device's numbers by their paths") {
  const auto device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  const DeviceFactors factors(*device);
  const Factor known = factors.over({"no.such_number", "hbm.bandwidth"});
  CHECK(known.value == device->hbm.bandwidth);
  CHECK(known.parameters == std::vector<std::string_view>{"hbm.bandwidth"});
  const Factor none = factors.times({"no.such_number"});
  CHECK(none.value == 1);
  CHECK(none.parameters.empty());
  CHECK(factors.seconds("t", 2, "kernel", {"overhead.op"}).seconds == 2 * device->overhead.op);
  CHECK(factors.seconds("t", 2, "kernel", {"no.such_number"}).seconds == 0);
}

}  // namespace
}  // namespace hloroof::internal

#include "lib/hardware/settings.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Texts = std::vector<std::string>;

absl::StatusOr<std::vector<Point>> points_on(const std::string& device, const Texts& texts) {
  const absl::StatusOr<std::vector<Setting>> settings = parse_settings(texts, "set");
  if (!settings.ok()) return settings.status();
  return points_of(*settings, find_device(device).value(), "set");
}

TEST_CASE("settings: numbers and multiples, the last setting varying fastest") {
  const struct {
    Texts texts;
    std::vector<Point> points;
  } cases[] = {
      {{}, {{}}},
      {{"hbm.bandwidth=1e12"}, {{{"hbm.bandwidth", 1e12}}}},
      {{"hbm.bandwidth=2x"}, {{{"hbm.bandwidth", 2 * 819e9}}}},
      {{"hbm.bandwidth=1x,5", "host.bandwidth=7,8"},
       {{{"hbm.bandwidth", 819e9}, {"host.bandwidth", 7}},
        {{"hbm.bandwidth", 819e9}, {"host.bandwidth", 8}},
        {{"hbm.bandwidth", 5}, {"host.bandwidth", 7}},
        {{"hbm.bandwidth", 5}, {"host.bandwidth", 8}}}},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<std::vector<Point>> points = points_on("tpu_v5e", c.texts);
    REQUIRE(points.ok());
    CHECK(*points == c.points);
  }
}

TEST_CASE("settings: what is malformed is refused with the text") {
  const std::pair<Texts, std::string> cases[] = {
      {{""}, "set : expected PARAMETER=NUMBER"},
      {{"="}, "set =: expected PARAMETER=NUMBER"},
      {{"=1"}, "set =1: expected"},
      {{"a"}, "set a: expected"},
      {{"a="}, "set a=: expected"},
      {{"a=x"}, "set a=x: expected"},
      {{"a=1,"}, "set a=1,: expected"},
      {{"a=,1"}, "set a=,1: expected"},
      {{"a=1xx"}, "set a=1xx: expected"},
      {{"a=1 "}, "set a=1 : expected"},
      {{"a=1e999"}, "set a=1e999: expected"},
      {{"a=1", "a=2"}, "set a is given twice; several values go into one: a=1,2"},
      {{"nothing=2x"}, "no number \"nothing\""},
      {{"matrix.peak.f4=2x"}, "set matrix.peak.f4: h100_sxm has no value to take a multiple of"},
  };
  for (const auto& [texts, said] : cases) {
    CAPTURE(texts);
    const absl::StatusOr<std::vector<Point>> points = points_on("h100_sxm", texts);
    REQUIRE_FALSE(points.ok());
    CAPTURE(points.status().message());
    CHECK(points.status().message().find(said) != absl::string_view::npos);
  }
}

TEST_CASE("settings: too many combinations") {
  std::string many = "hbm.bandwidth=1";
  for (int i = 0; i < 200; ++i) many += ",1";
  std::string more = "host.bandwidth=1";
  for (int i = 0; i < 200; ++i) more += ",1";
  CHECK(points_on("tpu_v5e", {many})->size() == 201);
  CHECK_FALSE(points_on("tpu_v5e", {many, more}).ok());
}

}  // namespace
}  // namespace hloroof::internal

#include "tests/accuracy/device_accuracy.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("device accuracy: a section is added, replaced and removed") {
  const std::string without = "{\n  \"name\": \"x\",\n  \"hbm\": {\n    \"a\": 1\n  }\n}\n";
  const std::string with_step =
      "{\n  \"name\": \"x\",\n  \"hbm\": {\n    \"a\": 1\n  },\n  \"accuracy\": [\n"
      "    {\"what\": \"steps\", \"rows\": 1, \"median\": 0.020, \"p90\": 0.020}\n  ]\n}\n";
  const std::vector<Accuracy> step = {{Measured::kSteps, 1, 0.02, 0.02}};
  const std::vector<Accuracy> matmuls = {{Measured::kMatmuls, 54, 0.023, 0.058}};
  CHECK(with_accuracy(without, step) == with_step);
  CHECK(with_accuracy(with_step, step) == with_step);
  CHECK(with_accuracy(with_accuracy(without, matmuls), step) == with_step);
  CHECK(with_accuracy(with_step, {}) == without);
  CHECK(with_accuracy(without, {}) == without);
}

TEST_CASE("device accuracy: the built-in files are as the report writes them") {
  for (const std::string& name : device_names()) {
    CAPTURE(name);
    std::ifstream in(source_path("data/hardware/" + name + ".json"), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    CHECK(with_accuracy(text, find_device(name)->accuracy) == text);
  }
}

TEST_CASE("device accuracy: the report joins the rows of a device by kind") {
  Report report;
  report.measured("tpu_v5e", Measured::kMatmuls, {{"a", 1.1, 1, 1, ""}, {"b", 0.8, 1, 1, ""}});
  report.measured("tpu_v5e", Measured::kMatmuls, {{"c", 1.3, 1, 1, ""}});
  report.measured("tpu_v5e", Measured::kSteps, {{"d", 1.05, 1, 1, ""}});
  report.measured("gaudi3", Measured::kSteps, {});
  const auto accuracies = report.accuracies();
  REQUIRE(accuracies.size() == 1);
  const std::vector<Accuracy>& v5e = accuracies.at("tpu_v5e");
  REQUIRE(v5e.size() == 2);
  CHECK(v5e[0].what == Measured::kSteps);
  CHECK(v5e[0].rows == 1);
  CHECK(v5e[1].what == Measured::kMatmuls);
  CHECK(v5e[1].rows == 3);
  CHECK(v5e[1].median == Approx(0.2));
}

}  // namespace
}  // namespace hloroof::internal

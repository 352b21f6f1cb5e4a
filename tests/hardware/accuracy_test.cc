// The accuracy of predictions in device files: read, written, described, and not inherited.
#include "lib/hardware/accuracy.h"

#include <optional>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/registry.h"
#include "lib/hardware/write_device.h"
#include "tests/catch.h"
#include "tests/golden.h"

namespace hloroof::internal {
namespace {

constexpr const char* kMatmuls = R"({"what": "matmuls", "rows": 54, "median": 0.023, "p90": 0.058})";
constexpr const char* kStep = R"({"what": "steps", "rows": 1, "median": 0.02, "p90": 0.02})";
constexpr const char* kKernels = R"({"what": "kernels", "rows": 13, "median": 0.0512, "p90": 0.1})";

// Reads a device file with these entries that extends `base`.
Device mine(const std::string& base, const std::string& entries) {
  const std::string text = R"({"schema": "hloroof.device/1", "name": "mine", "extends": ")" + base + "\"" +
                           (entries.empty() ? "" : ", \"accuracy\": [" + entries + "]") + "}";
  const auto device = device_from_text(text, "mine.json");
  CAPTURE(text, std::string(device.status().message()));
  REQUIRE(device.ok());
  return *device;
}

TEST_CASE("accuracy: the line and the cell of a device") {
  const std::string both = std::string(kMatmuls) + "," + kKernels;
  const struct {
    const char* name;
    Device device;
    std::optional<Measured> what;
    std::string text;
    std::string cell;
  } cases[] = {
      {"one step", mine("gaudi3", kStep), Measured::kSteps, "1 step measured on mine: held-back median error 2.0 %",
       "steps 2.0 %"},
      {"steps come first", mine("gaudi3", std::string(kMatmuls) + "," + kStep), Measured::kSteps,
       "1 step measured on mine: held-back median error 2.0 %", "steps 2.0 %"},
      {"the kind of the program", mine("gaudi3", both), Measured::kKernels,
       "13 kernels measured on mine: held-back median error 5.1 %", "kernels 5.1 %"},
      {"no steps", mine("gaudi3", both), Measured::kSteps,
       "none like it measured on mine; 13 kernels: held-back median error 5.1 %", "kernels 5.1 %"},
      {"of no kind", mine("gaudi3", kStep), std::nullopt,
       "none like it measured on mine; 1 step: held-back median error 2.0 %", "steps 2.0 %"},
      {"nothing", mine("gaudi3", ""), Measured::kSteps, "mine: nothing measured", "nothing"},
      {"the generic CPU", find_device("cpu").value(), Measured::kSteps,
       "cpu: every number assumed; `hloroof calibrate` fits it to a profile of yours", "nothing"},
      {"a CPU with measurements", mine("cpu", kStep), Measured::kSteps,
       "1 step measured on mine: held-back median error 2.0 %", "steps 2.0 %"},
      {"the extended device only", mine("tpu_v5e", ""), Measured::kSteps, "mine: nothing measured; tpu_v5e is",
       "nothing"},
      {"its own, not that of the extended device", mine("tpu_v5e", kKernels), Measured::kKernels,
       "13 kernels measured on mine: held-back median error 5.1 %", "kernels 5.1 %"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(trust_text(c.device, c.what) == c.text);
    CHECK(trust_cell(c.device) == c.cell);
  }
}

TEST_CASE("accuracy: the lines fit") {
  for (const std::string& name : device_names()) {
    const Device device = find_device(name).value();
    CAPTURE(name);
    for (const std::optional<Measured> what :
         {std::optional(Measured::kSteps), std::optional(Measured::kMatmuls), std::optional<Measured>()}) {
      CAPTURE(trust_text(device, what));
      CHECK(trust_text(device, what).size() <= 80);
    }
    CHECK(trust_cell(device).size() <= 17);
  }
}

TEST_CASE("accuracy: a device with changed numbers has none") {
  for (const char* path : {"hbm.bandwidth", "vector.weights.exponential.vector_ops"}) {
    CAPTURE(path);
    Device device = find_device("tpu_v5e").value();
    REQUIRE(!device.accuracy.empty());
    REQUIRE(set_parameter(device, path, 7).ok());
    CHECK(device.accuracy.empty());
    CHECK(trust_text(device, Measured::kSteps) == "tpu_v5e with changed numbers: nothing measured");
  }
  Device device = find_device("tpu_v5e").value();
  CHECK(!set_parameter(device, "hbm.bandwidth", -1).ok());
  CHECK(!device.accuracy.empty());
  Device core = find_device("tpu_v4_core").value();
  REQUIRE(set_parameter(core, "hbm.bandwidth", 7e11).ok());
  CHECK(trust_text(core, Measured::kSteps) == "tpu_v4_core: nothing measured; tpu_v4 is");
  Device cpu = find_device("cpu").value();
  REQUIRE(set_parameter(cpu, "hbm.bandwidth", 7e10).ok());
  CHECK(trust_text(cpu, Measured::kSteps) == "cpu: nothing measured");
}

TEST_CASE("accuracy: is no parameter") {
  Device device = find_device("tpu_v5e").value();
  for (const Parameter& parameter : parameters(device)) CHECK(!parameter.path.starts_with("accuracy"));
  CHECK(!set_parameter(device, "accuracy.steps.median", 0.1).ok());
}

TEST_CASE("accuracy: what was written comes back") {
  const Device device = mine("tpu_v5e", std::string(kMatmuls) + "," + kStep);
  const auto text = write_device_file(device, "tpu_v5e", "copy", "Copy");
  REQUIRE(text.ok());
  const auto copy = device_from_text(*text, "copy.json");
  REQUIRE(copy.ok());
  REQUIRE(copy->accuracy.size() == device.accuracy.size());
  for (size_t i = 0; i < copy->accuracy.size(); ++i) {
    CHECK(copy->accuracy[i].what == device.accuracy[i].what);
    CHECK(copy->accuracy[i].rows == device.accuracy[i].rows);
    CHECK(copy->accuracy[i].median == device.accuracy[i].median);
    CHECK(copy->accuracy[i].p90 == device.accuracy[i].p90);
  }
  Device changed = device;
  REQUIRE(set_parameter(changed, "hbm.bandwidth", 7e11).ok());
  CHECK(write_device_file(changed, "tpu_v5e", "copy", "Copy")->find("accuracy") == std::string::npos);
}

TEST_CASE("accuracy: the table of a device") {
  CHECK(describe_accuracy(mine("gaudi3", std::string(kMatmuls) + "," + kStep)) ==
        "error on held-back measurements                  rows   median  90th percentile\n"
        "  steps                                             1    2.0 %            2.0 %\n"
        "  matmuls                                          54    2.3 %            5.8 %\n");
  CHECK(describe_accuracy(mine("gaudi3", "")) == "mine: nothing measured\n");
}

TEST_CASE("accuracy: the list of devices") {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) devices.push_back(find_device(name).value());
  check_golden("tests/hardware/golden/devices_list.txt", describe_devices(devices));
}

}  // namespace
}  // namespace hloroof::internal

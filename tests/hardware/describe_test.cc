#include "lib/hardware/describe.h"

#include <sstream>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

void check_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
}

TEST_CASE("describe: the list has a line a device and fits 80 columns") {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) devices.push_back(find_device(name).value());
  const std::string list = describe_devices(devices);
  for (const Device& device : devices) CHECK_THAT(list, ContainsSubstring("\n" + device.name + " "));
  check_columns(list);
}

TEST_CASE("describe: one device with every number and source, in 80 columns") {
  for (const std::string& name : device_names()) {
    const Device device = find_device(name).value();
    const std::string text = describe_device(device);
    CAPTURE(name);
    check_columns(text);
    for (const Parameter& parameter : parameters(device)) {
      if (parameter.path.find("weights") != std::string::npos) continue;
      CHECK_THAT(text, ContainsSubstring(parameter.path));
    }
  }
  const std::string v5e = describe_device(find_device("tpu_v5e").value());
  CHECK_THAT(v5e, ContainsSubstring("819 GB/s  published"));
  CHECK_THAT(v5e, ContainsSubstring("Google Cloud documentation, TPU v5e"));
  CHECK_THAT(v5e, ContainsSubstring("197 Tflop/s"));
}

TEST_CASE("describe: numbers with their units") {
  const struct {
    std::string unit;
    double value;
    std::string text;
  } cases[] = {
      {"B/s", 8.19e11, "819 GB/s"},
      {"B", 17179869184, "16 GiB"},
      {"B", 1.8e11, "180 GB"},
      {"B", 512, "512 B"},
      {"s", 1.133e-6, "1.133 us"},
      {"s", 0, "0 s"},
      {"s", 3e-7, "300 ns"},
      {"Hz", 1.5e9, "1.5 GHz"},
      {"flop/s", 1.97e14, "197 Tflop/s"},
      {"1", 0.87, "0.87"},
      {"1", 8960, "8960"},
      {"cycle", 131, "131 cycles"},
      {"bool", 1, "yes"},
      {"bool", 0, "no"},
      {"W", 700, "700 W"},
      {"op/s", 6.144e12, "6.144 Top/s"},
  };
  for (const auto& c : cases) {
    Parameter parameter;
    parameter.unit = c.unit;
    parameter.value = c.value;
    CHECK(format_parameter(parameter) == c.text);
  }
  CHECK(format_parameter(Parameter()) == "unknown");
}

}  // namespace
}  // namespace hloroof::internal

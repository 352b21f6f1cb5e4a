#include <cmath>
#include <limits>
#include <string>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("parameters: every number can be listed, set and read back") {
  for (const std::string& name : device_names()) {
    Device device = find_device(name).value();
    for (const Parameter& parameter : parameters(device)) {
      CAPTURE(name, parameter.path);
      CHECK_FALSE(parameter.unit.empty());
      CHECK_FALSE(parameter.meaning.empty());
      const absl::Status status = set_parameter(device, parameter.path, 1);
      CHECK(status.ok() == parameter.is_read);
      if (!parameter.is_read) CHECK_THAT(std::string(status.message()), ContainsSubstring("no prediction for " + name));
    }
    for (const Parameter& parameter : parameters(device)) {
      if (!parameter.is_read) continue;
      CAPTURE(name, parameter.path);
      CHECK(parameter.value == Fact<double>(1.0));
      CHECK(parameter.source.kind == Provenance::kUser);
    }
  }
}

TEST_CASE("parameters: setting one changes the member it names and nothing else") {
  Device device = find_device("tpu_v5e").value();
  REQUIRE(set_parameter(device, "hbm.bandwidth", 1.2e12).ok());
  CHECK(device.hbm.bandwidth == 1.2e12);
  REQUIRE(set_parameter(device, "vector.lanes", 64).ok());
  CHECK(device.tpu()->vector.lanes == 64);
  REQUIRE(set_parameter(device, "ici.gathers_in_one_ring", 1).ok());
  CHECK(device.ici.gathers_in_one_ring);
  REQUIRE(set_parameter(device, "vector.weights.exponential.vector_ops", 9).ok());
  CHECK(op_weight(device.vector, "exponential").vector_ops == 9);
  CHECK(op_weight(device.vector, "exponential").transcendentals == 1);
  const Device untouched = find_device("tpu_v5e").value();
  CHECK(device.hbm.capacity == untouched.hbm.capacity);
  CHECK(device.matrix.peak.bf16 == untouched.matrix.peak.bf16);
}

TEST_CASE("parameters: values a number cannot have are refused, and the device stays as it was") {
  const struct {
    std::string path;
    double value;
    std::string expected;
  } cases[] = {
      {"hbm.bandwidth", 0, "a number above 0"},
      {"hbm.bandwidth", -1, "a number above 0"},
      {"hbm.bandwidth", std::numeric_limits<double>::infinity(), "a number above 0"},
      {"hbm.bandwidth", std::nan(""), "a number above 0"},
      {"hbm.efficiency", 1.5, "at most 1"},
      {"vector.lanes", 2.5, "a whole number"},
      {"vector.lanes", 1e18, "a whole number"},
      {"overhead.op", -1e-9, "a number from 0"},
      {"ici.gathers_in_one_ring", 0.5, "0 or 1"},
      {"vector.weights.exponential.vector_ops", -1, "a number from 0"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.path, c.value);
    Device device = find_device("tpu_v5e").value();
    const absl::Status status = set_parameter(device, c.path, c.value);
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(status.message()), ContainsSubstring(c.expected));
    CHECK(device.hbm.bandwidth == find_device("tpu_v5e")->hbm.bandwidth);
  }
}

TEST_CASE("parameters: an unknown path gets the nearest ones") {
  Device device = find_device("tpu_v5e").value();
  const absl::Status status = set_parameter(device, "hbm.bandwith", 1e12);
  CHECK(status.code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(status.message()), ContainsSubstring("hbm.bandwidth"));
  CHECK(set_parameter(device, "", 1).code() == absl::StatusCode::kNotFound);
  CHECK(set_parameter(device, "hbm", 1).code() == absl::StatusCode::kNotFound);
}

TEST_CASE("parameters: what no prediction for the device reads is refused") {
  const struct {
    std::string device;
    std::string path;
  } cases[] = {{"tpu_v5e", "overhead.launch"}, {"h100_sxm", "matrix.dim"},     {"h100_sxm", "ici.hop_latency"},
               {"h100_sxm", "sparse_cores"},   {"h100_sxm", "cores_per_chip"}, {"gaudi2", "vector.compute_units"}};
  for (const auto& c : cases) {
    CAPTURE(c.device, c.path);
    Device device = find_device(c.device).value();
    CHECK(set_parameter(device, c.path, 2).code() == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("parameters: what is unknown is unknown, not zero") {
  const Device v2 = find_device("tpu_v2").value();
  CHECK(v2.matrix.peak.f8.is_none());
  CHECK(is_unknown(v2.matrix.peak.f64));
  for (const Parameter& parameter : parameters(v2)) {
    CHECK(parameter.path != "on_chip.l2_capacity");
    if (parameter.path == "matrix.peak.f64") CHECK(is_unknown(parameter.value));
    CAPTURE(parameter.path);
    const bool may_be_zero =
        parameter.unit == "s" || parameter.unit == "bool" || parameter.path.ends_with("transcendentals");
    if (parameter.value && !may_be_zero) CHECK(*parameter.value > 0);
  }
}

}  // namespace
}  // namespace hloroof::internal

#include "lib/hardware/write_device.h"

#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/registry.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("write_device: what was changed comes back, with its source, and nothing else is written") {
  const ParameterSource fitted{Provenance::kFitted, "our \"bench\"\n2026", "error 3 \\ 4 %"};
  Device device = find_device("tpu_v5e").value();
  REQUIRE(set_parameter(device, "hbm.efficiency", 0.871234567890123, fitted).ok());
  REQUIRE(set_parameter(device, "matrix.peak.bf16", 1.9e14, fitted).ok());
  REQUIRE(set_parameter(device, "overhead.op", 8.5e-7, fitted).ok());
  REQUIRE(set_parameter(device, "vector.weights.exponential.vector_ops", 3.25, fitted).ok());
  REQUIRE(set_parameter(device, "vector.lanes", 64, fitted).ok());
  REQUIRE(set_parameter(device, "ici.gathers_in_one_ring", device.ici.gathers_in_one_ring ? 0 : 1, fitted).ok());
  std::get<TpuCore>(device.core).on_chip.vmem_capacity = Fact<double>();
  device.ici.message_bytes = Fact<double>::none();

  const auto text = write_device_file(device, "tpu_v5e", "my_v5e", "v5e as measured");
  REQUIRE(text.ok());
  CHECK(text->find("hbm\": {\n    \"efficiency") != std::string::npos);
  CHECK(text->find("capacity\": {\"value") == std::string::npos);
  const auto read = device_from_text(*text, "my_v5e.json");
  REQUIRE(read.ok());
  CHECK(read->name == "my_v5e");
  CHECK(read->display_name == "v5e as measured");
  CHECK(is_unknown(read->tpu()->on_chip.vmem_capacity));
  CHECK(read->ici.message_bytes.is_none());
  const std::vector<Parameter> expected = parameters(device);
  const std::vector<Parameter> actual = parameters(*read);
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(actual[i].path);
    CHECK(actual[i].path == expected[i].path);
    CHECK(actual[i].value == expected[i].value);
    if (!actual[i].value) continue;
    CHECK(actual[i].source.kind == expected[i].source.kind);
    CHECK(actual[i].source.source == expected[i].source.source);
    CHECK(actual[i].source.note == expected[i].source.note);
  }
}

TEST_CASE("write_device: devices that are part of a chip, and every device unchanged") {
  for (const std::string& name : device_names()) {
    CAPTURE(name);
    Device device = find_device(name).value();
    REQUIRE(set_parameter(device, "hbm.bandwidth", 1.23456789e11, {Provenance::kFitted, "x", ""}).ok());
    const auto text = write_device_file(device, name, "copy", "Copy");
    REQUIRE(text.ok());
    CHECK(device_from_text(*text, "copy.json")->hbm.bandwidth == 1.23456789e11);
    Device unchanged = find_device(name).value();
    unchanged.accuracy.clear();  // written in any case, because it is not inherited
    CHECK(write_device_file(unchanged, name, "copy", "Copy")->size() < 200);
  }
}

TEST_CASE("write_device: what cannot be written is an error") {
  Device device = find_device("tpu_v5e").value();
  CHECK(write_device_file(device, "tpu_v9", "x", "X").status().code() == absl::StatusCode::kNotFound);
  CHECK(write_device_file(device, "tpu_v5e", "Not A Name", "X").status().code() == absl::StatusCode::kInvalidArgument);
  device.clock = Fact<double>();
  CHECK(write_device_file(device, "tpu_v5e", "x", "X").status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal

#include <string>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/matrix_rate.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("find_device: names, aliases and JAX device kinds in any case") {
  const struct {
    std::string asked;
    std::string name;
  } cases[] = {
      {"tpu_v5e", "tpu_v5e"},
      {"TPU_V5E", "tpu_v5e"},
      {" tpu_v5e ", "tpu_v5e"},
      {"TPU v5 lite", "tpu_v5e"},
      {"tpu-v5e", "tpu_v5e"},
      {"H100 PCIe", "h100_pcie"},
      {"TPU v5e", "tpu_v5e"},
      {"v5litepod", "tpu_v5e"},
      {"TPU v5", "tpu_v5p"},
      {"tpu_v5", "tpu_v5p"},
      {"TPU v5p", "tpu_v5p"},
      {"TPU v4", "tpu_v4"},
      {"TPU v4 lite", "tpu_v4i"},
      {"TPU v6 lite", "tpu_v6e"},
      {"trillium", "tpu_v6e"},
      {"TPU7x", "tpu_v7x"},
      {"tpu_7x", "tpu_v7x"},
      {"Ironwood", "tpu_v7x"},
      {"TPU v2", "tpu_v2"},
      {"TPU v3", "tpu_v3"},
      {"h100", "h100_sxm"},
      {"NVIDIA H100 80GB HBM3", "h100_sxm"},
      {"nvidia h100 pcie", "h100_pcie"},
      {"a100", "a100_sxm_80"},
      {"NVIDIA A100-SXM4-40GB", "a100_sxm_40"},
      {"b200", "b200_sxm"},
      {"NVIDIA GB200", "gb200"},
      {"AMD Instinct MI300X", "mi300x"},
      {"mi250x", "mi250x_gcd"},
      {"trn1", "trainium1"},
      {"inf2", "inferentia2"},
      {"TPUv5e", "tpu_v5e"},
      {"tpuv5p", "tpu_v5p"},
      {"Google TPU v5e", "tpu_v5e"},
      {"tpu-v5-lite-podslice", "tpu_v5e"},
      {"tpu-v6e-slice", "tpu_v6e"},
      {"H100", "h100_sxm"},
      {"H100 80GB HBM3", "h100_sxm"},
      {"NVIDIA H100", "h100_sxm"},
      {"A100-SXM4-40GB", "a100_sxm_40"},
      {"A100-SXM4-80GB", "a100_sxm_80"},
      {"Instinct MI300X", "mi300x"},
      {"h100sxm", "h100_sxm"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto device = find_device(c.asked);
    REQUIRE(device.ok());
    CHECK(device->name == c.name);
    CHECK(device->origin.empty());
  }
}

TEST_CASE("find_device: every name and alias of a device finds it") {
  for (const std::string& name : device_names()) {
    const auto device = find_device(name);
    REQUIRE(device.ok());
    CHECK(find_device(device->display_name).value().name == name);
    for (const std::string& alias : device->aliases) {
      CAPTURE(alias);
      const auto found = find_device(alias);
      REQUIRE(found.ok());
      CHECK(found->name == name);
    }
  }
}

TEST_CASE("find_target: the number in the name of a Cloud TPU slice counts TensorCores") {
  const struct {
    std::string asked;
    std::string name;
    std::string topology;
    int64_t devices;
  } cases[] = {
      {"v5e-8", "tpu_v5e", "2x4", 8},
      {"v5litepod-8", "tpu_v5e", "2x4", 8},
      {"V5LitePod-256", "tpu_v5e", "16x16", 256},
      {"v6e-1", "tpu_v6e", "1x1", 1},
      {"TPU v6e-32", "tpu_v6e", "4x8", 32},
      {"v5p-64", "tpu_v5p", "2x4x4", 32},
      {"v5p-8", "tpu_v5p", "2x2x1", 4},
      {"v4-8", "tpu_v4", "2x2x1", 4},
      {"tpu-v4-4096", "tpu_v4", "8x16x16", 2048},
      {"v2-8", "tpu_v2", "2x2", 8},
      {"v3-32", "tpu_v3", "4x4", 32},
      {"tpu7x-8", "tpu_v7x", "2x2x1", 8},
      {"v5e-16*2", "tpu_v5e", "4x4", 16},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto target = find_target(c.asked);
    REQUIRE(target.ok());
    CHECK(target->device.name == c.name);
    REQUIRE(target->topology.has_value());
    CHECK(target->topology->to_string() == c.topology);
    CHECK(target->topology->device_count() == c.devices);
  }
  CHECK(find_target("v5e-16*2")->slices == 2);
}

TEST_CASE("find_target: what is wrong with the name of a slice") {
  const struct {
    std::string asked;
    std::string message;
  } cases[] = {
      {"v5p-7", "\"v5p-7\": no standard slice of tpu_v5p has 7 TensorCores (2 per chip)\n  its slices have 8, 16, 32"},
      {"v5p-4", "tpu_v5p:16x16x24"},
      {"v5e-8:2x4", "\"v5e-8:2x4\" names two topologies: 2x4 and 2x4"},
      {"h100-8", "write 8 devices of h100_sxm as h100_sxm:8"},
      {"v9-8", "no device \"v9-8\""},
      {"-8", "no device \"-8\""},
      {"v5e-", "no device \"v5e-\""},
      {"v5e-99999999999999999999", "no device"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto target = find_target(c.asked);
    REQUIRE_FALSE(target.ok());
    CHECK_THAT(std::string(target.status().message()), ContainsSubstring(c.message));
  }
  CHECK(find_device("v5e-8").status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("find_device: an unknown name gets the nearest ones") {
  const struct {
    std::string asked;
    std::string offered;
  } cases[] = {{"tpu_v5x", "tpu_v5e"}, {"h100smx", "h100_sxm"},       {"ironwod", "tpu_v7x"},
               {"TPU v6", "tpu_v6e"},  {"a100_smx80", "a100_sxm_80"}, {"", "l4"},
               {"tpu_common", "tpu"}};
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto device = find_device(c.asked);
    REQUIRE_FALSE(device.ok());
    CHECK(device.status().code() == absl::StatusCode::kNotFound);
    CHECK_THAT(std::string(device.status().message()), ContainsSubstring(c.offered));
  }
  const auto endless = find_device(std::string(1'000'000, 'x'));
  REQUIRE_FALSE(endless.ok());
  CHECK(endless.status().message().size() < 600);
}

TEST_CASE("find_device: a kind of device gets the devices of this kind, a name like no other gets all") {
  const struct {
    std::string asked;
    std::string offered;
  } cases[] = {
      {"tpu", "no device \"tpu\"; name one of tpu_v2, tpu_v3, tpu_v4, "},
      {"gpu", "no device \"gpu\"; name one of v100_sxm2, a100_sxm_40, "},
      {"NVIDIA GPU", "; name one of v100_sxm2, a100_sxm_40, "},
      {"cuda", "; name one of v100_sxm2, a100_sxm_40, "},
      {"ROCm", "; name one of mi250x_gcd, mi300x, mi325x, mi355x"},
      {"Intel", "; name one of gaudi2, gaudi3"},
      {"my machine", "; the devices are tpu_v2, tpu_v3, "},
      {"foo", "; the devices are tpu_v2, tpu_v3, "},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    CHECK_THAT(std::string(find_device(c.asked).status().message()), ContainsSubstring(c.offered));
  }
}

TEST_CASE("find_device: a topology is not part of a device") {
  for (const char* name : {"tpu_v5e:2x2", "tpu_v5e*2", "tpu_v5e:", "no device:2x2"}) {
    CAPTURE(name);
    const auto device = find_device(name);
    CHECK(device.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(device.status().message()), ContainsSubstring("find_target"));
  }
}

TEST_CASE("find_target: a device alone requests nothing") {
  const auto target = find_target("TPU v5 lite");
  REQUIRE(target.ok());
  CHECK(target->device.name == "tpu_v5e");
  CHECK_FALSE(target->topology.has_value());
  CHECK_FALSE(target->slices.has_value());
  const auto unknown = find_target("tpu_v9:2x2");
  CHECK(unknown.status().code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(unknown.status().message()), ContainsSubstring("tpu_v2"));
}

TEST_CASE("find_target: a topology may follow the name") {
  const auto v5p = find_target("tpu_v5p:4x4x8*2");
  REQUIRE(v5p.ok());
  REQUIRE(v5p->topology.has_value());
  CHECK(v5p->topology->to_string() == "4x4x8*2");
  CHECK(v5p->topology->device_count() == 256);
  const auto kind = find_target("TPU v5 lite:4x4");
  REQUIRE(kind.ok());
  CHECK(kind->topology->device_count() == 16);
  const auto slices = find_target("tpu_v5e*2");
  REQUIRE(slices.ok());
  CHECK_FALSE(slices->topology.has_value());
  CHECK(slices->slices == 2);
  CHECK(find_target("tpu_v5e*0").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(find_target("tpu_v5e*").status().code() == absl::StatusCode::kInvalidArgument);
  const auto bad = find_target("tpu_v5e:4y4");
  CHECK(bad.status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("load_device: a missing file, a folder, a file of one's own") {
  CHECK(load_device("/nonexistent/device.json").status().code() == absl::StatusCode::kNotFound);
  CHECK(load_device(source_path()).status().code() == absl::StatusCode::kNotFound);
  CHECK_FALSE(load_device(source_path("README.md")).ok());
}

TEST_CASE("matrix unit: types without a path of their own run as what they are converted to") {
  const Device v7x = find_device("tpu_v7x").value();
  CHECK(matrix_rate(v7x.matrix.peak, MatrixType::kF8).rate == v7x.matrix.peak.f8);
  CHECK(matrix_rate(v7x.matrix.peak, MatrixType::kF4).rate == v7x.matrix.peak.f8);
  CHECK(matrix_rate(v7x.matrix.peak, MatrixType::kTf32).rate == v7x.matrix.peak.f32);
  CHECK_FALSE(matrix_rate(v7x.matrix.peak, MatrixType::kF64).rate.has_value());
  const Device v3 = find_device("tpu_v3").value();
  CHECK(matrix_rate(v3.matrix.peak, MatrixType::kS8).rate == v3.matrix.peak.bf16);
  CHECK(matrix_rate(v3.matrix.peak, MatrixType::kS4).rate == v3.matrix.peak.bf16);
  const Device v100 = find_device("v100_sxm2").value();
  CHECK(matrix_rate(v100.matrix.peak, MatrixType::kBf16).rate == v100.matrix.peak.f32);
  CHECK(matrix_rate(v100.matrix.peak, MatrixType::kF16).rate == v100.matrix.peak.f16);
}

TEST_CASE("vector unit: what an element costs") {
  const Device v5e = find_device("tpu_v5e").value();
  CHECK(op_weight(v5e.vector, "add").vector_ops == 1);
  CHECK(op_weight(v5e.vector, "add").transcendentals == 0);
  CHECK(op_weight(v5e.vector, "exponential").transcendentals == 1);
  CHECK(op_weight(v5e.vector, "logistic").vector_ops > 1);
  CHECK(op_weight(v5e.vector, "no-such-opcode").vector_ops == 1);
}

}  // namespace
}  // namespace hloroof::internal

// The networks that may follow the name of a GPU, and what is wrong with others.
#include "lib/hardware/networks.h"

#include <set>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/named_target.h"
#include "lib/hardware/registry.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("networks: what each gives one GPU") {
  const struct {
    std::string asked;
    std::string name;
    double nominal;   // bytes/s of one GPU
    double attained;  // by large transfers
    int64_t domain;
  } cases[] = {
      {"h100_sxm@a3-high", "h100_sxm@a3-high", 12.5e9, 8.25e9, 8},
      {"h100_sxm@a3-mega", "h100_sxm@a3-mega", 25e9, 11.25e9, 8},
      {"h200_sxm@a3-ultra", "h200_sxm@a3-ultra", 50e9, 40.5e9, 8},
      {"b200_sxm@a4", "b200_sxm@a4", 50e9, 40.5e9, 8},
      {"gb200@a4x", "gb200@a4x", 50e9, 40.5e9, 72},
      {"gb300@a4x-max", "gb300@a4x-max", 100e9, 81e9, 72},
      {"a100_sxm_80@dgx-a100", "a100_sxm_80@dgx-a100", 25e9, 24e9, 8},
      {"h100_sxm@dgx-h100", "h100_sxm@dgx-h100", 50e9, 48e9, 8},
      {"b200_sxm@dgx-b200", "b200_sxm@dgx-b200", 50e9, 48e9, 8},
      {"gb200@gb200-nvl72", "gb200@gb200-nvl72", 50e9, 48e9, 72},
      {"gb300@gb300-nvl72", "gb300@gb300-nvl72", 100e9, 96e9, 72},
      {"NVIDIA H100 80GB HBM3@A3 High", "h100_sxm@a3-high", 12.5e9, 8.25e9, 8},
      {"h100@a3_mega", "h100_sxm@a3-mega", 25e9, 11.25e9, 8},
      {"h100@a3-mega@nccl-tests", "h100_sxm@a3-mega@nccl-tests", 25e9, 11.25e9, 8},
      {"h100_sxm", "h100_sxm", 50e9, 25e9, 8},
      {"h200_sxm", "h200_sxm", 50e9, 40.5e9, 8},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto device = find_device(c.asked);
    REQUIRE(device.ok());
    CHECK(device->name == c.name);
    CHECK(network_bandwidth(*device) == Approx(c.nominal));
    CHECK(network_bandwidth(*device) * *device->network.efficiency == Approx(c.attained));
    CHECK(device->scale_up.domain == c.domain);
    // The name that a prediction shows finds the same device again.
    CHECK(find_device(device->name)->file_sha256 == device->file_sha256);
  }
}

TEST_CASE("networks: the name stands on either side of the topology, also after a file") {
  const std::string file = source_path("data/hardware/h100_sxm.json");
  const struct {
    std::string asked;
    std::string name;
    int64_t devices;
  } cases[] = {
      {"h100_sxm:128@a3-high", "h100_sxm@a3-high", 128},
      {"h100_sxm@a3-high:128", "h100_sxm@a3-high", 128},
      {"gb200:144@a4x", "gb200@a4x", 144},
      {"h100_sxm@nccl-tests:16@a3-high", "h100_sxm@nccl-tests@a3-high", 16},
      {file + "@a3-mega", "h100_sxm@a3-mega", 0},
      {file + ":16@a3-mega", "h100_sxm@a3-mega", 16},
      {file + "@a3-mega:16", "h100_sxm@a3-mega", 16},
      {file + ":16", "h100_sxm", 16},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto target = named_target(c.asked);
    REQUIRE(target.ok());
    CHECK(target->device.name == c.name);
    CHECK((target->topology ? target->topology->device_count() : 0) == c.devices);
  }
}

TEST_CASE("networks: what is wrong with a name") {
  const struct {
    std::string asked;
    absl::StatusCode code;
    std::string message;
  } cases[] = {
      {"h100_sxm@a3-hihg", absl::StatusCode::kNotFound,
       "no network \"a3-hihg\"; the nearest is a3-high, and there are"},
      {"h100_sxm:128@a3-hihg", absl::StatusCode::kNotFound, "the nearest is a3-high"},
      {"h100_sxm@", absl::StatusCode::kNotFound, "no network \"\""},
      {"h100_sxm@a3-high@a3-mega", absl::StatusCode::kInvalidArgument, "names two networks"},
      {"a100_sxm_80@nccl-tests", absl::StatusCode::kInvalidArgument, "not known of a100_sxm_80, only of h100_sxm"},
      {"tpu_v5e@a3-high", absl::StatusCode::kInvalidArgument, "tpu_v5e is no GPU"},
      {"v5e-8@a3-high", absl::StatusCode::kInvalidArgument, "tpu_v5e is no GPU"},
      {"h100_smx@a3-high", absl::StatusCode::kNotFound, "h100_sxm"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.asked);
    const auto target = find_target(c.asked);
    REQUIRE_FALSE(target.ok());
    CHECK(target.status().code() == c.code);
    CHECK_THAT(std::string(target.status().message()), ContainsSubstring(c.message));
  }
  CHECK(find_device("h100_sxm:8@a3-high").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(find_device("h100_sxm@" + std::string(1'000'000, 'x')).status().message().size() < 400);
}

TEST_CASE("networks: every number has a source, and every device a name") {
  std::set<std::string> names;
  for (const std::string& name : network_names()) CHECK(names.insert(name).second);
  REQUIRE_FALSE(built_in_networks().empty());
  for (const NamedNetwork& network : built_in_networks()) {
    CAPTURE(network.name);
    for (const std::string& device : network.devices) CHECK(find_device(device + "@" + network.name).ok());
    for (const auto& quantity : network.numbers.quantities) {
      if (!quantity) continue;
      CAPTURE(quantity->source.source);
      CHECK(source_titles().count(quantity->source.source) == 1);
    }
  }
}

TEST_CASE("networks: what is wrong with a file of them") {
  const std::string begin = R"({"schema": "hloroof.networks/1", "networks": {"n": )";
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"{}", "at schema: expected \"hloroof.networks/1\""},
      {R"({"schema": "hloroof.networks/1"})", "at networks: expected an object"},
      {begin + "1}}", "at networks.n: expected an object"},
      {begin + R"({"hbm": {}}}})", "networks.n.hbm: no such member"},
      {begin + R"({"devices": ["l4"]}}})", "\"display_name\" is missing"},
      {begin + R"({"display_name": "a"}}})", "\"devices\" is missing"},
      {begin + R"({"display_name": "a", "devices": ["l4"], "network": {"nics": {"value": 0.5}}}}})", "network.nics"},
      {begin + R"({"display_name": "a", "devices": ["l4"], "network": {"nicks": {}}}}})",
       "nearest is \"network.nics\""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto read = read_networks(c.text, "file.json");
    REQUIRE_FALSE(read.ok());
    CHECK_THAT(std::string(read.status().message()), ContainsSubstring(c.message));
  }
}

TEST_CASE("networks: what a GPU assumes, in words") {
  const auto words = [](const std::string& name) { return network_words(find_device(name).value()); };
  CHECK(words("tpu_v5e").empty());
  CHECK_THAT(words("h100_sxm"),
             ContainsSubstring("a NIC of 50 GB/s for each device, of which large transfers attain 0.5"));
  CHECK_THAT(words("b200_sxm"), ContainsSubstring("whose efficiency is not known and taken for 1; domains of 8"));
  CHECK_THAT(words("h100_sxm"), ContainsSubstring("h100_sxm@a3-high"));
  CHECK_THAT(words("h100_sxm@a3-high"), ContainsSubstring("4 NICs of 25 GB/s for each 8 devices"));
  CHECK_THAT(words("h100_sxm@a3-high"), ContainsSubstring("GPUDirect-TCPX"));
}

// The numbers of a network take the place of those of the device file, also with their sources; those of kernels stay.
TEST_CASE("networks: the accuracy of what does not depend on them stays") {
  const auto kinds = [](const std::string& name) {
    const Device device = find_device(name).value();
    std::set<Measured> all;
    for (const Accuracy& accuracy : device.accuracy) all.insert(accuracy.what);
    return all;
  };
  CHECK(kinds("h100_sxm@a3-mega").count(Measured::kMatmuls) == 1);
  CHECK(kinds("h100_sxm@dgx-h100").count(Measured::kCollectives) == 1);
  CHECK(kinds("h100_sxm@nccl-tests").count(Measured::kCollectives) == 0);
}

}  // namespace
}  // namespace hloroof::internal

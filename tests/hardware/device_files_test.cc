// The device files as shipped: complete, consistent, and what the library has compiled in.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/base/json.h"
#include "lib/base/sha256.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/registry.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kFolder = source_path("data/hardware/");

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<Device> all_devices() {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) devices.push_back(find_device(name).value());
  return devices;
}

TEST_CASE("device files: the names of the contract, in order") {
  const std::vector<std::string> expected = {
      "tpu_v2",      "tpu_v3",       "tpu_v4",      "tpu_v4_core", "tpu_v4i",      "tpu_v5e", "tpu_v5p",   "tpu_v6e",
      "tpu_v7x",     "v100_sxm2",    "a100_sxm_40", "a100_sxm_80", "a100_pcie_80", "l4",      "l40s",      "t4",
      "rtx_4090",    "rtx_pro_6000", "h100_sxm",    "h100_pcie",   "h200_sxm",     "gh200",   "b200_sxm",  "gb200",
      "b300_sxm",    "gb300",        "mi250x_gcd",  "mi300x",      "mi325x",       "mi355x",  "trainium1", "trainium2",
      "inferentia2", "gaudi2",       "gaudi3",      "cpu"};
  CHECK(device_names() == expected);
}

TEST_CASE("device files: no device has more links or SparseCores than are told apart") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.name);
    CHECK(device.ici.dims <= kMostLinks);
    if (device.tpu() != nullptr && device.tpu()->sparse_cores) CHECK(*device.tpu()->sparse_cores <= kMostSparseCores);
  }
}

TEST_CASE("device files: a shared number that was measured on one device is assumed for the others") {
  const auto mine = [](const std::string& base) {
    return device_from_text(R"({"schema": "hloroof.device/1", "name": "mine", "extends": ")" + base + "\"}",
                            "mine.json");
  };
  const struct {
    std::string name;
    absl::StatusOr<Device> device;
    Provenance kind;
  } cases[] = {
      {"h100_sxm", find_device("h100_sxm"), Provenance::kFitted},
      {"h200_sxm", find_device("h200_sxm"), Provenance::kAssumed},
      {"mi300x", find_device("mi300x"), Provenance::kAssumed},
      {"mine, as h100_sxm", mine("h100_sxm"), Provenance::kFitted},
      {"mine, as h200_sxm", mine("h200_sxm"), Provenance::kAssumed},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    REQUIRE(c.device.ok());
    int found = 0;
    for (const Parameter& parameter : parameters(*c.device)) {
      if (parameter.path != "overhead.sort_pass" && parameter.path != "vector.weights.gather.vector_ops") continue;
      ++found;
      CHECK(parameter.source.kind == c.kind);
    }
    CHECK(found == 2);
  }
}

TEST_CASE("device files: each compiled-in file is the one on disk, valid, and named as its device") {
  for (const EmbeddedFile& file : embedded_hardware_files()) {
    CAPTURE(file.name);
    CHECK(read(kFolder + std::string(file.name)) == file.text);
  }
  for (const std::string& name : device_names()) {
    const std::string path = kFolder + name + ".json";
    const absl::Status valid = check_device_file(read(path), path);
    CAPTURE(std::string(valid.message()));
    CHECK(valid.ok());
    const auto loaded = load_device(path);
    REQUIRE(loaded.ok());
    CHECK(loaded->name == name);
    CHECK(loaded->origin == path);
    CHECK(loaded->file_sha256 == find_device(name)->file_sha256);
    CHECK(loaded->file_sha256.size() == 64);
  }
}

TEST_CASE("device files: their names say which are devices, and their hash is that of all") {
  const std::vector<std::string> names = device_names();
  std::string hashes;
  for (const EmbeddedFile& file : embedded_hardware_files()) {
    CAPTURE(file.name);
    hashes += sha256_hex(file.text);
    const absl::StatusOr<OrderedJson> json = parse_json(file.text, file.name);
    REQUIRE(json.ok());
    if (find(*json, {"schema"}) == nullptr || *find(*json, {"schema"}) != "hloroof.device/1") continue;
    const OrderedJson* abstract = find(*json, {"abstract"});
    const std::string name(file.name.substr(0, file.name.size() - 5));
    const bool is_device = std::find(names.begin(), names.end(), name) != names.end();
    CHECK(is_device == (abstract == nullptr || !abstract->get<bool>()));
  }
  CHECK(embedded_hardware_sha256() == sha256_hex(hashes));
}

TEST_CASE("device files: every name and alias finds its device, and no alias two") {
  std::set<std::string> seen;
  for (const Device& device : all_devices()) {
    for (const std::string& alias : device.aliases) {
      CAPTURE(device.name, alias);
      CHECK(seen.insert(alias).second);
      CHECK(alias.find(':') == std::string::npos);  // a topology would follow it
      const auto found = find_device(alias);
      REQUIRE(found.ok());
      CHECK(found->name == device.name);
    }
  }
}

TEST_CASE("device files: every number has a source that sources.json names") {
  std::set<std::string> titles;
  for (const auto& [key, title] : source_titles()) titles.insert(title);
  CHECK(titles.size() == source_titles().size());
  for (const Device& device : all_devices()) {
    for (const Parameter& parameter : parameters(device)) {
      if (is_unknown(parameter.value) || parameter.source.source.empty()) continue;
      CAPTURE(device.name, parameter.path, parameter.source.source);
      CHECK(titles.count(parameter.source.source) == 1);
      // What is assumed says why.
      if (parameter.source.kind == Provenance::kAssumed && parameter.source.source == source_titles().at("ESTIMATE")) {
        CHECK_FALSE(parameter.source.note.empty());
      }
    }
  }
}

TEST_CASE("device files: TPU matrix peaks are cores x arrays x dim^2 x 2 x clock x rows a cycle") {
  int checked = 0;
  for (const Device& device : all_devices()) {
    if (device.tpu() == nullptr) continue;
    CAPTURE(device.name);
    const TpuCore::Matrix& matrix = device.tpu()->matrix;
    const double dim = static_cast<double>(matrix.dim);
    // An array takes in a left-hand row a cycle, or two. The peak of 7x is that of its fastest state, at 2.2 GHz, and
    // not of the default one.
    const double clock = device.name == "tpu_v7x" ? 2.2e9 : *device.clock;
    const double rows = *device.matrix.peak.bf16 / (static_cast<double>(matrix.count) * dim * dim * 2 * clock);
    CHECK(rows == Approx(std::round(rows)).epsilon(0.01));
    CHECK((std::round(rows) == 1 || std::round(rows) == 2));
    CHECK(device.matrix.peak.f32 == Approx(*device.matrix.peak.bf16));
    ++checked;
  }
  CHECK(checked == 9);
}

TEST_CASE("device files: TPU vector and VMEM rates follow from lanes and clock") {
  for (const Device& device : all_devices()) {
    if (device.tpu() == nullptr) continue;
    CAPTURE(device.name);
    const double per_cycle = core_count(device) * register_elements(device.tpu()->vector) * *device.clock;
    const double alus = device.vector.f32_rate / per_cycle;  // per lane and sublane
    CHECK(alus == Approx(std::round(alus)).epsilon(0.01));
    const bool has_half_a_result = device.name.rfind("tpu_v4", 0) == 0;  // v4 takes two cycles for a register of them
    CHECK(device.vector.transcendental_rate == Approx(per_cycle / (has_half_a_result ? 2 : 1)).epsilon(0.01));
    const bool has_two_stores = device.name >= "tpu_v6";
    CHECK(device.tpu()->on_chip.vmem_write_bandwidth == Approx(per_cycle * 4 * (has_two_stores ? 2 : 1)).epsilon(0.01));
    const bool has_one_load = device.name < "tpu_v5";  // a bundle of v2, v3 and v4 has one, of later generations three
    CHECK(device.tpu()->on_chip.vmem_read_bandwidth == Approx(per_cycle * 4 * (has_one_load ? 1 : 3)).epsilon(0.01));
  }
}

TEST_CASE("device files: GPU vector rates are units x lanes x clock") {
  for (const Device& device : all_devices()) {
    if (device.family() != DeviceFamily::kGpu) continue;
    CAPTURE(device.name);
    // f32 lanes of a multiprocessor or compute unit.
    double lanes = 128;
    if (device.architecture == "sm_70" || device.architecture == "sm_75" || device.architecture == "sm_80") lanes = 64;
    if (device.architecture == "gfx90a") lanes = 64;
    const double rate = static_cast<double>(device.gpu()->vector.compute_units) * lanes * *device.clock;
    CHECK(device.vector.f32_rate == Approx(rate).epsilon(0.02));
    CHECK(device.matrix.peak.f16 >= device.matrix.peak.f32);
    CHECK(device.matrix.peak.f32 >= *device.matrix.peak.f32_highest);
    if (device.scale_up.domain > 1) CHECK(device.scale_up.bandwidth.has_value());
  }
}

TEST_CASE("device files: a CUDA GPU has the registers that a compiler is told of") {
  const absl::StatusOr<Json> table = parse_json<Json>(cuda_targets(), "cuda_targets.json");
  REQUIRE(table.ok());
  const std::optional<double> told = number_at(*table, {"every", "values", "registers_per_core_limit"});
  REQUIRE(told.has_value());
  for (const Device& device : all_devices()) {
    if (device.family() != DeviceFamily::kGpu || !device.gpu()->vector.registers) continue;
    CAPTURE(device.name);
    CHECK(*device.gpu()->vector.registers == *told);
  }
}

TEST_CASE("device files: totals published per chip come back from the devices of a chip") {
  const struct {
    std::string name;
    double bf16;       // flop/s of a chip
    double bandwidth;  // B/s of a chip
    double capacity;   // B of a chip
    int64_t devices;
  } chips[] = {
      {"tpu_v2", 4.59e13, 7.0e11, 16 * 1073741824.0, 2},    {"tpu_v3", 1.23e14, 9.0e11, 32 * 1073741824.0, 2},
      {"tpu_v4", 2.75e14, 1.2288e12, 32 * 1073741824.0, 1}, {"tpu_v4_core", 2.75e14, 1.2288e12, 32 * 1073741824.0, 2},
      {"tpu_v5e", 1.97e14, 8.19e11, 16 * 1073741824.0, 1},  {"tpu_v5p", 4.59e14, 2.765e12, 95 * 1073741824.0, 1},
      {"tpu_v6e", 9.18e14, 1.638e12, 32 * 1073741824.0, 1}, {"tpu_v7x", 2.307e15, 7.38e12, 192 * 1073741824.0, 2}};
  for (const auto& chip : chips) {
    CAPTURE(chip.name);
    const Device device = find_device(chip.name).value();
    CHECK(device.devices_per_chip == chip.devices);
    const double n = static_cast<double>(chip.devices);
    CHECK(*device.matrix.peak.bf16 * n == Approx(chip.bf16));
    CHECK(device.hbm.bandwidth * n == Approx(chip.bandwidth));
    CHECK(device.hbm.capacity * n == Approx(chip.capacity));
  }
}

TEST_CASE("device files: standard slices hold no more than a pod and start at one host") {
  for (const Device& device : all_devices()) {
    if (device.ici.dims == 0) continue;
    CAPTURE(device.name);
    CHECK(device.ici.slices.size() >= 3);
    for (const std::vector<int64_t>& slice : device.ici.slices) {
      int64_t chips = 1;
      for (const int64_t extent : slice) chips *= extent;
      CHECK(chips <= *device.ici.max_chips);
    }
    CHECK(*device.ici.link_bandwidth <= *device.ici.link_bandwidth_nominal);
  }
}

TEST_CASE("device files: a built-in device states every number that its predictions may read, or why not") {
  // What is honestly not known of a device that is sold. Each lowers the source of the operations it concerns, except
  // the power, without which a step has no energy.
  const std::set<std::string> unknown = {
      "matrix.peak.f64",           "matrix.sustained.bf16",      "matrix.sustained.f16",       "matrix.sustained.f8",
      "attention.forward.head_64", "attention.forward.head_128", "attention.forward.head_256", "attention.backward",
      "attention.keys_half",       "network.efficiency",         "ici.die_to_die_bandwidth",   "power"};
  for (const Device& device : all_devices()) {
    if (device.tpu() == nullptr && device.gpu() == nullptr) continue;
    const bool has_links = device.gpu() == nullptr || device.scale_up.domain > 1;
    for (const Parameter& parameter : parameters(device)) {
      if (!parameter.is_read || !is_unknown(parameter.value) || unknown.count(parameter.path) > 0) continue;
      if (parameter.path.starts_with("scale_up.") && (!has_links || device.name == "mi250x_gcd")) continue;
      CAPTURE(device.name, parameter.path);
      CHECK(parameter.path == "network.bandwidth");
      CHECK(device.name == "rtx_4090");
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

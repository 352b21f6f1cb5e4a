#include "lib/predict/variants.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/hardware/named_target.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// "tpu_v5e 4x4 8e+11" for each variant.
std::vector<std::string> places(const std::vector<std::string>& devices, const std::vector<std::string>& topologies,
                                const std::vector<std::string>& settings, const PredictOptions& common) {
  const auto targets = named_targets(devices).value();
  const auto variants = variants_of(targets, topologies, parse_settings(settings, "set").value(), "set").value();
  std::vector<std::string> result;
  for (const Variant& variant : variants) {
    const PredictOptions options = variant.options(common);
    std::string line = absl::StrCat(variant.target->device.name, " ", options.topology.value_or("-"));
    for (const auto& [name, value] : options.set) absl::StrAppend(&line, " ", value);
    result.push_back(line);
  }
  return result;
}

using Lines = std::vector<std::string>;

TEST_CASE("every device with every topology and every value, the last innermost") {
  CHECK(places({"tpu_v5e", "tpu_v6e"}, {"2x2", "4x4"}, {"clock=1,2", "hbm.bandwidth=3"}, {}) ==
        Lines{"tpu_v5e 2x2 1 3", "tpu_v5e 2x2 2 3", "tpu_v5e 4x4 1 3", "tpu_v5e 4x4 2 3",  //
              "tpu_v6e 2x2 1 3", "tpu_v6e 2x2 2 3", "tpu_v6e 4x4 1 3", "tpu_v6e 4x4 2 3"});
}

TEST_CASE("what a place does not name is that of the common options") {
  PredictOptions common;
  CHECK(places({"tpu_v5e"}, {}, {}, common) == Lines{"tpu_v5e -"});
  common.topology = "2x4";
  common.set = {{"clock", 5}};  // replaced: values are multiples of the device's own
  CHECK(places({"tpu_v5e"}, {}, {}, common) == Lines{"tpu_v5e 2x4"});
  CHECK(places({"tpu_v5e"}, {"4x4"}, {}, common) == Lines{"tpu_v5e 4x4"});
  CHECK(places({}, {"4x4"}, {}, common).empty());
}

TEST_CASE("a device that is not known, and a multiple of a number that it lacks") {
  CHECK_FALSE(named_targets({"tpu_v5e", "zebra"}).ok());
  CHECK_FALSE(named_target("no/such/file").ok());
  const auto targets = named_targets({"tpu_v5e"}).value();
  CHECK_FALSE(variants_of(targets, {}, parse_settings({"no.such_number=2x"}, "set").value(), "set").ok());
}

}  // namespace
}  // namespace hloroof::internal

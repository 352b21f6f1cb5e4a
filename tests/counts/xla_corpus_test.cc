// Compares our totals with XLA's totals, which are stored with each dump of the large corpus.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"
#include "tests/paths.h"

namespace {

namespace fs = std::filesystem;
using hloroof::ModuleCounts;

// Dumps whose totals are not XLA's, with the reason: path below the corpus -> why. There are none.
const std::map<std::string, std::string> kExplainedDifferences = {};

double value(const nlohmann::json& totals, const char* key) { return totals.value(key, 0.0); }

TEST_CASE("totals over the corpus are XLA's") {
  const fs::path root = hloroof::internal::shared_path("corpus");
  if (!fs::exists(root)) HLOROOF_SKIP("no corpus at " + root.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  int compared = 0;
  for (const fs::path& path : files) {
    std::ifstream in(path);
    const nlohmann::json facts = nlohmann::json::parse(in, nullptr, false);
    const fs::path hlo = fs::path(path).replace_extension(".hlo");
    if (!facts.is_object() || !facts.contains("xla_generic_cost_analysis") || !fs::exists(hlo)) continue;
    const nlohmann::json& expected = facts["xla_generic_cost_analysis"];
    const std::string name = fs::relative(hlo, root).string();
    if (kExplainedDifferences.count(name) != 0) continue;
    CAPTURE(name);

    const absl::StatusOr<hloroof::Module> module = hloroof::load_module(hlo.string());
    REQUIRE(module.ok());
    hloroof::XlaCountOptions as_xla_adds;
    as_xla_adds.float32 = true;
    const absl::StatusOr<ModuleCounts> exact = count_xla(*module, as_xla_adds);
    const absl::StatusOr<ModuleCounts> counts = count_xla(*module);
    REQUIRE(exact.ok());
    REQUIRE(counts.ok());
    CHECK(exact->unknown.empty());
    // In float32 and in XLA's order: to the last bit.
    CHECK(exact->total.flops == value(expected, "flops"));
    CHECK(exact->total.transcendentals == value(expected, "transcendentals"));
    CHECK(exact->total.bytes_accessed == value(expected, "bytes accessed"));
    // In double: within the rounding of a float32 running sum.
    CHECK(counts->total.flops == Approx(value(expected, "flops")).epsilon(1e-5));
    CHECK(counts->total.transcendentals == Approx(value(expected, "transcendentals")).epsilon(1e-5));
    CHECK(counts->total.bytes_accessed == Approx(value(expected, "bytes accessed")).epsilon(1e-5));
    ++compared;
  }
  CHECK(compared > 0);
}

}  // namespace

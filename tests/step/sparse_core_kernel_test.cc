// Pallas kernels on SparseCores beside the TensorCore.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const char kArray[] = "f32[64,256]{1,0:T(8,128)}";

// The step of a scheduled program of these instructions and the arrays p, in HBM, and a, on the chip. `inner` is the
// kernel.
StepPrediction predicted(const std::string& lines) {
  std::ifstream file(source_path("tests/kernel/samples/gathers_on_subcores_thrice.mlirbc"), std::ios::binary);
  REQUIRE(file.good());
  std::string body;
  absl::Base64Escape(std::string{std::istreambuf_iterator<char>(file), {}}, &body);
  const std::string array = kArray;
  const std::string text =
      "HloModule m, is_scheduled=true\n\ninner {\n  x = " + array + " parameter(0)\n  ROOT k = " + array +
      " custom-call(x), custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\": {\"body\": \"" +
      body + "\"}}\n}, execution_thread=\"sparsecore\"\n\nENTRY e {\n  p = " + array +
      " parameter(0)\n  a = bf16[256,256]{1,0:T(8,128)(2,1)S(1)} parameter(1)\n" + lines + "}\n";
  absl::StatusOr<StepPrediction> step = predict_step_time(text, "tpu_v7x");
  INFO(text << step.status());
  REQUIRE(step.ok());
  return *std::move(step);
}

std::string start(const std::string& name, const std::string& core) {
  return "  " + name + " = ((" + kArray + "), " + kArray +
         ", s32[]) async-start(p), calls=inner, async_execution_thread=\"sparsecore\", "
         "backend_config={\"megachip_parallelism_config\":{\"cores\":[\"" +
         core + "\"]}}\n";
}

std::string done(const std::string& name, const std::string& started, bool is_root = false) {
  return std::string("  ") + (is_root ? "ROOT " : "") + name + " = " + kArray + " async-done(" + started + ")\n";
}

// Products of what is on the chip, which use no HBM.
std::string products(int count, bool has_root = false) {
  std::string lines;
  std::string last = "a";
  for (int i = 0; i < count; ++i) {
    const std::string name = "m" + std::to_string(i);
    lines += std::string("  ") + (has_root && i + 1 == count ? "ROOT " : "") + name +
             " = bf16[256,256]{1,0:T(8,128)(2,1)S(1)} dot(" + last +
             ", a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    last = name;
  }
  return lines;
}

double seconds(const std::string& lines) { return predicted(lines).step_seconds; }

TEST_CASE("a kernel on a SparseCore runs beside the TensorCore until it is waited for") {
  const double kernel = seconds(start("s", "0") + done("d", "s", true));
  const double product = seconds(products(1, true));
  REQUIRE(kernel > 0);
  // Products that take less than the kernel, and such that take longer.
  const int few = static_cast<int>(0.5 * kernel / product);
  const int many = static_cast<int>(3 * kernel / product) + 1;
  REQUIRE(few >= 1);
  for (const int count : {few, many}) {
    CAPTURE(count);
    const double computing = seconds(products(count, true));
    const double beside = seconds(start("s", "0") + products(count) + done("d", "s", true));
    const double after = seconds(start("s", "0") + done("d", "s") + products(count, true));
    CHECK(beside == Approx(std::max(kernel, computing)).epsilon(0.01));
    CHECK(after == Approx(kernel + computing).epsilon(0.01));
  }
}

TEST_CASE("two kernels on one SparseCore wait for one another, on two they run side by side") {
  const auto two = [](const char* first, const char* second) {
    return seconds(start("s", first) + start("t", second) + done("d", "s") + done("e", "t", true));
  };
  const double one = seconds(start("s", "0") + done("d", "s", true));
  CHECK(two("0", "0") == Approx(2 * one).epsilon(0.05));
  CHECK(two("0", "1") < 1.2 * one);
  CHECK(two("1", "1") == Approx(two("0", "0")));
}

}  // namespace
}  // namespace hloroof::internal

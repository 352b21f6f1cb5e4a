// What the lists of kernels say about small kernels, whose blocks and moves can be counted by hand.
#include "lib/explain/kernel_report.h"

#include <string>

#include "absl/strings/str_format.h"
#include "hloroof/predict.h"
#include "lib/explain/explain.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(const std::string& text, const std::string& device = "tpu_v5e",
                         const PredictOptions& options = {}) {
  absl::StatusOr<StepPrediction> step = predict_step_time(text, device, options);
  INFO(step.status());
  REQUIRE(step.ok());
  return *std::move(step);
}

KernelRow only_kernel(const StepPrediction& step) {
  std::vector<KernelRow> rows = kernel_rows(step);
  REQUIRE(rows.size() == 1);
  return rows.front();
}

constexpr double kKiB = 1024;

TEST_CASE("Grid, windows and memory of a product in blocks") {
  // [512, 1024] by [1024, 768] in blocks of 256 x 512 x 256.
  const KernelRow kernel = only_kernel(predicted(source_text("tests/kernel/samples/matmul.hlo")));
  CHECK(kernel.name == "blocked_matmul");
  CHECK(kernel.grid_text() == "2x3x2");
  CHECK(kernel.steps == std::optional<std::int64_t>(12));
  CHECK(kernel.share == 1);
  CHECK(kernel.failure.empty());
  struct Window {
    const char* direction;
    const char* block;
    double bytes;
    double moves;
    double blocks;
  };
  const Window windows[] = {{"read", "256x512", 256 * kKiB, 12, 4},
                            {"read", "512x256", 256 * kKiB, 12, 6},
                            {"written", "256x256", 128 * kKiB, 6, 6}};
  REQUIRE(kernel.windows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(kernel.windows[i].direction == windows[i].direction);
    CHECK(sizes_text(kernel.windows[i].block) == windows[i].block);
    CHECK(kernel.windows[i].bytes == windows[i].bytes);
    CHECK(kernel.windows[i].moves == windows[i].moves);
    CHECK(kernel.windows[i].blocks == windows[i].blocks);
  }
  CHECK(kernel.window_bytes == std::optional<double>(2 * (256 + 256 + 128) * kKiB));
  CHECK(kernel.scratch_bytes == std::optional<double>(256 * kKiB));
  CHECK(kernel.fits() == std::optional<bool>(true));
  REQUIRE(kernel.times.has_value());
  CHECK(kernel.times->matrix > 0);
  CHECK(kernel.times->steps > 0);
  CHECK(kernel.estimate.empty());
}

TEST_CASE("A kernel that needs more VMEM than a core has") {
  const StepPrediction step = predicted(source_text("tests/kernel/samples/matmul.hlo"));
  KernelReport report = kernel_report("f", step);
  REQUIRE(report.kernels.size() == 1);
  report.kernels[0].vmem_capacity = 1000 * kKiB;
  CHECK(report.kernels[0].fits() == std::optional<bool>(false));
  CHECK_THAT(kernel_view(report, {}), ContainsSubstring("does NOT fit"));
  CHECK_THAT(explain_kernel(report.kernels[0], 200), ContainsSubstring("does NOT fit by 536 KiB"));
}

TEST_CASE("A kernel fits in what the compiler allows it, where the text says so") {
  // Windows and scratch take 1536 KiB.
  const std::string text = source_text("tests/kernel/samples/matmul.hlo");
  const auto with_config = [](std::string to, const std::string& before, const std::string& config) {
    const std::size_t at = to.find(before);
    REQUIRE(at != std::string::npos);
    return to.insert(at, config);
  };
  const auto configs = [](double kib) {
    return absl::StrFormat(R"("scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"%.0f"}])", kib * kKiB);
  };
  const auto of_kernel = [&](const std::string& to, double kib) {
    return with_config(to, "\"custom_call_config\"", configs(kib) + ",");
  };
  const auto of_program = [&](const std::string& to, double kib) {
    return with_config(to, "\n  y.1 =", ", backend_config={" + configs(kib) + "}");
  };
  struct Case {
    const char* name;
    std::string text;
    std::optional<double> limit_kib;
    bool fits;
    const char* shown;
  };
  const Case cases[] = {
      {"not stated", text, std::nullopt, true, "(scoped VMEM) is not in the text"},
      {"above", of_kernel(text, 2048), 2048, true, "of the 2.00 MiB that the compiler allows it"},
      {"at", of_kernel(text, 1536), 1536, true, "that the compiler allows it"},
      {"below", of_kernel(text, 1535), 1535, false, "does NOT fit by 1.00 KiB"},
      {"more than a core has", of_kernel(text, 1 << 20), 1 << 20, true, "of a core"},
      {"of the program", of_program(text, 1024), 1024, false, "does NOT fit by 512 KiB"},
      {"its own comes first", of_program(of_kernel(text, 2048), 1024), 2048, true, "that the compiler allows it"},
      {"zero is none", of_kernel(text, 0), std::nullopt, true, "is not in the text"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const StepPrediction step = predicted(c.text);
    const KernelRow kernel = only_kernel(step);
    CHECK(kernel.vmem_limit.has_value() == c.limit_kib.has_value());
    if (c.limit_kib) CHECK(kernel.vmem_limit == std::optional<double>(*c.limit_kib * kKiB));
    CHECK(kernel.fits() == std::optional<bool>(c.fits));
    CHECK_THAT(explain_kernel(kernel, 400), ContainsSubstring(c.shown));
    const std::string view = kernel_view(kernel_report("f", step), {});
    CHECK((view.find("does NOT fit") == std::string::npos) == c.fits);
  }
}

TEST_CASE("The author's cost_estimate next to what was counted") {
  const KernelRow kernel = only_kernel(predicted(source_text("tests/report/dumps/flash_attention.v5e.hlo")));
  REQUIRE(kernel.estimate.size() == 3);
  const KernelEstimateRow& flops = kernel.estimate[0];
  CHECK(flops.quantity == "flops");
  CHECK(flops.stated == 138244259840.0);
  REQUIRE(flops.counted.has_value());
  REQUIRE(flops.ratio().has_value());
  CHECK(*flops.ratio() == flops.stated / *flops.counted);
}

TEST_CASE("A kernel that depends on data has a range") {
  struct Case {
    const char* sample;
    bool has_least;
    bool has_most;
    const char* text;
  };
  const Case cases[] = {
      {"guarded", true, true, "if it does as much as it can"},
      {"open_loop", true, false, "no upper limit"},
      {"matmul", false, false, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.sample);
    const StepPrediction step = predicted(source_text(std::string("tests/kernel/samples/") + c.sample + ".hlo"));
    const KernelRow kernel = only_kernel(step);
    REQUIRE(kernel.least_seconds.has_value() == c.has_least);
    REQUIRE(kernel.most_seconds.has_value() == c.has_most);
    if (c.has_least) CHECK(*kernel.least_seconds < kernel.seconds);
    // The larger part of the work is what is expected of a branch.
    if (c.has_most) CHECK(*kernel.most_seconds == Approx(kernel.seconds));
    CHECK_THAT(kernel_view(kernel_report("f", step), {}), ContainsSubstring(c.text));
    CHECK_THAT(explain_kernel(kernel, 400), ContainsSubstring(c.text));
  }
}

TEST_CASE("Bodies that cannot be followed keep their reason") {
  const std::string text = source_text("tests/kernel/samples/matmul.hlo");
  const std::size_t body = text.find("\"body\": \"") + 9;
  std::string cut = text;
  cut.erase(body + 400, text.find('"', body) - body - 400);
  std::string none = text;
  none.erase(body, text.find('"', body) - body);
  struct Case {
    const char* name;
    std::string text;
  };
  for (const Case& c : {Case{"cut", cut}, Case{"none", none}}) {
    CAPTURE(c.name);
    const StepPrediction step = predicted(c.text);
    const KernelRow kernel = only_kernel(step);
    CHECK(!kernel.failure.empty());
    CHECK(!kernel.steps.has_value());
    CHECK(!kernel.times.has_value());
    CHECK(!kernel.fits().has_value());
    const std::string shown = kernel_view(kernel_report("f", step), {});
    CHECK_THAT(shown, ContainsSubstring("not followed"));
    CHECK_THAT(explanation_text(step, kernel.op).value_or(""), ContainsSubstring("not followed"));
  }
}

TEST_CASE("Programs without kernels say so") {
  const StepPrediction step = predicted(source_text("examples/ffn_block.v5e_2x4.hlo"));
  CHECK(kernel_rows(step).empty());
  CHECK_THAT(kernel_view(kernel_report("f", step), {}), ContainsSubstring("No kernels"));
}

TEST_CASE("A long list of products is cut, and the largest are kept") {
  std::string text = "HloModule m, is_scheduled=true\nfused {\n  a = bf16[128,256]{1,0} parameter(0)\n";
  std::string results;
  std::string shapes;
  for (int i = 1; i <= 11; ++i) {
    const std::string n = std::to_string(128 * i);
    text += "  b" + n + " = bf16[256," + n + "]{1,0} constant({...})\n";
    text += "  d" + n + " = bf16[128," + n + "]{1,0} dot(a, b" + n +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    results += (i > 1 ? ", d" : "d") + n;
    shapes += (i > 1 ? ", bf16[128," : "bf16[128,") + n + "]{1,0}";
  }
  text += "  ROOT t = (" + shapes + ") tuple(" + results + ")\n}\n";
  text += "ENTRY main {\n  p = bf16[128,256]{1,0} parameter(0)\n  ROOT f = (" + shapes +
          ") fusion(p), kind=kOutput, calls=fused\n}\n";
  const StepPrediction step = predicted(text);
  const absl::StatusOr<std::string> explained = explanation_text(step, "f");
  REQUIRE(explained.ok());
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = explained->find("\n  product ", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines == 8);
  CHECK_THAT(*explained, ContainsSubstring("[3 more]"));
  CHECK_THAT(*explained, ContainsSubstring("bf16[256 x 1408]"));
  CHECK_THAT(*explained, !ContainsSubstring("bf16[256 x 384]: 2"));
}

}  // namespace
}  // namespace hloroof::internal

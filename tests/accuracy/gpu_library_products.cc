#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/parse.h"
#include "lib/time/op_time.h"
#include "lib/work/work.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

using Row = std::map<std::string, std::string>;

// Kernels that an average measurement of the table ran one after another: 12 by TensorRT-LLM, which alone measured fp8,
// and up to 72 by SGLang.
double kernels_in_a_row(bool is_f8) { return is_f8 ? 12 : 30; }

constexpr double kShortest = 5e-5;  // s; what frameworks launch beside shorter kernels counts
constexpr double kFewRows = 64;     // rows of a product that streams its weights

// out[m,n] = x[m,k] * w[n,k], as XLA calls cuBLAS.
absl::StatusOr<Work> product(const Row& row, bool is_f8) {
  const std::string type = is_f8 ? "f8e4m3fn" : "bf16";
  const std::string& m = row.at("m");
  const std::string& n = row.at("n");
  const std::string& k = row.at("k");
  const absl::StatusOr<Module> module = parse_module(absl::StrCat(
      "HloModule product\nENTRY main {\n  x = ", type, "[", m, ",", k, "] parameter(0)\n  w = ", type, "[", n, ",", k,
      "] parameter(1)\n  s = f32[] parameter(2)\n  ROOT r = bf16[", m, ",", n, "] custom-call(x, w",
      is_f8 ? ", s, s" : "", "), custom_call_target=\"", is_f8 ? "__cublas$lt$matmul$f8" : "__cublas$gemm",
      "\", backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
      "\"rhs_contracting_dimensions\":[\"1\"]}}}\n}\n"));
  if (!module.ok()) return module.status();
  return compute_work(module->entry().root());
}

}  // namespace

void report_gpu_library_products(const std::string& shared, Report& report) {
  const std::vector<Row> table = read_csv(shared + "/measured/gpu_aiconfigurator/gemm.csv");
  if (table.empty()) return;
  report.heading("Measured products of cuBLAS, nine GPUs");
  report.paragraph(
      "Linear layers of inference frameworks (aiconfigurator), of 50 us and more, without the quantization of an f8 "
      "operand. The kernels ran 12 to 72 in a row: a prediction is of a product in a step of 12 (f8) or 30 (bf16) of "
      "them, so that long ones run at the power cap. The constants of H100 and B200 are fitted to other tables. "
      "`few` counts products of at most 64 rows, which stream their weights.");
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> all;
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> few;
  for (const Row& row : table) {
    const absl::StatusOr<Device> device = find_device(row.at(row.at("device").empty() ? "gpu" : "device"));
    if (!device.ok()) continue;
    const bool is_f8 = row.at("dtype") == "fp8";
    const absl::StatusOr<Work> work = product(row, is_f8);
    if (!work.ok()) continue;
    double measured = std::stod(row.at("time_us")) * 1e-6;
    if (is_f8 && !row.at("quantize_us").empty()) measured -= std::stod(row.at("quantize_us")) * 1e-6;
    if (measured < kShortest) continue;
    RunAs as;
    as.products_busy = kernels_in_a_row(is_f8) * op_time(*work, *device).seconds;
    const Sample sample = {
        absl::StrCat(device->name, " ", row.at("dtype"), " ", row.at("m"), "x", row.at("n"), "x", row.at("k")),
        op_time(*work, *device, as).seconds, measured, 1, ""};
    all[{device->name, row.at("dtype")}].push_back(sample);
    if (std::stod(row.at("m")) <= kFewRows) few[{device->name, row.at("dtype")}].push_back(sample);
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> worst;
  for (const auto& [series, samples] : all) {
    const auto& [device, type] = series;
    const Figures f = figures(samples);
    const Figures s = figures(few[series]);
    const bool is_seen = device == "h100_sxm" || (device == "b200_sxm" && type == "bf16");
    rows.push_back({device, type, is_seen ? "seen" : "fitted", std::to_string(f.count), percent(f.bias),
                    percent(f.median), percent(f.p90), std::to_string(s.count), percent(s.median)});
    const std::string name = absl::StrCat(is_seen ? "seen." : "fitted.", "gpu_library.", device, ".", type);
    report.figure(name + ".median", f.median);
    report.figure(name + ".p90", f.p90);
    worst.insert(worst.end(), samples.begin(), samples.end());
  }
  report.table({"device", "type", "rows", "count", "bias", "median", "p90", "few", "median"}, rows);
  report.worst(worst);
}

}  // namespace hloroof::internal

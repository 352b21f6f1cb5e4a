#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/analysis/names.h"
#include "lib/time/op_time.h"
#include "lib/values/backend_config.h"
#include "lib/work/work.h"
#include "tests/accuracy/premises.h"
#include "tests/accuracy/sections.h"
#include "tests/accuracy/standing.h"

namespace hloroof::internal {
namespace {

struct Generation {
  const char* topology;  // as the names of dumps begin it
  const char* device;
};
// In the v4 dumps a device is one core.
constexpr Generation kGenerations[] = {{"v2", "tpu_v2"},    {"v3", "tpu_v3"},   {"v4", "tpu_v4_core"},
                                       {"v5e", "tpu_v5e"},  {"v5p", "tpu_v5p"}, {"v6e", "tpu_v6e"},
                                       {"tpu7x", "tpu_v7x"}};

struct Collected {
  std::vector<Sample> ops;
  std::vector<Sample> dumps;
  std::vector<Sample> contractions;
  std::vector<Sample> like_ops;  // the same operations on the estimate's premises
  std::vector<Sample> like_dumps;
  int placeholders = 0;  // left out
};

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Category {
  std::vector<Sample> own;
  std::vector<Sample> like;
};

void collect(const std::string& path, const Device& device, Collected& collected,
             std::map<std::string, Category>& by_category) {
  const std::string text = contents(path);
  const auto module = parse_module(text);
  const auto unplaced = parse_module(on_the_premises_of_the_estimate(text, false));
  const auto widened = parse_module(on_the_premises_of_the_estimate(text, true));
  if (!module.ok() || !unplaced.ok() || !widened.ok() || !device.clock) return;
  const std::string file = path.substr(path.rfind('/') + 1);
  const CallGraph calls = analyze_calls(*module);
  const PagedTable<Shared<Work>> works = compute_work(*module, calls);
  const PagedTable<Shared<Work>> unplaced_works = compute_work(*unplaced, analyze_calls(*unplaced));
  const PagedTable<Shared<Work>> widened_works = compute_work(*widened, analyze_calls(*widened));
  Sample total{file, 0, 0, 1, ""};
  Sample like_total = total;
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView op = module->instruction(id);
    const auto cycles = estimated_cycles(op);
    const double executions = calls.executions(op);
    if (!cycles || *cycles <= 0 || executions <= 0) continue;
    if (is_placeholder(op)) {
      ++collected.placeholders;
      continue;
    }
    const double estimate = static_cast<double>(*cycles) / *device.clock;
    const Work& work = works[id.index];
    const Sample sample{file + " " + std::string(op.name()), op_time(work, device).seconds, estimate,
                        executions * estimate, terms(work, device)};
    Sample like = sample;
    like.predicted =
        op_time(like_for_like(op, work, unplaced_works[id.index], widened_works[id.index]), device).seconds;
    total.predicted += executions * sample.predicted;
    total.reference += executions * estimate;
    like_total.predicted += executions * like.predicted;
    collected.ops.push_back(sample);
    collected.like_ops.push_back(like);
    if (!work.matrix.empty()) collected.contractions.push_back(sample);
    by_category[op_category(op)].own.push_back(sample);
    by_category[op_category(op)].like.push_back(like);
  }
  if (total.reference <= 0) return;
  like_total.reference = total.reference;
  collected.dumps.push_back(total);
  collected.like_dumps.push_back(like_total);
}

std::string share_within(const std::vector<Sample>& samples, double tolerance) {
  std::size_t within = 0;
  for (const Sample& s : samples) within += std::abs(s.predicted / s.reference - 1) <= tolerance ? 1 : 0;
  return absl::StrFormat("%d of %d", static_cast<int>(within), static_cast<int>(samples.size()));
}

// Ratio of the sums, weighted by how often and how long.
double ratio_by_time(const std::vector<Sample>& samples) {
  double weight = 0;
  double predicted = 0;
  for (const Sample& s : samples) {
    weight += s.weight;
    predicted += s.weight * s.predicted / s.reference;
  }
  return weight > 0 ? predicted / weight : 0;
}

std::vector<std::string> row_of(const std::string& chip, const std::vector<Sample>& ops,
                                const std::vector<Sample>& dumps) {
  const Figures f = figures(ops);
  return {chip,
          to_string(Standing::kSeen),
          std::to_string(f.count),
          percent(f.bias),
          percent(f.median),
          percent(f.within),
          absl::StrFormat("%.3f", f.tau),
          share_within(dumps, 0.15)};
}

// Probes that show the premise about 16-bit elements: four exponentials of a 4096 x 4096 array, read and written once.
void report_premises(const std::string& shared, Report& report) {
  std::map<std::string, std::map<std::string, double>> seconds;
  std::map<std::string, Device> devices;
  for (const auto& row : read_csv(shared + "/measured/tpu_compiler_cycles.csv")) {
    if (row.at("op") != "exp" || row.at("chain") != "4" || row.at("shape") != "4096x4096") continue;
    const auto device = find_device(row.at("device"));
    if (!device.ok() || !device->clock) continue;
    devices[row.at("device")] = *device;
    seconds[row.at("device")][row.at("dtype")] = std::stod(row.at("estimated_cycles")) / *device->clock;
  }
  constexpr double kElements = 4096.0 * 4096.0;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, by_type] : seconds) {
    if (by_type.count("float32") == 0 || by_type.count("bfloat16") == 0) continue;
    const double f32 = 2 * 4 * kElements / by_type.at("float32") / devices[name].hbm.bandwidth;
    const double bf16 = 2 * 2 * kElements / by_type.at("bfloat16") / devices[name].hbm.bandwidth;
    rows.push_back(
        {name, microseconds(by_type.at("float32")), percent(f32), microseconds(by_type.at("bfloat16")), percent(bf16)});
  }
  report.table({"device", "f32, 134 MB moved", "of HBM peak", "bf16, 67 MB moved", "of HBM peak"}, rows);
}

// The same operations by category.
void report_categories(const std::map<std::string, Category>& by_category, Report& report) {
  std::vector<std::vector<std::string>> rows;
  double whole = 0;
  for (const auto& [category, samples] : by_category) {
    for (const Sample& s : samples.own) whole += s.weight;
  }
  for (const auto& [category, samples] : by_category) {
    const Figures own = figures(samples.own);
    const Figures like = figures(samples.like);
    double weight = 0;
    for (const Sample& s : samples.own) weight += s.weight;
    rows.push_back({category, to_string(Standing::kSeen), std::to_string(own.count), percent(weight / whole),
                    absl::StrFormat("%.2f", ratio_by_time(samples.own)), absl::StrFormat("%.2f", 1 + own.bias),
                    percent(own.within), absl::StrFormat("%.2f", ratio_by_time(samples.like)),
                    absl::StrFormat("%.2f", 1 + like.bias), percent(like.within)});
  }
  report.table({"category", "row", "ops", "share of time", "ratio, by time", "ratio, median", "within x1.6",
                "like for like: by time", "median", "within x1.6"},
               rows);
}

}  // namespace

void report_compiler_cycles(const std::string& shared, Report& report) {
  report.heading("Against the TPU compiler's own estimates");
  report.paragraph(
      "Every operation of the dumps that carries `estimated_cycles`, at the device's clock. The model does not read "
      "them, but all rows are seen: overhead.op, the DMA latencies, hbm.efficiency of v5e and the weights of vector "
      "operations come from estimates of other programs. But for relayouts they are made before arrays are placed in "
      "VMEM, so they charge VMEM much as HBM and every operation on the chip a round trip to HBM, which measured "
      "programs with many small operations refute (overhead.op_on_chip). In "
      "operations with one result they take 16-bit elements for nearly as slow as 32-bit ones. Relayouts they take to "
      "overlap with nothing, as the model does where a device has one core; measured kernels on v5p, which has two, "
      "refute it there. For contractions measured matmuls bear them out.");
  std::map<std::string, Collected> generations;
  std::map<std::string, Category> by_category;
  for (const auto& row : read_csv(shared + "/corpus/index.csv")) {
    const std::string& file = row.at("file");
    if (file.rfind("tpu/", 0) != 0) continue;
    const std::string topology = file.substr(file.find('.') + 1);
    for (const Generation& g : kGenerations) {
      if (topology.rfind(std::string(g.topology) + "_", 0) != 0) continue;
      if (const auto device = find_device(g.device); device.ok()) {
        collect(shared + "/corpus/" + file, *device, generations[g.topology], by_category);
      }
    }
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<std::vector<std::string>> like_rows;
  std::vector<Sample> like_all;
  int placeholders = 0;
  for (const Generation& g : kGenerations) {
    const Collected& c = generations[g.topology];
    placeholders += c.placeholders;
    const Figures ops = figures(c.ops);
    const Figures like = figures(c.like_ops);
    const Figures contractions = figures(c.contractions);
    rows.push_back(row_of(g.topology, c.ops, c.dumps));
    rows.back().insert(rows.back().end(), {std::to_string(contractions.count), percent(contractions.median),
                                           percent(contractions.within)});
    like_rows.push_back(row_of(g.topology, c.like_ops, c.like_dumps));
    const std::string name = figure_name(Standing::kSeen, std::string("compiler.") + g.topology);
    report.figure(name + ".median", ops.median);
    report.figure(name + ".beyond_1.6", 1 - ops.within);
    report.figure(name + ".unranked", 1 - ops.tau);
    report.figure(name + ".contraction_median", contractions.median);
    report.figure(name + ".like_median", like.median);
    report.figure(name + ".like_beyond_1.6", 1 - like.within);
    report.figure(name + ".like_unranked", 1 - like.tau);
    like_all.insert(like_all.end(), c.like_ops.begin(), c.like_ops.end());
  }
  report.table({"chip", "row", "ops", "bias", "median", "within x1.6", "Kendall's tau", "dumps within 15 %",
                "contractions", "median", "within x1.6"},
               rows);
  report.paragraph(absl::StrFormat(
      "Left out are %d operations, relayouts in VMEM most of them, whose estimate is 100 cycles a window whatever the "
      "window holds.",
      placeholders));
  report.paragraph(
      "That 16-bit elements are not so slow is measured: on v6e a bf16 copy moves 67.1 MB in 49.4 us (observed "
      "examples, "
      "above). What the estimates say of four exponentials of a 4096 x 4096 array:");
  report_premises(shared, report);
  report.paragraph(
      "Like for like: the same operations, the same model, with the bytes that the two premises make of them (of "
      "contractions, of their results; of relayouts, none). What is left is where model and estimate differ in "
      "anything else.");
  report.table({"chip", "row", "ops", "bias", "median", "within x1.6", "Kendall's tau", "dumps within 15 %"},
               like_rows);
  report_categories(by_category, report);
  report.paragraph("Furthest off, like for like:");
  report.worst(like_all);
}

}  // namespace hloroof::internal

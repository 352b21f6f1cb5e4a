#include <cmath>
#include <map>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "hloroof/backend_config.h"
#include "hloroof/parse.h"
#include "lib/cost/op_time.h"
#include "lib/cost/work.h"
#include "tests/accuracy/sections.h"

namespace hloroof {
namespace {

constexpr double kLeastEstimate = 1e-6;  // s: estimates below it have no floor of a launched operation in them

struct Generation {
  const char* topology;  // as the names of dumps begin it
  const char* device;
};
// In the v4 dumps a device is one core.
constexpr Generation kGenerations[] = {{"v2", "tpu_v2"},    {"v3", "tpu_v3"},   {"v4", "tpu_v4_core"},
                                       {"v5e", "tpu_v5e"},  {"v5p", "tpu_v5p"}, {"v6e", "tpu_v6e"},
                                       {"tpu7x", "tpu_v7x"}};

// What kind of disagreement with the estimate an operation is open to.
std::string reason(InstructionView op, const Work& work, double estimate, const Device& device) {
  if (estimate < kLeastEstimate) return "estimate without a floor";
  if (work.matrix.empty()) {
    if (work.read.vmem + work.written.vmem > work.read.hbm + work.written.hbm) return "in VMEM; estimated as from HBM";
    const std::vector<ShapeId> leaves = op.module().shapes().leaves(op.shape_id());
    if (!leaves.empty() && bits(op.module().shapes()[leaves[0]].element_type) == 16)
      return "16-bit; estimated as 32-bit";
  }
  return terms(work, device);
}

struct Collected {
  std::vector<Sample> ops;
  std::vector<Sample> dumps;
  std::vector<Sample> contractions;
};

void collect(const std::string& path, const Device& device, Collected& collected,
             std::map<std::string, std::vector<Sample>>& by_category) {
  const auto module = load_module(path);
  if (!module.ok() || !device.clock) return;
  const std::string file = path.substr(path.rfind('/') + 1);
  const CallGraph calls = analyze_calls(*module);
  const std::vector<Work> works = compute_work(*module, calls);
  Sample total{file, 0, 0, 1, ""};
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView op = module->instruction(id);
    const auto cycles = estimated_cycles(op);
    const double executions = calls.executions(op);
    if (!cycles || *cycles <= 0 || executions <= 0) continue;
    const double estimate = static_cast<double>(*cycles) / *device.clock;
    const Work& work = works[id.index];
    const Sample sample{file + " " + std::string(op.name()), op_time(work, device).seconds, estimate,
                        executions * estimate, reason(op, work, estimate, device)};
    total.predicted += executions * sample.predicted;
    total.reference += executions * estimate;
    collected.ops.push_back(sample);
    if (!work.matrix.empty()) collected.contractions.push_back(sample);
    by_category[op_category(op)].push_back(sample);
  }
  if (total.reference > 0) collected.dumps.push_back(total);
}

std::string share_within(const std::vector<Sample>& samples, double tolerance) {
  std::size_t within = 0;
  for (const Sample& s : samples) within += std::abs(s.predicted / s.reference - 1) <= tolerance ? 1 : 0;
  return absl::StrFormat("%d of %d", static_cast<int>(within), static_cast<int>(samples.size()));
}

}  // namespace

void report_compiler_cycles(const std::string& shared, Report& report) {
  report.heading("Against the TPU compiler's own estimates");
  report.paragraph(
      "Every operation of the dumps that carries `estimated_cycles`, at the device's clock. The model does not read "
      "them. "
      "They are a model of another kind and not the truth: they take 16-bit elements for as slow as 32-bit ones, "
      "operands in "
      "VMEM for as slow as in HBM, and some operations for free; measurements (below) say otherwise. The estimates of "
      "contractions are the ones that measured matmuls bear out.");
  std::map<std::string, Collected> generations;
  std::map<std::string, std::vector<Sample>> by_category;
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
  std::vector<Sample> all;
  for (const Generation& g : kGenerations) {
    const Collected& c = generations[g.topology];
    const Figures ops = figures(c.ops);
    const Figures contractions = figures(c.contractions);
    rows.push_back({g.topology, std::to_string(ops.count), percent(ops.bias), percent(ops.median), percent(ops.within),
                    absl::StrFormat("%.3f", ops.rank), share_within(c.dumps, 0.15), std::to_string(contractions.count),
                    percent(contractions.median), percent(contractions.within)});
    const std::string name = std::string("compiler.") + g.topology;
    report.figure(name + ".median", ops.median);
    report.figure(name + ".beyond_1.6", 1 - ops.within);
    report.figure(name + ".unranked", 1 - ops.rank);
    report.figure(name + ".contraction_median", contractions.median);
    all.insert(all.end(), c.ops.begin(), c.ops.end());
  }
  report.table({"chip", "ops", "bias", "median", "within x1.6", "rank corr.", "dumps within 15 %", "contractions",
                "median", "within x1.6"},
               rows);
  rows.clear();
  double whole = 0;
  for (const Sample& s : all) whole += s.weight;
  for (const auto& [category, samples] : by_category) {
    const Figures f = figures(samples);
    double weight = 0;
    double predicted = 0;
    for (const Sample& s : samples) {
      weight += s.weight;
      predicted += s.weight * s.predicted / s.reference;
    }
    rows.push_back({category, std::to_string(f.count), percent(weight / whole),
                    absl::StrFormat("%.2f", predicted / weight), absl::StrFormat("%.2f", 1 + f.bias),
                    percent(f.within)});
  }
  report.table({"category", "ops", "share of time", "ratio, by time", "ratio, median", "within x1.6"}, rows);
  report.worst(all);
}

}  // namespace hloroof

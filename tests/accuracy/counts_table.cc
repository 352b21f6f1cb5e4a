// Compares our counts with those that are stored with each dump of the corpus. Prints one line for each file and a
// summary.
//
//   counts_table xla [CORPUS]        flops, transcendentals and bytes against XLA's HloCostAnalysis: relative
//   differences, of
//                                    sums in float32 and in XLA's order, and of sums in double. Exits with 1 if a
//                                    float32 sum of a file that is not named as an exception differs at all.
//   counts_table physical [CORPUS]   bytes with and without padding, by memory space, and against the bytes of the TPU
//                                    compiler's own analysis, which pads, too, but counts loops once and async pairs
//                                    twice: ratios, their quantiles, and the files more than 10 % off with the reason.
//                                    Exits with 1 if such a file has none.
//   counts_table loops [CORPUS]      trip counts of the loops of tpu/ and step/, by where they come from, and those
//   that
//                                    are not known. Exits with 1 if one is not that the text could tell.
//
// Without a corpus at the default place it says so and exits with 77.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "lib/analysis/calls.h"
#include "lib/work/work.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

// Dumps whose counts are not XLA's, with the reason: path below the corpus -> why. There are none.
const std::map<std::string, std::string> kExceptions = {};

// Why our bytes are more than 10 % off the compiler's: beginning of the path below the corpus -> why.
const std::map<std::string, std::string> kReasons = {
    {"cpu/fft_solve", "the compiler counts -1 for custom calls, we their operands and results"},
    {"tpu/fft_solve", "the compiler counts -1 for custom calls, we their operands and results"},
    {"tpu/pallas_",
     "the compiler takes a kernel's bytes from its author, or counts -1; we count each block that it moves"},
    {"tpu/ragged_dot", "the compiler counts each operand of a kernel once; we count each block that it moves"},
    {"tpu/softmax", "XLA counts the parameter for each nested fusion, we for each operand in whose windows it is read"},
};

// The reason given for `name`, or null.
const std::string* reason_for(const std::string& name) {
  for (const auto& [prefix, reason] : kReasons) {
    if (name.rfind(prefix, 0) == 0) return &reason;
  }
  return nullptr;
}

struct Dump {
  std::string name;  // below the corpus
  nlohmann::json facts;
  Module module;
};

std::optional<Dump> load(const fs::path& root, const fs::path& facts_path) {
  std::ifstream in(facts_path);
  nlohmann::json facts = nlohmann::json::parse(in, nullptr, false);
  const fs::path hlo = fs::path(facts_path).replace_extension(".hlo");
  if (!facts.is_object() || !fs::exists(hlo)) return std::nullopt;
  absl::StatusOr<Module> module = load_module(hlo.string());
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
    return std::nullopt;
  }
  return Dump{fs::relative(hlo, root).string(), std::move(facts), *std::move(module)};
}

double relative(double ours, double theirs) {
  if (ours == theirs) return 0;
  return std::abs(ours - theirs) / std::max(std::abs(theirs), 1.0);
}

int print_xla(const fs::path& root, const std::vector<fs::path>& paths) {
  const char* const keys[] = {"flops", "transcendentals", "bytes accessed"};
  std::printf("%14s %14s %14s  %8s %8s  %s\n", "flops", "transcend.", "bytes", "float32", "double", "file");
  int files = 0, equal = 0, failed = 0;
  double worst_float32 = 0, worst_double = 0;
  for (const fs::path& path : paths) {
    const std::optional<Dump> dump = load(root, path);
    if (!dump || !dump->facts.contains("xla_generic_cost_analysis")) continue;
    const nlohmann::json& xla = dump->facts["xla_generic_cost_analysis"];
    XlaCountOptions as_xla_adds;
    as_xla_adds.float32 = true;
    const absl::StatusOr<ModuleCounts> float32 = count_xla(dump->module, as_xla_adds);
    const absl::StatusOr<ModuleCounts> exact = count_xla(dump->module);
    if (!float32.ok() || !exact.ok()) return 1;
    double difference = 0, difference_double = 0;
    for (const char* key : keys) {
      const double theirs = xla.value(key, 0.0);
      const auto of = [&](const XlaCounts& c) {
        return key == keys[0] ? c.flops : key == keys[1] ? c.transcendentals : c.bytes_accessed;
      };
      difference = std::max(difference, relative(of(float32->total), theirs));
      difference_double = std::max(difference_double, relative(of(exact->total), theirs));
    }
    const auto exception = kExceptions.find(dump->name);
    std::printf("%14.6g %14.6g %14.6g  %8.1e %8.1e  %s%s\n", float32->total.flops, float32->total.transcendentals,
                float32->total.bytes_accessed, difference, difference_double, dump->name.c_str(),
                exception == kExceptions.end() ? "" : ("  exception: " + exception->second).c_str());
    ++files;
    equal += difference == 0;
    if (exception != kExceptions.end()) continue;
    failed += difference != 0;
    worst_float32 = std::max(worst_float32, difference);
    worst_double = std::max(worst_double, difference_double);
  }
  std::printf(
      "%d files, %d equal to the last bit when added as XLA adds; worst relative difference %.1e, %.1e in double; "
      "%zu exceptions\n",
      files, equal, worst_float32, worst_double, kExceptions.size());
  return files > 0 && failed == 0 ? 0 : 1;
}

double leaf_bytes(const Module& module, ShapeId id) {
  double bytes = 0;
  for (ShapeId leaf : module.shapes().leaves(id)) bytes += static_cast<double>(padded_bytes(module.shape(leaf)));
  return bytes;
}

// What the compiler's analysis adds to an asynchronous pair, which we count once: the operands that the start hands on
// as part of its result, and the result of the done.
double counted_again(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAsyncStart: {  // pairs within what it wraps: their dones
      double bytes = 0;
      for (ComputationId called : instruction.called_computations()) {
        for (InstructionView inner : instruction.module().computation(called).instructions()) {
          if (inner.opcode() == Opcode::kAsyncDone) bytes += leaf_bytes(instruction.module(), inner.shape_id());
        }
      }
      return bytes;
    }
    case Opcode::kCopyStart:
    case Opcode::kAllGatherStart:
    case Opcode::kCollectivePermuteStart: {
      double bytes = 0;
      for (InstructionView operand : instruction.operands())
        bytes += leaf_bytes(instruction.module(), operand.shape_id());
      return bytes;
    }
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone: return leaf_bytes(instruction.module(), instruction.shape_id());
    default: return 0;
  }
}

// The bytes of one pass, as the compiler's analysis counts: every loop's body once, async pairs twice.
double bytes_once(const Module& module, const CallGraph& calls, const PagedTable<Shared<Work>>& works) {
  double bytes = 0;
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView instruction = module.instruction(id);
    if (CallFacts::role(calls, instruction.computation().id()) == ComputationRole::kCondition) continue;
    bytes += works[id.index]->padded_bytes + counted_again(instruction);
  }
  return bytes;
}

int print_physical(const fs::path& root, const std::vector<fs::path>& paths) {
  std::printf("%10s %10s %7s %10s %10s %10s %10s %7s  %s\n", "padded", "logical", "ratio", "hbm", "vmem", "once",
              "compiler", "ratio", "file");
  struct Ratio {
    double value;
    std::string name;
  };
  std::vector<Ratio> ratios;
  for (const fs::path& path : paths) {
    const std::optional<Dump> dump = load(root, path);
    if (!dump) continue;
    const CallGraph calls = analyze_calls(dump->module);
    const PagedTable<Shared<Work>> works = compute_work(dump->module, calls);
    double padded = 0, logical = 0, hbm = 0, vmem = 0;
    for (InstructionId id : calls.scheduled_instructions()) {
      const Work& work = works[id.index];
      const double times = calls.executions(dump->module.instruction(id));
      padded += times * work.padded_bytes;
      logical += times * work.logical_bytes;
      hbm += times * (work.read.hbm + work.written.hbm);
      vmem += times * (work.read.vmem + work.written.vmem);
    }
    const double once = bytes_once(dump->module, calls, works);
    double compiler = 0;
    if (dump->facts.contains("xla_cost_analysis") && dump->facts["xla_cost_analysis"].is_object()) {
      compiler = dump->facts["xla_cost_analysis"].value("bytes accessed", 0.0);
    }
    std::printf("%10.4g %10.4g %7.3f %10.4g %10.4g %10.4g %10.4g %7.3f  %s\n", padded, logical,
                logical > 0 ? padded / logical : 0, hbm, vmem, once, compiler, compiler > 0 ? once / compiler : 0,
                dump->name.c_str());
    if (compiler > 0 && once > 0) ratios.push_back({once / compiler, dump->name});
  }
  if (ratios.empty()) return 1;
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) { return a.value < b.value; });
  const auto within = [&](double factor) {
    return static_cast<long>(std::count_if(ratios.begin(), ratios.end(),
                                           [&](const Ratio& r) { return r.value <= factor && r.value >= 1 / factor; }));
  };
  std::printf(
      "\nbytes of one pass, async pairs twice, over the compiler's: %zu files, %ld within 1 %%, %ld within 10 %%, "
      "%ld within a factor of 2\n",
      ratios.size(), within(1.01), within(1.1), within(2));
  for (const double q : {0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0}) {
    std::printf("  %3.0f %% of the files: %.4f\n", 100 * q,
                ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1))].value);
  }
  std::printf("more than 10 %% off:\n");
  int unexplained = 0;
  for (const Ratio& r : ratios) {
    if (r.value <= 1.1 && r.value >= 1 / 1.1) continue;
    const std::string* reason = reason_for(r.name);
    unexplained += reason == nullptr;
    std::printf("  %7.3f  %-44s %s\n", r.value, r.name.c_str(), reason == nullptr ? "not explained" : reason->c_str());
  }
  return unexplained == 0 ? 0 : 1;
}

int print_loops(const fs::path& root, const std::vector<fs::path>& paths) {
  std::map<std::string, std::map<TripCount::Source, int>> counts;  // by folder
  int missed = 0;
  for (const fs::path& path : paths) {
    const std::optional<Dump> dump = load(root, path);
    if (!dump) continue;
    const std::string folder = dump->name.substr(0, dump->name.find('/'));
    const CallGraph calls = analyze_calls(dump->module);
    for (const CallGraph::Loop& loop : calls.loops()) {
      ++counts[folder][loop.trips.source];
      if (loop.trips.source != TripCount::Source::kAssumed) continue;
      // The one program of the corpus whose bound is an argument.
      missed += dump->name.find("while_dynamic") == std::string::npos;
      std::printf("not known: %s %s: %s\n", dump->name.c_str(),
                  std::string(dump->module.instruction(loop.instruction).name()).c_str(), loop.trips.why.c_str());
    }
  }
  for (auto& [folder, by_source] : counts) {
    std::printf("%-5s %4d loops inferred, %4d annotated, %4d not known\n", folder.c_str(),
                by_source[TripCount::Source::kInferred], by_source[TripCount::Source::kAnnotated],
                by_source[TripCount::Source::kAssumed]);
  }
  return missed == 0 && !counts.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  const std::string convention = argc > 1 ? argv[1] : "";
  if (convention != "xla" && convention != "physical" && convention != "loops") {
    std::fprintf(stderr, "usage: counts_table xla|physical|loops [CORPUS]\n");
    return 1;
  }
  const fs::path root = argc > 2 ? fs::path(argv[2]) : fs::path(shared_path("corpus"));
  if (!fs::exists(root)) {
    std::printf("no corpus at %s\n", root.c_str());
    return 77;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  if (convention == "loops") return print_loops(root, paths);
  return convention == "xla" ? print_xla(root, paths) : print_physical(root, paths);
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) { return hloroof::internal::run(argc, argv); }

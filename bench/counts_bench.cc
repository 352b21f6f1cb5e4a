// Times counting the work of a parsed module in both conventions, on one thread.
//
//   counts_bench [--seconds S] [FILE...]
//
// The default files are the TPU dumps over 1 MB of the shared corpus. Prints one row per file with the best CPU times
// of count_xla in double, of count_xla in float32 and XLA's order, and of the two halves of the physical convention:
// the call graph with trip counts, and the work. If HLOROOF_JAX_PYTHON or python3 has jaxlib, also times XLA's cost
// analysis of the same files; the ratio is its time divided by that of count_xla.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/reference.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "lib/work/work.h"

namespace {

namespace fs = std::filesystem;

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  double budget = 0.5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seconds" && i + 1 < argc) {
      budget = std::atof(argv[++i]);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) files = bench::large_corpus_files();
  if (files.empty()) {
    std::fprintf(stderr, "counts_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  const std::map<std::string, double> jaxlib = bench::jaxlib_seconds("counts", files);
  std::printf("%-36s %8s %8s %8s %8s %8s %8s %8s %8s\n", "file", "MB", "instr", "xla ms", "f32 ms", "calls ms",
              "work ms", "XLA ms", "ratio");
  for (const std::string& file : files) {
    const absl::StatusOr<hloroof::Module> module = hloroof::load_module(file);
    if (!module.ok()) {
      std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
      return 1;
    }
    double sink = 0;  // uses the results of the loops
    const double xla = bench::best_seconds(budget, [&] { sink += hloroof::count_xla(*module)->total.flops; });
    hloroof::XlaCountOptions options;
    options.float32 = true;
    const double float32 =
        bench::best_seconds(budget, [&] { sink += hloroof::count_xla(*module, options)->total.flops; });
    const double calls = bench::best_seconds(
        budget, [&] { sink += static_cast<double>(hloroof::analyze_calls(*module).loops().size()); });
    const hloroof::CallGraph graph = hloroof::analyze_calls(*module);
    const double work = bench::best_seconds(
        budget, [&] { sink += static_cast<double>(hloroof::internal::compute_work(*module, graph).size()); });
    const auto theirs = jaxlib.find(file);
    std::printf("%-36s %8.2f %8zu %8.3f %8.3f %8.3f %8.3f", fs::path(file).filename().c_str(),
                static_cast<double>(fs::file_size(file)) / 1e6, module->instruction_count(), xla * 1e3, float32 * 1e3,
                calls * 1e3, work * 1e3);
    if (theirs != jaxlib.end()) std::printf(" %8.3f %7.1fx", theirs->second * 1e3, theirs->second / xla);
    std::printf("\n");
    if (sink < 0) return 1;
  }
  return 0;
}

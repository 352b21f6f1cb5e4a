// How fast texts become modules and modules become texts.
//
//   parse_bench [--json OUT] [--seconds S] [FILE...]
//
// Without files: the TPU dumps over 1 MB in the shared corpus. Prints one row a file and, with --json, writes the time
// of every repeat for `compare`. With HLOROOF_JAX_PYTHON, or a python3, that has jaxlib, XLA's own parser is timed in
// the same run. The ratios to it and to a memchr pass over the same bytes are the figures to compare between machines;
// MB are 10^6 bytes. README.md says what each column is.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/reference.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"

namespace {

std::atomic<std::uint64_t> allocation_count{0};

}  // namespace

// Counts every allocation of the program, the library's included. Inlined, GCC takes the pair for mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

namespace fs = std::filesystem;

// Seconds of each repeat. The least is what the work takes; the others tell how noisy the machine was.
using Samples = std::vector<double>;

struct Row {
  std::string path;
  std::size_t bytes = 0;
  std::size_t instructions = 0;
  Samples parse;    // parse_module: a new module each time
  Samples reparse;  // a reused Parser and Module
  Samples print;
  Samples memchr;
  double jaxlib_seconds = 0;        // 0: not measured
  double peak_bytes = 0;            // resident memory of a process that loads the file, the text included
  std::uint64_t allocations = 0;    // of parse_module
  std::uint64_t reallocations = 0;  // of a reused Parser and Module
};

// The largest resident size this process has had, in bytes.
double resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

// What `parse_bench --peak FILE` does: prints by how much loading the file raises the peak.
int print_peak(const std::string& path) {
  const double before = resident_peak();
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(path);
  std::printf("%.0f\n", resident_peak() - before);
  return module.ok() ? 0 : 1;
}

bool measure(const std::string& self, const std::string& path, double budget, Row* row) {
  row->path = path;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "parse_bench: cannot read %s\n", path.c_str());
    return false;
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  row->peak_bytes = std::strtod(bench::output_of("'" + self + "' --peak '" + path + "'").c_str(), nullptr);
  row->bytes = text.size();
  hloroof::ParseOptions options;
  options.path = path;
  options.borrow = true;
  std::uint64_t before = allocation_count.load();
  absl::StatusOr<hloroof::Module> module = hloroof::parse_module(text, options);
  row->allocations = allocation_count.load() - before;
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
    return false;
  }
  row->instructions = module->instruction_count();
  // The memory of the last one is given back outside the clock, as that of XLA's module is.
  row->parse = bench::repeat(
      budget, [&] { module = hloroof::parse_module(text, options); }, [&] { module = absl::UnknownError(""); });
  hloroof::Parser parser(options);
  hloroof::Module reused;
  if (!parser.parse(text, reused).ok()) return false;
  before = allocation_count.load();
  if (!parser.parse(text, reused).ok()) return false;
  row->reallocations = allocation_count.load() - before;
  row->reparse = bench::repeat(budget, [&] { (void)parser.parse(text, reused); });
  std::size_t printed = 0;
  row->print = bench::repeat(budget, [&] { printed += hloroof::print_module(reused).size(); });
  std::size_t lines = 0;
  row->memchr = bench::repeat(budget / 4, [&] {
    const char* p = text.data();
    const char* end = p + text.size();
    while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr) {
      ++lines;
      ++p;
    }
  });
  return printed > 0 && lines > 0;  // uses what the loops give
}

double rate(const Row& row, double seconds) { return seconds > 0 ? static_cast<double>(row.bytes) / 1e6 / seconds : 0; }

nlohmann::json to_json(const Row& row) {
  return {{"file", fs::path(row.path).filename().string()},
          {"bytes", row.bytes},
          {"instructions", row.instructions},
          {"seconds", {{"parse", row.parse}, {"reparse", row.reparse}, {"print", row.print}, {"memchr", row.memchr}}},
          {"jaxlib_seconds", row.jaxlib_seconds > 0 ? nlohmann::json(row.jaxlib_seconds) : nlohmann::json()},
          {"peak_bytes", row.peak_bytes},
          {"allocations", row.allocations},
          {"reallocations", row.reallocations}};
}

void print_row(const Row& row) {
  const double parse = bench::best(row.parse);
  const double bytes = static_cast<double>(row.bytes);
  std::printf("%-36s %8.2f %8zu %7.0f %7.0f %7.0f %7.0f %6.1fx %6.2f %7llu %7llu",
              fs::path(row.path).filename().c_str(), bytes / 1e6, row.instructions, rate(row, parse),
              rate(row, bench::best(row.reparse)), rate(row, bench::best(row.print)),
              parse * 1e9 / static_cast<double>(std::max<std::size_t>(row.instructions, 1)),
              parse / bench::best(row.memchr), row.peak_bytes / bytes, static_cast<unsigned long long>(row.allocations),
              static_cast<unsigned long long>(row.reallocations));
  if (row.jaxlib_seconds > 0) {
    std::printf(" %7.1f %6.1fx %6.1fx", rate(row, row.jaxlib_seconds), row.jaxlib_seconds / parse,
                row.jaxlib_seconds / bench::best(row.reparse));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string json_path;
  double budget = 0.5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--peak" && i + 1 < argc) {
      return print_peak(argv[i + 1]);
    } else if (argument == "--json" && i + 1 < argc) {
      json_path = argv[++i];
    } else if (argument == "--seconds" && i + 1 < argc) {
      budget = std::atof(argv[++i]);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) files = bench::large_corpus_files();
  if (files.empty()) {
    std::fprintf(stderr, "parse_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::vector<Row> rows(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!measure(self, files[i], budget, &rows[i])) return 1;
  }
  const std::map<std::string, double> jaxlib = bench::jaxlib_seconds("parse", files);
  std::printf("%-36s %8s %8s %7s %7s %7s %7s %7s %6s %7s %7s %7s %7s %7s\n", "file", "MB", "instr", "parse", "reparse",
              "print", "ns/ins", "memchr", "mem", "allocs", "again", "jaxlib", "ratio", "reused");
  nlohmann::json out = nlohmann::json::array();
  for (Row& row : rows) {
    if (const auto it = jaxlib.find(row.path); it != jaxlib.end()) row.jaxlib_seconds = it->second;
    print_row(row);
    out.push_back(to_json(row));
  }
  if (!json_path.empty()) std::ofstream(json_path) << out.dump(2) << '\n';
  return 0;
}

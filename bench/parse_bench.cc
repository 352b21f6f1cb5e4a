// Times parsing and printing of HLO text.
//
//   parse_bench [--benchmark_...] [FILE...]
//
// Without files: the TPU dumps over 1 MB in the shared corpus. Four benchmarks a file: parse, a new module each time;
// reparse, a reused Parser and Module; print; and memchr, a pass over the same bytes. `bytes_per_second` depends on the
// machine. `x_memchr`, the time over that of the memchr pass, and `x_jaxlib`, XLA's time over ours, do not: compare
// those between machines. XLA's own parser is timed in the same run with HLOROOF_JAX_PYTHON, or a python3, that has
// jaxlib. `record` makes the table of README.md of the JSON, and `compare` tells a regression from noise in it.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bench/reference.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"

namespace {

std::atomic<std::uint64_t> allocation_count{0};

}  // namespace

// Counts every allocation of the program and the library. noinline avoids GCC's warning about mismatched new and
// delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

namespace fs = std::filesystem;
using benchmark::Counter;
using benchmark::State;

struct Input {
  std::string path;
  std::string text;
  double memchr_seconds = 0;
  double jaxlib_seconds = 0;  // 0: not measured
  double peak_bytes = 0;      // resident memory of a process that loads the file, the text included

  hloroof::ParseOptions options() const {
    hloroof::ParseOptions options;
    options.path = path;
    options.borrow = true;
    return options;
  }
};

// The peak resident size of this process in bytes.
double resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

// `parse_bench --peak FILE`: prints by how much loading the file raises the peak.
int print_peak(const std::string& path) {
  const double before = resident_peak();
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(path);
  std::printf("%.0f\n", resident_peak() - before);
  return module.ok() ? 0 : 1;
}

std::size_t count_lines(const std::string& text) {
  std::size_t lines = 0;
  const char* end = text.data() + text.size();
  for (const char* p = text.data();
       (p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr; ++p) {
    ++lines;
  }
  return lines;
}

// Reads the file and everything that is measured once; false, with a message, if it is not HLO.
bool prepare(const std::string& self, Input& input) {
  std::ifstream in(input.path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "parse_bench: cannot read %s\n", input.path.c_str());
    return false;
  }
  input.text.assign(std::istreambuf_iterator<char>(in), {});
  const absl::StatusOr<hloroof::Module> module = hloroof::parse_module(input.text, input.options());
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
    return false;
  }
  input.peak_bytes = std::strtod(bench::output_of("'" + self + "' --peak '" + input.path + "'").c_str(), nullptr);
  input.memchr_seconds = bench::best_seconds(0.1, [&] { benchmark::DoNotOptimize(count_lines(input.text)); });
  return true;
}

// What all benchmarks of a file report. Times are CPU time.
void report(State& state, const Input& input, std::size_t instructions) {
  const auto bytes = static_cast<std::int64_t>(input.text.size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
  state.counters["bytes"] = static_cast<double>(bytes);
  if (instructions == 0) return;
  state.counters["instructions"] = static_cast<double>(instructions);
  const Counter::Flags times_as_long = Counter::kIsIterationInvariantRate | Counter::kInvert;
  state.counters["x_memchr"] = Counter(input.memchr_seconds, times_as_long);
  if (input.jaxlib_seconds > 0) {
    state.counters["x_jaxlib"] = Counter(input.jaxlib_seconds, Counter::kIsIterationInvariantRate);
  }
}

// The memory of the last module is given back outside the clock, as that of XLA's module is.
void parse(State& state, const Input& input) {
  const std::uint64_t before = allocation_count.load();
  absl::StatusOr<hloroof::Module> module = hloroof::parse_module(input.text, input.options());
  const std::uint64_t allocations = allocation_count.load() - before;
  const std::size_t instructions = module->instruction_count();
  for (auto _ : state) {
    state.PauseTiming();
    module = absl::UnknownError("");
    state.ResumeTiming();
    module = hloroof::parse_module(input.text, input.options());
  }
  report(state, input, instructions);
  state.counters["allocations"] = static_cast<double>(allocations);
  state.counters["peak_bytes"] = input.peak_bytes;
}

void reparse(State& state, const Input& input) {
  hloroof::Parser parser(input.options());
  hloroof::Module module;
  benchmark::DoNotOptimize(parser.parse(input.text, module).ok());
  const std::uint64_t before = allocation_count.load();
  benchmark::DoNotOptimize(parser.parse(input.text, module).ok());
  const std::uint64_t allocations = allocation_count.load() - before;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(input.text, module).ok());
  report(state, input, module.instruction_count());
  state.counters["allocations"] = static_cast<double>(allocations);
}

void print(State& state, const Input& input) {
  const absl::StatusOr<hloroof::Module> module = hloroof::parse_module(input.text, input.options());
  for (auto _ : state) benchmark::DoNotOptimize(hloroof::print_module(*module));
  report(state, input, 0);
}

void memchr_pass(State& state, const Input& input) {
  for (auto _ : state) benchmark::DoNotOptimize(count_lines(input.text));
  report(state, input, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--peak") == 0) return print_peak(argv[2]);
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) files = bench::large_corpus_files();
  if (files.empty()) {
    std::fprintf(stderr, "parse_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::map<std::string, double> jaxlib = bench::jaxlib_seconds("parse", files);
  std::vector<std::unique_ptr<Input>> inputs;  // that the benchmarks refer to
  for (const std::string& file : files) {
    inputs.push_back(std::make_unique<Input>());
    Input& input = *inputs.back();
    input.path = file;
    if (!prepare(self, input)) return 1;
    if (const auto at = jaxlib.find(file); at != jaxlib.end()) input.jaxlib_seconds = at->second;
    const std::string name = fs::path(file).filename().string();
    const auto add = [&](const char* what, void (*run)(State&, const Input&)) {
      benchmark::RegisterBenchmark((std::string(what) + "/" + name).c_str(), [run, &input](State& state) {
        run(state, input);
      })->Unit(benchmark::kMillisecond);
    };
    add("parse", parse);
    add("reparse", reparse);
    add("print", print);
    add("memchr", memchr_pass);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

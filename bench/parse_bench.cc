// How fast texts become modules and modules become texts.
//
//   parse_bench [--json OUT] [--seconds S] [FILE...]
//
// Without files: the TPU dumps over 1 MB in the shared corpus. Prints one row a file and, with --json, the same numbers for
// `compare`. Set HLOROOF_JAX_PYTHON to a Python that has jaxlib to have XLA's own parser timed in the same run.
//
// The ratio to a memchr pass over the same bytes is the figure to compare between machines; MB are 10^6 bytes.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"

namespace {

std::atomic<std::uint64_t> allocation_count{0};

}  // namespace

// Counts every allocation of the program, the library's included.
void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Row {
  std::string path;
  std::size_t bytes = 0;
  std::size_t instructions = 0;
  double parse_seconds = 0;         // parse_module: a new module each time
  double reparse_seconds = 0;       // a reused Parser and Module
  double print_seconds = 0;
  double memchr_seconds = 0;
  double jaxlib_seconds = 0;        // 0: not measured
  double peak_bytes_per_byte = 0;   // resident memory of a process that loads the file, over its size
  std::uint64_t reparse_allocations = 0;
};

template <typename Work>
double best_seconds(double budget, Work work) {
  double best = 1e30;
  const Clock::time_point began = Clock::now();
  for (int runs = 0; runs < 3 || std::chrono::duration<double>(Clock::now() - began).count() < budget; ++runs) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(fs::file_size(path)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

// The largest resident size, the mapped text included, of a process that loads `path`, less what it had before.
double peak_bytes(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    const auto resident = [] {
      std::ifstream statm("/proc/self/statm");
      long pages = 0;
      statm >> pages >> pages;
      return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
    };
    const double before = resident();
    const absl::StatusOr<hloroof::Module> module = hloroof::load_module(path);
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    // ru_maxrss of a forked child starts at its parent's; what is resident now is the measure then.
    const double now = resident() - before;
    const bool written = write(ends[1], &now, sizeof(now)) == sizeof(now);
    _exit(module.ok() && written ? 0 : 1);
  }
  double peak = 0;
  const bool got = read(ends[0], &peak, sizeof(peak)) == sizeof(peak);
  close(ends[0]);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  return got ? peak : 0;
}

bool measure(const std::string& path, double budget, Row* row) {
  row->path = path;
  row->peak_bytes_per_byte = peak_bytes(path) / static_cast<double>(fs::file_size(path));
  const std::string text = read_file(path);
  row->bytes = text.size();
  hloroof::ParseOptions options;
  options.path = path;
  options.borrow = true;
  absl::StatusOr<hloroof::Module> module = hloroof::parse_module(text, options);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
    return false;
  }
  row->instructions = module->instruction_count();
  row->parse_seconds = best_seconds(budget, [&] { module = hloroof::parse_module(text, options); });
  hloroof::Parser parser(options);
  hloroof::Module reused;
  if (!parser.parse(text, reused).ok() || !parser.parse(text, reused).ok()) return false;
  const std::uint64_t before = allocation_count.load();
  if (!parser.parse(text, reused).ok()) return false;
  row->reparse_allocations = allocation_count.load() - before;
  row->reparse_seconds = best_seconds(budget, [&] { (void)parser.parse(text, reused); });
  std::size_t printed = 0;
  row->print_seconds = best_seconds(budget, [&] { printed += hloroof::print_module(reused).size(); });
  std::size_t lines = 0;
  row->memchr_seconds = best_seconds(budget / 4, [&] {
    const char* p = text.data();
    const char* end = p + text.size();
    while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr) {
      ++lines;
      ++p;
    }
  });
  if (printed == 0 || lines == 0) return false;  // keeps both loops alive
  return true;
}

// XLA's parse times by path, empty if there is no Python with jaxlib.
std::map<std::string, double> jaxlib_seconds(const std::vector<std::string>& files) {
  std::map<std::string, double> seconds;
  const char* python = std::getenv("HLOROOF_JAX_PYTHON");
  std::string command = std::string(python == nullptr ? "python3" : python) + " '" + HLOROOF_SOURCE_DIR +
                        "/bench/jaxlib_parse.py'";
  for (const std::string& f : files) command += " '" + f + "'";
  command += " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return seconds;
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, got);
  pclose(pipe);
  const nlohmann::json parsed = nlohmann::json::parse(output, nullptr, false);
  if (!parsed.is_object()) return seconds;
  for (const auto& [path, value] : parsed.items()) seconds[path] = value.get<double>();
  return seconds;
}

std::vector<std::string> large_corpus_files() {
  std::vector<std::string> files;
  for (const char* folder : {"tpu", "step"}) {
    const fs::path path = fs::path(HLOROOF_SHARED_DIR) / "corpus" / folder;
    if (!fs::exists(path)) continue;
    for (const fs::directory_entry& e : fs::directory_iterator(path)) {
      if (e.path().extension() == ".hlo" && e.file_size() > 1000000) files.push_back(e.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

double rate(const Row& row, double seconds) { return seconds > 0 ? static_cast<double>(row.bytes) / 1e6 / seconds : 0; }

nlohmann::json to_json(const Row& row) {
  return {{"file", fs::path(row.path).filename().string()},
          {"bytes", row.bytes},
          {"instructions", row.instructions},
          {"parse_seconds", row.parse_seconds},
          {"reparse_seconds", row.reparse_seconds},
          {"print_seconds", row.print_seconds},
          {"memchr_seconds", row.memchr_seconds},
          {"jaxlib_seconds", row.jaxlib_seconds > 0 ? nlohmann::json(row.jaxlib_seconds) : nlohmann::json()},
          {"peak_bytes_per_byte", row.peak_bytes_per_byte},
          {"reparse_allocations", row.reparse_allocations}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string json_path;
  double budget = 0.5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json" && i + 1 < argc) {
      json_path = argv[++i];
    } else if (argument == "--seconds" && i + 1 < argc) {
      budget = std::atof(argv[++i]);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) files = large_corpus_files();
  if (files.empty()) {
    std::fprintf(stderr, "parse_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  std::printf("%-36s %8s %8s %8s %8s %8s %8s %8s %7s %7s %6s\n", "file", "MB", "instr", "parse", "reparse", "print", "ns/ins",
              "memchr", "jaxlib", "ratio", "mem");
  std::vector<Row> rows;
  for (const std::string& file : files) {
    Row row;
    if (!measure(file, budget, &row)) return 1;
    rows.push_back(row);
  }
  const std::map<std::string, double> jaxlib = jaxlib_seconds(files);
  nlohmann::json out = nlohmann::json::array();
  for (Row& row : rows) {
    if (const auto it = jaxlib.find(row.path); it != jaxlib.end()) row.jaxlib_seconds = it->second;
    std::printf("%-36s %8.2f %8zu %8.0f %8.0f %8.0f %8.0f %7.1fx %7.1f %6.1fx %6.2f\n",
                fs::path(row.path).filename().string().c_str(), static_cast<double>(row.bytes) / 1e6, row.instructions,
                rate(row, row.parse_seconds), rate(row, row.reparse_seconds), rate(row, row.print_seconds),
                row.parse_seconds * 1e9 / static_cast<double>(std::max<std::size_t>(row.instructions, 1)),
                row.parse_seconds / row.memchr_seconds, rate(row, row.jaxlib_seconds),
                row.jaxlib_seconds / row.parse_seconds, row.peak_bytes_per_byte);
    out.push_back(to_json(row));
  }
  std::printf("rates in MB/s; memchr: times as long as a memchr pass; ratio: jaxlib's time over ours; mem: resident bytes "
              "per byte of text\n");
  std::uint64_t allocations = 0;
  for (const Row& row : rows) allocations += row.reparse_allocations;
  std::printf("allocations of a reused parser: %llu\n", static_cast<unsigned long long>(allocations));
  if (!json_path.empty()) std::ofstream(json_path) << out.dump(2) << '\n';
  return 0;
}

// Reference data of the benchmarks: the large dumps of the corpus, and XLA's times for them.
#ifndef HLOROOF_BENCH_REFERENCE_H_
#define HLOROOF_BENCH_REFERENCE_H_

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bench {

// The TPU dumps over 1 MB of the corpus, sorted by path. Empty if there is no corpus.
inline std::vector<std::string> large_corpus_files() {
  std::vector<std::string> files;
  for (const char* folder : {"tpu", "step"}) {
    const std::filesystem::path path = std::filesystem::path(HLOROOF_SHARED_DIR) / "corpus" / folder;
    if (!std::filesystem::exists(path)) continue;
    for (const std::filesystem::directory_entry& e : std::filesystem::directory_iterator(path)) {
      if (e.path().extension() == ".hlo" && e.file_size() > 1000000) files.push_back(e.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The CPU seconds of this process, which depend less on the load of the machine than wall-clock time.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The CPU time of each run of `work`. Runs it at least five times and until `budget` seconds are used. `between` runs
// before each and is not timed.
template <typename Work, typename Between>
std::vector<double> repeat(double budget, Work work, Between between) {
  std::vector<double> seconds;
  const double began = cpu_seconds();
  while (seconds.size() < 5 || cpu_seconds() - began < budget) {
    between();
    const double start = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - start);
  }
  return seconds;
}

template <typename Work>
std::vector<double> repeat(double budget, Work work) {
  return repeat(budget, work, [] {});
}

inline double best(const std::vector<double>& seconds) { return *std::min_element(seconds.begin(), seconds.end()); }

template <typename... Work>
double best_seconds(double budget, Work... work) {
  return best(repeat(budget, work...));
}

// The standard output of a shell command.
inline std::string output_of(const std::string& command) {
  std::string output;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, got);
    pclose(pipe);
  }
  return output;
}

// XLA's seconds by path for `what` ("parse", "counts", "predict"), measured by jaxlib_times.py. Empty if neither
// HLOROOF_JAX_PYTHON nor python3 has jaxlib.
inline std::map<std::string, double> jaxlib_seconds(const std::string& what, const std::vector<std::string>& files) {
  const char* python = std::getenv("HLOROOF_JAX_PYTHON");
  std::string command = std::string(python == nullptr ? "python3" : python) + " '" + HLOROOF_SOURCE_DIR +
                        "/bench/jaxlib_times.py' " + what;
  for (const std::string& file : files) command += " '" + file + "'";
  std::map<std::string, double> seconds;
  const nlohmann::json parsed = nlohmann::json::parse(output_of(command + " 2>/dev/null"), nullptr, false);
  if (!parsed.is_object()) return seconds;
  for (const auto& [path, value] : parsed.items()) seconds[path] = value.get<double>();
  return seconds;
}

}  // namespace bench

#endif  // HLOROOF_BENCH_REFERENCE_H_

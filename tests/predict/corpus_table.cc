// Processes every dump of a corpus: `corpus_table FOLDER`. Prints one line for each folder below FOLDER: dumps read,
// dumps whose print is read back as an equal module, dumps predicted, the seconds for each, and the peak memory. Each
// folder runs in a separate process, so that the peak is that of the folder. Exits with 1 if anything was refused or
// differed.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/any_backend.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

struct Counts {
  int files = 0;
  int parsed = 0;
  int equal = 0;
  int predicted = 0;
  double bytes = 0;
  double parse_seconds = 0;
  double predict_seconds = 0;
  double covered = 0;  // sum of the modelled shares
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Counts examine(const std::vector<fs::path>& files) {
  Counts counts;
  for (const fs::path& file : files) {
    ++counts.files;
    counts.bytes += static_cast<double>(fs::file_size(file));
    auto begin = std::chrono::steady_clock::now();
    const auto module = load_module(file.string());
    counts.parse_seconds += seconds_since(begin);
    if (!module.ok()) {
      std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
      continue;
    }
    ++counts.parsed;
    const auto again = parse_module(print_module(*module));
    std::string difference;
    if (again.ok() && equal(*module, *again, &difference)) {
      ++counts.equal;
    } else {
      std::fprintf(stderr, "%s: printed and read again it differs: %s\n", file.c_str(), difference.c_str());
    }
    const auto device = find_device(device_of(file));
    if (!device.ok()) continue;
    begin = std::chrono::steady_clock::now();
    const auto prediction = predict_step_time(*module, *device, any_backend());
    counts.predict_seconds += seconds_since(begin);
    if (prediction.ok()) {
      ++counts.predicted;
      counts.covered += prediction->modelled_share;
    } else {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), std::string(prediction.status().message()).c_str());
    }
  }
  return counts;
}

int run(const fs::path& corpus) {
  std::vector<fs::path> folders;
  if (fs::is_directory(corpus)) {
    folders.push_back(corpus);
    for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  std::printf("%-14s %6s %6s %6s %9s %8s %8s %8s %9s %8s\n", "folder", "files", "read", "equal", "predicted", "MB",
              "read s", "pred. s", "modelled", "peak MB");
  bool all = true;
  int lines = 0;
  for (const fs::path& folder : folders) {
    const std::vector<fs::path> files = dumps_in(folder);
    if (files.empty()) continue;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const Counts c = examine(files);
      rusage use = {};
      getrusage(RUSAGE_SELF, &use);
      std::printf("%-14s %6d %6d %6d %9d %8.1f %8.3f %8.3f %7.1f %% %8.1f\n", fs::relative(folder, corpus).c_str(),
                  c.files, c.parsed, c.equal, c.predicted, c.bytes / 1e6, c.parse_seconds, c.predict_seconds,
                  100 * c.covered / std::max(1, c.predicted), static_cast<double>(use.ru_maxrss) / 1e3);
      std::fflush(stdout);
      _exit(c.parsed == c.files && c.equal == c.files && c.predicted == c.files ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) all = false;
    ++lines;
  }
  if (lines == 0) std::fprintf(stderr, "%s: no dumps\n", corpus.c_str());
  return all && lines > 0 ? 0 : 1;
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: corpus_table FOLDER\n");
    return 1;
  }
  return hloroof::internal::run(argv[1]);
}

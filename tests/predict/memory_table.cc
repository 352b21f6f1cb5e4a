// Compares memory with the allocations of the compilers: `memory_table FOLDER [-v]`. Prints a line for every folder
// below FOLDER, and with -v one for every dump: arguments, outputs and aliases as the dump's .json file states them,
// and the peak. Exits with 1 if arguments, outputs or aliases are not equal to the byte, or if fewer than 90 % of the
// peaks are within 10 %. Only TPU dumps state a peak; elsewhere the peak is the sum of the allocations.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/schedule.h"
#include "tests/any_backend.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

struct Line {
  int dumps = 0;
  int arguments = 0;
  int outputs = 0;
  int aliases = 0;
  int within = 0;
  int far = 0;
};

void add(Line& to, const Line& line) {
  to.dumps += line.dumps;
  to.arguments += line.arguments;
  to.outputs += line.outputs;
  to.aliases += line.aliases;
  to.within += line.within;
  to.far += line.far;
}

void print(const char* name, const Line& line) {
  std::printf("%-14s %6d %10d %8d %8d %12d %11d\n", name, line.dumps, line.arguments, line.outputs, line.aliases,
              line.within, line.far);
}

Line examine(const fs::path& file, bool verbose) {
  Line line;
  const auto facts = facts_of(file);
  const OrderedJson* reported = facts ? find(*facts, {"memory_analysis"}) : nullptr;
  if (reported == nullptr || !reported->contains("argument_size_in_bytes")) return line;
  const auto number = [&](const char* key) { return reported->contains(key) ? reported->at(key).get<double>() : 0.0; };
  const auto module = load_module(file.string());
  const std::string name = device_of(file);
  auto device = find_device(name);
  if (!module.ok() || !device.ok()) return line;
  const OrderedJson* kind = find(*facts, {"device_kind"});
  const bool is_cpu = kind != nullptr && *kind == "cpu";
  // A CPU knows no memory spaces, and its pointers are wide.
  if (is_cpu) device = find_device("h100_sxm");
  const auto prediction = predict_step_time(*module, *device, any_backend());
  if (!prediction.ok()) return line;
  const MemoryPrediction& memory = prediction->memory;
  const double arguments = number("argument_size_in_bytes");
  const double outputs = number("output_size_in_bytes");
  const double aliases = number("alias_size_in_bytes");
  const double sum = arguments + outputs - aliases + number("temp_size_in_bytes");
  const bool has_peak = !is_cpu && number("peak_memory_in_bytes") > 0;
  const double peak = has_peak ? number("peak_memory_in_bytes") : sum;
  const double ratio = peak > 0 ? memory.peak_bytes / peak : 1;
  line.dumps = 1;
  line.arguments = memory.arguments_bytes == arguments;
  line.outputs = memory.outputs_bytes == outputs;
  line.aliases = memory.aliased_bytes == aliases;
  line.within = ratio > 0.9 && ratio < 1.1;
  line.far = ratio < 0.75 || ratio > 1.25;
  if (verbose) {
    std::printf("%-44s %14.0f %14.0f %+7.1f %%%s%s%s\n", file.filename().c_str(), memory.peak_bytes, peak,
                100 * (ratio - 1), line.arguments != 0 ? "" : " arguments", line.outputs != 0 ? "" : " outputs",
                line.aliases != 0 ? "" : " aliases");
  }
  return line;
}

int run(const fs::path& corpus, bool verbose) {
  std::vector<fs::path> folders;
  if (fs::is_directory(corpus)) {
    for (const auto& entry : fs::directory_iterator(corpus)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  if (verbose) std::printf("%-44s %14s %14s %9s\n", "dump", "predicted", "reported", "peak");
  std::vector<std::pair<std::string, Line>> lines;
  Line total;
  for (const fs::path& folder : folders) {
    Line line;
    for (const fs::path& file : dumps_in(folder)) add(line, examine(file, verbose));
    if (line.dumps == 0) continue;
    lines.emplace_back(folder.filename().string(), line);
    add(total, line);
  }
  std::printf("%-14s %6s %10s %8s %8s %12s %11s\n", "folder", "dumps",
              "arguments=", "outputs=", "aliases=", "peak +-10 %", "over 25 %");
  for (const auto& [name, line] : lines) print(name.c_str(), line);
  print("TOTAL", total);
  const bool exact = total.arguments == total.dumps && total.outputs == total.dumps && total.aliases == total.dumps;
  return total.dumps > 0 && exact && total.within * 10 >= total.dumps * 9 ? 0 : 1;
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: memory_table FOLDER [-v]\n");
    return 1;
  }
  return hloroof::internal::run(argv[1], argc == 3);
}

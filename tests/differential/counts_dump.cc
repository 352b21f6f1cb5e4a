// Prints the `xla` counts of the modules in a file for counts.py: one JSON object per line with the keys of XLA's
// analysis. Modules are separated by lines `// -----`. A module that cannot be parsed or counted gives {"error": ...}.
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "lib/counts/xla_counts.h"
#include "nlohmann/json.hpp"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

nlohmann::json counts_of(std::string_view text) {
  const absl::StatusOr<Module> module = parse_module(text);
  if (!module.ok()) return {{"error", std::string(module.status().message())}};
  XlaCountOptions options;
  options.float32 = true;
  const absl::StatusOr<ModuleCounts> counts = count_xla(*module, options);
  if (!counts.ok()) return {{"error", std::string(counts.status().message())}};
  nlohmann::json keys = {{"flops", counts->total.flops},
                         {"transcendentals", counts->total.transcendentals},
                         {"bytes accessed", counts->total.bytes_accessed},
                         {"bytes accessedout{}", counts->total.output_bytes},
                         {"unknown", counts->unknown.size()}};
  std::vector<double> operands;
  for (InstructionView instruction : module->entry().instructions()) {
    const absl::Span<const double> bytes = operand_bytes(*counts, instruction);
    if (operands.size() < bytes.size()) operands.resize(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) operands[i] = static_cast<float>(operands[i] + bytes[i]);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) keys["bytes accessed" + std::to_string(i) + "{}"] = operands[i];
  return keys;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: counts_dump FILE\n";
    return 1;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  constexpr std::string_view kSeparator = "\n// -----\n";
  for (std::size_t begin = 0; begin <= all.size();) {
    std::size_t end = all.find(kSeparator, begin);
    if (end == std::string::npos) end = all.size();
    std::cout << counts_of(std::string_view(all).substr(begin, end - begin)).dump() << "\n";
    begin = end + kSeparator.size();
  }
  return 0;
}

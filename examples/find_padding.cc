// Lists the arrays that padding enlarges most, with the source line that makes each.
//
//   find_padding examples/narrow_heads.v5e.hlo
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/parse.h"

namespace {

const char* name_of(hloroof::MemorySpace space) {
  switch (space) {
    case hloroof::MemorySpace::kHbm: return "HBM";
    case hloroof::MemorySpace::kVmem: return "VMEM";
    case hloroof::MemorySpace::kHost: return "host";
    case hloroof::MemorySpace::kScalar: return "scalar memory";
  }
  return "?";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: find_padding FILE\n"), 1;
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
    // An editor that jumps to the error reads the place instead of the message.
    if (const auto place = hloroof::error_place(module.status())) {
      std::fprintf(stderr, "%s error in line %lld\n", place->code.c_str(), static_cast<long long>(place->line));
    }
    return 1;
  }
  std::vector<hloroof::InstructionView> arrays;
  const hloroof::CallGraph calls = hloroof::analyze_calls(*module);
  for (const hloroof::InstructionId id : calls.scheduled_instructions()) {
    const hloroof::InstructionView instruction = module->instruction(id);
    if (instruction.shape().is_array()) arrays.push_back(instruction);
  }
  const auto padding = [](hloroof::InstructionView i) {
    return hloroof::padded_bytes(i.shape()) - hloroof::logical_bytes(i.shape());
  };
  std::stable_sort(arrays.begin(), arrays.end(), [&](auto a, auto b) { return padding(a) > padding(b); });
  const hloroof::StackFrames frames(*module);
  for (std::size_t i = 0; i < arrays.size() && i < 10 && padding(arrays[i]) > 0; ++i) {
    const hloroof::InstructionView array = arrays[i];
    const hloroof::PhysicalSize size = hloroof::physical_size(array.shape());
    const hloroof::SourceLocation source = hloroof::source_location(array, frames);
    std::printf("%-24s %s\n", std::string(array.name()).c_str(),
                hloroof::to_string(module->shapes(), array.shape_id()).c_str());
    std::printf("    %lld bytes in %s for %lld of values, %.0f times a step\n", static_cast<long long>(size.bytes),
                name_of(hloroof::memory_space(array.shape())),
                static_cast<long long>(hloroof::logical_bytes(array.shape())), calls.executions(array));
    if (!source.file.empty()) std::printf("    %s:%lld\n", source.file.c_str(), static_cast<long long>(source.line));
  }
  return 0;
}

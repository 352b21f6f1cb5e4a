// Lists the matrix products and convolutions of a program with their dimensions and their FLOPs as XLA counts them.
//
//   list_products examples/decode_step.v5e.hlo
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"

namespace {

std::string joined(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const std::int64_t value : values) out += (out.empty() ? "" : ",") + std::to_string(value);
  return "{" + out + "}";
}

void print_product(hloroof::InstructionView instruction, const hloroof::ModuleCounts& counts) {
  const auto shape = [&](std::size_t i) {
    return hloroof::to_string(instruction.module().shapes(), instruction.operand(i).shape_id(),
                              hloroof::ShapeText::kWithoutLayout);
  };
  std::printf("%s: %s by %s, %.3g flop\n", std::string(instruction.name()).c_str(), shape(0).c_str(), shape(1).c_str(),
              counts.of(instruction.id()).flops);
  if (instruction.opcode() == hloroof::Opcode::kDot) {
    const hloroof::DotDimensions dimensions = hloroof::dot_dimensions(instruction);
    std::printf("    contracts %s with %s\n", joined(dimensions.lhs_contracting).c_str(),
                joined(dimensions.rhs_contracting).c_str());
  } else if (const auto numbers = hloroof::convolution_dimension_numbers(instruction)) {
    std::printf("    contracts dimension %lld with %lld\n", static_cast<long long>(numbers->lhs_feature),
                static_cast<long long>(numbers->rhs_input_feature));
  }
  if (const std::optional<hloroof::Window> window = hloroof::window(instruction)) {
    std::printf("    window:");
    for (const hloroof::WindowDimension& d : window->dimensions) {
      std::printf(" %lld by stride %lld", static_cast<long long>(d.size), static_cast<long long>(d.stride));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: list_products FILE\n"), 1;
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str()), 1;
  const absl::StatusOr<hloroof::ModuleCounts> counts = hloroof::count_xla(*module);
  if (!counts.ok()) return std::fprintf(stderr, "%s\n", std::string(counts.status().message()).c_str()), 1;
  hloroof::walk(*module, [&](hloroof::InstructionView instruction) {
    const hloroof::Opcode opcode = instruction.opcode();
    if (opcode == hloroof::Opcode::kDot || opcode == hloroof::Opcode::kConvolution) print_product(instruction, *counts);
  });
  std::printf("%.3g flop and %.3g bytes in all\n", counts->total.flops, counts->total.bytes_accessed);
  return 0;
}

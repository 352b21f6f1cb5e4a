#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {
namespace {

// The numbers of the protocol.
constexpr int kFunctionSymbol = 12;
constexpr int kVariableSymbol = 13;

// A larger document shows its computations alone.
constexpr std::size_t kMostInstructionSymbols = 5000;

}  // namespace

Json document_symbols(const EditorView& view) {
  const Outline& outline = view.document.outline();
  const bool with_instructions = outline.instructions().size() <= kMostInstructionSymbols;
  Json symbols = Json::array();
  for (const OutlineComputation& computation : outline.computations()) {
    Json children = Json::array();
    for (std::size_t i = computation.first; with_instructions && i < computation.last; ++i) {
      const OutlineInstruction& instruction = outline.instructions()[i];
      children.push_back({{"name", std::string(outline.name(instruction))},
                          {"kind", kVariableSymbol},
                          {"range", view.range(instruction.begin, instruction.end)},
                          {"selectionRange", view.range(instruction.name, instruction.name + instruction.name_size)}});
    }
    symbols.push_back({{"name", std::string(outline.name(computation))},
                       {"detail", computation.is_entry ? "ENTRY" : ""},
                       {"kind", kFunctionSymbol},
                       {"range", view.range(computation.begin, computation.end)},
                       {"selectionRange", view.range(computation.name, computation.name + computation.name_size)},
                       {"children", std::move(children)}});
  }
  return symbols;
}

Json folding_ranges(const EditorView& view) {
  Json ranges = Json::array();
  for (const OutlineComputation& computation : view.document.outline().computations()) {
    const std::size_t first = view.document.lines().line_of(computation.begin);
    const std::size_t last = view.document.lines().line_of(computation.end);
    if (last > first + 1) ranges.push_back({{"startLine", first}, {"endLine", last - 1}, {"kind", "region"}});
  }
  return ranges;
}

}  // namespace hloroof::internal::inline lsp

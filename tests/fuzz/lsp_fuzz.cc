// Edits an HLO text and asks the language server's features about every part of it. The first four bytes choose the
// edit and the place. After each edit the lines must be those of the whole text, and each answer must be one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/fronts/lsp/features.h"

using namespace hloroof::internal;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void ask(Document& document, std::size_t offset, PositionUnit unit) {
  static const EditorSettings* const kSettings = new EditorSettings();
  const EditorView view{document, *kSettings, unit};
  const Lines fresh(document.text());
  require(fresh.count() == document.lines().count());
  for (std::size_t line = 0; line < fresh.count(); ++line) require(fresh.begin(line) == document.lines().begin(line));
  const Position position = fresh.position(document.text(), offset, unit);
  require(fresh.offset(document.text(), position, unit) <= document.text().size());

  require(diagnostics(view).is_array());
  (void)hover(view, offset);
  (void)completions(view, offset);
  (void)definition(view, offset, {});
  (void)source_line(view, offset, {});
  require(document_symbols(view).is_array());
  require(folding_ranges(view).is_array());
  const std::vector<std::uint32_t> tokens = semantic_tokens(view, 0, document.text().size());
  require(tokens.size() % 5 == 0);
  // What is renamed is named in the places that are edited.
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return;
  for (const std::size_t place : occurrences(view, *symbol, /*include_definition=*/true)) {
    require(document.text().substr(place, symbol->name.size()) == symbol->name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::size_t kChoices = 4;
  constexpr std::size_t kMostText = 8192;
  if (size < kChoices || size > kMostText) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + kChoices, size - kChoices);
  const PositionUnit unit = data[0] % 2 == 0 ? PositionUnit::kUtf16 : PositionUnit::kUtf8;
  const std::size_t offset = (data[1] + std::size_t{256} * data[2]) % (text.size() + 1);
  Document document("file:///fuzzed", text, 1);
  ask(document, offset, unit);
  // Moves a piece of the text.
  const std::size_t length = std::min<std::size_t>(data[3], text.size() - offset);
  const Lines lines(text);
  const auto position = [&](std::size_t at) { return position_json(lines.position(text, at, unit)); };
  const std::string piece = text.substr(offset, length);
  document.edit(
      Json::array({{{"range", {{"start", position(offset)}, {"end", position(offset + length)}}}, {"text", ""}},
                   {{"range", {{"start", position(offset / 2)}, {"end", position(offset / 2)}}}, {"text", piece}}}),
      2, unit);
  ask(document, offset / 2, unit);
  return 0;
}

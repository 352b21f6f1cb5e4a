// The answers of the language server, one file each. All of them take the text from the document and the facts from
// the parser, the prediction and the reports; names connect the two, so that facts about the last text that parsed
// remain of use while the text has errors.
#ifndef HLOROOF_LIB_FRONTS_LSP_FEATURES_H_
#define HLOROOF_LIB_FRONTS_LSP_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fronts/lsp/document.h"
#include "lib/fronts/lsp/settings.h"
#include "lib/fronts/lsp/tokens.h"
#include "lib/fronts/rpc/message.h"

namespace hloroof::internal::inline lsp {

// What every feature needs: a document, how its positions count, and the settings.
struct EditorView {
  Document& document;
  const EditorSettings& settings;
  PositionUnit unit = PositionUnit::kUtf16;

  Json range(std::size_t begin, std::size_t end) const {
    return Json{{"start", position_json(document.lines().position(document.text(), begin, unit))},
                {"end", position_json(document.lines().position(document.text(), end, unit))}};
  }
  std::size_t offset(const Json& position) const {
    return document.lines().offset(document.text(), read_position(position), unit);
  }
};

// What is at an offset: a token of a line, with the line.
struct Spot {
  LineTokens line;
  std::optional<Token> token;
  std::size_t instruction = Outline::kNone;  // in the outline; kNone outside of instructions
  std::size_t computation = Outline::kNone;
  bool is_head = false;  // the first line of the computation
};

Spot spot_at(const EditorView& view, std::size_t offset);

std::string_view token_text(const EditorView& view, const Token& token);

// The instruction or computation that a token names.
struct Symbol {
  bool is_computation = false;
  std::size_t computation = Outline::kNone;  // of the instruction, or the computation itself if it is in the text
  std::string name;
  Token token;
};
std::optional<Symbol> symbol_at(const EditorView& view, std::size_t offset);

// hover.cc: an op is explained shortly, a shape in words, an attribute by its meaning.
Json hover(const EditorView& view, std::size_t offset);

// inlay_hints.cc: time and share after the name of each op in [begin, end) that takes enough of the step.
Json inlay_hints(const EditorView& view, std::size_t begin, std::size_t end);

// code_lens.cc: the step, and time and runs of each computation.
Json code_lenses(const EditorView& view);

// diagnostics.cc: errors of the text and findings of `lint`.
Json diagnostics(const EditorView& view);

// navigation.cc
Reply definition(const EditorView& view, std::size_t offset, const std::vector<std::string>& folders);
Json references(const EditorView& view, std::size_t offset, bool include_definition);
Json highlights(const EditorView& view, std::size_t offset);
// The line of the user's program that the instruction comes from. A relative path is searched in the document's folder
// and in `folders`.
Reply source_line(const EditorView& view, std::size_t offset, const std::vector<std::string>& folders);

// rename.cc
Reply prepare_rename(const EditorView& view, std::size_t offset);
Reply rename(const EditorView& view, std::size_t offset, std::string_view new_name);

// symbols.cc
Json document_symbols(const EditorView& view);
Json folding_ranges(const EditorView& view);

// semantic_tokens.cc: five numbers for each token, as the protocol says.
Json semantic_tokens_legend();
std::vector<std::uint32_t> semantic_tokens(const EditorView& view, std::size_t begin, std::size_t end);
// All tokens of the document, or the edits that make them of those that were sent last. Both are then those that were
// sent.
std::vector<std::uint32_t> all_semantic_tokens(const EditorView& view);
Json changed_semantic_tokens(const EditorView& view);

// completion.cc: opcodes, attributes of the opcode, names of instructions and computations.
Json completions(const EditorView& view, std::size_t offset);

// report_page.cc: writes the page of the prediction to a temporary file. Errors: Unavailable without a prediction.
absl::StatusOr<std::string> write_report_page(const EditorView& view);

// uri.cc
std::string uri_of_path(std::string_view path);
std::string path_of_uri(std::string_view uri);  // empty if it is not a file

// The places in the text where the symbol is named, in their order: offsets after the %.
std::vector<std::size_t> occurrences(const EditorView& view, const Symbol& symbol, bool include_definition);

// The meaning of an attribute in a sentence; empty for unknown ones.
std::string_view attribute_meaning(AttributeKey key);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_FEATURES_H_

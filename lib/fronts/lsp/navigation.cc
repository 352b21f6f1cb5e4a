#include <algorithm>
#include <filesystem>
#include <system_error>

#include "hloroof/attributes.h"
#include "lib/fronts/lsp/features.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline lsp {
namespace {

Json place_json(const EditorView& view, std::size_t begin, std::size_t size) {
  return Json{{"uri", view.document.uri()}, {"range", view.range(begin, begin + size)}};
}

// The opcode of the instruction as it is written.
Opcode opcode_in_text(const EditorView& view, const OutlineInstruction& instruction) {
  return instruction_tokens(view.document.text(), instruction.begin, instruction.end).opcode;
}

// Appends the offsets where `line` names the symbol.
void find_in_line(const EditorView& view, const LineTokens& line, const Symbol& symbol,
                  std::vector<std::size_t>& places) {
  const TokenRole role = symbol.is_computation ? TokenRole::kComputation : TokenRole::kOperand;
  for (const Token& token : line.tokens) {
    if (token.role == role && token_text(view, token) == symbol.name) places.insert(places.end(), token.offset);
  }
}

// The end of the transfer that `instruction` starts: the places of its updates and dones. Empty if it starts none.
std::vector<std::size_t> ends_of_transfer(const EditorView& view, const Symbol& symbol) {
  const Outline& outline = view.document.outline();
  std::vector<std::size_t> ends;
  const std::size_t found = outline.find_instruction(symbol.computation, symbol.name);
  if (symbol.is_computation || found == Outline::kNone) return ends;
  if (async_role(opcode_in_text(view, outline.instructions()[found])) != AsyncRole::kStart) return ends;
  for (const std::size_t use : occurrences(view, symbol, /*include_definition=*/false)) {
    const std::size_t user = outline.instruction_at(use);
    if (user == Outline::kNone) continue;
    const OutlineInstruction& instruction = outline.instructions()[user];
    const AsyncRole role = async_role(opcode_in_text(view, instruction));
    if (role == AsyncRole::kDone || role == AsyncRole::kUpdate) ends.insert(ends.end(), user);
  }
  return ends;
}

std::filesystem::path find_source(const std::string& file, const EditorView& view,
                                  const std::vector<std::string>& folders) {
  std::error_code error;
  const std::filesystem::path path(file);
  if (path.is_absolute()) return std::filesystem::exists(path, error) ? path : std::filesystem::path();
  std::vector<std::filesystem::path> roots = {std::filesystem::path(path_of_uri(view.document.uri())).parent_path()};
  roots.insert(roots.end(), folders.begin(), folders.end());
  for (const std::filesystem::path& root : roots) {
    if (!root.empty() && std::filesystem::exists(root / path, error)) return root / path;
  }
  return {};
}

}  // namespace

std::vector<std::size_t> occurrences(const EditorView& view, const Symbol& symbol, bool include_definition) {
  const Outline& outline = view.document.outline();
  const std::string_view text = view.document.text();
  std::vector<std::size_t> places;
  std::size_t first = 0;
  std::size_t last = outline.instructions().size();
  if (!symbol.is_computation) {
    if (symbol.computation == Outline::kNone) return places;
    first = outline.computations()[symbol.computation].first;
    last = outline.computations()[symbol.computation].last;
    const std::size_t defined = outline.find_instruction(symbol.computation, symbol.name);
    if (include_definition && defined != Outline::kNone) places.push_back(outline.instructions()[defined].name);
  } else if (include_definition && symbol.computation != Outline::kNone) {
    places.push_back(outline.computations()[symbol.computation].name);
  }
  for (std::size_t i = first; i < last; ++i) {
    const OutlineInstruction& instruction = outline.instructions()[i];
    const std::string_view line = text.substr(instruction.begin, instruction.end - instruction.begin);
    if (line.find(symbol.name) == std::string_view::npos) continue;
    find_in_line(view, instruction_tokens(text, instruction.begin, instruction.end), symbol, places);
  }
  std::sort(places.begin(), places.end());
  return places;
}

Reply definition(const EditorView& view, std::size_t offset, const std::vector<std::string>& folders) {
  const Spot spot = spot_at(view, offset);
  if (spot.token && spot.token->in_attribute && spot.token->attribute == AttributeKey::kMetadata) {
    return source_line(view, offset, folders);
  }
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return Json(nullptr);
  const Outline& outline = view.document.outline();
  if (symbol->is_computation) {
    if (symbol->computation == Outline::kNone) return Json(nullptr);
    const OutlineComputation& computation = outline.computations()[symbol->computation];
    return place_json(view, computation.name, computation.name_size);
  }
  if (symbol->token.role == TokenRole::kName) {
    Json ends = Json::array();
    for (const std::size_t end : ends_of_transfer(view, *symbol)) {
      const OutlineInstruction& done = outline.instructions()[end];
      ends.push_back(place_json(view, done.name, done.name_size));
    }
    if (!ends.empty()) return ends;
  }
  const std::size_t found = outline.find_instruction(symbol->computation, symbol->name);
  if (found == Outline::kNone) return Json(nullptr);
  const OutlineInstruction& instruction = outline.instructions()[found];
  return place_json(view, instruction.name, instruction.name_size);
}

Json references(const EditorView& view, std::size_t offset, bool include_definition) {
  Json places = Json::array();
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return places;
  for (const std::size_t place : occurrences(view, *symbol, include_definition)) {
    places.push_back(place_json(view, place, symbol->name.size()));
  }
  return places;
}

Json highlights(const EditorView& view, std::size_t offset) {
  Json places = Json::array();
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return places;
  for (const std::size_t place : occurrences(view, *symbol, /*include_definition=*/true)) {
    places.push_back({{"range", view.range(place, place + symbol->name.size())}});
  }
  return places;
}

Reply source_line(const EditorView& view, std::size_t offset, const std::vector<std::string>& folders) {
  const Spot spot = spot_at(view, offset);
  const NamedModule* named = view.document.module();
  if (named == nullptr || spot.instruction == Outline::kNone) return Json(nullptr);
  const Outline& outline = view.document.outline();
  const std::optional<InstructionView> instruction = named->find(
      outline.name(outline.computations()[spot.computation]), outline.name(outline.instructions()[spot.instruction]));
  if (!instruction) return Json(nullptr);
  const SourceLocation source = source_location(*instruction);
  if (source.file.empty()) return Json(nullptr);
  const std::filesystem::path path = find_source(source.file, view, folders);
  if (path.empty()) {
    return RpcError{RpcCode::kRequestFailed,
                    "the source file " + source.file + " is not on this machine, nor in a folder of the workspace",
                    nullptr};
  }
  const Json at = position_json({static_cast<std::size_t>(std::max(source.line, 1) - 1), 0});
  return Json{{"uri", uri_of_path(path.string())}, {"range", {{"start", at}, {"end", at}}}};
}

}  // namespace hloroof::internal::inline lsp

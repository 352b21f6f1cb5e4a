#include <algorithm>

#include "hloroof/attributes.h"
#include "lib/fronts/lsp/features.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/opcode_attributes.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline lsp {
namespace {

constexpr std::size_t kMostItems = 500;
constexpr std::size_t kMostDetail = 60;  // bytes of a shape

// The numbers of the protocol.
constexpr int kFunctionItem = 3;
constexpr int kVariableItem = 6;
constexpr int kPropertyItem = 10;
constexpr int kKeywordItem = 14;

class Items {
 public:
  Items(const EditorView& view, std::size_t begin, std::size_t end)
      : range_(view.range(begin, end)), prefix_(view.document.text().substr(begin, end - begin)) {}

  // Returns false if there is no room for more.
  bool add(std::string_view label, int kind, std::string_view text, std::string_view detail,
           std::string_view order = "") {
    if (label.substr(0, prefix_.size()) != prefix_) return true;
    if (items_.size() >= kMostItems) return is_complete_ = false;
    Json item = {{"label", std::string(label)},
                 {"kind", kind},
                 {"textEdit", {{"range", range_}, {"newText", std::string(text)}}}};
    if (!detail.empty()) item["detail"] = std::string(detail);
    if (!order.empty()) item["sortText"] = std::string(order) + std::string(label);
    items_.push_back(std::move(item));
    return true;
  }

  Json take() { return Json{{"isIncomplete", !is_complete_}, {"items", std::move(items_)}}; }

 private:
  Json range_;
  std::string_view prefix_;
  Json items_ = Json::array();
  bool is_complete_ = true;
};

// "bf16[8,128]{1,0} add": the beginning of what is right of the equals sign.
std::string_view detail_of(std::string_view text, const OutlineInstruction& instruction) {
  const std::string_view line = text.substr(instruction.begin, instruction.end - instruction.begin);
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return "";
  const std::string_view right = line.substr(equals + 3, kMostDetail);
  return right.substr(0, std::min(right.find_first_of("\r\n"), right.size()));
}

// The instructions before the line, the nearest first.
void add_operands(const EditorView& view, std::size_t instruction, Items& items) {
  const Outline& outline = view.document.outline();
  const std::size_t first = outline.computations()[outline.instructions()[instruction].computation].first;
  constexpr std::size_t kDigits = 8;
  for (std::size_t i = instruction; i > first; --i) {
    const OutlineInstruction& other = outline.instructions()[i - 1];
    std::string order = std::to_string(instruction - i);
    order.insert(0, kDigits - std::min(kDigits, order.size()), '0');
    if (!items.add(outline.name(other), kVariableItem, outline.name(other), detail_of(view.document.text(), other),
                   order)) {
      return;
    }
  }
}

void add_opcodes(Items& items) {
  for (int i = 0; i < static_cast<int>(Opcode::kUnknown); ++i) {
    const std::string text(to_string(static_cast<Opcode>(i)));
    items.add(text, kKeywordItem, text + "(", "");
  }
}

void add_attributes(Opcode opcode, Items& items) {
  const OpcodeAttributes& attributes = opcode_attributes(opcode);
  for (int i = 0; i < static_cast<int>(AttributeKey::kConstantLiteral); ++i) {
    const auto key = static_cast<AttributeKey>(i);
    if (!attributes.allowed.contains(key)) continue;
    const bool is_required = attributes.required.contains(key);
    const std::string name(to_string(key));
    items.add(name, kPropertyItem, name + "=", attribute_meaning(key), is_required ? "0" : "1");
  }
}

void add_computations(const EditorView& view, Items& items) {
  const Outline& outline = view.document.outline();
  for (const OutlineComputation& computation : outline.computations()) {
    if (!items.add(outline.name(computation), kFunctionItem, outline.name(computation), "computation")) return;
  }
}

}  // namespace

Json completions(const EditorView& view, std::size_t offset) {
  const std::string_view text = view.document.text();
  const Outline& outline = view.document.outline();
  const std::size_t instruction = outline.instruction_at(offset);
  if (instruction == Outline::kNone) return nullptr;
  std::size_t begin = offset;
  const std::size_t line_begin = outline.instructions()[instruction].begin;
  while (begin > line_begin && is_word(text[begin - 1])) --begin;
  // What is expected where the word begins.
  const LineTokens before = instruction_tokens(text, line_begin, begin);
  Items items(view, begin, offset);
  switch (before.expected) {
    case Expected::kOther: break;
    case Expected::kOpcode: add_opcodes(items); break;
    case Expected::kOperand: add_operands(view, instruction, items); break;
    case Expected::kAttributeName: add_attributes(before.opcode, items); break;
    case Expected::kComputation: add_computations(view, items); break;
  }
  return items.take();
}

}  // namespace hloroof::internal::inline lsp

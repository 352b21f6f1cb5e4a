// Categories and layer keys: the names under which profiles group operations.
//
// Sources: HloInstruction::ToCategory and its overrides in openxla/xla xla/hlo/ir (fusion kinds, data formatting,
// non-fusion elementwise, convolution); XProf's TPU profiles for "convolution fusion" and the collective fusions.
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "hloroof/analysis.h"

namespace hloroof::inline v0 {
namespace {

// How far nested fusions are looked into for what a fusion holds.
constexpr int kMaxNesting = 8;

bool is_collective(Opcode opcode) { return work_class(opcode) == WorkClass::kCollective; }

// What a fusion is about: the most telling opcode inside, and whether it does anything but rearrange data.
struct FusionContent {
  Opcode collective = Opcode::kUnknown;
  bool has_contraction = false;
  bool only_formatting = true;
};

bool is_formatting(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kTuple: return true;
    default: return false;
  }
}

FusionContent content_of(InstructionView fusion) {
  FusionContent content;
  struct Open {
    ComputationId id;
    int nesting;
  };
  absl::InlinedVector<Open, 4> open;
  for (ComputationId id : fusion.called_computations()) open.push_back({id, 0});
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    for (InstructionView inner : fusion.module().computation(at.id).instructions()) {
      const Opcode opcode = inner.opcode();
      if (is_collective(opcode) && content.collective == Opcode::kUnknown) content.collective = opcode;
      if (opcode == Opcode::kConvolution || opcode == Opcode::kDot) content.has_contraction = true;
      if (!is_formatting(opcode)) content.only_formatting = false;
      if (opcode == Opcode::kFusion && at.nesting < kMaxNesting) {
        for (ComputationId id : inner.called_computations()) open.push_back({id, at.nesting + 1});
      }
    }
  }
  return content;
}

std::string fusion_category(InstructionView fusion) {
  const FusionContent content = content_of(fusion);
  if (content.collective != Opcode::kUnknown) return std::string(to_string(content.collective)) + " fusion";
  if (content.has_contraction) return "convolution fusion";
  if (content.only_formatting) return "data formatting";
  const std::string_view kind = fusion.text(AttributeKey::kKind);
  if (kind == "kLoop") return "loop fusion";
  if (kind == "kInput") return "input fusion";
  if (kind == "kOutput") return "output fusion";
  if (kind == "kCustom") return "custom fusion";
  return "fusion";
}

// A copy between two memories moves bytes; one that changes the order or tiling rearranges them.
bool changes_layout(InstructionView copy) {
  if (copy.operand_count() != 1) return true;
  const Layout& to = copy.shape().layout;
  const Layout& from = copy.operand(0).shape().layout;
  return to.minor_to_major != from.minor_to_major || to.tiles != from.tiles;
}

std::string convolution_category(InstructionView convolution) {
  std::string category = "convolution";
  const std::string_view window = convolution.text(AttributeKey::kWindow);
  if (window.find("lhs_dilate") != std::string_view::npos) category += " base-dilated";
  if (window.find("rhs_dilate") != std::string_view::npos) category += " window-dilated";
  return category;
}

// The opcode that an asynchronous wrapper around one instruction stands for: "all-gather-start".
std::string async_category(InstructionView instruction, std::string_view suffix) {
  InstructionView at = instruction;
  // An update or done is after its start: follow the chain, which only goes back.
  while (at.called_computations().empty() && at.operand_count() == 1 &&
         work_class(at.operand(0).opcode()) == WorkClass::kAsync) {
    at = at.operand(0);
  }
  const auto called = at.computations(AttributeKey::kCalls);
  if (called.size() == 1 && called[0].data().root.valid()) {
    const InstructionView root = called[0].root();
    return std::string(root.opcode_text()) + std::string(suffix);
  }
  return std::string(instruction.opcode_text());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words whose digits are part of a type's name, not a count.
bool names_type(std::string_view letters) {
  constexpr std::string_view kTypes[] = {"f", "bf",    "s",      "u",   "c",    "fp",
                                         "e", "float", "bfloat", "int", "uint", "complex"};
  for (std::string_view type : kTypes) {
    if (letters == type) return true;
  }
  return false;
}

}  // namespace

std::string op_category(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kFusion: return fusion_category(instruction);
    case Opcode::kConvolution: return convolution_category(instruction);
    case Opcode::kCopy: return changes_layout(instruction) ? "data formatting" : "copy";
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kDynamicReshape: return "data formatting";
    case Opcode::kAsyncStart: return async_category(instruction, "-start");
    case Opcode::kAsyncUpdate: return async_category(instruction, "-update");
    case Opcode::kAsyncDone: return async_category(instruction, "-done");
    default:
      if (is_elementwise(instruction.opcode())) return "non-fusion elementwise";
      return std::string(instruction.opcode_text());
  }
}

std::string layer_key(std::string_view op_name) {
  std::string key;
  key.reserve(op_name.size());
  std::size_t word = 0;  // where the letters and digits before the current place began
  for (std::size_t i = 0; i < op_name.size();) {
    if (!is_digit(op_name[i])) {
      if (!is_letter(op_name[i])) word = i + 1;
      key += op_name[i++];
      continue;
    }
    std::size_t end = i;
    while (end < op_name.size() && is_digit(op_name[end])) ++end;
    const bool in_word = end < op_name.size() && is_letter(op_name[end]);
    std::size_t letters = word;
    while (letters < i && is_letter(op_name[letters])) ++letters;
    const bool folds = !in_word && !names_type(op_name.substr(word, letters - word));
    if (folds) {
      key += '*';
    } else {
      key += op_name.substr(i, end - i);
    }
    i = end;
  }
  return key;
}

}  // namespace hloroof::inline v0

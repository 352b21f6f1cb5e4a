// Categories, by which profiles group operations.
//
// Sources: HloInstruction::ToCategory and its overrides in openxla/xla xla/hlo/ir (fusion kinds, data formatting,
// non-fusion elementwise, convolution); XProf's TPU profiles for "convolution fusion" and the collective fusions.
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "lib/analysis/names.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {
namespace {

// The maximum depth of nested fusions that the category of a fusion takes into account.
constexpr int kMaxNesting = 8;

// The contents of a fusion that determine its category.
struct FusionContent {
  Opcode collective = Opcode::kUnknown;
  bool has_contraction = false;
  bool only_formatting = true;
};

// Arranges data or hands it on, and computes nothing.
bool is_formatting(Opcode opcode) {
  const Flow f = flow(opcode);
  const bool moves = keeps_elements(opcode) && f != Flow::kConverts;
  return moves || is_alias(opcode) || f == Flow::kParameter || f == Flow::kFuses || opcode == Opcode::kConstant;
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

// Whether a copy changes the order or the tiling. Other copies only move bytes between memories.
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

// The category of an async op that wraps one instruction: "all-gather-start".
std::string async_category(InstructionView instruction, std::string_view suffix) {
  InstructionView at = instruction;
  // Follow the operands of a done or update back to the start. Operands precede their users, so this terminates.
  while (at.called_computations().empty() && at.operand_count() == 1 &&
         work_class(at.operand(0).opcode()) == WorkClass::kAsync) {
    at = at.operand(0);
  }
  const auto called = at.computations(AttributeKey::kCalls);
  if (called.size() == 1 && row_of(called[0]).root.valid()) {
    const InstructionView root = called[0].root();
    return std::string(root.opcode_text()) + std::string(suffix);
  }
  return std::string(instruction.opcode_text());
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

}  // namespace hloroof::internal::inline analysis

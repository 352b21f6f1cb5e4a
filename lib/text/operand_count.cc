#include "lib/text/operand_count.h"

namespace hloroof::inline v0 {
namespace {

struct Rule {
  std::size_t least;
  std::size_t step;  // from the least on
  const char* words;
};

// Of the opcodes that take several numbers.
const Rule* rule_of(Opcode opcode) {
  static constexpr Rule kPairs = {2, 2, "an even, positive number of"};
  static constexpr Rule kOddFromThree = {3, 2, "an odd number, 3 or more, of"};
  static constexpr Rule kTwoOrMore = {2, 1, "2 or more"};
  static constexpr Rule kOneOrMore = {1, 1, "1 or more"};
  switch (opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow: return &kPairs;
    case Opcode::kScatter: return &kOddFromThree;
    case Opcode::kConvolution:
    case Opcode::kDynamicUpdateSlice: return &kTwoOrMore;
    case Opcode::kConditional:
    case Opcode::kConcatenate:
    case Opcode::kSort:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: return &kOneOrMore;
    default: return nullptr;
  }
}

}  // namespace

bool takes_operands(Opcode opcode, std::size_t count) {
  if (const Rule* rule = rule_of(opcode)) return count >= rule->least && (count - rule->least) % rule->step == 0;
  const int fixed = arity(opcode);
  return fixed < 0 || count == static_cast<std::size_t>(fixed);
}

std::string operand_counts(Opcode opcode) {
  if (const Rule* rule = rule_of(opcode)) return rule->words;
  const int fixed = arity(opcode);
  return fixed < 0 ? "" : std::to_string(fixed);
}

}  // namespace hloroof::inline v0

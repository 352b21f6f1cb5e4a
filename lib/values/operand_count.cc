#include "lib/values/operand_count.h"

#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline values {
namespace {

struct Choice {
  std::size_t least;
  std::size_t step;  // between permitted numbers, from the smallest on
  const char* words;
};

constexpr Choice kChoices[] = {
    {1, 1, "1 or more"},
    {2, 1, "2 or more"},
    {2, 2, "an even, positive number of"},
    {3, 2, "an odd number, 3 or more, of"},
};

// The numbers that an opcode can choose from; null where the number is fixed or arbitrary.
const Choice* choice_of(Opcode opcode) {
  const int rule = operand_rule(opcode);
  return rule < -1 ? &kChoices[kOneOrMore - rule] : nullptr;
}

}  // namespace

bool takes_operands(Opcode opcode, std::size_t count) {
  if (const Choice* choice = choice_of(opcode)) {
    return count >= choice->least && (count - choice->least) % choice->step == 0;
  }
  const int fixed = arity(opcode);
  return fixed < 0 || count == static_cast<std::size_t>(fixed);
}

std::string operand_counts(Opcode opcode) {
  if (const Choice* choice = choice_of(opcode)) return choice->words;
  const int fixed = arity(opcode);
  return fixed < 0 ? "" : std::to_string(fixed);
}

}  // namespace hloroof::internal::inline values

#include "lib/kernel/gpu/gpu_ptx.h"

#include <algorithm>

namespace hloroof::internal::inline kernel {
namespace {

struct PtxRule {
  std::string_view prefix;
  OpCost cost;
  Opcode opcode;
};

constexpr PtxRule kPtxRules[] = {
#define HLOROOF_PTX(prefix, cost, opcode) {prefix, OpCost::cost, Opcode::opcode},
#include "lib/kernel/gpu/gpu_ptx.def"
};

const PtxRule* rule_of(std::string_view name) {
  const PtxRule* best = nullptr;
  for (const PtxRule& rule : kPtxRules) {
    if (name.substr(0, rule.prefix.size()) != rule.prefix) continue;
    if (best == nullptr || rule.prefix.size() > best->prefix.size()) best = &rule;
  }
  return best;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The type that PTX spells `text`; kInvalid if it is none. Integers are those of 32 bits in all other ways.
ElementType ptx_type(std::string_view text, double& elements) {
  struct Named {
    std::string_view text;
    ElementType type;
    double elements;
  };
  constexpr Named kTypes[] = {
      {"f64", ElementType::kF64, 1},     {"f32", ElementType::kF32, 1},   {"f32x2", ElementType::kF32, 2},
      {"f16", ElementType::kF16, 1},     {"f16x2", ElementType::kF16, 2}, {"bf16", ElementType::kBf16, 1},
      {"bf16x2", ElementType::kBf16, 2}, {"tf32", ElementType::kF32, 1},  {"e4m3", ElementType::kF8e4m3fn, 1},
      {"e5m2", ElementType::kF8e5m2, 1}, {"s8", ElementType::kS8, 1},     {"u8", ElementType::kU8, 1},
      {"s4", ElementType::kS4, 1},       {"u4", ElementType::kU4, 1},     {"s32", ElementType::kS32, 1},
      {"u32", ElementType::kU32, 1},     {"b32", ElementType::kU32, 1},   {"s64", ElementType::kS64, 1},
      {"u64", ElementType::kU64, 1},     {"b64", ElementType::kU64, 1},   {"s16", ElementType::kS16, 1},
      {"u16", ElementType::kU16, 1},     {"b16", ElementType::kU16, 1},
  };
  for (const Named& named : kTypes) {
    if (named.text != text) continue;
    elements = named.elements;
    return named.type;
  }
  return ElementType::kInvalid;
}

// "m64n128k16"
bool read_mma_shape(std::string_view text, PtxInstruction& instruction) {
  double* const sizes[] = {&instruction.m, &instruction.n, &instruction.k};
  constexpr char kLetters[] = {'m', 'n', 'k'};
  std::size_t at = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (at >= text.size() || text[at] != kLetters[i]) return false;
    double value = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 1e6; ++at) {
      value = value * 10 + (text[at] - '0');
    }
    *sizes[i] = value;
  }
  return at == text.size();
}

// name := part ('.' part)*
PtxInstruction read_instruction(std::string_view name) {
  PtxInstruction instruction;
  instruction.name = name;
  if (const PtxRule* const rule = rule_of(name)) {
    instruction.cost = rule->cost;
    instruction.opcode = rule->opcode;
  }
  std::vector<ElementType> types;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    double elements = 1;
    const ElementType type = ptx_type(part, elements);
    if (type != ElementType::kInvalid) {
      types.push_back(type);
      instruction.type = type;
      instruction.elements = elements;
    }
    if (!part.empty() && part[0] == 'm') read_mma_shape(part, instruction);
    at = end + 1;
  }
  if (instruction.cost != OpCost::kDot) return instruction;
  // The type of the result, then those of the operands.
  if (types.size() < 3 || instruction.m * instruction.n * instruction.k <= 0) {
    instruction.cost = OpCost::kUnknown;
    return instruction;
  }
  instruction.lhs = types[1];
  instruction.rhs = types[2];
  if (name.substr(0, 5) == "wgmma") instruction.threads = kWarpGroupThreads;
  return instruction;
}

}  // namespace

// assembly    := statement (';' statement)*
// statement   := '{' | '}' | directive | ('@' predicate)? name operands
std::vector<PtxInstruction> read_ptx(std::string_view assembly) {
  std::vector<PtxInstruction> instructions;
  std::size_t at = 0;
  while (at < assembly.size()) {
    const std::size_t end = std::min(assembly.find(';', at), assembly.size());
    std::string_view statement = assembly.substr(at, end - at);
    at = end + 1;
    const auto skip = [&statement] {
      while (!statement.empty() &&
             (is_blank(statement.front()) || statement.front() == '{' || statement.front() == '}')) {
        statement.remove_prefix(1);
      }
    };
    skip();
    if (!statement.empty() && statement.front() == '@') {
      while (!statement.empty() && !is_blank(statement.front())) statement.remove_prefix(1);
      skip();
    }
    if (statement.empty() || statement.front() == '.') continue;
    const auto* const name_end = std::find_if(statement.begin(), statement.end(), is_blank);
    const std::string_view name = statement.substr(0, static_cast<std::size_t>(name_end - statement.begin()));
    if (name.find(':') != std::string_view::npos && name.back() == ':') continue;  // a label
    instructions.push_back(read_instruction(name));
  }
  return instructions;
}

}  // namespace hloroof::internal::inline kernel

// Patterns of instructions and their operands, and the search for names.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hloroof/edit.h"
#include "lib/base/error_place.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::inline v0 {
namespace {

constexpr int kMostLevels = 64;

using Found = std::map<std::string, InstructionId>;

bool is_in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// "all-gather" and, as it is in Python, "all_gather".
std::optional<Opcode> opcode_of(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const std::optional<Opcode> opcode = internal::opcode_from_string(dashed);
  return opcode && *opcode != Opcode::kUnknown ? opcode : std::nullopt;
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  absl::StatusOr<Pattern> read() {
    Pattern result;
    if (absl::Status status = read_one(result, 1); !status.ok()) return status;
    skip_space();
    if (at_ < text_.size()) return error("expects the end of the pattern");
    return result;
  }

 private:
  absl::Status error(std::string_view message) const { return internal::located_error("pattern", text_, at_, message); }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_in_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // pattern ::= '*' | '%' name | ['%' name '='] opcode ['(' pattern {',' pattern} ')']
  // NOLINTNEXTLINE(misc-no-recursion): kMostLevels bounds it.
  absl::Status read_one(Pattern& pattern, int level) {
    if (level > kMostLevels) return internal::resource_exhausted("a pattern has at most 64 levels");
    if (accept('*')) return absl::OkStatus();
    if (accept('%')) {
      pattern.name = std::string(word());
      if (pattern.name.empty()) return error("expects a name after %");
      if (!accept('=')) return absl::OkStatus();
    }
    skip_space();
    const std::size_t begin = at_;
    const std::string_view name = word();
    const std::optional<Opcode> opcode = opcode_of(name);
    if (!opcode) {
      at_ = begin;
      return error(name.empty() ? "expects an opcode, %name or *"
                                : absl::StrCat("expects an opcode, of which the nearest is ",
                                               internal::nearest_names(name, internal::opcode_names(), 1).front(),
                                               "; any value is %", internal::to_absl(name)));
    }
    pattern.opcode = *opcode;
    if (!accept('(')) return absl::OkStatus();
    do {
      Pattern& operand = pattern.operands.emplace_back();
      if (absl::Status status = read_one(operand, level + 1); !status.ok()) return status;
    } while (accept(','));
    return accept(')') ? absl::OkStatus() : error("expects , or )");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Recurses as deep as the pattern, not as the module.
// NOLINTNEXTLINE(misc-no-recursion): kMostLevels bounds it.
bool matches(InstructionView at, const Pattern& pattern, absl::Span<const Opcode> through, Found& found) {
  if (pattern.opcode != Opcode::kUnknown && at.opcode() != pattern.opcode) return false;
  if (!pattern.operands.empty() && pattern.operands.size() != at.operand_count()) return false;
  if (!pattern.name.empty()) {
    const auto [known, is_new] = found.emplace(pattern.name, at.id());
    if (!is_new && known->second != at.id()) return false;
  }
  for (std::size_t i = 0; i < pattern.operands.size(); ++i) {
    InstructionView operand = at.operand(i);
    const Pattern& wanted = pattern.operands[i];
    while (operand.opcode() != wanted.opcode && operand.operand_count() == 1 &&
           std::find(through.begin(), through.end(), operand.opcode()) != through.end()) {
      operand = operand.operand(0);
    }
    if (!matches(operand, wanted, through, found)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Pattern> read_pattern(std::string_view text) { return PatternReader(text).read(); }

std::optional<std::map<std::string, InstructionId>> match(InstructionView instruction, const Pattern& pattern,
                                                          absl::Span<const Opcode> through) {
  Found found;
  if (!matches(instruction, pattern, through, found)) return std::nullopt;
  return found;
}

absl::StatusOr<InstructionId> find_by_name(const Module& module, std::string_view name) {
  InstructionId found;
  std::string_view other;
  bool is_only = true;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      if (instruction.name() != name) continue;
      if (computation.is_entry()) return instruction.id();
      is_only = is_only && !found.valid();
      if (!found.valid()) other = computation.name();
      found = instruction.id();
    }
  }
  if (!found.valid()) return internal::not_found("there is no instruction " + std::string(name));
  if (is_only) return found;
  return internal::invalid_argument("there are several instructions " + std::string(name) + ", one of them in " +
                                    std::string(other));
}

}  // namespace hloroof::inline v0

#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "hloroof/module.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/values/opcode_attributes.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

// Whether the first brace of `text` closes at its end, ignoring braces in strings. XLA prints such a text unquoted.
bool is_json_object(std::string_view text) {
  if (text.empty() || text[0] != '{') return false;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

// Appends the computations `ids` as name=%a or name={%a, %b}.
absl::Status append_computations(const char* name, const std::vector<std::int64_t>& ids, bool braces,
                                 const Names& names, std::string& out) {
  absl::StrAppend(&out, ", ", name, braces ? "={" : "=");
  const char* separator = "";
  for (std::int64_t id : ids) {
    const auto found = names.computations.find(id);
    if (found == names.computations.end()) {
      return invalid_argument(absl::StrCat("calls the computation with id ", id, ", which is not in the module"));
    }
    absl::StrAppend(&out, separator, "%", to_absl(found->second));
    separator = ", ";
    if (static_cast<std::int64_t>(out.size()) > names.max_text) return too_long(names.max_text);
  }
  if (braces) out += '}';
  return absl::OkStatus();
}

absl::Status append_called(const WireMessage& i, std::string_view opcode, const Names& names,
                           const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out) {
  const std::vector<std::int64_t> called = i.integers(f::kCalled);
  if (called.empty()) return absl::OkStatus();
  const auto one = [&](const char* name, std::size_t at) {
    if (at >= called.size()) return invalid_argument("names too few computations");
    return append_computations(name, {called[at]}, false, names, out);
  };
  const auto two = [&](const char* first, std::size_t at, const char* second, std::size_t second_at) {
    absl::Status status = one(first, at);
    return status.ok() ? one(second, second_at) : status;
  };
  const std::optional<Opcode> known = opcode_from_string(opcode);
  if (!known) return append_computations("called_computations", called, true, names, out);
  switch (*known) {
    case Opcode::kWhile: return two("condition", 1, "body", 0);
    case Opcode::kSelectAndScatter: return two("select", 0, "scatter", 1);
    case Opcode::kConditional: {
      // A predicate selects one of two branches, an index one of any number.
      const std::vector<std::int64_t> operands = i.integers(f::kOperands);
      const auto selector = operands.empty() ? by_id.end() : by_id.find(operands[0]);
      const bool by_predicate = selector != by_id.end() && selector->second->message(f::kShape).integer(
                                                               fields::shape::kElementType) == 1 /* PRED */;
      if (by_predicate) return two("true_computation", 0, "false_computation", 1);
      return append_computations("branch_computations", called, true, names, out);
    }
    case Opcode::kCustomCall: return append_computations("called_computations", called, true, names, out);
    case Opcode::kTopk: return one("to_apply", 0);
    default: break;
  }
  absl::Status status =
      one(opcode_attributes(*known).allowed.contains(AttributeKey::kToApply) ? "to_apply" : "calls", 0);
  if (status.ok() && *known == Opcode::kCall && i.flag(f::kIsComposite)) out += ", is_composite=true";
  return status;
}

// The attributes of one instruction, printed by their rows. Returns false if one is malformed.
bool append_attributes(absl::Span<const AttributeField> fields, const WireMessage& instruction,
                       const WireMessage* first_operand, const Names& names, std::string& out) {
  WireMessage nested;  // kept, because the fields of one message follow one another
  std::uint32_t message = 0;
  std::uint32_t inner = 0;
  for (const AttributeField& field : fields) {
    if (!field.is_in_text) continue;
    if (field.message != 0 && (field.message != message || field.inner != inner)) {
      nested = instruction.message(field.message);
      if (field.inner != 0) nested = WireMessage(nested.bytes(field.inner));
      message = field.message;
      inner = field.inner;
    }
    const WireMessage& in = field.message == 0 ? instruction : nested;
    if (!field.form->print({field, in, instruction, first_operand, names, out})) return false;
  }
  return true;
}

// The attributes of the opcode.
bool append_opcode_attributes(const WireMessage& i, std::string_view opcode, const Names& names,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out) {
  const std::optional<Opcode> known = opcode_from_string(opcode);
  if (!known) return true;
  const WireMessage* first_operand = nullptr;
  if (*known == Opcode::kCompare) {
    const std::vector<std::int64_t> operands = i.integers(f::kOperands);
    const auto operand = operands.empty() ? by_id.end() : by_id.find(operands[0]);
    if (operand != by_id.end()) first_operand = operand->second;
  }
  return append_attributes(attribute_fields(*known), i, first_operand, names, out);
}

// Appends the attributes that follow those of the opcode, in the order of HloInstruction::PrintExtraAttributes().
absl::Status append_common(const WireMessage& i, const Names& names, std::string& out) {
  if (!append_attributes(common_fields().before_predecessors, i, nullptr, names, out)) {
    return invalid_argument("malformed sharding");
  }
  const std::vector<std::int64_t> predecessors = i.integers(f::kControlPredecessors);
  if (!predecessors.empty()) {
    const char* separator = ", control-predecessors={";
    for (std::int64_t id : predecessors) {
      const auto found = names.instructions.find(id);
      if (found == names.instructions.end()) {
        return invalid_argument(absl::StrCat("the control predecessor with id ", id, " is not in its computation"));
      }
      absl::StrAppend(&out, separator, "%", to_absl(found->second));
      separator = ", ";
      if (static_cast<std::int64_t>(out.size()) > names.max_text) return too_long(names.max_text);
    }
    out += '}';
  }
  if (!append_attributes(common_fields().after_predecessors, i, nullptr, names, out)) {
    return invalid_argument("malformed original value");
  }
  return absl::OkStatus();
}

// The id of the computation that an async op wraps; -1 if there is none. Updates and dones follow their operands to the
// start, also if a tuple holds it on the way.
std::int64_t wrapped_computation(const WireMessage& async,
                                 const std::unordered_map<std::int64_t, const WireMessage*>& by_id) {
  const WireMessage* at = &async;
  std::vector<std::int64_t> path;  // the elements of tuples that lead to the start, innermost first
  for (std::size_t steps = 0; steps <= by_id.size(); ++steps) {
    const std::string_view opcode = at->bytes(f::kOpcode);
    const std::vector<std::int64_t> operands = at->integers(f::kOperands);
    std::size_t next = 0;
    if (opcode == "get-tuple-element") {
      path.push_back(at->integer(f::kTupleIndex));
    } else if (opcode == "tuple") {
      if (path.empty() || path.back() < 0) return -1;
      next = static_cast<std::size_t>(path.back());
      path.pop_back();
    } else {
      if (!opcode.starts_with("async-") || !path.empty()) return -1;
      const std::vector<std::int64_t> called = at->integers(f::kCalled);
      if (!called.empty()) return called[0];
    }
    const auto operand = next < operands.size() ? by_id.find(operands[next]) : by_id.end();
    if (operand == by_id.end()) return -1;
    at = operand->second;
  }
  return -1;
}

}  // namespace

absl::Status too_long(std::int64_t max_text) {
  return resource_exhausted(absl::StrCat("the text of the module exceeds the limit of ", max_text, " bytes"));
}

void append_list(absl::Span<const std::int64_t> values, std::string& out, const char* separator) {
  for (std::size_t i = 0; i < values.size(); ++i) absl::StrAppend(&out, i > 0 ? separator : "", values[i]);
}

void append_quoted(std::string_view text, std::string& out) {
  absl::StrAppend(&out, "\"", absl::CEscape(to_absl(text)), "\"");
}

void append_json_or_quoted(std::string_view text, std::string& out) {
  if (is_json_object(text)) {
    out += text;
  } else {
    append_quoted(text, out);
  }
}

absl::Status append_instruction(const WireMessage& i, bool is_root, const Names& names,
                                const std::unordered_map<std::int64_t, const WireMessage*>& by_id,
                                const WrappedOps& wrapped, std::string& out) {
  const std::string_view name = i.bytes(f::kName);
  const std::string_view opcode = i.bytes(f::kOpcode);
  absl::StrAppend(&out, is_root ? "ROOT %" : "%", to_absl(name), " = ");
  if (!append_shape(i.bytes(f::kShape), true, out)) return invalid_argument("malformed shape");

  // An async op prints as the op that it wraps: slice-start( instead of async-start(.
  const bool is_async = opcode == "async-start" || opcode == "async-update" || opcode == "async-done";
  const auto inner = is_async ? wrapped.find(wrapped_computation(i, by_id)) : wrapped.end();
  const bool is_sugared = inner != wrapped.end();
  if (is_sugared) {
    absl::StrAppend(&out, " ", to_absl(inner->second.opcode), to_absl(opcode.substr(5)), "(");
  } else {
    absl::StrAppend(&out, " ", to_absl(opcode), "(");
  }

  const std::vector<std::int64_t> operands = i.integers(f::kOperands);
  if (opcode == "parameter") {
    absl::StrAppend(&out, i.integer(f::kParameter));
  } else if (opcode == "constant") {
    if (!append_literal(i.bytes(f::kLiteral), names.most_elements, out)) return invalid_argument("malformed literal");
  }
  for (std::size_t o = 0; o < operands.size(); ++o) {
    const auto found = names.instructions.find(operands[o]);
    if (found == names.instructions.end()) {
      return invalid_argument(absl::StrCat("operand ", o, " is not in its computation"));
    }
    if (o > 0) out += ", ";
    if (o > 0 && o % 5 == 0) absl::StrAppend(&out, "/*index=", o, "*/");
    absl::StrAppend(&out, "%", to_absl(found->second));
    if (static_cast<std::int64_t>(out.size()) > names.max_text) return too_long(names.max_text);
  }
  out += ')';

  if (!append_opcode_attributes(i, opcode, names, by_id, out)) return invalid_argument("malformed attribute");
  if (is_sugared && opcode == "async-start") {  // it has the attributes of the wrapped op
    const WireMessage& op = inner->second.instruction;
    if (!append_opcode_attributes(op, inner->second.opcode, names, {}, out)) {
      return invalid_argument("malformed attribute of the wrapped op");
    }
    if (absl::Status status = append_called(op, inner->second.opcode, names, {}, out); !status.ok()) return status;
    if (absl::Status status = append_common(op, names, out); !status.ok()) return status;
  }
  const bool shows_calls = !is_async || (!is_sugared && opcode == "async-start");
  if (shows_calls) {
    if (absl::Status status = append_called(i, opcode, names, by_id, out); !status.ok()) return status;
  }
  if (absl::Status status = append_common(i, names, out); !status.ok()) return status;
  append_attributes(common_fields().last, i, nullptr, names, out);  // none of these can be malformed
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline proto

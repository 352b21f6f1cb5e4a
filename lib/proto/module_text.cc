#include "lib/proto/module_text.h"

#include <optional>
#include <unordered_map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "hloroof/module.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/proto/messages.h"
#include "lib/text/legal_name.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

struct Computation {
  WireMessage message;
  std::vector<WireMessage> instructions;
  std::int64_t id = 0;
};

std::vector<Computation> read_computations(const WireMessage& module) {
  std::vector<Computation> computations;
  for (std::string_view bytes : module.all(fields::module::kComputations)) {
    Computation& c = computations.emplace_back();
    c.message = WireMessage(bytes);
    c.id = c.message.integer(fields::computation::kId);
    for (std::string_view instruction : c.message.all(fields::computation::kInstructions)) {
      c.instructions.emplace_back(instruction);
    }
  }
  return computations;
}

// The instruction ids of each scheduled computation in execution order.
std::unordered_map<std::int64_t, std::vector<std::int64_t>> read_schedule(const WireMessage& module) {
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> orders;
  for (std::string_view bytes : module.message(fields::module::kSchedule).all(fields::schedule::kSequences)) {
    const WireMessage entry(bytes);
    orders[entry.integer(fields::map_entry::kKey)] =
        entry.message(fields::map_entry::kValue).integers(fields::schedule::kIds);
  }
  return orders;
}

// The wrapped computations with one instruction besides parameters. They are not printed.
WrappedOps find_wrapped(const std::vector<Computation>& computations) {
  WrappedOps wrapped;
  std::unordered_map<std::int64_t, const Computation*> by_id;
  for (const Computation& c : computations) by_id[c.id] = &c;
  for (const Computation& c : computations) {
    for (const WireMessage& i : c.instructions) {
      if (i.bytes(f::kOpcode) != "async-start") continue;
      const std::vector<std::int64_t> called = i.integers(f::kCalled);
      const auto found = called.empty() ? by_id.end() : by_id.find(called[0]);
      if (found == by_id.end()) continue;
      const WireMessage* only = nullptr;
      bool is_single = true;
      for (const WireMessage& inner : found->second->instructions) {
        if (inner.bytes(f::kOpcode) == "parameter") continue;
        is_single = is_single && only == nullptr;
        only = &inner;
      }
      if (only == nullptr && found->second->instructions.size() == 1) only = &found->second->instructions[0];
      if (!is_single || only == nullptr) continue;
      // X-start of an X that is unknown, or has a start of its own, would read as another operation.
      const std::optional<Opcode> opcode = opcode_from_string(only->bytes(f::kOpcode));
      if (opcode && !has_done(*opcode)) wrapped[found->first] = {*only, only->bytes(f::kOpcode)};
    }
  }
  return wrapped;
}

// The text has names as they are, and the writer finds an instruction again by its name. A name that the parser would
// cut or skip a part of is refused. XLA prints only such names as the parser reads.
absl::Status check_names(const Computation& c) {
  const auto quoted = [](std::string_view name) { return absl::StrCat("'", absl::CEscape(to_absl(name)), "'"); };
  const std::string_view name = c.message.bytes(fields::computation::kName);
  if (!is_name(name)) return invalid_argument(absl::StrCat(quoted(name), " is not a legal name of a computation"));
  for (const WireMessage& i : c.instructions) {
    const std::string_view own = i.bytes(f::kName);
    if (i.ok() && !is_name(own)) {
      return invalid_argument(
          absl::StrCat("computation ", to_absl(name), ": ", quoted(own), " is not a legal name of an instruction"));
    }
    const std::string_view opcode = i.bytes(f::kOpcode);
    if (i.ok() && !is_name(opcode)) {
      return invalid_argument(
          absl::StrCat(to_absl(own), " in ", to_absl(name), ": ", quoted(opcode), " is not an opcode"));
    }
  }
  return absl::OkStatus();
}

// name (p: shape, q: shape) -> shape
bool append_signature(const Computation& c, std::string& out) {
  const WireMessage shape = c.message.message(fields::computation::kShape);
  const std::vector<std::string_view> parameters = shape.all(fields::program_shape::kParameters);
  const std::vector<std::string_view> names = shape.all(fields::program_shape::kNames);
  absl::StrAppend(&out, "%", to_absl(c.message.bytes(fields::computation::kName)), " (");
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (p > 0) out += ", ";
    if (p < names.size()) absl::StrAppend(&out, to_absl(names[p]), ": ");
    if (!append_shape(parameters[p], false, out)) return false;
  }
  out += ") -> ";
  return append_shape(shape.bytes(fields::program_shape::kResult), false, out);
}

absl::Status append_computation(const Computation& c, bool is_entry, const std::vector<std::int64_t>* order,
                                Names& names, const WrappedOps& wrapped, std::string& out) {
  const std::string name(c.message.bytes(fields::computation::kName));
  if (absl::Status status = check_names(c); !status.ok()) return status;
  if (is_entry) out += "ENTRY ";
  if (!c.message.ok() || !append_signature(c, out)) {
    return invalid_argument("computation " + name + ": malformed program shape");
  }
  out += " {\n";

  std::unordered_map<std::int64_t, const WireMessage*> by_id;
  names.instructions.clear();
  for (const WireMessage& i : c.instructions) {
    if (!i.ok()) return invalid_argument("computation " + name + ": malformed or truncated instruction");
    by_id[i.integer(f::kId)] = &i;
    names.instructions[i.integer(f::kId)] = i.bytes(f::kName);
  }
  const std::int64_t root = c.message.integer(fields::computation::kRoot);
  const auto append = [&](const WireMessage& i) -> absl::Status {
    out += "  ";
    absl::Status status = append_instruction(i, i.integer(f::kId) == root, names, by_id, wrapped, out);
    if (status.code() == absl::StatusCode::kResourceExhausted) return status;
    if (!status.ok()) {
      return invalid_argument(
          absl::StrCat(to_absl(i.bytes(f::kName)), " in ", name, ": ", std::string(status.message())));
    }
    out += '\n';
    if (static_cast<std::int64_t>(out.size()) > names.max_text) return too_long(names.max_text);
    return absl::OkStatus();
  };
  // Before the end of a compile, a schedule has empty sequences for the computations of fusions.
  if (order == nullptr || order->empty()) {
    for (const WireMessage& i : c.instructions) {
      if (absl::Status status = append(i); !status.ok()) return status;
    }
  } else {
    if (order->size() != by_id.size()) {
      return invalid_argument(absl::StrCat("computation ", name, ": its schedule has ", order->size(),
                                           " instructions, but the computation ", by_id.size()));
    }
    for (std::int64_t id : *order) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) {
        return invalid_argument(
            absl::StrCat("computation ", name, ": its schedule names instruction ", id, ", which it does not have"));
      }
      if (absl::Status status = append(*found->second); !status.ok()) return status;
    }
  }
  const std::string_view thread = c.message.bytes(fields::computation::kExecutionThread);
  out += '}';
  if (!thread.empty() && thread != "main") absl::StrAppend(&out, ", execution_thread=\"", to_absl(thread), "\"");
  out += "\n\n";
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> module_text(std::string_view module_proto, const ModuleTextOptions& options) {
  const WireMessage module(module_proto);
  if (!module.ok()) {
    return invalid_argument(absl::StrCat("not a valid HloModuleProto: malformed or truncated field at byte ",
                                         module.fault(), "; check that the file is complete"));
  }
  std::string out;
  if (!append_header(module, out)) return invalid_argument("malformed layout of the entry computation");

  const std::vector<Computation> computations = read_computations(module);
  if (computations.empty()) return invalid_argument("the HloModuleProto has no computations");
  Names names;
  names.max_text = options.max_text;
  names.most_elements = options.most_elements;
  names.has_stack_frames = !module.message(fields::module::kStackFrames).all(fields::stack::kFrames).empty();
  names.payloads = module.all(fields::module::kPayloads);
  for (const Computation& c : computations) names.computations[c.id] = c.message.bytes(fields::computation::kName);
  const auto orders = read_schedule(module);
  const WrappedOps wrapped = find_wrapped(computations);
  const std::int64_t entry = module.integer(fields::module::kEntryId);
  for (const Computation& c : computations) {
    if (wrapped.count(c.id) > 0) continue;
    const auto order = orders.find(c.id);
    const absl::Status status =
        append_computation(c, c.id == entry, order == orders.end() ? nullptr : &order->second, names, wrapped, out);
    if (!status.ok()) return status;
  }
  return out;
}

}  // namespace hloroof::internal::inline proto

#include "lib/step/program_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/parse.h"
#include "lib/base/in_order.h"
#include "lib/base/strings.h"
#include "lib/code/code_folder.h"
#include "lib/code/executor.h"
#include "lib/hardware/device_facts.h"
#include "lib/values/backend_config.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline step {
namespace {

constexpr std::int64_t kMostCodeBytes = std::int64_t{4} << 30;  // of one file
constexpr std::size_t kMostNamed = 3;                           // ops in a message

double matrix_units_of(const Device& device) {
  return static_cast<double>(device.tpu()->matrix.count) / std::max(core_count(device), 1.0);
}

std::size_t shape_identity(const Module& module, ShapeId id) { return absl::HashOf(to_string(module.shapes(), id)); }

// Adds an instruction of a called computation. Its operands are those before it, by their position.
std::size_t inner_identity(InstructionView inner, const absl::flat_hash_map<std::uint32_t, std::size_t>& positions) {
  std::size_t identity = absl::HashOf(to_absl(inner.opcode_text()),
                                      to_string(inner.module().shapes(), inner.shape_id(), ShapeText::kWithoutLayout));
  for (std::size_t i = 0; i < inner.operand_count(); ++i) {
    const auto found = positions.find(inner.operand(i).id().index);
    identity = absl::HashOf(identity, found != positions.end() ? found->second : 0);
  }
  return identity;
}

// The identities of the instructions in the programs of the dump that have one of these names.
using Identities = absl::flat_hash_map<std::string, std::size_t>;
Identities identities_of(const Module& module, const absl::flat_hash_map<std::string, InstructionId>& names) {
  Identities identities;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      const std::string name(instruction.name());
      if (names.contains(name)) identities.emplace(name, op_identity(instruction));
    }
  }
  return identities;
}

// What the code uses and the device does not have; empty if it has all.
std::string missing_unit(const CodeRow& row, const ProgramCode& code, const Device& device) {
  if (static_cast<double>(row.matrix_units) > code.matrix_units) {
    return absl::StrCat(row.op, " uses matrix unit ", row.matrix_units - 1, ", and a core of ", device.name, " has ",
                        code.matrix_units);
  }
  if (row.joins_cores && code.core.cores == 1) {
    return absl::StrCat(row.op, " is written for several cores that are one device, and ", device.name,
                        " has one core");
  }
  return "";
}

// What the device has and no code uses that could.
std::string unused_unit(const ProgramCode& code, const Device& device) {
  std::int64_t most = 0;
  bool is_joined = false;
  for (const auto& [name, op] : code.ops) {
    if (!op.row) continue;
    most = std::max(most, op.row->matrix_units);
    is_joined = is_joined || op.row->joins_cores;
  }
  if (most > 0 && static_cast<double>(most) < code.matrix_units) {
    return absl::StrCat("its products use ", most, " matrix unit", most == 1 ? "" : "s", ", and a core of ",
                        device.name, " has ", code.matrix_units);
  }
  if (!is_joined && code.core.cores > 1) {
    return absl::StrCat("it is written for one core, and ", device.name, " has ", code.core.cores);
  }
  return "";
}

std::string some_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  return absl::StrCat(absl::StrJoin(names, ", "), count > kMostNamed ? ", ..." : "");
}

absl::Status other_program(const std::string& folder, const Module& module, const std::string& why) {
  return invalid_argument(absl::StrCat("the code in ", folder, " is not of the program ", to_absl(module.name()), ": ",
                                       why, ". Dump the code and the text in one compile"));
}

}  // namespace

std::size_t op_identity(InstructionView instruction) {
  const Module& module = instruction.module();
  std::size_t identity =
      absl::HashOf(to_absl(instruction.opcode_text()), shape_identity(module, instruction.shape_id()),
                   to_absl(instruction.text(AttributeKey::kCustomCallTarget)),
                   instruction.opcode() == Opcode::kCustomCall ? kernel_body(instruction) : "");
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    identity = absl::HashOf(identity, shape_identity(module, instruction.operand(i).shape_id()));
  }
  std::vector<ComputationId> rest;
  absl::flat_hash_set<std::uint32_t> seen;
  const auto add = [&](InstructionView caller) {
    for (const ComputationId called : caller.called_computations()) {
      if (called.valid() && seen.insert(called.index).second) rest.push_back(called);
    }
  };
  add(instruction);
  while (!rest.empty()) {
    const ComputationId next = rest.back();
    rest.pop_back();
    absl::flat_hash_map<std::uint32_t, std::size_t> positions;
    for (const InstructionView inner : module.computation(next).instructions()) {
      identity = absl::HashOf(identity, inner_identity(inner, positions));
      positions.emplace(inner.id().index, positions.size() + 1);
      add(inner);
    }
  }
  return identity;
}

absl::StatusOr<std::shared_ptr<const ProgramCode>> read_program_code(const std::string& folder, const Module& module,
                                                                     const Device& device) {
  const absl::StatusOr<CodeCore> core = code_core(device);
  if (!core.ok()) return core.status();
  const absl::StatusOr<CodeFolder> found = find_code(folder);
  if (!found.ok()) return found.status();
  auto code = std::make_shared<ProgramCode>();
  code->folder = folder;
  code->core = *core;
  code->matrix_units = matrix_units_of(device);

  absl::flat_hash_map<std::string, InstructionId> names;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      names.emplace(std::string(instruction.name()), instruction.id());
    }
  }
  std::vector<std::optional<Identities>> programs(found->modules.size());
  for (std::size_t i = 0; i < found->modules.size(); ++i) {
    const absl::StatusOr<Module> program = load_module(found->modules[i]);
    if (program.ok()) programs[i] = identities_of(*program, names);
  }

  // The last file of the same instruction, or else the last file of that name.
  absl::flat_hash_map<std::string, const CodeFile*> files;
  std::vector<std::string> others;
  for (const CodeFile& file : found->files) {
    const auto named = names.find(file.instruction);
    if (named == names.end()) {
      others.push_back(file.instruction);
      continue;
    }
    OpCode op;
    const std::optional<std::size_t> of = found->module_of(file);
    if (of && programs[*of]) {
      const auto identity = programs[*of]->find(file.instruction);
      if (identity != programs[*of]->end()) op.identity = identity->second;
    }
    const std::size_t own = op_identity(module.instruction(named->second));
    const auto before = code->ops.find(file.instruction);
    const bool is_same = !op.identity || *op.identity == own;
    if (before != code->ops.end() && !is_same && files.contains(file.instruction)) continue;
    code->ops[file.instruction] = std::move(op);
    if (is_same) files[file.instruction] = &file;
  }
  code->others = others.size();
  if (code->ops.empty()) {
    return other_program(
        folder, module,
        absl::StrCat("it is of instructions that the program does not have: ", some_names(std::move(others))));
  }
  if (files.empty()) {
    std::vector<std::string> same_name;
    for (const auto& [name, op] : code->ops) same_name.push_back(name);
    return other_program(folder, module,
                         absl::StrCat("instructions of the same name are others there: ", some_names(same_name)));
  }

  std::vector<const CodeFile*> read;
  for (const auto& [name, file] : files) read.push_back(file);
  std::sort(read.begin(), read.end(), [](const CodeFile* a, const CodeFile* b) { return a->path < b->path; });
  std::string missing;
  make_in_order(
      read.size(), thread_count(0, read.size()),
      [&](std::size_t i) { return code_row(*read[i], device, kMostCodeBytes); },
      [&](std::size_t i, absl::StatusOr<CodeRow> row) {
        OpCode& op = code->ops[read[i]->instruction];
        if (!row.ok()) {
          op.failure = from_absl(row.status().message());
          return;
        }
        if (missing.empty()) missing = missing_unit(*row, *code, device);
        op.row = *std::move(row);
      });
  if (!missing.empty()) {
    return invalid_argument(
        absl::StrCat("the code in ", folder, " is of another TPU than ", device.name, ": ", missing));
  }
  code->doubt = unused_unit(*code, device);
  return code;
}

bool is_code_of(const ProgramCode& code, const std::string& folder, const Device& device) {
  const absl::StatusOr<CodeCore> core = code_core(device);
  return code.folder == folder && core.ok() && *core == code.core && matrix_units_of(device) == code.matrix_units;
}

FoundCode find_code_of(const ProgramCode& code, InstructionView instruction) {
  const auto found = code.ops.find(to_absl(instruction.name()));
  if (found == code.ops.end()) return {};
  const OpCode& op = found->second;
  if (op.identity && *op.identity != op_identity(instruction)) return {CodeUse::kOtherOp, nullptr, ""};
  if (!op.row) return {CodeUse::kNotKnown, nullptr, op.failure};
  if (!op.row->failure.empty()) return {CodeUse::kNotKnown, &*op.row, op.row->failure};
  return {CodeUse::kUsed, &*op.row, ""};
}

CodeCycles cycles_of(const CodeRow& row, InstructionView instruction) {
  CodeCycles cycles;
  cycles.is_kernel = is_kernel_call(instruction);
  cycles.busy = row.busy_cycles.value_or(0);
  if (row.cycles) {
    cycles.waiting = *row.cycles - cycles.busy;
    cycles.hbm = row.hbm_cycles.value_or(0);
  }
  return cycles;
}

}  // namespace hloroof::internal::inline step

#include <string>

#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "lib/text/legal_name.h"
#include "lib/values/cursor.h"

namespace hloroof::inline v0 {
using namespace internal;

Module new_module(std::string_view name, const ModuleHeader& header) {
  Module module;
  ModuleBuilder builder(module);
  std::string word(name);
  Cursor cursor(word);
  std::string_view read;
  if (!cursor.read_name(&read) || !cursor.at_end() || read != word) word = "module";
  builder.set_name(builder.add_text(word));
  builder.set_has_header(true);
  const auto add = [&](AttributeKey key, const std::string& value) {
    AttributeData attribute;
    attribute.key = key;
    attribute.value = builder.add_text(value);
    builder.header_attributes().push_back(attribute);
  };
  if (header.is_scheduled) add(AttributeKey::kIsScheduled, "true");
  if (header.replica_count > 1) add(AttributeKey::kReplicaCount, std::to_string(header.replica_count));
  if (header.num_partitions > 1) add(AttributeKey::kNumPartitions, std::to_string(header.num_partitions));
  builder.set_is_scheduled(header.is_scheduled);
  builder.set_replica_count(header.replica_count > 1 ? header.replica_count : 1);
  builder.set_num_partitions(header.num_partitions > 1 ? header.num_partitions : 1);
  return module;
}

ComputationBuilder::ComputationBuilder(ModuleEditor& edit, std::string_view name, bool entry, ComputationId before)
    : edit_(edit) {
  if (!before.valid() && edit.module().has_entry()) before = edit.module().entry().id();
  id_ = edit.editor_->add_computation(is_name(name) ? name : "computation", entry, before);
  if (!is_name(name)) status_ = invalid_argument("'" + std::string(name) + "' is not a legal name of a computation");
}

InstructionId ComputationBuilder::add(const NewInstruction& made) {
  if (!status_.ok()) return {};
  const absl::StatusOr<InstructionId> id = edit_.append(id_, made);
  if (id.ok()) return *id;
  status_ = id.status();
  return {};
}

InstructionId ComputationBuilder::parameter(std::string_view shape, std::string_view name) {
  NewInstruction made;
  made.opcode = Opcode::kParameter;
  made.number = parameters_++;
  made.shape = std::string(shape);
  made.name = std::string(name);
  return add(made);
}

InstructionId ComputationBuilder::constant(std::string_view shape, std::string_view literal) {
  NewInstruction made;
  made.opcode = Opcode::kConstant;
  made.shape = std::string(shape);
  made.literal = std::string(literal);
  return add(made);
}

InstructionId ComputationBuilder::op(Opcode opcode, const std::vector<InstructionId>& operands,
                                     const std::vector<NewAttribute>& attributes, std::string_view shape,
                                     std::string_view name) {
  NewInstruction made;
  made.opcode = opcode;
  made.operands = operands;
  made.attributes = attributes;
  made.shape = std::string(shape);
  made.name = std::string(name);
  return add(made);
}

InstructionId ComputationBuilder::element(InstructionId tuple, std::uint32_t index) {
  NewInstruction made;
  made.opcode = Opcode::kGetTupleElement;
  made.operands = {tuple};
  made.number = index;
  return add(made);
}

absl::StatusOr<ComputationId> ComputationBuilder::finish(InstructionId root) {
  if (!status_.ok()) return status_;
  if (const auto place = edit_.editor_->place_of(id_); !place.ok()) return place.status();  // a rollback removed it
  const InstructionId last = row_of(edit_.module(), id_).last;
  if (!last.valid()) return invalid_argument("the computation has no instructions");
  if (absl::Status status = edit_.set_root(id_, root.valid() ? root : last); !status.ok()) return status;
  return id_;
}

}  // namespace hloroof::inline v0

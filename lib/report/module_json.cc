#include "lib/report/module_json.h"

#include <algorithm>

#include "lib/describe/json_writer.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline report {
namespace {

void write_instruction(const Module& module, InstructionView instruction, JsonWriter& out) {
  out.begin_object();
  out.member("name", instruction.name());
  out.member("opcode", instruction.opcode_text());
  out.member("shape", std::string_view(to_string(module.shapes(), instruction.shape_id())));
  out.member("root", instruction.is_root());
  if (instruction.opcode() == Opcode::kParameter) out.member("parameter_number", instruction.parameter_number());
  if (instruction.opcode() == Opcode::kGetTupleElement) out.member("tuple_index", instruction.tuple_index());
  out.key("operands");
  out.begin_array();
  for (InstructionView operand : instruction.operands()) out.value(operand.name());
  out.end_array();
  out.key("called_computations");
  out.begin_array();
  for (ComputationId callee : instruction.called_computations()) out.value(module.computation(callee).name());
  out.end_array();
  out.key("attributes");  // an array of pairs, because a name may occur twice
  out.begin_array();
  for (const AttributeData& attribute : instruction.attributes()) {
    const std::string_view value = module.text(attribute.value);
    out.begin_object();
    if (attribute.key == AttributeKey::kUnknown) {
      out.member("name", value.substr(0, attribute.name_size));
      out.member("value", value.substr(std::min<std::size_t>(value.size(), attribute.name_size + 1)));
    } else {
      const bool literal = attribute.key == AttributeKey::kConstantLiteral;
      out.member("name", literal ? std::string_view("literal") : to_string(attribute.key));
      out.member("value", value);
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace

std::string module_json(const Module& module) {
  JsonWriter out;
  out.begin_object();
  out.member("schema", "hloroof.module/1");
  out.member("name", module.name());
  out.member("is_scheduled", module.is_scheduled());
  out.member("num_partitions", module.num_partitions());
  out.member("replica_count", module.replica_count());
  out.key("computations");
  out.begin_array();
  for (ComputationView computation : module.computations()) {
    out.begin_object();
    out.member("name", computation.name());
    out.member("is_entry", computation.is_entry());
    out.member("execution_thread", ModuleRows::execution_thread(computation));
    out.key("instructions");
    out.begin_array();
    for (InstructionView instruction : computation.instructions()) write_instruction(module, instruction, out);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take_document();
}

}  // namespace hloroof::internal::inline report

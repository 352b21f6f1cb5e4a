#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/rows.h"
#include "lib/proto/encode_module.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/values/opcode_attributes.h"

namespace hloroof::internal::inline proto {
namespace {

// The computations that an instruction names, in the order of the proto.
std::vector<ComputationView> called_in_proto(InstructionView i) {
  std::vector<ComputationView> called;
  if (i.opcode() == Opcode::kAsyncUpdate || i.opcode() == Opcode::kAsyncDone) return called;  // their start names it
  const auto add = [&](AttributeKey key) {
    for (ComputationView c : i.computations(key)) called.push_back(c);
  };
  if (i.opcode() == Opcode::kAsyncStart) {  // X-start( has the attributes of X too
    add(AttributeKey::kCalls);
    return called;
  }
  if (i.opcode() == Opcode::kWhile) {
    add(AttributeKey::kBody);
    add(AttributeKey::kCondition);
    return called;
  }
  for (AttributeKey key : {AttributeKey::kSelect, AttributeKey::kScatter, AttributeKey::kToApply, AttributeKey::kCalls,
                           AttributeKey::kTrueComputation, AttributeKey::kFalseComputation,
                           AttributeKey::kBranchComputations, AttributeKey::kCalledComputations}) {
    add(key);
  }
  return called;
}

// The messages of an instruction that have a field for each of several attributes, while they are written.
class NestedMessages {
 public:
  explicit NestedMessages(WireWriter& instruction) : instruction_(instruction) {}

  // Where the field goes. Closes the messages that it is not in.
  WireWriter& of(const AttributeField& field) {
    if (field.message != message_ || field.inner != inner_) close_inner();
    if (field.message != message_) close();
    message_ = field.message;
    inner_ = field.inner;
    return message_ == 0 ? instruction_ : inner_ == 0 ? in_message_ : in_inner_;
  }

  // Writes a message also if it is empty.
  void close() {
    close_inner();
    if (message_ != 0) instruction_.bytes(message_, sorted_by_number(std::exchange(in_message_, {}).view()));
    message_ = 0;
  }

 private:
  void close_inner() {
    if (inner_ != 0) in_message_.bytes(inner_, sorted_by_number(std::exchange(in_inner_, {}).view()));
    inner_ = 0;
  }

  WireWriter& instruction_;
  WireWriter in_message_;
  WireWriter in_inner_;
  std::uint32_t message_ = 0;
  std::uint32_t inner_ = 0;
};

}  // namespace

bool ModuleEncoder::append_opcode_attributes(InstructionView i, Encoded& encoded, WireWriter& out) {
  NestedMessages messages(out);
  for (const AttributeField& field : attribute_fields(i.opcode())) {
    const bool is_implied = field.form->is_implied || field.message != 0 || field.missing != 0;
    if (!is_implied && !i.has(field.key)) continue;
    if (field.form->write({field, i, shapes_, payloads_, encoded.elided, messages.of(field)})) continue;
    encoded.fault = field.key == AttributeKey::kConstantLiteral ? "values" : to_string(field.key);
    return false;
  }
  messages.close();
  return true;
}

bool ModuleEncoder::append_attributes(InstructionView i, Encoded& encoded, WireWriter& out) {
  // X-start( has the attributes of X, which are in the computation that it wraps, and its own.
  const bool is_short_start =
      i.opcode() == Opcode::kAsyncStart && (row_of(i).flags & InstructionData::kSugaredAsync) != 0;
  const bool is_wrapped = (row_of(i.computation()).flags & ComputationData::kSynthesized) != 0;
  if (i.opcode() == Opcode::kParameter) out.integer(fields::instruction::kParameter, i.parameter_number());
  if (is_short_start) {
    out.text(fields::instruction::kExecutionThread, string_value(i, AttributeKey::kAsyncExecutionThread));
  } else if (!append_opcode_attributes(i, encoded, out)) {
    return false;
  }
  const absl::Span<const AttributeField> of_opcode = attribute_fields(i.opcode());
  const absl::Span<const AttributeField> common = common_fields().all;
  for (const AttributeData& a : i.attributes()) {
    if (common_attribute_keys().contains(a.key) ? is_wrapped : is_short_start) continue;
    const auto has_key = [&](const AttributeField& field) { return field.key == a.key; };
    if (std::any_of(of_opcode.begin(), of_opcode.end(), has_key)) continue;
    const auto* const field = std::find_if(common.begin(), common.end(), has_key);
    // Computations and control predecessors are references, which the module has. XLA's protos drop the mode of groups.
    const bool is_written =
        field != common.end()
            ? field->form->write({*field, i, shapes_, payloads_, encoded.elided, out})
            : names_computations(a.key) || a.key == AttributeKey::kControlPredecessors || a.key == AttributeKey::kMode;
    if (is_written) continue;
    const std::string_view name = to_string(a.key);
    encoded.fault = name.empty() ? i.module().text(a.value).substr(0, a.name_size) : name;
    return false;
  }
  return true;
}

ModuleEncoder::Encoded ModuleEncoder::instruction(InstructionView i) {
  namespace f = fields::instruction;
  WireWriter out;
  out.text(f::kName, of(i).name);
  out.text(f::kOpcode, i.opcode() == Opcode::kUnknown ? i.opcode_text() : to_string(i.opcode()));
  out.bytes(f::kShape, shapes_.of(i.shape_id()));
  out.integer(f::kId, of(i).id);
  std::vector<std::int64_t> numbers;
  numbers.reserve(i.operand_count());
  for (InstructionView operand : i.operands()) numbers.push_back(of(operand).id);
  out.packed(f::kOperands, numbers);
  numbers.clear();
  for (InstructionView predecessor : i.control_predecessors()) numbers.push_back(of(predecessor).id);
  out.packed(f::kControlPredecessors, numbers);
  numbers.clear();
  Encoded encoded;
  for (ComputationView called : called_in_proto(i)) {
    numbers.push_back(of(called).id);
    if (called.is_missing()) encoded.fault = absl::StrCat("call of ", to_absl(called.name()));
  }
  out.packed(f::kCalled, numbers);
  append_attributes(i, encoded, out);
  encoded.message = out.take();
  return encoded;
}

}  // namespace hloroof::internal::inline proto

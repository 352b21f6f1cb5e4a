// Metadata, aliasing and the entry layout.
#include <string>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

std::optional<Metadata> metadata(InstructionView instruction) {
  return decode<Metadata>(instruction, AttributeKey::kMetadata, read_metadata);
}

FrontendAttributes frontend_attributes(InstructionView instruction) {
  return decode<FrontendAttributes>(instruction, AttributeKey::kFrontendAttributes, read_frontend_attributes)
      .value_or(FrontendAttributes());
}

FrontendAttributes frontend_attributes(const Module& module) {
  const std::string_view text = ModuleRows::header_text(module, AttributeKey::kFrontendAttributes);
  return decode_text<FrontendAttributes>(text, read_frontend_attributes).value_or(FrontendAttributes());
}

std::optional<std::string> frontend_attribute(InstructionView instruction, std::string_view key) {
  // Most instructions with frontend attributes do not have this one.
  if (instruction.text(AttributeKey::kFrontendAttributes).find(key) == std::string_view::npos) return std::nullopt;
  std::optional<std::string> found;
  for (auto& [name, value] : frontend_attributes(instruction)) {
    if (name == key) found = std::move(value);  // the last one wins, as in XLA
  }
  return found;
}

std::optional<Statistics> statistics(InstructionView instruction) {
  return decode<Statistics>(instruction, AttributeKey::kStatistics, read_statistics);
}

std::optional<ResultAccuracy> result_accuracy(InstructionView instruction) {
  return decode<ResultAccuracy>(instruction, AttributeKey::kResultAccuracy, read_result_accuracy);
}

std::vector<OperandAlias> output_to_operand_aliasing(InstructionView instruction) {
  return decode<std::vector<OperandAlias>>(instruction, AttributeKey::kOutputToOperandAliasing, read_operand_aliases)
      .value_or(std::vector<OperandAlias>());
}

std::vector<ParameterAlias> input_output_alias(const Module& module) {
  const std::string_view text = ModuleRows::header_text(module, AttributeKey::kInputOutputAlias);
  return decode_text<std::vector<ParameterAlias>>(text, read_header_aliases).value_or(std::vector<ParameterAlias>());
}

std::vector<BufferDonor> buffer_donors(const Module& module) {
  const std::string_view text = ModuleRows::header_text(module, AttributeKey::kBufferDonor);
  return decode_text<std::vector<BufferDonor>>(text, read_header_donors).value_or(std::vector<BufferDonor>());
}

std::optional<EntryLayout> entry_computation_layout(const Module& module, ShapeTable& table) {
  const std::string_view text = ModuleRows::header_text(module, AttributeKey::kEntryComputationLayout);
  ShapeParser shapes;
  shapes.start(&table);
  return decode_text<EntryLayout>(
      text, [&shapes](Cursor& cursor, EntryLayout* out) { return read_entry_layout(cursor, shapes, out); });
}

}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

std::string op_name(InstructionView instruction) {
  // op_name is the first field or follows op_type, so the rest need not be read.
  const std::string_view text = instruction.text(AttributeKey::kMetadata);
  constexpr std::string_view kFirst = "{op_name=\"";
  if (text.substr(0, kFirst.size()) == kFirst) {
    Cursor cursor(text);
    cursor.move_to(text.data() + kFirst.size() - 1);
    std::string_view raw;
    if (cursor.read_string(&raw)) return unescape(raw);
  }
  std::optional<Metadata> all = metadata(instruction);
  return all.has_value() ? std::move(all->op_name) : std::string();
}

}  // namespace hloroof::inline v0

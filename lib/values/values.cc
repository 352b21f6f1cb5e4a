// Selects the grammar rule of an attribute value.
#include "lib/values/values.h"

#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/raw_value.h"

namespace hloroof::internal::inline values {
namespace {

// The form of a key whose value depends on the opcode.
AttributeForm form_of(Opcode opcode, AttributeKey key) {
  if (key == AttributeKey::kSliceSizes && collective_kind(opcode) == CollectiveKind::kCollectivePermute) {
    return AttributeForm::kIntegerListList;
  }
  return form(key);
}

bool read_value_with_shapes(Cursor& cursor, AttributeForm form, ShapeParser& shapes) {
  switch (form) {
    case AttributeForm::kShapeList: return read_shape_list(cursor, shapes, nullptr);
    case AttributeForm::kEntryLayout: return read_entry_layout(cursor, shapes, nullptr);
    default: return shapes.read(cursor, nullptr);
  }
}

}  // namespace

bool read_value(Cursor& cursor, Opcode opcode, AttributeKey key, ShapeParser* shapes) {
  const AttributeForm form = form_of(opcode, key);
  const bool has_shapes =
      form == AttributeForm::kShape || form == AttributeForm::kShapeList || form == AttributeForm::kEntryLayout;
  if (has_shapes) {
    if (shapes != nullptr) return read_value_with_shapes(cursor, form, *shapes);
    ShapeTable table;
    ShapeParser parser;
    parser.start(&table);
    return read_value_with_shapes(cursor, form, parser);
  }
  std::int64_t integer = 0;
  bool truth = false;
  std::string_view text;
  switch (form) {
    case AttributeForm::kInteger:
      return key == AttributeKey::kCrossProgramPrefetchIndex ? read_int32(cursor, nullptr)
                                                             : read_integer(cursor, &integer);
    case AttributeForm::kBool: return cursor.read_bool(&truth);
    case AttributeForm::kFloat: return read_float(cursor, nullptr);
    case AttributeForm::kString: return cursor.read_string(&text);
    case AttributeForm::kWord: return read_enum_word(cursor, opcode, key, nullptr);
    case AttributeForm::kWordList: return read_precision_list(cursor, nullptr);
    case AttributeForm::kIntegerList: return read_integer_list(cursor, nullptr);
    case AttributeForm::kIntegerListList:
      return key == AttributeKey::kSourceTargetPairs ? read_source_target_pairs(cursor, nullptr)
                                                     : read_integer_list_list(cursor, nullptr);
    case AttributeForm::kBoolList: return read_bool_list(cursor, nullptr);
    case AttributeForm::kBoolOrBoolList: return read_bool_or_list(cursor, nullptr);
    case AttributeForm::kWindow: return read_window(cursor, nullptr);
    case AttributeForm::kDimLabels: return read_dim_label_numbers(cursor, nullptr);
    case AttributeForm::kPadding: return read_padding_dimensions(cursor, nullptr);
    case AttributeForm::kSliceRanges: return read_slice_ranges(cursor, nullptr);
    case AttributeForm::kAlias: return read_operand_aliases(cursor, nullptr);
    case AttributeForm::kReplicaGroups: return read_replica_groups(cursor, nullptr);
    case AttributeForm::kShapedLiteral: return read_shaped_literal(cursor);
    case AttributeForm::kSharding: return read_sharding(cursor, nullptr);
    case AttributeForm::kFrontendAttributes: return read_frontend_attributes(cursor, nullptr);
    case AttributeForm::kStatistics: return read_statistics(cursor, nullptr);
    case AttributeForm::kOrigin: return read_origin(cursor);
    case AttributeForm::kMetadata: return read_metadata(cursor, nullptr);
    case AttributeForm::kStringOrJson: return read_string_or_json(cursor, nullptr);
    case AttributeForm::kSparsity: return read_sparsity(cursor);
    case AttributeForm::kDomain: return read_domain(cursor);
    case AttributeForm::kResultAccuracy: return read_result_accuracy(cursor, nullptr);
    case AttributeForm::kHeaderAlias: return read_header_aliases(cursor, nullptr);
    case AttributeForm::kHeaderDonor: return read_header_donors(cursor, nullptr);
    case AttributeForm::kOriginTable: return read_origin_table(cursor);
    case AttributeForm::kDebugAttributes: return read_debug_attributes(cursor);
    case AttributeForm::kRaw: return skip_raw_value(cursor);
    case AttributeForm::kShape:
    case AttributeForm::kShapeList:
    case AttributeForm::kEntryLayout:
    case AttributeForm::kComputation:
    case AttributeForm::kComputationList:
    case AttributeForm::kInstructionList: break;
  }
  return cursor.fail("a reference is not a plain value");
}

}  // namespace hloroof::internal::inline values

#include "lib/text/attribute_value.h"

#include "lib/text/shape_parser.h"
#include "lib/text/values.h"

namespace hloroof::inline v0 {
namespace {

// '{' balanced '}', '(' balanced ')' or '[' balanced ']', with strings in either quotes and comments skipped. The kinds of
// brackets are counted together: a value that closes one with another is refused by whoever decodes it.
bool skip_balanced(Cursor& cursor) {
  cursor.skip_space();
  const char* open = cursor.at();
  std::size_t depth = 0;
  do {
    const char c = cursor.peek();
    switch (c) {
      case '{': case '(': case '[': ++depth; break;
      case '}': case ')': case ']':
        if (depth == 0) return cursor.fail_expects("a bracketed value");
        --depth;
        break;
      case '"': case '\'': {
        std::string_view raw;
        if (!cursor.read_string(&raw)) return false;
        continue;
      }
      case 0:
        if (cursor.at() >= cursor.end()) return cursor.fail(open, "bracket is not closed");
        break;
      default: break;
    }
    cursor.move_to(cursor.at() + 1);
  } while (depth > 0);
  return true;
}

bool at_open_bracket(Cursor& cursor) {
  const char c = cursor.peek();
  return c == '{' || c == '(' || c == '[';
}

bool skip_shape(Cursor& cursor) {
  ShapeTable table;
  return read_shape(cursor, &table, nullptr);
}

// shape literal, or a tuple of them
bool skip_shaped_literal(Cursor& cursor) {
  if (cursor.peek() == '(') return skip_balanced(cursor);
  Number number;
  bool truth = false;
  if (!skip_shape(cursor)) return false;
  if (at_open_bracket(cursor)) return skip_balanced(cursor);
  if (is_word_start(cursor.peek()) && *cursor.at() != 'n' && *cursor.at() != 'i') return cursor.read_bool(&truth);
  return cursor.read_number(&number);
}

}  // namespace

bool skip_raw_value(Cursor& cursor) {
  cursor.skip_space();
  const char* from = cursor.at();
  while (true) {
    const char c = cursor.peek();
    if (at_open_bracket(cursor)) {
      if (!skip_balanced(cursor)) return false;
    } else if (c == '"' || c == '\'') {
      std::string_view raw;
      if (!cursor.read_string(&raw)) return false;
    } else if (is_word_start(c) || is_digit(c) || c == '-') {
      const char* word = cursor.at();
      while (is_word(*cursor.at())) cursor.move_to(cursor.at() + 1);
      // A word behind a complete value is the next instruction's name, or ROOT.
      if (cursor.at() == word) cursor.move_to(word + 1);
    } else if (c != 0 && std::string_view("<=?*+~#>:").find(c) != std::string_view::npos) {
      cursor.move_to(cursor.at() + 1);
      continue;
    } else {
      break;
    }
    // What can go on without a comma: a group, a sign that joins, a glued word.
    const char next = *cursor.at();
    if (next != '(' && next != '{' && next != '[' && next != '<' && next != '>' && next != '=' && next != '#' &&
        next != '?' && next != ':' && !is_word(next)) {
      break;
    }
  }
  if (cursor.at() == from) return cursor.fail_expects("a value");
  return true;
}

bool skip_value(Cursor& cursor, Opcode opcode, AttributeKey key) {
  const bool lists_of_slice_sizes = key == AttributeKey::kSliceSizes && opcode != Opcode::kGather;
  switch (lists_of_slice_sizes ? AttributeForm::kIntegerListList : form(key)) {
    case AttributeForm::kInteger: {
      std::int64_t value = 0;
      if (key == AttributeKey::kCrossProgramPrefetchIndex) return read_int32(cursor, nullptr);
      return cursor.read_integer(&value);
    }
    case AttributeForm::kBool: {
      bool value = false;
      return cursor.read_bool(&value);
    }
    case AttributeForm::kFloat: return read_float(cursor, nullptr);
    case AttributeForm::kString: {
      std::string_view raw;
      return cursor.read_string(&raw);
    }
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
    case AttributeForm::kShape: return skip_shape(cursor);
    case AttributeForm::kShapeList: return read_shape_list(cursor, nullptr, nullptr);
    case AttributeForm::kShapedLiteral: return skip_shaped_literal(cursor);
    case AttributeForm::kFrontendAttributes: return read_frontend_attributes(cursor, nullptr);
    case AttributeForm::kStatistics: return read_statistics(cursor, nullptr);
    case AttributeForm::kOrigin: return read_origin(cursor);
    case AttributeForm::kMetadata: return read_metadata(cursor, nullptr);
    case AttributeForm::kStringOrJson: return read_string_or_json(cursor, nullptr);
    case AttributeForm::kSparsity: return read_sparsity(cursor);
    case AttributeForm::kResultAccuracy: return read_result_accuracy(cursor, nullptr);
    case AttributeForm::kHeaderAlias: return read_header_aliases(cursor, nullptr);
    case AttributeForm::kHeaderDonor: return read_header_donors(cursor, nullptr);
    case AttributeForm::kEntryLayout: return read_entry_layout(cursor, nullptr, nullptr);
    case AttributeForm::kOriginTable: return read_origin_table(cursor);
    case AttributeForm::kDebugAttributes: return read_debug_attributes(cursor);
    case AttributeForm::kSharding:
    case AttributeForm::kDomain: return cursor.peek() == '{' ? skip_balanced(cursor) : cursor.fail_expects("'{'");
    case AttributeForm::kRaw: return skip_raw_value(cursor);
    case AttributeForm::kComputation:
    case AttributeForm::kComputationList:
    case AttributeForm::kInstructionList: break;
  }
  return cursor.fail("a reference is not a plain value");
}

}  // namespace hloroof::inline v0

#include "lib/text/attribute_value.h"

#include "lib/text/shape_parser.h"

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

// groups := '{' ... '}' | '[' G ',' S ']' '<=' '[' dims ']' ('T' '(' perm ')')? | mesh axes
bool skip_replica_groups(Cursor& cursor) {
  if (cursor.peek() == '{') return skip_balanced(cursor);
  if (cursor.peek() == '[') {
    if (!skip_balanced(cursor) || !cursor.expect("<=") || cursor.peek() != '[') return cursor.fail_expects("'['");
    if (!skip_balanced(cursor)) return false;
    return !cursor.accept_keyword("T") || skip_balanced(cursor);
  }
  if (!cursor.accept_keyword("mesh") && !cursor.accept_keyword("maximal_mesh")) {
    return cursor.fail_expects("replica groups");
  }
  if (!skip_balanced(cursor)) return false;
  const char* from = cursor.at();
  if (cursor.accept(',')) {
    if (cursor.accept_attribute_name() == "device_ids") {
      if (!skip_balanced(cursor)) return false;
    } else {
      cursor.move_to(from);
    }
  }
  return skip_balanced(cursor);
}

// frontend_attributes := '{' list(NAME= (STRING | json)) '}'
bool skip_frontend_attributes(Cursor& cursor) {
  if (!cursor.expect('{')) return false;
  if (cursor.accept('}')) return true;
  do {
    if (cursor.accept_attribute_name().empty()) return cursor.fail_expects("an attribute name with '='");
    if (!skip_value(cursor, AttributeForm::kStringOrJson)) return false;
  } while (cursor.accept(','));
  return cursor.expect('}');
}

bool skip_shape(Cursor& cursor) {
  ShapeTable table;
  return read_shape(cursor, &table, nullptr);
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

bool skip_value(Cursor& cursor, AttributeForm form) {
  switch (form) {
    case AttributeForm::kInteger: {
      std::int64_t value = 0;
      return cursor.read_integer(&value);
    }
    case AttributeForm::kBool: {
      bool value = false;
      return cursor.read_bool(&value);
    }
    case AttributeForm::kFloat: {
      Number number;
      return cursor.read_number(&number);
    }
    case AttributeForm::kString: {
      std::string_view raw;
      return cursor.read_string(&raw);
    }
    case AttributeForm::kWord: return !cursor.accept_word().empty() || cursor.fail_expects("a word");
    case AttributeForm::kDimLabels: {
      std::string_view labels;
      return cursor.read_dim_labels(&labels);
    }
    case AttributeForm::kPadding: return cursor.read_padding(nullptr, nullptr);
    case AttributeForm::kStringOrJson: {
      std::string_view raw;
      if (cursor.peek() == '{') return cursor.read_json(&raw);
      return cursor.read_string(&raw);
    }
    case AttributeForm::kBoolOrBoolList: {
      bool value = false;
      if (cursor.peek() != '{') return cursor.read_bool(&value);
      return skip_balanced(cursor);
    }
    case AttributeForm::kReplicaGroups: return skip_replica_groups(cursor);
    case AttributeForm::kFrontendAttributes: return skip_frontend_attributes(cursor);
    case AttributeForm::kShape: return skip_shape(cursor);
    case AttributeForm::kShapedLiteral: {
      // shape literal, or a tuple of them
      if (cursor.peek() == '(') return skip_balanced(cursor);
      Number number;
      bool truth = false;
      if (!skip_shape(cursor)) return false;
      if (at_open_bracket(cursor)) return skip_balanced(cursor);
      if (is_word_start(cursor.peek()) && *cursor.at() != 'n' && *cursor.at() != 'i') return cursor.read_bool(&truth);
      return cursor.read_number(&number);
    }
    case AttributeForm::kRaw: return skip_raw_value(cursor);
    case AttributeForm::kComputation:
    case AttributeForm::kComputationList:
    case AttributeForm::kInstructionList: return cursor.fail("a reference is not a plain value");
    default: return cursor.peek() == '{' ? skip_balanced(cursor) : cursor.fail_expects("'{'");
  }
}

}  // namespace hloroof::inline v0

// Parses the attributes that trace a value to the original program: origin, origin_recovery_table, debug_attributes.
#include <string>

#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

// leaf := '{' '}' | '{' (STRING | WORD) index? '}'            older texts have no quotes
bool read_leaf(Cursor& cursor) {
  if (!cursor.expect('{')) return false;
  if (cursor.accept('}')) return true;
  std::string_view raw;
  if (cursor.accept_name().empty() && !cursor.read_string(&raw)) return false;
  if (cursor.peek() == '{' && !read_shape_index(cursor, nullptr)) return false;
  return cursor.expect('}');
}

// tree := leaf | '(' list(tree) ')'
bool read_tree(Cursor& cursor) {
  return read_nested(cursor, [&] { return read_leaf(cursor); });
}

// attributes := '{' list('log_mode=' WORD | 'callback_id=' INT | 'partitioned=' BOOL | 'op_id=' INT) '}'
bool read_debug_attribute_list(Cursor& cursor) {
  unsigned seen = 0;
  return read_list(cursor, '{', '}', [&] {
    cursor.skip_space();
    const char* where = cursor.at();
    const std::string_view name = cursor.accept_attribute_name();
    if (name.empty()) return cursor.fail_expects("an attribute name");
    const unsigned bit = name == "log_mode"      ? 1
                         : name == "callback_id" ? 2
                         : name == "partitioned" ? 4
                         : name == "op_id"       ? 8
                                                 : 0;
    if (bit == 0) return cursor.fail(where, "unexpected attribute \"" + std::string(name.substr(0, 64)) + "\"");
    if ((seen & bit) != 0) return cursor.fail(where, "attribute " + std::string(name) + " already exists");
    seen |= bit;
    std::int64_t integer = 0;
    bool truth = false;
    return bit == 1 ? read_log_mode(cursor) : bit == 4 ? cursor.read_bool(&truth) : read_integer(cursor, &integer);
  });
}

}  // namespace

// origin := '{' ('[' 'synthetic_call' ']' | tree)? '}'
bool read_origin(Cursor& cursor) {
  if (!cursor.expect('{')) return false;
  if (cursor.accept('[')) {
    if (!cursor.accept_keyword("synthetic_call")) return cursor.fail_expects("synthetic_call");
    if (!cursor.expect(']')) return false;
  } else if (cursor.peek() != '}' && !read_tree(cursor)) {
    return false;
  }
  return cursor.expect('}');
}

// table := '{' (leaf ':' leaf (',' STRING)?)* '}'            the string is a separate module
bool read_origin_table(Cursor& cursor) {
  if (!cursor.expect('{')) return false;
  std::string_view raw;
  while (!cursor.accept('}')) {
    if (!read_leaf(cursor) || !cursor.expect(':') || !read_leaf(cursor)) return false;
    if (cursor.accept(',') && !cursor.read_string(&raw)) return false;
  }
  return true;
}

// debug_attributes := '{' list(leaf ':' (attributes | '(' list(attributes) ')')) '}'
bool read_debug_attributes(Cursor& cursor) {
  return read_list(cursor, '{', '}', [&] {
    if (!read_leaf(cursor) || !cursor.expect(':')) return false;
    if (cursor.peek() != '(') return read_debug_attribute_list(cursor);
    return read_list(cursor, '(', ')', [&] { return read_debug_attribute_list(cursor); });
  });
}

}  // namespace hloroof::internal::inline values

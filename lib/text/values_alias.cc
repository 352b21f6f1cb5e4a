// Aliasing of buffers, the entry's layout, lists of shapes.
#include <string>

#include "lib/text/shape_parser.h"
#include "lib/text/values.h"

namespace hloroof::inline v0 {
namespace {

// Lists of aliases as XLA reads them: a comma may follow the last entry too.
//
// list := '{' (item (',' item)* ','?)? '}'
template <typename Item>
bool read_alias_list(Cursor& cursor, Item&& item) {
  if (!cursor.expect('{')) return false;
  while (cursor.peek() != '}') {
    if (!item()) return false;
    if (!cursor.accept(',')) break;
  }
  return cursor.expect('}');
}

}  // namespace

// index := '{' list(INT) '}'
bool read_shape_index(Cursor& cursor, ShapeIndex* out) {
  if (cursor.peek() != '{') return cursor.fail_expects("'{' at the start of a shape index");
  return read_integer_list(cursor, out);
}

// aliases := '{' (alias (',' alias)* ','?)? '}'       alias := index ':' '(' INT ',' index ')'
bool read_operand_aliases(Cursor& cursor, std::vector<OperandAlias>* out) {
  return read_alias_list(cursor, [&] {
    OperandAlias alias;
    if (!read_shape_index(cursor, &alias.output) || !cursor.expect(':') || !cursor.expect('(') ||
        !read_integer(cursor, &alias.operand) || !cursor.expect(',') ||
        !read_shape_index(cursor, &alias.operand_index) || !cursor.expect(')')) {
      return false;
    }
    if (out != nullptr) out->push_back(std::move(alias));
    return true;
  });
}

// aliases := '{' (alias (',' alias)* ','?)? '}'
// alias   := index ':' '(' INT ',' index (',' ('may-alias' | 'must-alias'))? ')'
bool read_header_aliases(Cursor& cursor, std::vector<ParameterAlias>* out) {
  return read_alias_list(cursor, [&] {
    ParameterAlias alias;
    if (!read_shape_index(cursor, &alias.output) || !cursor.expect(':') || !cursor.expect('(') ||
        !read_integer(cursor, &alias.parameter) || !cursor.expect(',') ||
        !read_shape_index(cursor, &alias.parameter_index)) {
      return false;
    }
    if (cursor.accept(',')) {
      alias.must_alias = cursor.accept_keyword("must-alias");
      if (!alias.must_alias && !cursor.accept_keyword("may-alias")) {
        return cursor.fail_expects("may-alias or must-alias");
      }
    }
    if (!cursor.expect(')')) return false;
    if (out != nullptr) out->push_back(std::move(alias));
    return true;
  });
}

// donors := '{' (donor (',' donor)* ','?)? '}'         donor := '(' INT ',' index ')'
bool read_header_donors(Cursor& cursor, std::vector<BufferDonor>* out) {
  return read_alias_list(cursor, [&] {
    BufferDonor donor;
    if (!cursor.expect('(') || !read_integer(cursor, &donor.parameter) || !cursor.expect(',') ||
        !read_shape_index(cursor, &donor.parameter_index) || !cursor.expect(')')) {
      return false;
    }
    if (out != nullptr) out->push_back(std::move(donor));
    return true;
  });
}

// layout := '{' '(' list(shape) ')' '->' shape '}'
bool read_entry_layout(Cursor& cursor, ShapeTable* table, EntryLayout* out) {
  ShapeTable scratch;
  ShapeParser shapes;
  shapes.start(table == nullptr ? &scratch : table);
  EntryLayout layout;
  if (!cursor.expect('{')) return false;
  const bool ok = read_list(cursor, '(', ')', [&] { return shapes.read(cursor, &layout.parameters.emplace_back()); });
  if (!ok || !cursor.expect("->") || !shapes.read(cursor, &layout.result) || !cursor.expect('}')) return false;
  if (out != nullptr) *out = std::move(layout);
  return true;
}

bool read_any_shape(Cursor& cursor) {
  ShapeTable scratch;
  ShapeParser shapes;
  shapes.start(&scratch);
  return shapes.read(cursor, nullptr);
}

// shapes := '{' list(shape) '}'
bool read_shape_list(Cursor& cursor, ShapeTable* table, std::vector<ShapeId>* out) {
  ShapeTable scratch;
  ShapeParser shapes;
  shapes.start(table == nullptr ? &scratch : table);
  return read_list(cursor, '{', '}', [&] {
    ShapeId id;
    if (!shapes.read(cursor, &id)) return false;
    if (out != nullptr) out->push_back(id);
    return true;
  });
}

}  // namespace hloroof::inline v0

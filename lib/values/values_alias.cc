// Parses buffer aliasing, the entry layout and lists of shapes.

#include "lib/values/attribute_values.h"
#include "lib/values/shape_parser.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

// A list of aliases. A comma may follow the last entry, as in XLA.
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
    OperandAlias* alias = out == nullptr ? nullptr : &out->emplace_back();
    std::int64_t operand = 0;
    if (!read_shape_index(cursor, alias == nullptr ? nullptr : &alias->output) || !cursor.expect(':') ||
        !cursor.expect('(') || !read_integer(cursor, &operand) || !cursor.expect(',') ||
        !read_shape_index(cursor, alias == nullptr ? nullptr : &alias->operand_index) || !cursor.expect(')')) {
      return false;
    }
    if (alias != nullptr) alias->operand = operand;
    return true;
  });
}

// aliases := '{' (alias (',' alias)* ','?)? '}'
// alias   := index ':' '(' INT ',' index (',' ('may-alias' | 'must-alias'))? ')'
bool for_each_header_alias(Cursor& cursor, ParameterAlias& alias, absl::FunctionRef<bool(const ParameterAlias&)> each) {
  return read_alias_list(cursor, [&] {
    alias.output.clear();
    alias.parameter_index.clear();
    alias.must_alias = false;
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
    return cursor.expect(')') && each(alias);
  });
}

bool read_header_aliases(Cursor& cursor, std::vector<ParameterAlias>* out) {
  ParameterAlias alias;
  return for_each_header_alias(cursor, alias, [out](const ParameterAlias& read) {
    if (out != nullptr) out->push_back(read);
    return true;
  });
}

// donors := '{' (donor (',' donor)* ','?)? '}'         donor := '(' INT ',' index ')'
bool read_header_donors(Cursor& cursor, std::vector<BufferDonor>* out) {
  return read_alias_list(cursor, [&] {
    BufferDonor* donor = out == nullptr ? nullptr : &out->emplace_back();
    std::int64_t parameter = 0;
    if (!cursor.expect('(') || !read_integer(cursor, &parameter) || !cursor.expect(',') ||
        !read_shape_index(cursor, donor == nullptr ? nullptr : &donor->parameter_index) || !cursor.expect(')')) {
      return false;
    }
    if (donor != nullptr) donor->parameter = parameter;
    return true;
  });
}

// layout := '{' '(' list(shape) ')' '->' shape '}'
bool read_entry_layout(Cursor& cursor, ShapeParser& shapes, EntryLayout* out) {
  ShapeId id;
  if (!cursor.expect('{')) return false;
  const bool ok = read_list(cursor, '(', ')', [&] {
    if (!shapes.read(cursor, out == nullptr ? nullptr : &id)) return false;
    if (out != nullptr) out->parameters.push_back(id);
    return true;
  });
  if (!ok || !cursor.expect("->") || !shapes.read(cursor, out == nullptr ? nullptr : &id) || !cursor.expect('}'))
    return false;
  if (out != nullptr) out->result = id;
  return true;
}

// shapes := '{' list(shape) '}'
bool read_shape_list(Cursor& cursor, ShapeParser& shapes, std::vector<ShapeId>* out) {
  return read_list(cursor, '{', '}', [&] {
    ShapeId id;
    if (!shapes.read(cursor, out == nullptr ? nullptr : &id)) return false;
    if (out != nullptr) out->push_back(id);
    return true;
  });
}

}  // namespace hloroof::internal::inline values

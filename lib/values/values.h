// The grammar of attribute values, one function per rule. The .cc files have the rule above each function.
//
// A function parses the value at the cursor and leaves the cursor after it. If `out` is null it only checks the value,
// which is how the parser finds its end. It returns false after recording an error. `out` must be empty, and after a
// failure it holds a partial value.
//
// The functions check a value in isolation. The caller checks it against the rest of the instruction, such as the rank
// of an operand or the number of participants.
#ifndef HLOROOF_LIB_VALUES_VALUES_H_
#define HLOROOF_LIB_VALUES_VALUES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/values/attribute_values.h"
#include "lib/values/cursor.h"
#include "lib/values/literal.h"
#include "lib/values/shape_parser.h"

namespace hloroof::internal::inline values {

// Parses a value by the form of its key. The opcode matters for the few keys whose form depends on it. Does not support
// forms that name computations or instructions, which the instruction parser handles. `shapes`, if not null, parses the
// shapes inside the value.
bool read_value(Cursor& cursor, Opcode opcode, AttributeKey key, ShapeParser* shapes = nullptr);

// ---- values_basic.cc ---------------------------------------------------------------------------------------------

bool read_float(Cursor& cursor, double* out);   // a number within the range of f32, as epsilon is
bool read_double(Cursor& cursor, double* out);  // any number but nan
bool read_int32(Cursor& cursor, std::int32_t* out);
bool read_integer_list(Cursor& cursor, std::vector<std::int64_t>* out);
bool read_integer_list_list(Cursor& cursor, std::vector<std::vector<std::int64_t>>* out);
bool read_bool_list(Cursor& cursor, std::vector<bool>* out);
bool read_bool_or_list(Cursor& cursor, std::vector<bool>* out);
bool read_string_or_json(Cursor& cursor, std::string_view* out);  // including quotes or braces

// ---- values_words.cc ---------------------------------------------------------------------------------------------

// A word that must be one of the values of `key`. The opcode distinguishes the algorithms of dot and rng-bit-generator.
bool read_enum_word(Cursor& cursor, Opcode opcode, AttributeKey key, std::string_view* out);
bool read_precision_list(Cursor& cursor, std::vector<Precision>* out);
bool read_accuracy_mode(Cursor& cursor, std::size_t* index);  // 0 for default, 1 for highest
bool read_log_mode(Cursor& cursor);

// ---- values_window.cc --------------------------------------------------------------------------------------------

bool read_window(Cursor& cursor, Window* out);
bool read_dim_label_numbers(Cursor& cursor, ConvolutionDimensionNumbers* out);
bool read_padding_dimensions(Cursor& cursor, std::vector<PaddingDimension>* out);
bool read_slice_ranges(Cursor& cursor, std::vector<SliceRange>* out);
bool read_sparsity(Cursor& cursor);

// ---- values_groups.cc --------------------------------------------------------------------------------------------

// [2,4,1]: positive sizes and their product, which must not overflow.
bool read_sizes(Cursor& cursor, std::vector<std::int64_t>* sizes, std::int64_t* product);
// The part of an iota order after `<=`: [r0,r1,...]T(p0,p1,...). The product of its sizes must be `expected`.
bool read_iota_order(Cursor& cursor, std::int64_t expected, IotaOrder* out);
std::int64_t position_count(const IotaOrder& order);  // the parser has rejected overflow
std::int64_t device_count(const Mesh& mesh);
std::int64_t device_at(const Mesh& mesh, std::int64_t position);  // a row-major position over the axes
bool read_mesh(Cursor& cursor, Mesh* out);                        // including the device ids
bool read_mesh_axis(Cursor& cursor, const Mesh& mesh, MeshAxisReference* out);
bool read_mesh_axes(Cursor& cursor, const Mesh& mesh, std::vector<MeshAxisReference>* out);
// Checks that `axes` does not name an axis or an overlapping part of one twice. Reports an error at `where`.
bool check_mesh_axes(Cursor& cursor, const char* where, const Mesh& mesh, const std::vector<MeshAxisReference>& axes);
// A mesh as an array whose dimensions are its axes. An axis of which only a part is named is split. named[i] is the
// dimension of axes[i]; unnamed has the other dimensions in order.
struct SplitMesh {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> named;
  std::vector<std::int64_t> unnamed;
};
SplitMesh split_mesh(const Mesh& mesh, const std::vector<MeshAxisReference>& axes);
bool read_replica_groups(Cursor& cursor, ReplicaGroups* out);
bool read_source_target_pairs(Cursor& cursor, std::vector<std::pair<std::int64_t, std::int64_t>>* out);

// ---- values_sharding.cc ------------------------------------------------------------------------------------------

bool read_sharding(Cursor& cursor, ShardingAttribute* out);
bool read_domain(Cursor& cursor);  // checks only

// ---- values_metadata.cc ------------------------------------------------------------------------------------------

bool read_metadata(Cursor& cursor, Metadata* out);
bool read_frontend_attributes(Cursor& cursor, FrontendAttributes* out);
bool read_statistics(Cursor& cursor, Statistics* out);
bool read_result_accuracy(Cursor& cursor, ResultAccuracy* out);

// ---- values_alias.cc ---------------------------------------------------------------------------------------------

bool read_shape_index(Cursor& cursor, ShapeIndex* out);
bool read_operand_aliases(Cursor& cursor, std::vector<OperandAlias>* out);
bool read_header_aliases(Cursor& cursor, std::vector<ParameterAlias>* out);
// Calls `each` with every alias until it returns false. Reuses the memory of `alias` for all of them.
bool for_each_header_alias(Cursor& cursor, ParameterAlias& alias, absl::FunctionRef<bool(const ParameterAlias&)> each);
bool read_header_donors(Cursor& cursor, std::vector<BufferDonor>* out);
// Adds the shapes to the table of `shapes`.
bool read_entry_layout(Cursor& cursor, ShapeParser& shapes, EntryLayout* out);
bool read_shape_list(Cursor& cursor, ShapeParser& shapes, std::vector<ShapeId>* out);

// ---- values_literal.cc -------------------------------------------------------------------------------------------

// A literal of shape `id`. Appends its arrays to `out` in depth-first order.
bool read_literal(Cursor& cursor, const ShapeTable& table, ShapeId id, std::vector<Literal>* out);
// A literal that includes its shapes. Checks only.
bool read_shaped_literal(Cursor& cursor);

// ---- values_origin.cc --------------------------------------------------------------------------------------------

// These three only check, because the values name instructions of other modules.
bool read_origin(Cursor& cursor);
bool read_origin_table(Cursor& cursor);
bool read_debug_attributes(Cursor& cursor);

// ---- Helpers of the functions above ------------------------------------------------------------------------------

// -?D+. Like Cursor::read_integer, with an inline path for short integers, which lists consist of.
inline bool read_integer(Cursor& cursor, std::int64_t* out) {
  cursor.skip_space();
  const char* p = cursor.at();
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* digits = p;
  std::uint64_t value = 0;  // may wrap around; results of more than 18 digits are not used
  while (is_digit(*p)) value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
  // A decimal, 1x2 or 1_2 continues with a word character. 18 digits cannot overflow.
  if (p == digits || p - digits > 18 || is_word(*p)) return cursor.read_integer(out);
  *out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  cursor.move_to(p);
  return true;
}

// list := open (item (',' item)*)? close
template <typename Item>
bool read_list(Cursor& cursor, char open, char close, Item&& item) {
  if (!cursor.expect(open)) return false;
  if (cursor.accept(close)) return true;
  do {
    if (!item()) return false;
  } while (cursor.accept(','));
  return cursor.expect(close);
}

// fields := '{' (','? NAME'='value)* '}'
//
// The form of metadata, tolerances and table rows. `value(name, where)` parses the value of field `name`, which begins
// at `where`. A comma may precede any field, as in XLA.
template <typename Value>
bool read_fields(Cursor& cursor, Value&& value) {
  if (!cursor.expect('{')) return false;
  while (!cursor.accept('}')) {
    cursor.accept(',');
    cursor.skip_space();
    const char* where = cursor.at();
    const std::string_view name = cursor.accept_attribute_name();
    if (name.empty()) return cursor.fail_expects("an attribute name");
    if (!value(name, where)) return false;
  }
  return true;
}

// nested := leaf | '(' list(nested) ')'            uses a counter instead of recursion
template <typename Leaf>
bool read_nested(Cursor& cursor, Leaf&& read_leaf) {
  const int outer = cursor.depth();
  do {
    if (cursor.accept('(')) {
      if (!cursor.enter()) return false;
      if (cursor.peek() != ')') continue;
    } else if (!read_leaf()) {
      return false;
    }
    while (cursor.depth() > outer && cursor.accept(')')) cursor.leave();
    if (cursor.depth() > outer && !cursor.expect(',')) return false;
  } while (cursor.depth() > outer);
  return true;
}

// The product of two non-negative sizes. Returns false on overflow.
inline bool multiply_checked(std::int64_t a, std::int64_t b, std::int64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_VALUES_H_

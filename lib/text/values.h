// The grammar of attribute values: one function a rule, each with its rule written above it in the .cc.
//
// A function reads the value the cursor stands before and leaves the cursor behind it. With `out` null it only checks:
// that is how the parser finds where a value ends. It returns false after recording an error. `out` must be empty (as
// constructed); after a failure it holds what was read so far.
//
// Values are checked for themselves alone. What needs other parts of the instruction (the rank of an operand, the
// number of participants) is checked by whoever has them.
#ifndef HLOROOF_LIB_TEXT_VALUES_H_
#define HLOROOF_LIB_TEXT_VALUES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "hloroof/attribute.h"
#include "hloroof/attribute_values.h"
#include "hloroof/literal.h"
#include "hloroof/opcode.h"
#include "hloroof/replica_groups.h"
#include "hloroof/sharding.h"
#include "lib/text/cursor.h"
#include "lib/text/shape_parser.h"

namespace hloroof::inline v0 {

// Reads any value by the form of its key, the few keys that mean different things to different opcodes included. Not
// for the forms that name computations or instructions, which the instruction parser reads itself. Shapes inside the
// value are read by `shapes` where it is given.
bool read_value(Cursor& cursor, Opcode opcode, AttributeKey key, ShapeParser* shapes = nullptr);

// ---- values_basic.cc ---------------------------------------------------------------------------------------------

bool read_float(Cursor& cursor, double* out);   // a number within the range of f32, as epsilon is
bool read_double(Cursor& cursor, double* out);  // any number but nan
bool read_int32(Cursor& cursor, std::int32_t* out);
bool read_integer_list(Cursor& cursor, std::vector<std::int64_t>* out);
bool read_integer_list_list(Cursor& cursor, std::vector<std::vector<std::int64_t>>* out);
bool read_bool_list(Cursor& cursor, std::vector<bool>* out);
bool read_bool_or_list(Cursor& cursor, std::vector<bool>* out);
bool read_string_or_json(Cursor& cursor, std::string_view* out);  // with its quotes or braces

// ---- values_words.cc ---------------------------------------------------------------------------------------------

// A word that must be one of those `key` knows; with the opcode, since dot and rng-bit-generator both have an
// algorithm.
bool read_enum_word(Cursor& cursor, Opcode opcode, AttributeKey key, std::string_view* out);
bool read_precision_list(Cursor& cursor, std::vector<Precision>* out);
bool read_accuracy_mode(Cursor& cursor, std::size_t* index);  // default 0, highest 1
bool read_log_mode(Cursor& cursor);

// ---- values_window.cc --------------------------------------------------------------------------------------------

bool read_window(Cursor& cursor, Window* out);
bool read_dim_label_numbers(Cursor& cursor, ConvolutionDimensionNumbers* out);
bool read_padding_dimensions(Cursor& cursor, std::vector<PaddingDimension>* out);
bool read_slice_ranges(Cursor& cursor, std::vector<SliceRange>* out);
bool read_sparsity(Cursor& cursor);

// ---- values_groups.cc --------------------------------------------------------------------------------------------

// [2,4,1]: sizes of at least 1, and their product, which does not overflow.
bool read_sizes(Cursor& cursor, std::vector<std::int64_t>* sizes, std::int64_t* product);
// The part of an iota order behind `<=`: [r0,r1,...]T(p0,p1,...), whose sizes multiply to `expected`.
bool read_iota_order(Cursor& cursor, std::int64_t expected, IotaOrder* out);
bool read_mesh(Cursor& cursor, Mesh* out);  // with the device ids behind it
bool read_mesh_axis(Cursor& cursor, const Mesh& mesh, MeshAxisReference* out);
bool read_mesh_axes(Cursor& cursor, const Mesh& mesh, std::vector<MeshAxisReference>* out);
// No axis of the mesh, or part of one, may be named twice; the error is placed at `where`.
bool check_mesh_axes(Cursor& cursor, const char* where, const Mesh& mesh, const std::vector<MeshAxisReference>& axes);
// A mesh as an array whose dimensions are its axes, split where only a part of one is named. named[i] is the dimension
// that axes[i] is, unnamed are the others in order.
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
bool read_domain(Cursor& cursor);  // checked and kept as text

// ---- values_metadata.cc ------------------------------------------------------------------------------------------

bool read_metadata(Cursor& cursor, Metadata* out);
bool read_frontend_attributes(Cursor& cursor, FrontendAttributes* out);
bool read_statistics(Cursor& cursor, Statistics* out);
bool read_result_accuracy(Cursor& cursor, ResultAccuracy* out);

// ---- values_alias.cc ---------------------------------------------------------------------------------------------

bool read_shape_index(Cursor& cursor, ShapeIndex* out);
bool read_operand_aliases(Cursor& cursor, std::vector<OperandAlias>* out);
bool read_header_aliases(Cursor& cursor, std::vector<ParameterAlias>* out);
// Gives each alias to `each`, which may stop the reading, in `alias`, whose memory serves for all of them.
bool for_each_header_alias(Cursor& cursor, ParameterAlias& alias, absl::FunctionRef<bool(const ParameterAlias&)> each);
bool read_header_donors(Cursor& cursor, std::vector<BufferDonor>* out);
// The shapes go where `shapes` was told to.
bool read_entry_layout(Cursor& cursor, ShapeParser& shapes, EntryLayout* out);
bool read_shape_list(Cursor& cursor, ShapeParser& shapes, std::vector<ShapeId>* out);

// ---- values_literal.cc -------------------------------------------------------------------------------------------

// A literal of shape `id`; the arrays inside it go to `out` in depth-first order.
bool read_literal(Cursor& cursor, const ShapeTable& table, ShapeId id, std::vector<Literal>* out);
// One that carries its shapes with it; checked only.
bool read_shaped_literal(Cursor& cursor);

// ---- values_origin.cc --------------------------------------------------------------------------------------------

// These three are checked and kept as text: they name instructions of modules that are not there.
bool read_origin(Cursor& cursor);
bool read_origin_table(Cursor& cursor);
bool read_debug_attributes(Cursor& cursor);

// ---- Helpers of the functions above ------------------------------------------------------------------------------

// -?D+. As Cursor::read_integer, but straight for the short integers that lists consist of.
inline bool read_integer(Cursor& cursor, std::int64_t* out) {
  cursor.skip_space();
  const char* p = cursor.at();
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* digits = p;
  std::uint64_t value = 0;  // wraps around on more digits than are used
  while (is_digit(*p)) value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
  // A decimal, 1x2 or 1_2 goes on with a word character; 18 digits cannot overflow.
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
// What metadata, tolerances and table rows are written as: `value(name, where)` reads the value of field `name`, which
// began at `where`. A comma may stand before any field, as XLA allows.
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

// Product of two non-negative sizes; false beyond int64.
inline bool multiply_checked(std::int64_t a, std::int64_t b, std::int64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_VALUES_H_

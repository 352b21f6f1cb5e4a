// Shapes: deduplication, printing, leaves, compatibility.
#include "hloroof/shape.h"

#include <string>
#include <vector>

#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

Shape array(ElementType type, std::vector<std::int64_t> dimensions) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape with_layout(Shape shape, std::vector<std::int64_t> minor_to_major, std::vector<Tile> tiles = {}) {
  shape.layout.present = true;
  shape.layout.minor_to_major = std::move(minor_to_major);
  shape.layout.tiles = std::move(tiles);
  return shape;
}

Shape tuple(std::vector<ShapeId> elements) {
  Shape shape;
  shape.element_type = ElementType::kTuple;
  shape.elements = std::move(elements);
  return shape;
}

TEST_CASE("equal shapes get one id, different ones different ids") {
  ShapeTable table;
  const ShapeId a = table.intern(array(ElementType::kF32, {2, 3}));
  CHECK(table.intern(array(ElementType::kF32, {2, 3})) == a);
  CHECK(table.intern(array(ElementType::kF32, {3, 2})) != a);
  CHECK(table.intern(array(ElementType::kBf16, {2, 3})) != a);
  const ShapeId laid_out = table.intern(with_layout(array(ElementType::kF32, {2, 3}), {1, 0}));
  CHECK(laid_out != a);
  Shape in_vmem = table[laid_out];
  in_vmem.layout.memory_space = 1;
  CHECK(table.intern(in_vmem) != laid_out);
  CHECK(table.intern(tuple({a, a})) == table.intern(tuple({a, a})));
}

TEST_CASE("shapes print as XLA prints them") {
  ShapeTable table;
  Shape tiled = with_layout(array(ElementType::kBf16, {32, 32, 4096}), {2, 1, 0}, {{{8, 128}}, {{2, 1}}});
  tiled.layout.memory_space = 1;
  Shape packed = with_layout(array(ElementType::kS4, {16, 128}), {1, 0}, {{{8, 128}}, {{8, 1}}});
  packed.layout.element_size_in_bits = 4;
  Shape combined = with_layout(array(ElementType::kF32, {2, 3, 4}), {2, 1, 0}, {{{2, Tile::kCombine, 128}}});
  Shape split = with_layout(array(ElementType::kF32, {20, 8}), {1, 0});
  split.layout.memory_space = 3;
  split.layout.split_configs = {{0, {10}}, {1, {4, 5}}};
  Shape dynamic = with_layout(array(ElementType::kF32, {5, Shape::kUnboundedSize}), {1, 0});
  dynamic.dynamic_dimensions = {1, 1};
  Shape scalar = with_layout(array(ElementType::kU32, {}), {}, {{{128}}});
  Shape plain_scalar = with_layout(array(ElementType::kF32, {}), {});
  Shape aligned = with_layout(array(ElementType::kF32, {10}), {0}, {{{1024}}});
  aligned.layout.tail_padding_alignment = 2048;
  aligned.layout.dynamic_shape_metadata_prefix_bytes = 1024;
  struct Row {
    Shape shape;
    std::string text;
  };
  const Row rows[] = {{tiled, "bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}"},
                      {packed, "s4[16,128]{1,0:T(8,128)(8,1)E(4)}"},
                      {combined, "f32[2,3,4]{2,1,0:T(2,*,128)}"},
                      {split, "f32[20,8]{1,0:S(3)SC(0:10)(1:4,5)}"},
                      {dynamic, "f32[<=5,?]{1,0}"},
                      {scalar, "u32[]{:T(128)}"},
                      {plain_scalar, "f32[]"},
                      {aligned, "f32[10]{0:T(1024)L(2048)M(1024)}"},
                      {array(ElementType::kF32, {2}), "f32[2]"},
                      {array(ElementType::kToken, {}), "token[]"}};
  for (const Row& row : rows) CHECK(to_string(table, table.intern(row.shape)) == row.text);
  CHECK(to_string(table, table.intern(tiled), ShapeText::kWithoutLayout) == "bf16[32,32,4096]");
}

TEST_CASE("tuples print with an index mark before every fifth element") {
  ShapeTable table;
  const ShapeId f = table.intern(array(ElementType::kF32, {}));
  CHECK(to_string(table, table.intern(tuple({}))) == "()");
  CHECK(to_string(table, table.intern(tuple({f}))) == "(f32[])");
  CHECK(to_string(table, table.intern(tuple({table.intern(tuple({f, f})), f}))) == "((f32[], f32[]), f32[])");
  CHECK(to_string(table, table.intern(tuple({f, f, f, f, f, f}))) ==
        "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])");
  Shape buffer;
  buffer.element_type = ElementType::kBuffer;
  buffer.elements = {table.intern(with_layout(array(ElementType::kF32, {8, 16}), {1, 0}))};
  CHECK(to_string(table, table.intern(buffer)) == "b(f32[8,16]{1,0})");
}

TEST_CASE("leaves go through nested tuples in depth-first order") {
  ShapeTable table;
  const ShapeId a = table.intern(array(ElementType::kF32, {1}));
  const ShapeId b = table.intern(array(ElementType::kF32, {2}));
  const ShapeId inner = table.intern(tuple({b, a}));
  const ShapeId outer = table.intern(tuple({a, inner, b}));
  CHECK(table.leaves(outer) == std::vector<ShapeId>{a, b, a, b});
  CHECK(table.leaves(a) == std::vector<ShapeId>{a});
  CHECK(table.leaves(table.intern(tuple({}))).empty());
  CHECK(ModuleRows::depth(table, outer) == 2);
  CHECK(ModuleRows::depth(table, a) == 0);
}

TEST_CASE("a tuple nested 100,000 deep is printed and compared without recursion") {
  ShapeTable table;
  ShapeId id = table.intern(array(ElementType::kF32, {}));
  for (int i = 0; i < 100000; ++i) id = table.intern(tuple({id}));
  CHECK(ModuleRows::depth(table, id) == 100000);
  CHECK(to_string(table, id).size() == 200000 + 5);
  CHECK(compatible(table, id, table, id));
}

TEST_CASE("doubling tuples list a bounded number of leaves") {
  ShapeTable table;
  ShapeId id = table.intern(array(ElementType::kF32, {}));
  for (int i = 0; i < 24; ++i) id = table.intern(tuple({id, id}));
  CHECK(table.leaves(id).size() == std::size_t{1} << 20);
}

TEST_CASE("compatible looks at types, dimensions and structure only") {
  ShapeTable table;
  ShapeTable other;
  const ShapeId plain = table.intern(array(ElementType::kF32, {2, 3}));
  CHECK(compatible(table, plain, other, other.intern(with_layout(array(ElementType::kF32, {2, 3}), {0, 1}))));
  CHECK_FALSE(compatible(table, plain, other, other.intern(array(ElementType::kF32, {3, 2}))));
  CHECK_FALSE(compatible(table, plain, other, other.intern(array(ElementType::kS32, {2, 3}))));
  CHECK_FALSE(compatible(table, plain, table, table.intern(tuple({plain}))));
}

TEST_CASE("element counts saturate") {
  CHECK(element_count(array(ElementType::kF32, {})) == 1);
  CHECK(element_count(array(ElementType::kF32, {3, 0, 5})) == 0);
  CHECK(element_count(array(ElementType::kF32, {3, Shape::kUnboundedSize})) == 3);
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK(element_count(array(ElementType::kF32, {big, big})) == std::numeric_limits<std::int64_t>::max());
  CHECK(element_count(array(ElementType::kF32, {big, big, 0})) == 0);
}

}  // namespace
}  // namespace hloroof::internal

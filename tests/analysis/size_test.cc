// Physical sizes and positions, against the examples of XLA's docs/tiled_layout.md and of the HLO grammar page.
#include <limits>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/analysis/sizes.h"
#include "lib/ir/shapes.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr std::int64_t kStar = Tile::kCombine;

Shape array(ElementType type, std::vector<std::int64_t> dimensions, std::vector<std::int64_t> minor_to_major,
            std::vector<std::vector<std::int64_t>> tiles) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  shape.layout.present = true;
  shape.layout.minor_to_major = std::move(minor_to_major);
  for (auto& tile : tiles) shape.layout.tiles.push_back({std::move(tile)});
  return shape;
}

using Dimensions = std::vector<std::int64_t>;

struct SizeCase {
  const char* text;
  Shape shape;
  Dimensions dimensions;
  std::int64_t elements;
  std::int64_t bytes;
  std::vector<std::pair<Dimensions, std::int64_t>> positions;
};

std::vector<SizeCase> tiled_cases() {
  return {
      {"f32[3,5]{1,0:T(2,2)}",
       array(ElementType::kF32, {3, 5}, {1, 0}, {{2, 2}}),
       {2, 3, 2, 2},
       24,
       96,
       {{{2, 3}, 17}}},
      {"f32[4,8]{1,0:T(2,4)(2,1)}",
       array(ElementType::kF32, {4, 8}, {1, 0}, {{2, 4}, {2, 1}}),
       {2, 2, 1, 4, 2, 1},
       32,
       128,
       {{{1, 0}, 1}, {{0, 1}, 2}, {{2, 0}, 16}}},
      {"bf16[3,5]{1,0:T(8,128)(2,1)}",
       array(ElementType::kBf16, {3, 5}, {1, 0}, {{8, 128}, {2, 1}}),
       {1, 1, 4, 128, 2, 1},
       1024,
       2048,
       {}},
      {"bf16[10,200]{1,0:T(8,128)(2,1)}",
       array(ElementType::kBf16, {10, 200}, {1, 0}, {{8, 128}, {2, 1}}),
       {2, 2, 4, 128, 2, 1},
       4096,
       8192,
       {{{1, 0}, 1}, {{0, 1}, 2}, {{2, 0}, 256}, {{0, 128}, 1024}, {{8, 0}, 2048}, {{9, 199}, 3215}}},
      {"s8[33,128]{1,0:T(8,128)(4,1)}",
       array(ElementType::kS8, {33, 128}, {1, 0}, {{8, 128}, {4, 1}}),
       {5, 1, 2, 128, 4, 1},
       5120,
       5120,
       {{{1, 0}, 1}, {{0, 1}, 4}, {{4, 0}, 512}, {{32, 5}, 4116}}},
      {"bf16[1500]{0:T(1024)(128)(2,1)}",
       array(ElementType::kBf16, {1500}, {0}, {{1024}, {128}, {2, 1}}),
       {2, 4, 128, 2, 1},
       2048,
       4096,
       {{{1}, 2}, {{2}, 4}, {{128}, 1}, {{256}, 256}, {{1499}, 1463}}},
      {"u32[]{:T(128)}", array(ElementType::kU32, {}, {}, {{128}}), {1, 128}, 128, 512, {{{}, 0}}},
      {"bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
       array(ElementType::kBf16, {8, 1, 1280, 16384}, {3, 2, 0, 1}, {{8, 128}, {2, 1}}),
       {1, 8, 160, 128, 4, 128, 2, 1},
       167772160,
       335544320,
       {}},
      {"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
       array(ElementType::kF32, {2, 7, 8, 11, 10}, {4, 3, 2, 1, 0}, {{kStar, kStar, 2, kStar, 3}}),
       {56, 37, 2, 3},
       12432,
       49728,
       {{{1, 6, 7, 10, 9}, 55 * 37 * 6 + 36 * 6 + 3 + 1}}},
      {"s32[8388608,8,4]{2,1,0:T(8,128)}: lanes 4 to 128",
       array(ElementType::kS32, {8388608, 8, 4}, {2, 1, 0}, {{8, 128}}),
       {8388608, 1, 1, 8, 128},
       std::int64_t{8388608} * 8 * 128,
       std::int64_t{32} << 30,
       {}},
      {"f32[128]{0:T(8,128)}: missing dimensions count as 1",
       array(ElementType::kF32, {128}, {0}, {{8, 128}}),
       {1, 1, 8, 128},
       1024,
       4096,
       {}},
      {"f32[8,1024] without a layout",
       array(ElementType::kF32, {8, 1024}, {1, 0}, {}),
       {8, 1024},
       8192,
       32768,
       {{{1, 2}, 1026}}},
      {"f32[0,5]{1,0:T(8,128)}", array(ElementType::kF32, {0, 5}, {1, 0}, {{8, 128}}), {0, 1, 8, 128}, 0, 0, {}},
      {"f32[?,<=5]: unbounded counts as 1",
       array(ElementType::kF32, {Shape::kUnboundedSize, 5}, {1, 0}, {}),
       {1, 5},
       5,
       20,
       {}},
  };
}

// Cases for the properties of a layout other than tiles.
std::vector<SizeCase> untiled_cases() {
  std::vector<SizeCase> cases;
  cases.push_back({"s4[16,128]{1,0:T(8,128)(8,1)E(4)}",
                   array(ElementType::kS4, {16, 128}, {1, 0}, {{8, 128}, {8, 1}}),
                   {2, 1, 1, 128, 8, 1},
                   2048,
                   1024,
                   {}});
  cases.back().shape.layout.element_size_in_bits = 4;
  cases.push_back(
      {"pred[9]{0:E(1)}: a part of a byte is a byte", array(ElementType::kPred, {9}, {0}, {}), {9}, 9, 2, {}});
  cases.back().shape.layout.element_size_in_bits = 1;
  cases.push_back(
      {"f32[1500]{0:T(1024)L(4096)}", array(ElementType::kF32, {1500}, {0}, {{1024}}), {2, 1024}, 4096, 16384, {}});
  cases.back().shape.layout.tail_padding_alignment = 4096;
  cases.push_back({"f32[16,8]{1,0:SC(0:10)}: the larger piece",
                   array(ElementType::kF32, {16, 8}, {1, 0}, {}),
                   {10, 8},
                   80,
                   320,
                   {}});
  cases.back().shape.layout.split_configs = {{0, {10}}};
  cases.push_back({"f32[16,128]{1,0:T(16,128)M(1024)}",
                   array(ElementType::kF32, {16, 128}, {1, 0}, {{16, 128}}),
                   {1, 1, 16, 128},
                   2048,
                   8192 + 1024,
                   {}});
  cases.back().shape.layout.dynamic_shape_metadata_prefix_bytes = 1024;
  return cases;
}

std::vector<SizeCase> size_cases() {
  std::vector<SizeCase> cases = tiled_cases();
  for (const SizeCase& c : untiled_cases()) cases.push_back(c);
  return cases;
}

// The position in memory, in elements, of the element at `coordinates` (dimension 0 first). Each tile splits the last
// dimensions in two, as XLA's docs/tiled_layout.md describes.
std::int64_t physical_index(const Shape& shape, const Dimensions& coordinates) {
  Dimensions sizes;
  Dimensions place;
  for (std::size_t i = shape.dimensions.size(); i-- > 0;) {
    const std::int64_t d = shape.layout.present ? shape.layout.minor_to_major[i] : sizes.size();
    sizes.push_back(std::max<std::int64_t>(shape.dimensions[d], 1));
    place.push_back(coordinates[d]);
  }
  for (const Tile& tile : shape.layout.tiles) {
    const std::size_t k = tile.dimensions.size();
    if (sizes.size() < k) {
      place.insert(place.begin(), k - sizes.size(), 0);
      sizes.insert(sizes.begin(), k - sizes.size(), 1);
    }
    const std::size_t first = sizes.size() - k;
    Dimensions tiles;
    Dimensions inside;
    Dimensions place_of_tile;
    Dimensions place_inside;
    std::int64_t size = 1;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < k; ++i) {
      size *= sizes[first + i];
      at = at * sizes[first + i] + place[first + i];
      if (tile.dimensions[i] == Tile::kCombine && i + 1 < k) continue;
      const std::int64_t length = std::max<std::int64_t>(tile.dimensions[i], 1);
      tiles.push_back((size + length - 1) / length);
      inside.push_back(length);
      place_of_tile.push_back(at / length);
      place_inside.push_back(at % length);
      size = 1;
      at = 0;
    }
    for (auto* const list : {&sizes, &place}) list->resize(first);
    for (const auto& list : {tiles, inside}) sizes.insert(sizes.end(), list.begin(), list.end());
    for (const auto& list : {place_of_tile, place_inside}) place.insert(place.end(), list.begin(), list.end());
  }
  std::int64_t index = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) index = index * sizes[i] + place[i];
  return index;
}

TEST_CASE("physical sizes and positions follow the tiles") {
  for (const SizeCase& c : size_cases()) {
    INFO(c.text);
    const PhysicalSize size = physical_size(c.shape);
    CHECK(size.dimensions == c.dimensions);
    CHECK(size.elements == c.elements);
    CHECK(size.bytes == c.bytes);
    CHECK_FALSE(size.overflow);
    CHECK(padded_bytes(c.shape) == c.bytes);
    for (const auto& [coordinates, position] : c.positions) {
      CHECK(physical_index(c.shape, coordinates) == position);
    }
  }
}

// For all tiles, the elements have distinct positions inside the array.
TEST_CASE("positions of elements are distinct and inside the array") {
  for (const SizeCase& c : size_cases()) {
    if (c.elements > 20000 || c.shape.layout.split_configs.size() > 0) continue;
    INFO(c.text);
    Dimensions at(c.shape.dimensions.size(), 0);
    std::vector<char> taken(c.elements, 0);
    const std::int64_t count = element_count(c.shape);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t rest = i;
      for (std::size_t d = at.size(); d-- > 0;) {
        const std::int64_t size = std::max<std::int64_t>(c.shape.dimensions[d], 1);
        at[d] = rest % size;
        rest /= size;
      }
      const std::int64_t index = physical_index(c.shape, at);
      REQUIRE(index >= 0);
      REQUIRE(index < c.elements);
      REQUIRE(taken[index] == 0);
      taken[index] = 1;
    }
  }
}

TEST_CASE("sizes beyond int64 saturate and set the overflow flag") {
  const std::int64_t big = std::int64_t{1} << 40;
  const PhysicalSize size = physical_size(array(ElementType::kF32, {big, big}, {1, 0}, {{8, 128}}));
  CHECK(size.overflow);
  CHECK(size.bytes == std::numeric_limits<std::int64_t>::max());
  CHECK(logical_bytes(array(ElementType::kF32, {big, big}, {1, 0}, {})) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("the size of a tuple is the sum of its leaves, and a token has none") {
  ShapeTable table;
  Shape tuple;
  tuple.element_type = ElementType::kTuple;
  tuple.elements = {table.intern(array(ElementType::kBf16, {3, 5}, {1, 0}, {{8, 128}, {2, 1}})),
                    table.intern(array(ElementType::kF32, {2}, {0}, {}))};
  Shape token;
  token.element_type = ElementType::kToken;
  tuple.elements.push_back(table.intern(token));
  const ShapeId id = table.intern(tuple);
  CHECK(padded_bytes(table, id) == 2048 + 8);
  CHECK(logical_bytes(table, id) == 30 + 8);
}

TEST_CASE("memory spaces are those of TPU layouts") {
  Shape shape = array(ElementType::kF32, {8}, {0}, {});
  const std::pair<int, MemorySpace> cases[] = {{0, MemorySpace::kHbm},    {1, MemorySpace::kVmem},
                                               {2, MemorySpace::kScalar}, {5, MemorySpace::kHost},
                                               {6, MemorySpace::kScalar}, {77, MemorySpace::kHbm}};
  for (const auto& [number, space] : cases) {
    shape.layout.memory_space = number;
    CHECK(memory_space(shape) == space);
  }
}

}  // namespace
}  // namespace hloroof::internal

// Tests the values of constants and the device lists of shardings.

#include "lib/values/literal.h"

#include <cmath>
#include <limits>
#include <string>

#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/ir/float_format.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

Module constant(const std::string& shape, const std::string& text) {
  return parsed("HloModule m\nENTRY e {\n ROOT c = " + shape + " constant(" + text + ")\n}\n");
}

TEST_CASE("real() of a complex number is its real part") {
  const Module module = constant("c128[]", "(1e300, 2)");
  const absl::StatusOr<Literal> value = literal(module.entry().root());
  REQUIRE(value.ok());
  CHECK(value->integer(0) == std::numeric_limits<std::int64_t>::max());
  CHECK(value->real(0) == 1e300);
  CHECK(value->imaginary(0) == 2);
}

TEST_CASE("values of constants") {
  struct Case {
    const char* shape;
    const char* text;
    std::vector<double> values;
  };
  const Case cases[] = {
      {"s32[]", "-5", {-5}},
      {"pred[3]", "{true, 0, 7}", {1, 0, 1}},
      {"u8[2]", "{255, 0}", {255, 0}},
      {"s8[2]", "{-128, 127}", {-128, 127}},
      {"s4[2]", "{-8, 7}", {-8, 7}},
      {"s1[2]", "{-1, 0}", {-1, 0}},
      {"s64[]", "-9223372036854775808", {-0x1p63}},
      {"u64[]", "18446744073709551615", {0x1p64}},
      {"f32[2,2]{0,1}", "{ { 1, 2.5 }, { -inf, 1e-3 } }", {1, 2.5, -INFINITY, 0.001F}},
      {"f64[]", "1e300", {1e300}},
      {"bf16[]", "3.14159", {3.140625}},
      {"f16[]", "65519", {65504}},
      {"f16[]", "6e-8", {0x1p-24}},
      {"f8e4m3fn[3]", "{464, 0.001, -448}", {448, 0x1p-9 * 1, -448}},
      {"f8e5m2fnuz[]", "-0.0", {0}},
      {"f8e8m0fnu[3]", "{3, 1e-45, 1.8e38}", {4, 0x1p-127, 0x1p127}},
      {"f4e2m1fn[4]", "{7, 0.3, -100, 2.5}", {6, 0.5, -6, 2}},
      {"f6e2m3fn[]", "1000", {7.5}},
      {"s32[0]", "{}", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.shape, c.text);
    const Module m = constant(c.shape, c.text);
    const absl::StatusOr<Literal> l = literal(m.entry().root());
    REQUIRE(l.ok());
    REQUIRE(l->size() == c.values.size());
    for (std::size_t i = 0; i < c.values.size(); ++i) CHECK(l->real(i) == c.values[i]);
    CHECK_FALSE(l->elided);
  }
}

TEST_CASE("NaNs keep their sign and payload") {
  const Module m = constant("f32[3]", "{nan, -nan, nan(0x1)}");
  const absl::StatusOr<Literal> l = literal(m.entry().root());
  REQUIRE(l.ok());
  CHECK(std::isnan(l->real(0)));
  CHECK(l->integer(0) == 0);
  CHECK(l->bytes == std::vector<std::uint8_t>{0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0xff, 1, 0, 0x80, 0x7f});
}

TEST_CASE("complex constants, tuples, elided ones") {
  const Module complex = constant("c64[2]", "{(1, -2), (3.5, inf)}");
  const absl::StatusOr<Literal> l = literal(complex.entry().root());
  REQUIRE(l.ok());
  CHECK(l->real(1) == 3.5);
  CHECK(l->imaginary(0) == -2);
  CHECK(std::isinf(l->imaginary(1)));

  const Module tuple = constant("(s32[], (f32[2], pred[]))", "(1, ({2, 3}, true))");
  CHECK_FALSE(literal(tuple.entry().root()).ok());
  const auto leaves = literal_leaves(tuple.entry().root());
  REQUIRE(leaves.ok());
  REQUIRE(leaves->size() == 3);
  CHECK((*leaves)[1].real(1) == 3);

  // A shape of 8 TB takes no memory if its values are elided.
  const Module elided = constant("f64[1000000,1000000]", "{...}");
  const absl::StatusOr<Literal> none = literal(elided.entry().root());
  REQUIRE(none.ok());
  CHECK(none->elided);
  CHECK(none->size() == 0);
  const Module elided_tuple = constant("(s32[], f32[4])", "{...}");
  CHECK(literal_leaves(elided_tuple.entry().root())->size() == 2);
}

TEST_CASE("scalars") {
  CHECK(scalar_integer(constant("s32[]", "8").entry().root()) == 8);
  CHECK(scalar_integer(constant("s32[]{:T(128)}", "-8").entry().root()) == -8);
  CHECK(scalar_integer(constant("pred[]", "true").entry().root()) == 1);
  CHECK(scalar_integer(constant("u32[1,1]", "{{7}}").entry().root()) == 7);
  CHECK_FALSE(scalar_integer(constant("f32[]", "8").entry().root()).has_value());
  CHECK_FALSE(scalar_integer(constant("s32[2]", "{1, 2}").entry().root()).has_value());
  CHECK_FALSE(scalar_integer(constant("s32[1]", "{...}").entry().root()).has_value());
}

TEST_CASE("every encoding of the small float formats survives a round trip") {
  for (ElementType type : {ElementType::kF4e2m1fn, ElementType::kF6e2m3fn, ElementType::kF6e3m2fn, ElementType::kF8e3m4,
                           ElementType::kF8e4m3, ElementType::kF8e4m3b11fnuz, ElementType::kF8e4m3fn,
                           ElementType::kF8e4m3fnuz, ElementType::kF8e5m2, ElementType::kF8e5m2fnuz,
                           ElementType::kF8e8m0fnu, ElementType::kF16, ElementType::kBf16}) {
    CAPTURE(to_string(type));
    const FloatFormat format = float_format(type);
    const bool is_signed = format.specials != FloatFormat::Specials::kPowersOfTwo;
    const int width = format.exponent_bits + format.mantissa_bits + (is_signed ? 1 : 0);
    double previous = -INFINITY;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << width; ++bits) {
      const double value = value_of_bits(format, bits);
      if (std::isnan(value)) continue;
      CHECK(round_to_format(format, value) == bits);
      // Positive values increase with their bits, and a value just above the middle of two rounds up.
      if (bits >> (width - 1) != 0 && is_signed) continue;
      CHECK(value > previous);
      if (std::isfinite(previous) && std::isfinite(value) && bits > 0) {
        // In steps of f32, because f16 and bf16 are rounded through it.
        const auto middle = static_cast<float>((previous + value) / 2);
        CHECK(round_to_format(format, std::nextafterf(middle, INFINITY)) == bits);
        CHECK(round_to_format(format, std::nextafterf(middle, 0)) == bits - 1);
      }
      previous = value;
    }
  }
}

TEST_CASE("shardings as shards and devices") {
  struct Case {
    const char* text;
    std::vector<std::int64_t> shards;
    std::vector<std::int64_t> devices;
  };
  const Case cases[] = {
      {"{replicated}", {1, 1}, {}},
      {"{maximal device=3}", {1, 1}, {3}},
      {"{devices=[2,2]0,1,3,2}", {2, 2}, {0, 1, 3, 2}},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {2, 1}, {0, 1, 2, 3}},
      {"{devices=[2,2]<=[2,2]T(1,0)}", {2, 2}, {0, 2, 1, 3}},
      {"{devices=[2,2,2,1]<=[8] last_tile_dims={manual, replicated}}", {2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}},
      {"{mesh['a'=2,'b'=4], [{'a'}, {'b'}]}", {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}},
      {"{mesh['a'=2,'b'=4], [{'b'}, {?}]}", {4, 1}, {0, 4, 1, 5, 2, 6, 3, 7}},
      {"{mesh['a'=2,'b'=4], [{'b','a'}]}", {8, 1}, {0, 4, 1, 5, 2, 6, 3, 7}},
      {"{mesh['a'=8], device_ids=(7,6,5,4,3,2,1,0), [{'a':(2)2}, {}]}", {2, 1}, {7, 6, 3, 2, 5, 4, 1, 0}},
      {"{maximal_mesh[device_id=5]}", {1, 1}, {5}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<ShardingAttribute> s = parse_text<ShardingAttribute>(c.text, read_sharding);
    INFO(s.status().ToString());
    REQUIRE(s.ok());
    CHECK_FALSE(s->is_tuple);
    REQUIRE(s->elements.size() == 1);
    const Sharding& sharding = s->elements[0];
    for (std::size_t d = 0; d < c.shards.size(); ++d) CHECK(sharding.shards_of_dimension(d) == c.shards[d]);
    CHECK(sharding.device_count() == static_cast<std::int64_t>(c.devices.size()));
    CHECK(sharding.device_list().value() == c.devices);
  }
  const auto tuple = parse_text<ShardingAttribute>(
      "{{replicated}, {devices=[1000000,1000000]<=[1000000000000]}, {manual shard_as 4}}", read_sharding);
  REQUIRE(tuple.ok());
  CHECK(tuple->is_tuple);
  REQUIRE(tuple->elements.size() == 3);
  CHECK(tuple->elements[1].device_list().status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(tuple->elements[2].group == Sharding::Group::kAs);
  CHECK(tuple->elements[2].group_id == 4);
}

}  // namespace
}  // namespace hloroof::internal

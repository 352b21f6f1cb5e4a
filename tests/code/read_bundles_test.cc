#include "lib/code/read_bundles.h"

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string message_of(std::string_view text) {
  const absl::StatusOr<CodeProgram> program = read_bundles(text, "a.txt");
  return std::string(program.status().message());
}

TEST_CASE("a bundle is a cycle with its instructions by unit") {
  const absl::StatusOr<CodeProgram> program = read_bundles(
      "LB: loop body\n\n"
      "     0   :  { %1 = vst [vmem:[#allocation26_spill] sm:$0xff] /*vst_source=*/%v8_v1  ;;  %v2_v1 = vadd.f32 "
      "%v1_v1, 1.0 }\n"
      "   0x1 LB: > { %v3_v1 = vld [vmem:[#allocation26_spill] sm:$0xff]  ;;  %v4_v2 = vld [vmem:[%s1_s2] sm:$0xff] /* "
      "{\n } */ }\n"
      "   0x2   : >> {} /* End region 3 */\n"
      "   0x3 PF:  { %5 = sst [smem:[#allocation1_spill]] %s1_s0  ;;  %s6_s1 = sld [smem:[#allocation1_spill]] }\n",
      "a.txt");
  REQUIRE(program.ok());
  REQUIRE(program->bundles.size() == 4);
  const auto issued = [&](std::size_t bundle, CodeUnit unit) {
    return static_cast<int>(program->bundles[bundle].issued[static_cast<std::size_t>(unit)]);
  };
  CHECK(program->bundles[0].vector_spills == 1);
  CHECK(program->bundles[0].vector_fills == 0);
  CHECK(issued(0, CodeUnit::kStore) == 1);
  CHECK(issued(0, CodeUnit::kVector) == 1);
  CHECK(program->bundles[1].vector_fills == 1);
  CHECK(issued(1, CodeUnit::kLoad) == 2);
  CHECK(program->bundles[2].is_empty);
  CHECK(program->bundles[3].scalar_spills == 1);
  CHECK(program->bundles[3].scalar_fills == 1);
  CHECK(program->bundles[3].op_count == 2);
  CHECK(program->unread.empty());
}

TEST_CASE("braces in brackets do not end a bundle") {
  const absl::StatusOr<CodeProgram> program = read_bundles(
      "     0   :  { %s1_s0 = inlined_call_operand.hbm [shape: f32[8], index: 0, kind: input, shape index: {}] }\n",
      "a.txt");
  REQUIRE(program.ok());
  CHECK(program->ops.size() == 1);
}

TEST_CASE("an instruction that is not known is named and no error") {
  const absl::StatusOr<CodeProgram> program =
      read_bundles("0 : { %s1_s0 = sfrob.u32 %s1_s0  ;;  %2 = sadd.s32 }\n", "a.txt");
  REQUIRE(program.ok());
  CHECK(program->unread == std::vector<std::string>{"sadd.s32", "sfrob.u32"});
}

TEST_CASE("code says how many matrix units it names, and whether it is for joined cores") {
  const auto plain = read_bundles("0 : { %1 = vmatpush.msra.mxu0 %v1_v0 }\n0x1 : { %2 = vdwg.mxu3 }\n", "a.txt");
  REQUIRE(plain.ok());
  CHECK(plain->matrix_units == 4);
  CHECK_FALSE(plain->joins_cores);
  const auto alone = read_bundles("0 : { %s1_s0 = sld [smem:[#allocation3]] /* core id */ }\n", "a.txt");
  REQUIRE(alone.ok());
  CHECK(alone->matrix_units == 0);
  CHECK_FALSE(alone->joins_cores);
  const auto joined = read_bundles("0 : { %s1_s0 = sld [smem:[#allocation3]] /* megacore core id */ }\n", "a.txt");
  REQUIRE(joined.ok());
  CHECK(joined->joins_cores);
}

TEST_CASE("errors say where") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(message_of(""), ContainsSubstring("no bundle"));
  CHECK_THAT(message_of("HloModule m\n"), ContainsSubstring("no bundle"));
  CHECK_THAT(message_of("0 : {}\n0x2 : {}\n"), ContainsSubstring("a.txt:2:7: error: bundle 2 where bundle 1"));
  CHECK_THAT(message_of("0 : { %1 = vadd"), ContainsSubstring("a.txt:1:5: error: the bundle does not end"));
  CHECK_THAT(message_of("0 : { %1 = vadd /* x"), ContainsSubstring("a.txt:1:17: error: the comment does not end"));
  CHECK_THAT(message_of("0 : { %1 = sbr.rel target bundleno = 7 (0x7) }\n"),
             ContainsSubstring("a.txt:1:7: error: the branch goes to bundle 7"));
  CHECK_THAT(message_of("0 : { %1 = sbr.rel target bundleno = 99999999999999 }\n"),
             ContainsSubstring("error: the branch"));
}

}  // namespace
}  // namespace hloroof::internal

// Tests XProf's categories, and source locations from stack frames.
#include <string>

#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/analysis/names.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kComputations[] = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
loop {
  p = f32[8,128] parameter(0)
  ROOT e = f32[8,128] exponential(p)
}
formatting {
  p = f32[8,128] parameter(0)
  t = f32[128,8] transpose(p), dimensions={1,0}
  ROOT b = f32[8,128] bitcast(t)
}
product {
  p = f32[8,128] parameter(0)
  n = f32[8,128] negate(p)
  ROOT c = f32[8,8] convolution(n, p), dim_labels=bf_oi->bf
}
outer {
  p = f32[8,128] parameter(0)
  ROOT f = f32[8,8] fusion(p), kind=kOutput, calls=product
}
reduction {
  p = f32[8,128] parameter(0)
  ROOT r = f32[8,128] all-reduce(p), replica_groups={}, to_apply=add
}
wrapped {
  p = f32[8,128] parameter(0)
  ROOT r = f32[1,128] reduce-scatter(p), replica_groups={}, dimensions={0}, to_apply=add
}
)";

TEST_CASE("categories") {
  struct Case {
    const char* instruction;
    const char* category;
  };
  const Case cases[] = {
      {"f32[8,128] fusion(a), kind=kLoop, calls=loop", "loop fusion"},
      {"f32[8,128] fusion(a), kind=kInput, calls=loop", "input fusion"},
      {"f32[8,128] fusion(a), kind=kOutput, calls=loop", "output fusion"},
      {"f32[8,128] fusion(a), kind=kCustom, calls=loop", "custom fusion"},
      {"f32[8,128] fusion(a), kind=kLoop, calls=formatting", "data formatting"},
      {"f32[8,8] fusion(a), kind=kOutput, calls=product", "convolution fusion"},
      {"f32[8,8] fusion(a), kind=kOutput, calls=outer", "convolution fusion"},
      {"f32[8,128] fusion(a), kind=kCustom, calls=reduction", "all-reduce fusion"},
      {"f32[8,128] all-reduce(a), replica_groups={}, to_apply=add", "all-reduce"},
      {"((f32[8,128]), f32[1,128], u32[]) async-start(a), calls=wrapped", "reduce-scatter-start"},
      {"f32[8,128]{1,0} copy(a)", "copy"},
      {"f32[8,128]{0,1} copy(a)", "data formatting"},
      {"f32[128,8] transpose(a), dimensions={1,0}", "data formatting"},
      {"f32[1024] reshape(a)", "data formatting"},
      {"f32[8,128] negate(a)", "non-fusion elementwise"},
      {"f32[8,8] convolution(a, a), dim_labels=bf_oi->bf", "convolution"},
      {"f32[8,128] custom-call(a), custom_call_target=\"x\"", "custom-call"},
      {"f32[8,128] sort(a), dimensions={1}, to_apply=add", "sort"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.instruction);
    const absl::StatusOr<Module> module =
        parse_module("HloModule m\n" + std::string(kComputations) +
                     "ENTRY main {\n  a = f32[8,128]{1,0} parameter(0)\n  ROOT r = " + c.instruction + "\n}\n");
    INFO(module.status().message());
    REQUIRE(module.ok());
    CHECK(op_category(module->entry().root()) == c.category);
  }
}

}  // namespace
}  // namespace hloroof::internal

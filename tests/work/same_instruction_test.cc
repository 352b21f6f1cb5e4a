// Equal instructions are counted once. Each case has two instructions that differ in one thing that work depends on, or
// only in what it does not depend on.
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/work/same_work.h"
#include "lib/work/work.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

struct Case {
  const char* name;
  const char* computations;
  const char* entry;  // with instructions %a and %b
};

struct Pair {
  Shared<Work> a;
  Shared<Work> b;
};

// The works of %a and %b, each of which equals the work counted without others.
Pair works_of(const Case& c, const WorkOptions& options = {}) {
  const Module module = parsed(std::string("HloModule m, is_scheduled=true\n") + c.computations + "ENTRY main {\n" +
                               c.entry + "  ROOT end = () tuple()\n}\n");
  const CallGraph calls = analyze_calls(module);
  const PagedTable<Shared<Work>> works = compute_work(module, calls, options);
  Pair pair;
  for (InstructionView instruction : module.entry().instructions()) {
    const Shared<Work>& work = works[instruction.id().index];
    CHECK(same_work(*work, compute_work(instruction, options)));
    if (instruction.name() == "a") pair.a = work;
    if (instruction.name() == "b") pair.b = work;
  }
  return pair;
}

constexpr char kAdd[] = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
)";

TEST_CASE("instructions that differ in something that work depends on are counted apart") {
  const std::vector<Case> cases = {
      {"the opcode", "", R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} negate(p)
  b = f32[1024]{0} exponential(p)
)"},
      {"the shape of the result", "", R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} negate(p)
  b = f32[1024]{0:S(1)} negate(p)
)"},
      {"the shape of an operand", "", R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0:S(1)} parameter(1)
  a = f32[1024]{0} negate(p)
  b = f32[1024]{0} negate(q)
)"},
      {"an attribute", "", R"(
  p = f32[64,64]{1,0:T(8,128)} parameter(0)
  a = f32[64,32]{1,0:T(8,128)} slice(p), slice={[0:64], [0:64:2]}
  b = f32[64,32]{1,0:T(8,128)} slice(p), slice={[0:64], [0:32]}
)"},
      {"a scalar that renames an array in HBM, or one on the chip", "", R"(
  p = s32[1]{0:T(128)} parameter(0)
  q = s32[1]{0:T(128)S(1)} parameter(1)
  zero = s32[]{:T(128)} constant(0)
  in_hbm = s32[]{:T(128)} bitcast(p)
  on_chip = s32[]{:T(128)} bitcast(q)
  a = s32[]{:T(128)} add(in_hbm, zero)
  b = s32[]{:T(128)} add(on_chip, zero)
)"},
      {"a scalar that renames an array, or one that does not", "", R"(
  p = s32[1]{0:T(128)} parameter(0)
  zero = s32[]{:T(128)} constant(0)
  in_hbm = s32[]{:T(128)} bitcast(p)
  a = s32[]{:T(128)} add(in_hbm, zero)
  b = s32[]{:T(128)} add(zero, zero)
)"},
      {"the opcode of a fused instruction", R"(
one { ROOT r = f32[1024]{0} exponential(f32[1024]{0} parameter(0)) }
two { ROOT r = f32[1024]{0} negate(f32[1024]{0} parameter(0)) }
)",
       R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} fusion(p), kind=kLoop, calls=one
  b = f32[1024]{0} fusion(p), kind=kLoop, calls=two
)"},
      {"the shape of a fused instruction", R"(
one {
  p = f32[1024]{0} parameter(0)
  s = f32[16]{0} slice(p), slice={[0:16]}
  ROOT r = f32[] slice(s), slice={[0:1]}
}
two {
  p = f32[1024]{0} parameter(0)
  s = f32[512]{0} slice(p), slice={[0:512]}
  ROOT r = f32[] slice(s), slice={[0:1]}
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  a = f32[] fusion(p), kind=kLoop, calls=one
  b = f32[] fusion(p), kind=kLoop, calls=two
)"},
      {"an attribute of a fused instruction", R"(
one {
  p = f32[64,64]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[64,32]{1,0:T(8,128)} slice(p), slice={[0:64], [0:64:2]}
}
two {
  p = f32[64,64]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[64,32]{1,0:T(8,128)} slice(p), slice={[0:64], [0:32]}
}
)",
       R"(
  p = f32[64,64]{1,0:T(8,128)} parameter(0)
  a = f32[64,32]{1,0:T(8,128)} fusion(p), kind=kLoop, calls=one
  b = f32[64,32]{1,0:T(8,128)} fusion(p), kind=kLoop, calls=two
)"},
      {"an operand of a fused instruction", R"(
one {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  ROOT r = f32[1024]{0} add(p, q)
}
two {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  ROOT r = f32[1024]{0} add(p, p)
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  a = f32[1024]{0} fusion(p, q), kind=kLoop, calls=one
  b = f32[1024]{0} fusion(p, q), kind=kLoop, calls=two
)"},
      {"the number of a parameter", R"(
one {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  ROOT r = f32[1024]{0} negate(p)
}
two {
  q = f32[1024]{0} parameter(1)
  p = f32[1024]{0} parameter(0)
  ROOT r = f32[1024]{0} negate(q)
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0:S(1)} parameter(1)
  a = f32[1024]{0} fusion(p, q), kind=kLoop, calls=one
  b = f32[1024]{0} fusion(p, q), kind=kLoop, calls=two
)"},
      {"the root", R"(
one {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  ROOT s = f32[1024]{0} negate(p)
  r = f32[1024]{0} add(p, q)
}
two {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  s = f32[1024]{0} negate(p)
  ROOT r = f32[1024]{0} add(p, q)
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  a = f32[1024]{0} fusion(p, q), kind=kLoop, calls=one
  b = f32[1024]{0} fusion(p, q), kind=kLoop, calls=two
)"},
      {"the element of a tuple", R"(
inner {
  p = f32[1024]{0} parameter(0)
  i = s32[] parameter(1)
  u = f32[8]{0} parameter(2)
  d = f32[1024]{0} dynamic-update-slice(p, u, i)
  n = f32[1024]{0} negate(p)
  ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(d, n)
}
one {
  p = f32[1024]{0} parameter(0)
  i = s32[] parameter(1)
  u = f32[8]{0} parameter(2)
  f = (f32[1024]{0}, f32[1024]{0}) fusion(p, i, u), kind=kLoop, calls=inner
  ROOT g = f32[1024]{0} get-tuple-element(f), index=0
}
two {
  p = f32[1024]{0} parameter(0)
  i = s32[] parameter(1)
  u = f32[8]{0} parameter(2)
  f = (f32[1024]{0}, f32[1024]{0}) fusion(p, i, u), kind=kLoop, calls=inner
  ROOT g = f32[1024]{0} get-tuple-element(f), index=1
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  i = s32[] parameter(1)
  u = f32[8]{0} parameter(2)
  a = f32[1024]{0} fusion(p, i, u), kind=kLoop, calls=one
  b = f32[1024]{0} fusion(p, i, u), kind=kLoop, calls=two
)"},
      {"what a nested fusion calls", R"(
one { ROOT r = f32[1024]{0} exponential(f32[1024]{0} parameter(0)) }
two { ROOT r = f32[1024]{0} negate(f32[1024]{0} parameter(0)) }
of_one { ROOT r = f32[1024]{0} fusion(f32[1024]{0} parameter(0)), kind=kLoop, calls=one }
of_two { ROOT r = f32[1024]{0} fusion(f32[1024]{0} parameter(0)), kind=kLoop, calls=two }
)",
       R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} fusion(p), kind=kLoop, calls=of_one
  b = f32[1024]{0} fusion(p), kind=kLoop, calls=of_two
)"},
      {"what a fused reduction applies", R"(
max {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] power(x, y)
}
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
one {
  p = f32[1024]{0} parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add
}
two {
  p = f32[1024]{0} parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=max
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  a = f32[] fusion(p), kind=kLoop, calls=one
  b = f32[] fusion(p), kind=kLoop, calls=two
)"},
      {"the aliases of a fusion", R"(
fused {
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  n = f32[1024]{0} negate(p)
  ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(n, q)
}
)",
       R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  a = (f32[1024]{0}, f32[1024]{0}) fusion(p, q), kind=kLoop, output_to_operand_aliasing={{1}: (1, {})}, calls=fused
  b = (f32[1024]{0}, f32[1024]{0}) fusion(p, q), kind=kLoop, calls=fused
)"},
      {"the windows of a product", "", R"(
  p = bf16[1024,1024]{1,0:T(8,128)(2,1)} parameter(0)
  a = bf16[1024,1024]{1,0:T(8,128)(2,1)} convolution(p, p), dim_labels=bf_io->bf, backend_config={"window_config":{"kernel_window_bounds":[],"output_window_bounds":["64","4"],"input_window_bounds":[],"iteration_bounds":["2","2","1"]}}
  b = bf16[1024,1024]{1,0:T(8,128)(2,1)} convolution(p, p), dim_labels=bf_io->bf, backend_config={"window_config":{"kernel_window_bounds":[],"output_window_bounds":["64","2"],"input_window_bounds":[],"iteration_bounds":["4","2","1"]}}
)"},
      {"the thread of a fused gather", R"(
one {
  p = f32[4096,128]{1,0:T(8,128)} parameter(0)
  i = s32[64]{0:T(128)} parameter(1)
  ROOT r = f32[64,128]{1,0:T(8,128)} gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}
}
two {
  p = f32[4096,128]{1,0:T(8,128)} parameter(0)
  i = s32[64]{0:T(128)} parameter(1)
  ROOT r = f32[64,128]{1,0:T(8,128)} gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}
}, execution_thread="sparsecore"
)",
       R"(
  p = f32[4096,128]{1,0:T(8,128)} parameter(0)
  i = s32[64]{0:T(128)} parameter(1)
  a = f32[64,128]{1,0:T(8,128)} fusion(p, i), kind=kLoop, calls=one
  b = f32[64,128]{1,0:T(8,128)} fusion(p, i), kind=kLoop, calls=two
)"},
      {"whether a GPU computes element by element", R"(
one {
  p = f32[64]{0} parameter(0)
  e = f32[64]{0} exponential(p)
  ROOT r = f32[64,256]{1,0} broadcast(e), dimensions={0}
}
two {
  p = f32[64]{0} parameter(0)
  e = f32[64]{0} exponential(p)
  ROOT r = f32[64,256]{1,0} broadcast(e), dimensions={0}
}
)",
       R"(
  p = f32[64]{0} parameter(0)
  a = f32[64,256]{1,0} fusion(p), kind=kLoop, calls=one
  b = f32[64,256]{1,0} fusion(p), kind=kCustom, calls=two
)"},
      {"the tile of a Triton fusion", R"(
fused { ROOT r = f32[64,64]{1,0} negate(f32[64,64]{1,0} parameter(0)) }
)",
       R"(
  p = f32[64,64]{1,0} parameter(0)
  a = f32[64,64]{1,0} fusion(p), kind=kCustom, calls=fused, backend_config={"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"num_warps":"4","output_tiles":[{"sizes":["8","8"]}],"num_ctas":1,"num_stages":1}}}
  b = f32[64,64]{1,0} fusion(p), kind=kCustom, calls=fused, backend_config={"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"num_warps":"4","output_tiles":[{"sizes":["8","4"]}],"num_ctas":1,"num_stages":1}}}
)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pair works = works_of(c);
    CHECK_FALSE(same_work(*works.a, *works.b));
  }
}

TEST_CASE("instructions that differ in other things are counted once") {
  const std::vector<Case> cases = {
      {"what a divisor in memory was made of", "", R"(
  p = f32[64,256]{1,0:T(8,128)} parameter(0)
  q = f32[64]{0:T(128)} parameter(1)
  rows = f32[64,256]{1,0:T(8,128)} broadcast(q), dimensions={0}
  a = f32[64,256]{1,0:T(8,128)} divide(p, rows)
  b = f32[64,256]{1,0:T(8,128)} divide(p, p)
)"},
      {"what made the operand of a broadcast", "", R"(
  q = f32[64]{0:T(128)} parameter(0)
  z = f32[64]{0:T(128)} iota(), iota_dimension=0
  a = f32[64,256]{1,0:T(8,128)} broadcast(q), dimensions={0}
  b = f32[64,256]{1,0:T(8,128)} broadcast(z), dimensions={0}
)"},
      {"names and metadata", R"(
one { ROOT r = f32[1024]{0} exponential(f32[1024]{0} parameter(0)), metadata={op_name="x"} }
two { ROOT s = f32[1024]{0} exponential(f32[1024]{0} parameter(0)) }
)",
       R"(
  p = f32[1024]{0} parameter(0)
  q = f32[1024]{0} parameter(1)
  a = f32[1024]{0} fusion(p), kind=kLoop, calls=one, metadata={op_name="y"}
  b = f32[1024]{0} fusion(q), kind=kLoop, calls=two
)"},
      {"the channel and the chain of a collective", kAdd, R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} all-reduce(p), channel_id=1, replica_groups={}, to_apply=add, frontend_attributes={chain_id="1"}
  b = f32[1024]{0} all-reduce(p), channel_id=2, replica_groups={}, to_apply=add, frontend_attributes={chain_id="2"}
)"},
      {"copies", "", R"(
  p = f32[1024]{0} parameter(0)
  a = (f32[1024]{0:S(1)}, f32[1024]{0}, u32[]{:S(2)}) copy-start(p)
  b = (f32[1024]{0:S(1)}, f32[1024]{0}, u32[]{:S(2)}) copy-start(p)
)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pair works = works_of(c);
    CHECK(&*works.a == &*works.b);
  }
}

// The user may state the cost of each by its name.
TEST_CASE("custom calls are counted one by one") {
  WorkOptions options;
  CustomCallCost cost;
  cost.target = "b";
  cost.flops = 7;
  options.custom_calls = {cost};
  const Pair works = works_of({"", "", R"(
  p = f32[1024]{0} parameter(0)
  a = f32[1024]{0} custom-call(p), custom_call_target="f"
  b = f32[1024]{0} custom-call(p), custom_call_target="f"
)"},
                              options);
  CHECK(works.a->flops == 0);
  CHECK(works.b->flops == 7);
}

}  // namespace
}  // namespace hloroof::internal

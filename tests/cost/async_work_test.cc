// An asynchronous operation has the work of what it wraps, however it is written.
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "lib/analysis/names.h"
#include "lib/cost/work.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kHlo[] = R"(HloModule m, is_scheduled=true, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

gathered {
  shard = bf16[8,128]{1,0} parameter(0)
  ROOT gather = bf16[32,128]{1,0} all-gather(shard), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}
}

ENTRY main {
  x = bf16[32,128]{1,0} parameter(0)
  shard = bf16[8,128]{1,0} parameter(1)
  scatter-start = ((bf16[32,128]{1,0}), bf16[8,128]{1,0}) reduce-scatter-start(x), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add
  call-start = ((bf16[8,128]{1,0}), bf16[32,128]{1,0}) call-start(shard), to_apply=gathered
  scatter-done = bf16[8,128]{1,0} reduce-scatter-done(scatter-start)
  call-done = bf16[32,128]{1,0} call-done(call-start)
  ROOT both = (bf16[8,128]{1,0}, bf16[32,128]{1,0}) tuple(scatter-done, call-done)
}
)";

TEST_CASE("starts that are written with the opcode they wrap have its work") {
  const absl::StatusOr<Module> module = parse_module(kHlo);
  REQUIRE(module.ok());
  struct Case {
    const char* name;
    const char* category;
    double read;
    double written;
  };
  for (const Case& c : {Case{"scatter-start", "reduce-scatter-start", 32 * 128 * 2, 8 * 128 * 2},
                        Case{"call-start", "call-start", 8 * 128 * 2, 32 * 128 * 2}}) {
    INFO(c.name);
    for (InstructionView instruction : module->entry().instructions()) {
      if (instruction.name() != c.name) continue;
      const Work work = compute_work(instruction, {});
      CHECK(work.source == CostSource::kModel);
      CHECK(work.read.hbm == c.read);
      CHECK(work.written.hbm == c.written);
      CHECK(op_category(instruction) == c.category);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

// Arrays of one element that lie in HBM: an operation that is on the chip otherwise waits for each.
#include <string>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/time/op_time.h"
#include "lib/work/work.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// The start of an iteration of a grouped product: the number of a group is cut out of a list in VMEM, and operations on
// scalars bring it into bounds. Beside it the vector units reduce an array to scalars.
constexpr char kHlo[] = R"(HloModule m, is_scheduled=true

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

both {
  a = f32[1024]{0:T(1024)} parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(a, zero), dimensions={0}, to_apply=sum
  ROOT r = (f32[], f32[]) tuple(s, s)
}

ENTRY main {
  wide = f32[1024]{0:T(1024)S(1)} parameter(2)
  none = f32[]{:T(128)} constant(0)
  total = f32[]{:T(128)} reduce(wide, none), dimensions={0}, to_apply=sum
  total_on_chip = f32[]{:T(128)S(6)} reduce(wide, none), dimensions={0}, to_apply=sum
  totals = (f32[]{:T(128)}, f32[]{:T(128)}) fusion(wide), kind=kLoop, calls=both
  list = s32[128]{0:T(128)S(1)} parameter(0)
  at = s32[]{:T(128)S(6)} parameter(1)
  zero = s32[]{:T(128)} constant(0)
  cut = s32[1]{0:T(128)} dynamic-slice(list, at), dynamic_slice_sizes={1}
  cut_on_chip = s32[1]{0:T(128)S(1)} dynamic-slice(list, at), dynamic_slice_sizes={1}
  group = s32[]{:T(128)} bitcast(cut)
  near = s32[]{:T(128)} bitcast(cut_on_chip)
  is_negative = pred[]{:T(512)S(6)} compare(group, zero), direction=LT
  again = s32[]{:T(128)} bitcast(cut)
  twice = s32[]{:T(128)S(6)} add(group, again)
  of_registers = s32[]{:T(128)} add(at, zero)
  of_vmem = s32[]{:T(128)} add(near, of_registers)
  ROOT bound = s32[]{:T(128)S(6)} select(is_negative, of_registers, group)
}
)";

Work work_of(const Module& module, const std::string& name) {
  for (InstructionView instruction : module.entry().instructions()) {
    if (instruction.name() == name) return compute_work(instruction, {});
  }
  FAIL("no instruction is called " << name);
  return {};
}

// The seconds of the term's children of this name.
double seconds_of(const Term& term, const std::string& name) {
  double seconds = 0;
  for (const Term& child : term.children) seconds += child.name == name ? child.seconds : 0;
  return seconds;
}

TEST_CASE("operations on scalars fetch each array of one element that lies in HBM") {
  const absl::StatusOr<Module> module = parse_module(kHlo);
  REQUIRE(module.ok());
  const Device device = find_device("tpu_v6e").value();
  const TpuCore::Overhead& overhead = device.tpu()->overhead;
  struct Case {
    const char* name;
    double fetched;
    double stored;
  };
  for (const Case& c : {Case{"cut", 0, 1}, Case{"cut_on_chip", 0, 0}, Case{"is_negative", 1, 0}, Case{"twice", 2, 0},
                        Case{"of_registers", 0, 0}, Case{"of_vmem", 0, 0}, Case{"bound", 1, 0}, Case{"total", 0, 1},
                        Case{"total_on_chip", 0, 0}, Case{"totals", 0, 1}}) {
    CAPTURE(c.name);
    const Work work = work_of(*module, c.name);
    CHECK(work.fetched_elements == c.fetched);
    CHECK(work.stored_elements == c.stored);
    const double fixed = *overhead.op_on_chip + c.fetched * overhead.dma_read + c.stored * overhead.dma_write;
    CHECK(op_time(work, device).seconds == Approx(fixed).epsilon(0.02));
    const Term terms = op_terms(work, device);
    CHECK(terms.seconds == op_time(work, device).seconds);
    CHECK(seconds_of(terms, "elements fetched from HBM") == Approx(c.fetched * overhead.dma_read));
    CHECK(seconds_of(terms, "elements stored in HBM") == Approx(c.stored * overhead.dma_write));
  }
}

}  // namespace
}  // namespace hloroof::internal

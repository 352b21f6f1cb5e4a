#include "lib/code/code_units.h"

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("the unit of an opcode follows from its name") {
  struct Case {
    const char* opcode;
    const char* unit;
  };
  const Case cases[] = {
      {"vmatmul.bf16.vlgmr.msra.gmra.mxu0", "MXU"},
      {"vmatpush1.bf16.msra.mxu1", "MXU"},
      {"vmatprep.subr.bf16.mxu0", "MXU"},
      {"vxpose.xlu0.b32.cont", "XLU"},
      {"vadd.xlane.f32.xlu0", "XLU"},
      {"vperm.lane.xlu2", "XLU"},
      {"vpop.permute.xlu2", "VPOP"},
      {"vpop.f32.mrf.mxu0", "VPOP"},
      {"vpop.erf", "VPOP"},
      {"vrot.slane", "VALU"},
      {"vadd.f32", "VALU"},
      {"vstv", "VALU"},
      {"vst", "VST"},
      {"vld.sshfl", "VLD"},
      {"vrsqrt.f32", "EUP"},
      {"vexp2.f32", "EUP"},
      {"vmor", "other"},
      {"vsyncadd", "other"},
      {"dma.hbm_to_vmem", "other"},
      {"sadd.s32", "SALU"},
      {"pneg", "SALU"},
      {"", "SALU"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.opcode);
    CHECK(to_string(unit_of(c.opcode)) == c.unit);
  }
}

}  // namespace
}  // namespace hloroof::internal

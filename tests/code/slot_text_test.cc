#include "lib/code/slot_text.h"

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Kind = CodeOperand::Kind;

TEST_CASE("an instruction is a result, an opcode, a guard and operands") {
  const SlotText slot = slot_text(" %s10452_s20 = smov.u32 (!%p34_p0, %s36_s20), %s7862_s22 /* copy for cssa */ ");
  CHECK(slot.result == "s10452_s20");
  CHECK(slot.opcode == "smov.u32");
  CHECK(slot.guard == "!%p34_p0");
  CHECK(slot.otherwise == "%s36_s20");
  REQUIRE(slot.operands.size() == 1);
  CHECK(slot.operands[0].text == "%s7862_s22");
}

TEST_CASE("operands may have names") {
  const SlotText slot = slot_text(
      "%1 = dma.hbm_to_vmem [thread:$0]  (%p9_p1), /*hbm=*/%s156_s29, /*size_in_granules=*/16384,"
      " /*dst_syncflagno=*/[#allocation5 + $0x1] /* \nwindow_bounds: (64, 4)\n"
      "element_size_in_bytes: 2048\n */");
  CHECK(slot.guard == "%p9_p1");
  REQUIRE(slot.operands.size() == 3);
  CHECK(slot.operands[1].name == "size_in_granules");
  CHECK(slot.operands[1].text == "16384");
  CHECK(slot.operands[2].text == "[#allocation5 + $0x1]");
  CHECK(slot.window_bytes == 64 * 4 * 2048);
}

TEST_CASE("the hexadecimal target of a branch is no guard") {
  CHECK(slot_text("%1 = sbr.rel target bundleno = 22 (0x16), region = 4").guard.empty());
  CHECK(slot_text("%1 = sbr.rel (%p7_p1) target bundleno = 22 (0x16)").guard == "%p7_p1");
}

TEST_CASE("comments say what a load and a division mean") {
  CHECK(slot_text("%s1_s2 = sld [smem:[#allocation2]] /* megacore core id :: core id */").says_core_id);
  CHECK(slot_text("%1 = sdivrem.u32 %s1_s2, 3 /* kRem */").says_remainder);
  CHECK(slot_text("%1 = sdivrem.u32 %s1_s2, 3 /* kDiv */").says_quotient);
}

TEST_CASE("operands are numbers, registers and addresses") {
  struct Case {
    const char* text;
    Kind kind;
    std::uint32_t number;
    int reg;
  };
  const std::uint32_t first = kAllocationWords;  // of the first allocation that is seen, [#allocation7]
  const Case cases[] = {
      {"[#allocation7]", Kind::kNumber, first, 0},
      {"[#allocation7 + $0x1]", Kind::kNumber, first + 1, 0},
      {"[smem:[#allocation7]]", Kind::kNumber, first, 0},
      {"[smem:[#allocation7] + $0x2]", Kind::kNumber, first + 2, 0},
      {"[smem:[#allocation113_spill]]", Kind::kNumber, 2 * first, 0},
      {"[smem:[%s125_s30]]", Kind::kScalar, 0, 30},
      {"[sflag:%s125_s30 + $0x4]", Kind::kScalar, 4, 30},
      {"%s7862_s22", Kind::kScalar, 0, 22},
      {"%p34_p0", Kind::kPredicate, 0, 0},
      {"!%p34_p15", Kind::kPredicate, 0, 15},
      {"4294967295", Kind::kNumber, 4294967295, 0},
      {"-2", Kind::kNumber, 4294967294, 0},
      {"0x10", Kind::kNumber, 16, 0},
      {"1.5", Kind::kUnknown, 0, 0},
      {"%v12_v3", Kind::kUnknown, 0, 0},
      {"%vm12_vm3", Kind::kUnknown, 0, 0},
      {"%s1_s256", Kind::kUnknown, 0, 0},
      {"%30", Kind::kUnknown, 0, 0},
      {"[smem:[#allocation7 + %s1_s2]]", Kind::kScalar, first, 2},
      {"[smem:[#allocation7 + %s1_s2] + $0x3]", Kind::kScalar, first + 3, 2},
      {"[smem:[%s1_s2 + %s1_s3]]", Kind::kUnknown, 0, 0},
      {"[smem:[#allocation7 + %v1_v3]]", Kind::kUnknown, 0, 0},
      {"99999999999999999999999", Kind::kUnknown, 0, 0},
      {"[", Kind::kUnknown, 0, 0},
      {"", Kind::kUnknown, 0, 0},
  };
  Allocations allocations;
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const CodeOperand operand = allocations.operand(c.text);
    CHECK(operand.kind == c.kind);
    if (c.kind != Kind::kUnknown) CHECK(operand.number == c.number);
    CHECK(operand.reg == c.reg);
    CHECK(operand.is_negated == (c.text[0] == '!'));
  }
}

TEST_CASE("there is an end to the allocations that have an address") {
  Allocations allocations;
  for (int i = 0; i < 4095; ++i) {
    CHECK(allocations.operand("[#allocation" + std::to_string(i) + "]").kind == Kind::kNumber);
  }
  CHECK(allocations.operand("[#allocation5000]").kind == Kind::kUnknown);
  CHECK(allocations.operand("[#allocation4094]").kind == Kind::kNumber);
}

}  // namespace
}  // namespace hloroof::internal

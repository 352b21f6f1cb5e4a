// Code whose cycles are counted by hand.
#include "lib/code/executor.h"

#include "lib/code/read_bundles.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;

// Round numbers: 8 bytes a cycle from HBM, 4 to it, transfers take 100 cycles more.
CodeCore simple_core() {
  CodeCore core;
  core.clock = 1e9;
  core.delay_slots = 2;
  core.granule_bytes = 32;
  core.hbm_rate = 8;
  core.read_rate = 8;
  core.write_rate = 4;
  core.vmem_rate = 64;
  core.latency = 100;
  return core;
}

CodeRun run(std::string_view text, std::uint32_t core_id = 0, std::int64_t most = 1000,
            const CodeCore& core = simple_core()) {
  const absl::StatusOr<CodeProgram> program = read_bundles(text, "a.txt");
  INFO(program.status().message());
  REQUIRE(program.ok());
  return run_code(*program, core, core_id, text, most);
}

TEST_CASE("a loop runs as often as its counter says, with the delay slots of its branch") {
  // 1 + 4 trips of 5 bundles + 1.
  const CodeRun result =
      run("0   :  { %s1_s0 = smov.u32 0 }\n"
          "0x1 LB: > { %s2_s0 = sadd.s32 1, %s1_s0 }\n"
          "0x2 : > { %p3_p0 = scmp.ge.s32.totalorder %s2_s0, 4 }\n"
          "0x3 : > { %4 = sbr.rel (!%p3_p0) target bundleno = 1 (0x1), region = 2 }\n"
          "0x4 : > {}\n"
          "0x5 : > {}\n"
          "0x6 :  { %v1_v0 = vadd.f32 %v1_v0, %v1_v0 }\n");
  CHECK(result.failure.empty());
  CHECK(result.busy == 22);
  CHECK(result.runs == std::vector<std::int64_t>{1, 4, 4, 4, 4, 4, 1});
}

TEST_CASE("a guard that is false keeps the register or takes the other value") {
  // 3 of the 4 bundles between the branch and its target are skipped if s0 is 7: two are delay slots.
  const CodeRun result =
      run("0   : { %p1_p0 = pmov 0  ;;  %s1_s0 = smov.u32 5 }\n"
          "0x1 : { %s2_s0 = smov.u32 (%p1_p0, 7), 6 }\n"
          "0x2 : { %p2_p1 = scmp.eq.s32.totalorder %s2_s0, 7 }\n"
          "0x3 : { %1 = sbr.rel (%p2_p1) target bundleno = 9 (0x9) }\n"
          "0x4 : {}\n0x5 : {}\n0x6 : {}\n0x7 : {}\n0x8 : {}\n0x9 : {}\n");
  CHECK(result.failure.empty());
  CHECK(result.busy == 7);
}

TEST_CASE("instructions of a bundle read before any of them writes") {
  const CodeRun result =
      run("0   : { %s1_s0 = smov.u32 1  ;;  %s1_s1 = smov.u32 2 }\n"
          "0x1 : { %s2_s0 = smov.u32 %s1_s1  ;;  %s2_s1 = smov.u32 %s1_s0 }\n"
          "0x2 : { %p2_p1 = scmp.lt.s32.totalorder %s2_s1, %s2_s0 }\n"
          "0x3 : { %1 = sbr.rel (%p2_p1) target bundleno = 7 (0x7) }\n"
          "0x4 : {}\n0x5 : {}\n0x6 : {}\n0x7 : {}\n");
  CHECK(result.failure.empty());
  CHECK(result.busy == 7);
}

TEST_CASE("registers that are spilled to SMEM come back") {
  const CodeRun result =
      run("0   : { %s1_s0 = smov.u32 3 }\n"
          "0x1 : { %1 = sst [smem:[#allocation9_spill]] %s1_s0 }\n"
          "0x2 : { %s2_s1 = sld [smem:[#allocation9_spill]] }\n"
          "0x3 : { %2 = sdivrem.u32 7, %s2_s1 }\n"
          "0x4 : { %s3_s0 = spop.drf %2 }\n"
          "0x5 : { %s4_s1 = spop.drf %2 }\n"
          "0x6 : { %p1_p0 = scmp.eq.s32.totalorder %s3_s0, 2  ;;  %p2_p1 = scmp.eq.s32.totalorder %s4_s1, 1 }\n"
          "0x7 : { %p3_p2 = pand %p1_p0, %p2_p1 }\n"
          "0x8 : { %1 = sbr.rel (%p3_p2) target bundleno = 12 (0xc) }\n"
          "0x9 : {}\n0xa : {}\n0xb : {}\n0xc : {}\n");
  CHECK(result.failure.empty());
  CHECK(result.busy == 12);
}

TEST_CASE("a wait lasts until the transfer is done") {
  // 10 granules are 320 bytes: 40 cycles at 8 bytes a cycle, and 100. The transfer starts when cycle 2 ends and the
  // wait when cycle 3 ends: 142 - 3.
  const CodeRun result =
      run("0   : { %1 = vsyncpa [#allocation5], 0 }\n"
          "0x1 : { %2 = dma.hbm_to_vmem [thread:$0] /*hbm=*/%s1_s1, /*size_in_granules=*/10, /*vmem=*/%s2_s2,"
          " /*dst_syncflagno=*/[#allocation5] }\n"
          "0x2 : { %3 = dma.done.wait [#allocation5], 10 }\n"
          "0x3 : { %4 = vsyncadd [#allocation5], 4294967286 }\n");
  CHECK(result.failure.empty());
  CHECK(result.transfer_failure.empty());
  CHECK(result.busy == 4);
  CHECK(result.waiting == 139);
  CHECK(result.draining == 0);
  CHECK(result.totals.bytes_read == 320);
  CHECK(result.totals.transfers == 1);
  CHECK(result.totals.waits == 1);
}

TEST_CASE("transfers share the pipe, and the last may end after the code") {
  // The read takes cycles 1 to 41, the write 41 to 121, and 100 more.
  const CodeRun result =
      run("0   : { %2 = dma.hbm_to_vmem /*size_in_granules=*/10, /*dst_syncflagno=*/[#allocation5]  ;;"
          "  %3 = dma.vmem_to_hbm /*size_in_granules=*/10, /*dst_syncflagno=*/[#allocation6] }\n");
  CHECK(result.transfer_failure.empty());
  CHECK(result.totals.bytes_written == 320);
  CHECK(result.draining == 220);
}

TEST_CASE("HBM turns between reads and writes that stand in one queue") {
  CodeCore core = simple_core();
  core.turn = 0.5;
  const std::string read = "dma.hbm_to_vmem /*size_in_granules=*/10, /*dst_syncflagno=*/[#allocation5]";
  const std::string write = "dma.vmem_to_hbm /*size_in_granules=*/5, /*dst_syncflagno=*/[#allocation6]";
  const auto run_on_core = [&](const std::string& text) { return run(text, 0, 1000, core); };
  // 40 cycles for the bytes read, 40 for the written, half a cycle for each of 160 bytes that have both beside them.
  const CodeRun beside = run_on_core("0   : { %2 = " + read + "  ;;  %3 = " + write + " }\n");
  CHECK(beside.totals.bytes_turned == 160);
  CHECK(beside.draining == 260);
  const CodeRun twice = run_on_core("0   : { %2 = " + write + "  ;;  %3 = " + read + "  ;;  %4 = " + write + " }\n");
  CHECK(twice.totals.bytes_turned == 320);
  CHECK(twice.draining == 380);
  // The write starts when the read is done, so that nothing turns.
  const CodeRun apart = run_on_core(
      "0   : { %2 = " + read + " }\n0x1 : { %3 = dma.done.wait [#allocation5], 10 }\n0x2 : { %4 = " + write + " }\n");
  CHECK(apart.totals.bytes_turned == 0);
  CHECK(apart.draining == 140);
}

TEST_CASE("a branch on a value that the code does not hold makes the count unknown") {
  const CodeRun result =
      run("0   : { %s1_s0 = sld [smem:[#allocation3 + $0x2]] }\n"
          "0x1 : { %p1_p0 = scmp.lt.s32.totalorder %s1_s0, 4 }\n"
          "0x2 : { %1 = sbr.rel (%p1_p0) target bundleno = 0 (0x0) }\n"
          "0x3 : {}\n0x4 : {}\n");
  CHECK_THAT(result.failure, ContainsSubstring("`%1 = sbr.rel (%p1_p0) target bundleno = 0 (0x0)` in line 3"));
  CHECK_THAT(result.failure, ContainsSubstring("`%s1_s0 = sld [smem:[#allocation3 + $0x2]]` in line 1"));
}

TEST_CASE("a transfer of a size that the code does not hold leaves the bundles known") {
  const CodeRun result =
      run("0   : { %s1_s0 = sld [smem:[#allocation3]] }\n"
          "0x1 : { %2 = dma.hbm_to_vmem /*size_in_granules=*/%s1_s0, /*dst_syncflagno=*/[#allocation5] }\n"
          "0x2 : { %3 = dma.done.wait [#allocation5], 10 }\n");
  CHECK(result.failure.empty());
  CHECK(result.busy == 3);
  CHECK_THAT(result.transfer_failure, ContainsSubstring("The size of this transfer depends"));
}

TEST_CASE("words of SMEM that a transfer overwrites are unknown") {
  const CodeRun result =
      run("0   : { %1 = sst [smem:[#allocation3 + $0x1]], 4 }\n"
          "0x1 : { %2 = dma.hbm_to_smem /*hbm=*/%s1_s1, /*size_in_granules=*/1, /*smem=*/[#allocation3],"
          " /*dst_syncflagno=*/[#allocation5] }\n"
          "0x2 : { %s1_s0 = sld [smem:[#allocation3 + $0x1]] }\n"
          "0x3 : { %p1_p0 = scmp.lt.s32.totalorder %s1_s0, 4 }\n"
          "0x4 : { %3 = sbr.rel (%p1_p0) target bundleno = 0 (0x0) }\n"
          "0x5 : {}\n0x6 : {}\n");
  CHECK(!result.failure.empty());
}

TEST_CASE("a wait that nothing ends is said") {
  const CodeRun result = run("0   : { %3 = dma.done.wait [#allocation5], 10 }\n");
  CHECK(result.failure.empty());
  CHECK_THAT(result.transfer_failure, ContainsSubstring("waits for more than the code's own transfers bring"));
}

TEST_CASE("a loop without an end is stopped") {
  const CodeRun result = run("0 : { %1 = sbr.rel target bundleno = 0 (0x0) }\n0x1 : {}\n0x2 : {}\n");
  CHECK_THAT(result.failure, ContainsSubstring("More than 1,000 bundles"));
}

TEST_CASE("what is not a branch that is understood ends the count") {
  CHECK_THAT(run("0 : { %1 = sbr.rel (%p1_p0) target bundleno = 0 }\n0x1 : {}\n0x2 : {}\n").failure,
             ContainsSubstring("Whether this branches"));
  CHECK_THAT(run("0 : { %1 = sbr.rel 7 }\n").failure, ContainsSubstring("is not understood"));
  CHECK_THAT(run("0 : { %1 = sbr.ind %s1_s0 }\n").failure, ContainsSubstring("is not understood"));
  CHECK_THAT(run("0 : { %1 = sbr.rel target bundleno = 0 (0x0) }\n0x1 : { %1 = sbr.rel target bundleno = 0 (0x0) }\n"
                 "0x2 : {}\n0x3 : {}\n")
                 .failure,
             ContainsSubstring("in the delay slots"));
  CHECK_THAT(run("0 : { %1 = sbr.rel target bundleno = 0 (0x0) }\n").failure, ContainsSubstring("between a branch"));
}

TEST_CASE("cores may do something else") {
  const std::string_view text =
      "0   : { %s1_s0 = sld [smem:[#allocation2]] /* megacore core id :: core id */ }\n"
      "0x1 : { %p1_p0 = scmp.ne.s32.totalorder %s1_s0, 0 }\n"
      "0x2 : { %1 = sbr.rel (%p1_p0) target bundleno = 7 (0x7) }\n"
      "0x3 : {}\n0x4 : {}\n0x5 : {}\n0x6 : {}\n0x7 : {}\n";
  CHECK(run(text, 0).loads_core_id);
  CHECK(run(text, 0).busy == 8);
  CHECK(run(text, 1).busy == 6);
}

TEST_CASE("a core is made of the numbers of a device") {
  const absl::StatusOr<Device> v5e = find_device("v5e");
  REQUIRE(v5e.ok());
  const absl::StatusOr<CodeCore> core = code_core(*v5e);
  REQUIRE(core.ok());
  CHECK(core->clock == 1.5e9);
  CHECK(core->delay_slots == 4);
  CHECK(core->granule_bytes == 32);
  CHECK(core->latency == Approx(750));
  CHECK(core->cores == 1);
  const absl::StatusOr<CodeCore> v5p = code_core(*find_device("v5p"));
  REQUIRE(v5p.ok());
  CHECK(v5p->cores == 2);
  CHECK(code_core(*find_device("v3"))->delay_slots == 1);
  CHECK(code_core(*find_device("h100_sxm")).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal

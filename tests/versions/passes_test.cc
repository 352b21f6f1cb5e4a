// The states of a compile: names of files as XLA writes them, and what each pass changed.
#include "lib/versions/passes.h"

#include <algorithm>
#include <string>

#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

TEST_CASE("names of dumps") {
  struct Case {
    const char* name;
    const char* module;
    std::int64_t number;
    const char* pipeline;
    const char* pass;
  };
  const Case cases[] = {
      {"module_0000.jit_f.cl_1004.0051.Main_fusion.after_tpu_fusion.before_pipeline-end.txt",
       "module_0000.jit_f.cl_1004", 51, "Main_fusion", "tpu_fusion"},
      {"module_0000.jit_f.cl_1004.0050.Main_fusion.after_pipeline-start.before_tpu_fusion.txt",
       "module_0000.jit_f.cl_1004", 50, "Main_fusion", ""},
      {"module_0012.jit_f.0003.After_X64_rewriter,_before_optimizations.after_cse.before_dce.txt", "module_0012.jit_f",
       3, "After_X64_rewriter,_before_optimizations", "cse"},
      {"module_0000.jit_f.0037.tpu-tiling-rewriter.before_tiling_rewriter.txt", "module_0000.jit_f", 37,
       "tpu-tiling-rewriter", "before tiling_rewriter"},
      {"module_0001.jit_f.before_optimizations.txt", "module_0001.jit_f", PassDump::kBefore, "", ""},
      {"module_0001.jit_f.cpu_after_optimizations.txt", "module_0001.jit_f", PassDump::kAfter, "", ""},
      {"module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt", "module_0001.jit_f", PassDump::kAfter, "", ""},
      {"module_0000.jit_f.cl_1004.after_optimizations.txt", "module_0000.jit_f.cl_1004", PassDump::kAfter, "", ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const std::optional<PassDump> dump = pass_dump(std::string("/some/folder/") + c.name);
    REQUIRE(dump.has_value());
    CHECK(dump->module == c.module);
    CHECK(dump->number == c.number);
    CHECK(dump->pipeline == c.pipeline);
    CHECK(dump->pass == c.pass);
  }
  for (const char* name : {"module_0000.jit_f.after_optimizations-buffer-assignment.txt", "module_0000.jit_f.flagfile",
                           "module_0000.jit_f.after_codegen.txt", "notes.txt", "module_.txt", ""}) {
    INFO(name);
    CHECK_FALSE(pass_dump(name).has_value());
  }
}

constexpr char kHead[] = "HloModule m, num_partitions=1\n\n";
constexpr char kTail[] =
    "  b = f32[1024,1024]{1,0:T(8,128)} parameter(1)\n  d = f32[1024,1024]{1,0:T(8,128)} dot(c, b), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = f32[1024,1024]{1,0:T(8,128)} exponential(d)\n}\n";

std::string plain() {
  return std::string(kHead) +
         "ENTRY e {\n  c = f32[1024,1024] parameter(0)\n  b = f32[1024,1024] parameter(1)\n  d = "
         "f32[1024,1024] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = "
         "f32[1024,1024] exponential(d)\n}\n";
}
std::string tiled() {
  return std::string(kHead) + "ENTRY e {\n  c = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n" + kTail;
}
std::string copied() {
  return std::string(kHead) +
         "ENTRY e {\n  a = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n  c = "
         "f32[1024,1024]{1,0:T(8,128)} copy(a)\n" +
         kTail;
}
std::string fused() {
  return std::string(kHead) + "f {\n  c = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n" + kTail +
         "\nENTRY e {\n  a = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n  b = f32[1024,1024]{1,0:T(8,128)} "
         "parameter(1)\n"
         "  ROOT r = f32[1024,1024]{1,0:T(8,128)} fusion(a, b), kind=kOutput, calls=f\n}\n";
}

TEST_CASE("what each pass changed") {
  const TemporaryFolder folder;
  folder.write("module_0001.m.before_optimizations.txt", plain());
  folder.write("module_0001.m.0001.layout.after_pipeline-start.before_assign.txt", plain());
  folder.write("module_0001.m.0002.layout.after_assign.before_copies.txt", tiled());
  folder.write("module_0001.m.0003.layout.after_copies.before_fusion.txt", copied());
  folder.write("module_0001.m.0004.main.after_broken.before_fusion.txt", "HloModule m\nENTRY e {\n");
  folder.write("module_0001.m.0005.main.after_fusion.before_pipeline-end.txt", fused());
  folder.write("module_0001.m.after_optimizations.txt", fused());
  folder.write("module_0002.other.before_optimizations.txt", plain());
  folder.write("module_0001.m.flagfile", "--flag");

  const absl::StatusOr<std::vector<PassDump>> dumps = find_pass_dumps(folder.path(), "");
  REQUIRE(dumps.ok());
  REQUIRE(dumps->size() == 7);
  const absl::StatusOr<PassReport> report =
      pass_report(folder.path(), *dumps, Target(find_device("tpu_v5e").value()), PredictOptions());
  INFO(report.status().message());
  REQUIRE(report.ok());
  const std::vector<PassRow>& rows = report->rows;
  REQUIRE(rows.size() == 7);
  CHECK(rows[0].pass == "input");
  CHECK(rows[0].state == "no layouts");
  CHECK_FALSE(rows[0].step.change.has_value());
  CHECK_FALSE(rows[1].is_changed);
  CHECK(rows[2].state == "not fused");
  CHECK(rows[3].copies.change == 1);
  CHECK(rows[3].instructions.change == 1);
  CHECK(*rows[3].step.change > 0);
  CHECK(rows[4].error.find("error") != std::string::npos);
  CHECK(rows[5].state.empty());
  CHECK(rows[5].copies.change == -1);
  CHECK(*rows[5].step.change < 0);
  CHECK(rows[5].step.value == Approx(rows[3].step.value + *rows[5].step.change));
  CHECK_FALSE(rows[6].is_changed);

  CHECK(find_pass(*dumps, "fusion").value() == 5);
  CHECK(find_pass(*dumps, "3").value() == 3);
  CHECK(find_pass(*dumps, "main").value() == 4);
  CHECK(find_pass(*dumps, "fusoin").status().message().find("fusion") != absl::string_view::npos);

  const std::string text = passes_view(*report, false, {});
  INFO(text);
  CHECK(text.find("2 more states") != std::string::npos);
  CHECK(text.find("broken: not predicted:") != std::string::npos);
  CHECK(passes_view(*report, true, {}).find("more states") == std::string::npos);
}

// The states of a compile of JAX 0.10.2 for eight H100, without a GPU: some of 82, and some of the other files. The
// program is silu(x @ w["in"]) @ w["out"] with x of bf16[16384,1024] and both weights sharded over the devices.
TEST_CASE("the passes of a compile for GPUs") {
  const std::string folder = source_path("tests/versions/gpu_passes");
  const absl::StatusOr<std::vector<PassDump>> dumps = find_pass_dumps(folder, "");
  REQUIRE(dumps.ok());
  REQUIRE(dumps->size() == 14);  // not the buffer assignment, the thunks, and the module of a fusion
  const absl::StatusOr<PassReport> report = pass_report(folder, *dumps, *find_target("h100_sxm:8"), PredictOptions());
  INFO(report.status().message());
  REQUIRE(report.ok());
  CHECK(report->program == "jit_step");
  CHECK(report->backend == Backend::kGpu);
  const auto row = [&](const char* pass) -> const PassRow& {
    const auto found =
        std::find_if(report->rows.begin(), report->rows.end(), [&](const PassRow& r) { return r.pass == pass; });
    INFO(pass);
    REQUIRE(found != report->rows.end());
    CHECK(found->error.empty());
    return *found;
  };
  CHECK(row("input").state == "not partitioned");
  CHECK(row("shardy-xla").state == "not partitioned");
  CHECK(row("start").state == "not fused");  // of the cleanup after the partitioner
  CHECK(row("start").collectives.change == 2);
  // Products are fusions of Triton from here on, and the other ops are not fused yet.
  CHECK(row("triton-gemm-rewriter").state == "not fused");
  CHECK(*row("float-normalization-bf16").step.change > 0);
  CHECK(row("priority-fusion").state.empty());
  CHECK(*row("priority-fusion").step.change < 0);
  CHECK(row("gpu-all-gather-combiner").collectives.change == -1);
  CHECK(row("result").state.empty());
  CHECK(row("result").step.value == row("latency-hiding-scheduler").step.value);
}

TEST_CASE("the dumps of the same module in another folder") {
  const TemporaryFolder folder;
  for (const char* module : {"module_0003.jit_f.cl_17", "module_0004.jit_f2", "module_0005.jit_g.h"}) {
    folder.write(std::string(module) + ".before_optimizations.txt", plain());
    folder.write(std::string(module) + ".after_optimizations.txt", plain());
  }
  const auto same = [&](const char* module, const char* name) {
    PassDump like;
    like.module = module;
    return find_same_dumps(folder.path(), like, name);
  };
  CHECK(same("module_0000.jit_f", "")->front().module == "module_0003.jit_f.cl_17");
  CHECK(same("module_0000.jit_f2.cl_9", "")->front().module == "module_0004.jit_f2");
  CHECK(same("module_0000.jit_g.h", "")->size() == 2);
  const absl::Status none = same("module_0000.jit_k", "").status();
  CHECK(none.message().find("has no dumps of passes of jit_k, only of module_0003.jit_f.cl_17, module_0004") !=
        absl::string_view::npos);
  CHECK_FALSE(same("module_0000.jit_f", "jit_g").ok());
}

TEST_CASE("a folder without dumps of passes says how to make them") {
  const TemporaryFolder folder;
  folder.write("module_0002.other.before_optimizations.txt", plain());
  const absl::Status status = find_pass_dumps(folder.path(), "").status();
  CHECK(status.message().find("--xla_dump_hlo_pass_re=.*") != absl::string_view::npos);
  CHECK(find_pass_dumps(folder.path() + "/none", "").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal

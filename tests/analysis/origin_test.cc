// The backend and the stage of short texts, and of every dump of the large corpus.
#include "lib/analysis/origin.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/analysis/generation.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

constexpr char kScheduled[] = "HloModule m, is_scheduled=true\n";
constexpr char kPlain[] = "HloModule m\n";
// XLA prints the layout of the entry of every module.
constexpr char kPrinted[] = "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n";
constexpr char kEight[] = "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, num_partitions=8\n";

std::string entry(const std::string& lines) { return "ENTRY e {\n  p = f32[8]{0} parameter(0)\n" + lines + "\n}\n"; }

struct Case {
  const char* name;
  std::string text;
  Backend backend;
  CompileStage stage;
  std::int64_t sharded_over = 1;
};

std::vector<Case> backends() {
  const std::string call = "  ROOT r = f32[8]{0} custom-call(p), custom_call_target=";
  const std::string config = "  ROOT r = f32[8]{0} negate(p), backend_config=";
  const CompileStage done = CompileStage::kOptimized;
  return {
      {"nothing", kScheduled + entry("  ROOT r = f32[8]{0} negate(p)"), Backend::kUnknown, done},
      {"tiles", kScheduled + entry("  ROOT r = f32[8]{0:T(256)} negate(p)"), Backend::kTpu, done},
      {"a memory space alone", kScheduled + entry("  ROOT r = f32[8]{0:S(5)} copy(p)"), Backend::kUnknown, done},
      {"cublas", kScheduled + entry(call + "\"__cublas$gemm\""), Backend::kGpu, done},
      {"triton", kScheduled + entry(call + "\"__gpu$xla.gpu.triton\""), Backend::kGpu, done},
      {"pallas", kScheduled + entry(call + "\"tpu_custom_call\""), Backend::kTpu, done},
      {"onednn", kScheduled + entry(call + "\"__onednn$matmul\""), Backend::kCpu, done},
      {"lapack", kScheduled + entry(call + "\"lapack_sgesdd_ffi\""), Backend::kCpu, done},
      {"a target of two backends", kScheduled + entry(call + "\"TopK\""), Backend::kUnknown, done},
      {"a target of the user", kScheduled + entry(call + "\"my__cublas$gemm\""), Backend::kUnknown, done},
      {"TPU config", kScheduled + entry(config + R"({"flag_configs":[]})"), Backend::kTpu, done},
      {"GPU config", kScheduled + entry(config + R"({"operation_queue_id":"0"})"), Backend::kGpu, done},
      {"GPU config as a string", kScheduled + entry(config + R"("{\"operation_queue_id\":\"0\"}")"), Backend::kGpu,
       done},
      {"CPU config", kScheduled + entry(config + R"({"outer_dimension_partitions":["8"]})"), Backend::kCpu, done},
      {"CPU library", kScheduled + entry(config + R"({"fusion_config":{"kind":"__ynn_fusion"}})"), Backend::kCpu, done},
      {"a longer name", kScheduled + entry(config + R"({"async_collective_fusion_config":{}})"), Backend::kUnknown,
       done},
      {"a config of all", kScheduled + entry(config + R"({"known_trip_count":{"n":"8"}})"), Backend::kUnknown, done},
      {"GPU module",
       "HloModule m, is_scheduled=true, frontend_attributes={fingerprint_before_lhs=\"91\"}\n" +
           entry("  ROOT r = f32[8]{0} negate(p)"),
       Backend::kGpu, done},
      {"a name is no evidence", kScheduled + entry("  ROOT cublas_gemm.T.8.128 = f32[8]{0} negate(p)"),
       Backend::kUnknown, done},
  };
}

std::vector<Case> stages() {
  const std::string negate = "  ROOT r = f32[8]{0} negate(p)";
  const std::string sharded = ", sharding={devices=[8]<=[8]}";
  const std::string parameter = "ENTRY e {\n  p = f32[8]{0} parameter(0)" + sharded + "\n" + negate + "\n}\n";
  const std::string call = "  ROOT r = f32[8]{0} custom-call(p), custom_call_target=\"Sharding\", sharding=";
  const std::string fusion = "f {\n  q = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} negate(q)\n}\n" +
                             entry("  ROOT r = f32[8]{0} fusion(p), kind=kLoop, calls=f");
  const std::string mesh = R"(, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=4, "y"=2]>}})";
  const std::string printed = std::string(kPrinted).substr(0, std::string(kPrinted).size() - 1);
  const std::string local = "  ROOT r = f32[8]{0} custom-call(p), custom_call_target=\"xla.sdy.GlobalToLocalShape\"";
  const auto unknown = Backend::kUnknown;
  return {
      {"a short text", kPlain + entry(negate), unknown, CompileStage::kUnknown},
      {"scheduled", kScheduled + entry(negate), unknown, CompileStage::kOptimized},
      {"fusions", kPrinted + fusion, unknown, CompileStage::kOptimized},
      {"as XLA prints it", kPrinted + entry(negate), unknown, CompileStage::kUnoptimized},
      {"a sharding on an op", kEight + entry(negate + sharded), unknown, CompileStage::kUnpartitioned, 8},
      {"a sharding on a scheduled op", kScheduled + entry(negate + sharded), unknown, CompileStage::kOptimized},
      {"a sharding for one device", kPrinted + entry(negate + ", sharding={replicated}"), unknown,
       CompileStage::kUnoptimized},
      {"a maximal sharding", kPrinted + entry(negate + ", sharding={maximal device=0}"), unknown,
       CompileStage::kUnoptimized},
      {"a sharding call", kEight + entry(call + "{devices=[8]<=[8]}"), unknown, CompileStage::kUnpartitioned, 8},
      {"a sharding call for one device", kPrinted + entry(call + "{replicated}"), unknown, CompileStage::kUnoptimized},
      {"lowered, without num_partitions", kPrinted + parameter, unknown, CompileStage::kUnpartitioned, 8},
      {"a parameter as after partitioning", kEight + parameter, unknown, CompileStage::kUnoptimized},
      {"shard_map", printed + mesh + "\n" + entry(local), unknown, CompileStage::kUnpartitioned, 8},
      {"shard_map on one device", kPrinted + entry(local), unknown, CompileStage::kUnoptimized},
  };
}

void check(const Case& c) {
  CAPTURE(c.name, c.text);
  const ModuleOrigin origin = find_origin(parsed(c.text));
  CAPTURE(origin.backend_evidence, origin.stage_evidence);
  CHECK(origin.backend == c.backend);
  CHECK(origin.stage == c.stage);
  CHECK(origin.sharded_over == c.sharded_over);
  CHECK(origin.backend_evidence.empty() == (origin.backend == Backend::kUnknown));
  CHECK(origin.stage_evidence.empty() == (origin.stage == CompileStage::kUnknown));
}

TEST_CASE("origin: the backend follows from what only it writes") {
  for (const Case& c : backends()) check(c);
}

TEST_CASE("origin: the stage follows from schedule, fusions and shardings") {
  for (const Case& c : stages()) check(c);
}

TEST_CASE("origin: hardware that only some TPUs have") {
  const struct {
    const char* name;
    const char* line;
    std::vector<std::string> generations;
  } cases[] = {
      {"none", "  ROOT r = f32[8]{0:T(256)} negate(p)", {}},
      {"VMEM", "  ROOT r = f32[8]{0:T(256)S(1)} copy(p)", {}},
      {"CMEM", "  ROOT r = f32[8]{0:T(256)S(3)} copy(p)", {"tpu_v4", "tpu_v4_core", "tpu_v4i"}},
      {"two cores",
       R"(  ROOT r = f32[8]{0:T(256)} negate(p), backend_config={"megacore_config":{"megacore_split_dim":"0"}})",
       {"tpu_v4", "tpu_v5p"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const ModuleOrigin origin = find_origin(parsed(kScheduled + entry(c.line)));
    CAPTURE(origin.generation_evidence);
    CHECK(origin.generations == c.generations);
    CHECK(origin.generation_evidence.empty() == c.generations.empty());
  }
}

// The device of a dump: the last part of its name, or for gemm/ the folder.
std::string generation_of(const fs::path& dump) {
  std::string part = dump.stem().extension().string();
  if (part.empty()) part = "." + dump.parent_path().filename().string();
  const std::pair<const char*, const char*> devices[] = {
      {".v2", "tpu_v2"},       {".v3", "tpu_v3"},       {".v4", "tpu_v4_core"}, {".v5e", "tpu_v5e"},
      {".v5p", "tpu_v5p"},     {".v6e", "tpu_v6e"},     {".tpu7x", "tpu_v7x"},  {".tpu_v5e", "tpu_v5e"},
      {".tpu_v5p", "tpu_v5p"}, {".tpu_v6e", "tpu_v6e"}, {".tpu_v7x", "tpu_v7x"}};
  for (const auto& [prefix, device] : devices) {
    if (part.rfind(prefix, 0) == 0) return device;
  }
  return "";
}

// What the folder and the name of a dump say about it. Some folders have dumps of all kinds: those of a GPU or a CPU
// name it, and those from before optimization are NAME.before.hlo.
ModuleOrigin expected(const fs::path& dump, const std::string& folder) {
  const std::string name = dump.filename().string();
  const auto says = [&](const char* word) { return name.find(word) != std::string::npos; };
  ModuleOrigin origin;
  const bool is_unoptimized = folder == "unoptimized" || says(".before.");
  origin.stage = is_unoptimized ? CompileStage::kUnoptimized : CompileStage::kOptimized;
  origin.backend = is_unoptimized                                                    ? Backend::kUnknown
                   : folder == "cpu" || says("cpu_")                                 ? Backend::kCpu
                   : folder == "gpu" || says("h100") || says("h200") || says("b200") ? Backend::kGpu
                                                                                     : Backend::kTpu;
  return origin;
}

TEST_CASE("origin: every dump of the large corpus") {
  const fs::path corpus = shared_path("corpus");
  if (!fs::exists(corpus)) HLOROOF_SKIP("the large corpus is not there");
  int dumps = 0;
  int told = 0;
  for (const auto& item : fs::recursive_directory_iterator(corpus)) {
    if (item.path().extension() != ".hlo") continue;
    const std::string folder = fs::relative(item.path(), corpus).begin()->string();
    std::ifstream file(item.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const absl::StatusOr<Module> module = parse_module(text);
    CAPTURE(item.path().string());
    if (!module.ok() && item.path().string().find(".xla-rejects.") != std::string::npos) continue;
    REQUIRE(module.ok());
    const ModuleOrigin origin = find_origin(*module);
    const ModuleOrigin wanted = expected(item.path(), folder);
    CAPTURE(origin.backend_evidence, origin.stage_evidence, origin.generation_evidence);
    CHECK(origin.backend == wanted.backend);
    // The shardings of some of the unoptimized ones are over several devices.
    const bool is_unpartitioned = origin.stage == CompileStage::kUnpartitioned;
    CHECK((is_unpartitioned ? CompileStage::kUnoptimized : origin.stage) == wanted.stage);
    if (is_unpartitioned) CHECK(text.find("sharding={devices=") != std::string::npos);
    ++dumps;
    if (origin.generations.empty()) continue;
    ++told;
    const std::string generation = generation_of(item.path());
    CHECK(std::find(origin.generations.begin(), origin.generations.end(), generation) != origin.generations.end());
  }
  CHECK(dumps > 500);
  CHECK(told > 100);
}

}  // namespace
}  // namespace hloroof::internal

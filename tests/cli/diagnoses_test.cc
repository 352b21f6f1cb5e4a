// Every diagnosis on a real dump that has it and on one that has not; run it with -s for the table.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/diagnose/diagnostics.h"
#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

using enum DiagnosticCode;

struct Case {
  DiagnosticCode code;
  const char* has;
  const char* device;
  const char* has_not;
  const char* other_device = nullptr;  // for has_not; as `device` without
};

// Dumps in this project.
constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kDecode[] = "examples/decode_step.v5e.hlo";
constexpr char kHeads[] = "examples/narrow_heads.v5e.hlo";
constexpr char kGather[] = "tests/predict/dumps/gather_then_reduce.v5e_2x4.hlo";

const Case kShipped[] = {
    {kWrongBackend, kFfn, "h100_sxm", kFfn, "tpu_v5e"},
    {kExposedCommunication, kFfn, "tpu_v5e", kDecode},
    {kCrossoverNotReached, kGather, "tpu_v5e", kFfn},
    {kGatherThenCut, kGather, "tpu_v5e", kFfn},
    {kLayoutChange, kDecode, "tpu_v5e", kGather},
    {kPaddingWaste, kHeads, "tpu_v5e", kFfn},
    {kRepeatedUpcast, "tests/predict/dumps/fp8_scaled.v6e.hlo", "tpu_v4", kFfn, "tpu_v5e"},
    {kNeedlessF32, "tests/predict/dumps/upcast_product.h100_sxm.hlo", "h100_sxm",
     "tests/predict/dumps/fp8_product.h100_sxm.hlo"},
    {kGatherBeforeKernel, "tests/predict/dumps/gather_for_kernel.v5e.hlo", "tpu_v5e",
     "tests/kernel/samples/matmul.hlo"},
    {kMissingDeviceNumber, kFfn, "trainium2", kFfn, "tpu_v5e"},
    {kKernelAssumed, "tests/kernel/samples/grouped.hlo", "tpu_v5e", "tests/kernel/samples/refetched.hlo"},
    {kKernelRefetch, "tests/kernel/samples/refetched.hlo", "tpu_v5e", "tests/kernel/samples/matmul.hlo"},
    {kUnknownCustomCall, "tests/corpus/y_gpu_triton_call.hlo", "h100_sxm", "tests/corpus/y_gpu_triton.hlo"},
    {kUnknownOpcode, "tests/corpus/y_default_threads_and_unknown.hlo", "tpu_v5e", kFfn},
};

// Dumps of the large corpus.
const Case kCorpus[] = {
    {kNotPartitioned, "unoptimized/seed_ffn_block.v5e_2x4.hlo", "tpu_v5e", "tpu/seed_ffn_block.v5e_2x4.hlo"},
    {kNotOptimized, "unoptimized/softmax.v5e_2x4.hlo", "tpu_v5e", "tpu/softmax.v5e_2x4.hlo"},
    {kWrongGeneration, "tpu/conv2d.v5p_2x2x2.hlo", "tpu_v5e", "tpu/conv2d.v5p_2x2x2.hlo", "tpu_v5p"},
    {kMemoryOverCapacity, "step/maxtext-32b.v5p-128.hlo", "tpu_v5e", "step/maxtext-32b.v5p-128.hlo", "tpu_v5p"},
    {kNarrowUpdate, "tpu/scatter_add.v5e_2x4.hlo", "tpu_v5e", "tpu/softmax.v5e_2x4.hlo"},
    {kMatrixUnderfilled, "tpu/padding_waste.v5e_2x4.hlo", "tpu_v5e", "tpu/matmul_8192x8192x8192_bf16.v6e_2x4.hlo",
     "tpu_v6e"},
    {kWideMatrixType, "gpu/matmul_4096x4096x4096_f32.a100_sxm_80_1x1x8.hlo", "a100_sxm_80",
     "gpu/matmul_4096x4096x4096_bf16.a100_sxm_80_1x1x8.hlo"},
    {kUntunedBlocks, "gpu/matmul_4096x4096x4096_f32.a100_sxm_80_1x1x8.hlo", "a100_sxm_80",
     "gpu/softmax.h100_sxm_1x1x8.hlo", "h100_sxm"},
    {kLatencyBoundLoop, "tpu/llm_decode.v5e_2x4.hlo", "tpu_v5e", "tpu/softmax.v5e_2x4.hlo"},
    {kKernelHalfFilled, "pallas/ragged_dot.09.tpu_v7x.hlo", "tpu_v7x", "pallas/ragged_dot.01.tpu_v5e.hlo", "tpu_v5e"},
    {kKernelSmallBlocks, "tpu/pallas_flash_attention.v5e_2x4.hlo", "tpu_v5e", "pallas/ragged_dot.01.tpu_v5e.hlo"},
    {kPrefetchStall, "tpu/fori_static.v5e_2x4.hlo", "tpu_v5e", "gpu/softmax.h100_sxm_1x1x8.hlo", "h100_sxm"},
    {kHostTransfer, "tpu/host_offload.v5e_2x4.hlo", "tpu_v5e", "tpu/softmax.v5e_2x4.hlo"},
    {kBranchImbalance, "unoptimized/cond_switch.v5e_2x4.hlo", "tpu_v5p", "unoptimized/conv2d.v5e_2x4.hlo"},
    {kRedundantCompute, "stories/giant_bad.hlo", "tpu_v5e", "stories/giant_fixed.hlo"},
    {kBlockRereads, "stories/pallas.hlo", "tpu_v5e", "stories/padded.hlo"},
    {kReplicatedParameter, "stories/adam_oom.hlo", "tpu_v5e", "stories/ffn_dp.hlo"},
    {kDonationMissed, "gpu/softmax.h100_sxm_1x1x8.hlo", "h100_sxm", "tpu/scatter_add.v5e_2x4.hlo", "tpu_v5e"},
    {kUnknownTripCount, "tpu/while_dynamic.v5e_2x4.hlo", "tpu_v5e", "tpu/llm_decode.v5e_2x4.hlo"},
    {kLoopCarryCopy, "stories/decode.hlo", "tpu_v5e", "stories/decode_list.hlo"},
    {kLoopCarryCopy, "gpu/llm_decode.h100_sxm_1x1x8.hlo", "h100_sxm", "step/llama3.1-70b.h200-256.hlo", "h200_sxm"},
    {kUnfusedUpdate, "tpu/scatter_add.v5e_2x4.hlo", "tpu_v5e", "tpu/llm_decode.v5e_2x4.hlo"},
    {kReshard, "tpu/moe_ep_train.v5e_2x4.hlo", "tpu_v5e", "tpu/coll_a2a_1024mb.v5e_2x4.hlo"},
    {kUnscheduled, "unoptimized/conv2d.v5e_2x4.hlo", "tpu_v5e", "tpu/conv2d.v5e_2x4.hlo"},
    {kMeshAssumed, "tpu/conv2d.v3_2x2.hlo", "tpu_v3", "gpu/softmax.h100_sxm_1x1x8.hlo", "h100_sxm"},
    {kNetworkAssumed, "step/llama3.1-70b.h200-256.hlo", "h200_sxm", "step/llama2-7b.h100-8.hlo", "h100_sxm"},
    {kUnseenUtilization, "step/llama2-7b.h100-8.hlo", "h100_sxm", "gpu/softmax.h100_sxm_1x1x8.hlo"},
    {kModelDiffers, "tpu/softmax.v5e_2x4.hlo", "tpu_v5e", "gpu/softmax.h100_sxm_1x1x8.hlo", "h100_sxm"},
};

// The lines of lint that begin a diagnosis, by its code: the first of each.
std::map<std::string, std::string> codes_of(const std::string& path, const char* device) {
  const CliResult result = run_hloroof({"lint", path, "--device", device, "-w"});
  CAPTURE(path, result.err);
  REQUIRE(result.code != kExitBadInput);
  std::map<std::string, std::string> codes;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    if (line.rfind("    ", 0) == 0 || open == std::string::npos || close == std::string::npos) continue;
    codes.emplace(line.substr(open + 1, close - open - 1), line.substr(close + 1));
  }
  return codes;
}

void check(const Case& c, const std::string& folder, std::ostringstream& table) {
  const std::string code(to_string(c.code));
  CAPTURE(code);
  const auto has = codes_of(folder + c.has, c.device);
  CHECK(has.count(code) == 1);
  CHECK(codes_of(folder + c.has_not, c.other_device != nullptr ? c.other_device : c.device).count(code) == 0);
  if (has.count(code) == 0) return;
  table << "  " << code << std::string(30 - std::min<std::size_t>(29, code.size()), ' ') << c.has << " on " << c.device
        << ':' << has.at(code) << '\n';
}

TEST_CASE("diagnoses on the dumps of this project") {
  std::ostringstream table;
  for (const Case& c : kShipped) check(c, "", table);
  INFO("code, dump and device, at stake\n" << table.str());
  SUCCEED();
}

TEST_CASE("diagnoses on the large corpus") {
  const std::string corpus = shared_path("corpus/");
  if (!std::ifstream(corpus + "index.csv").good()) HLOROOF_SKIP("the large corpus is not there");
  std::ostringstream table;
  for (const Case& c : kCorpus) check(c, corpus, table);
  INFO("code, dump and device, at stake\n" << table.str());
  SUCCEED();
}

TEST_CASE("every diagnosis is on the list, once, and has a dump") {
  // Texts of these kinds do not come out of a compiler, or no dump of the corpus is one; tests/predict and numbers_test
  // have them.
  std::set<DiagnosticCode> covered = {kMissingAttribute,
                                      kKernelVmemRoom,
                                      kUnknownAttribute,
                                      kMissingOperand,
                                      kMissingComputation,
                                      kMemoryIncomplete,
                                      kNoEntry,
                                      kOperandMismatch,
                                      kUnreadableSliceTransfer,
                                      kUnknownDeviceCount,
                                      kImpossibleNumber,
                                      kMissingPredecessor,
                                      kCodeMismatch,
                                      kCodeIncomplete};
  for (const Case& c : kShipped) covered.insert(c.code);
  for (const Case& c : kCorpus) covered.insert(c.code);
  std::set<DiagnosticCode> listed;
  for (const DiagnosisKind& kind : diagnosis_kinds()) {
    CHECK(listed.insert(kind.code).second);
    CHECK_FALSE(kind.meaning.empty());
  }
  CHECK(covered == listed);
}

}  // namespace
}  // namespace hloroof::internal

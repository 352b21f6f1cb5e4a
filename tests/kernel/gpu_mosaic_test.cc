#include "lib/kernel/gpu/gpu_mosaic.h"

#include "lib/kernel/gpu/gpu_ptx.h"
#include "tests/catch.h"
#include "tests/kernel/gpu_sample.h"

namespace hloroof::internal {
namespace {

TEST_CASE("the work of a program for threads is counted over blocks and threads", "[gpu_mosaic]") {
  const GpuSample sample("threads");
  const absl::StatusOr<GpuKernelWork> work = mosaic_gpu_work(sample.kernel);
  REQUIRE(work.ok());
  CHECK(work->is_for_threads);
  CHECK(work->grid == GpuGrid{2, 3, 1});
  CHECK(work->programs == 6);
  CHECK(work->warps == 8);
  CHECK(work->unread.empty());
  CHECK(work->data_dependent.empty());
  // Three trips of one warpgroup in each block.
  REQUIRE(work->dots.size() == 1);
  CHECK(work->dots[0].runs == 6 * 3);
  CHECK(work->dots[0].flops() == 2.0 * 64 * 128 * 16 * 18);
  REQUIRE(work->elementwise.size() == 2);
  CHECK(work->elementwise[0].opcode == Opcode::kExponential);
  CHECK(work->elementwise[0].elements == 6 * 3 * 128);
  CHECK(work->elementwise[1].opcode == Opcode::kAdd);
  CHECK(work->elementwise[1].elements == 6 * 3 * 128 * 2);
  // The elected thread of each warp of the second warpgroup, in the three blocks whose x is 0.
  CHECK(work->loaded_bytes == 3 * 4 * 4096);
}

// The sample is gpu_threads with some bits changed.
TEST_CASE("a transfer of a negative number of bytes is not counted, and named", "[gpu_mosaic]") {
  const GpuSample sample("negative_bytes");
  const absl::StatusOr<GpuKernelWork> work = mosaic_gpu_work(sample.kernel);
  REQUIRE(work.ok());
  CHECK(work->loaded_bytes == 0);
  // A bit of a name is changed too.
  CHECK(work->unread == std::vector<std::string>{"transfer of a negative number of bytes", "scf.yiell"});
}

TEST_CASE("PTX instructions are read by their names", "[gpu_ptx]") {
  struct Read {
    const char* assembly;
    OpCost cost;
    Opcode opcode;
    ElementType type;
    double elements;
    double product;  // m * n * k
  };
  const Read expected[] = {
      {"{ .reg .pred p; setp.ne.b32 p, $2, 0; }", OpCost::kFree, Opcode::kAdd, ElementType::kU32, 1, 0},
      {"wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {$0}, $1, $2;", OpCost::kDot, Opcode::kAdd,
       ElementType::kF32, 1, 64.0 * 256 * 8},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0}, {$1};", OpCost::kDot, Opcode::kAdd, ElementType::kF32,
       1, 16.0 * 8 * 16},
      {" @$2 mbarrier.init.shared::cta.b64 [$0], $1;", OpCost::kFree, Opcode::kAdd, ElementType::kU64, 1, 0},
      {"ex2.approx.ftz.bf16x2 $0, $1;", OpCost::kElementwise, Opcode::kExponential, ElementType::kBf16, 2, 0},
      {"max.NaN.f32 $0, $1, $2;", OpCost::kElementwise, Opcode::kMaximum, ElementType::kF32, 1, 0},
      {"frobnicate.f32 $0;", OpCost::kUnknown, Opcode::kAdd, ElementType::kF32, 1, 0},
      {"mma.sync.aligned.m16n8", OpCost::kUnknown, Opcode::kAdd, ElementType::kF32, 1, 0},
  };
  for (const Read& e : expected) {
    INFO(e.assembly);
    const std::vector<PtxInstruction> read = read_ptx(e.assembly);
    REQUIRE(read.size() == 1);
    CHECK(read[0].cost == e.cost);
    CHECK(read[0].opcode == e.opcode);
    CHECK(read[0].type == e.type);
    CHECK(read[0].elements == e.elements);
    CHECK(read[0].m * read[0].n * read[0].k == e.product);
  }
  for (const char* nothing : {"", ";;", "{", "@", "@p", "label:", "."}) CHECK(read_ptx(nothing).empty());
}

TEST_CASE("truncated and changed modules give a status or work", "[gpu_mosaic]") {
  const std::string bytes = gpu_sample_bytes("threads");
  for (std::size_t at = 4; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    const absl::StatusOr<mlir::Module> kernel = mlir::read_module(changed);
    if (!kernel.ok()) continue;
    const absl::StatusOr<GpuKernelWork> work = mosaic_gpu_work(*kernel);
    if (work.ok()) CHECK(work->programs >= 0);
  }
  const GpuSample triton("product");
  CHECK(mosaic_gpu_work(triton.kernel).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal

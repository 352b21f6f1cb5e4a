#include "lib/work/gpu_kernel.h"

#include <fstream>
#include <iterator>
#include <optional>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// The boundary of the call in one of the dumps that JAX lowered for a GPU, and its work.
struct Read {
  absl::Status status;
  Work work;
};

std::string corpus_text(const std::string& name) {
  std::ifstream file(source_path("tests/corpus/" + name));
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

Read read_call(const std::string& text, double read_bytes, double written_bytes) {
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  for (ComputationView computation : module->computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::kCustomCall) continue;
      Read read;
      read.work.read.hbm = read_bytes;
      read.work.written.hbm = written_bytes;
      read.work.logical_bytes = read_bytes + written_bytes;
      read.status = add_gpu_kernel(instruction, read.work);
      return read;
    }
  }
  FAIL("no custom call");
  return {};
}

TEST_CASE("a Pallas Triton kernel is priced from its body", "[gpu_kernel]") {
  constexpr double kM = 8192;
  constexpr double kN = 4096;
  constexpr double kK = 2048;
  const double read_bytes = 2 * (kM * kK + kK * kN);
  const double written_bytes = 2 * kM * kN;
  const Read read = read_call(corpus_text("y_gpu_triton.hlo"), read_bytes, written_bytes);
  REQUIRE(read.status.ok());
  const Work& work = read.work;
  CHECK(work.source == CostSource::kModel);
  CHECK(work.matrix_flops == 2 * kM * kN * kK);
  CHECK(work.programs == kM / 128 * kN / 128);
  // Each program loads its rows and columns once, and stores its tile.
  CHECK(work.tile_bytes == work.programs * 2 * (2 * 128 * kK + 128 * 128));
  CHECK(work.read.hbm == read_bytes);
  CHECK(work.written.hbm == written_bytes);
  const absl::StatusOr<Device> device = find_device("h100_sxm");
  REQUIRE(device.ok());
  const OpTime time = op_time(work, *device);
  CHECK(time.source == CostSource::kModel);
  CHECK(time.seconds > work.matrix_flops / *device->matrix.peak.bf16);
  CHECK(time.seconds < 5 * work.matrix_flops / *device->matrix.peak.bf16);
}

TEST_CASE("a Mosaic GPU kernel is priced from its body", "[gpu_kernel]") {
  constexpr double kElements = 8192;
  const Read read = read_call(corpus_text("y_gpu_mosaic.hlo"), kElements * 4, kElements * 4);
  REQUIRE(read.status.ok());
  CHECK(read.work.source == CostSource::kModel);
  CHECK(read.work.is_for_threads);
  CHECK(read.work.programs == 64);
  CHECK(read.work.transcendentals == kElements);
  CHECK(read.work.read.hbm == kElements * 4);
}

TEST_CASE("a kernel that is not read leaves the work as it was", "[gpu_kernel]") {
  const std::string triton = corpus_text("y_gpu_triton.hlo");
  std::string changed = triton;
  changed.replace(changed.find("ML\\EFR"), 6, "ML\\EFX");
  std::string renamed = triton;
  renamed.replace(renamed.find("\\00maxnumf\\00"), 13, "\\00maxnumg\\00");
  struct Unread {
    std::string text;
    absl::StatusCode code;
    const char* why;
  };
  const Unread expected[] = {
      {corpus_text("y_gpu_triton_call.hlo"), absl::StatusCode::kUnimplemented, "compiled code"},
      {changed, absl::StatusCode::kInvalidArgument, "MLIR bytecode"},
      {renamed, absl::StatusCode::kInvalidArgument, "arith.maxnumg"},
  };
  for (const Unread& e : expected) {
    const Read read = read_call(e.text, 100, 10);
    CHECK(read.status.code() == e.code);
    CHECK(std::string(read.status.message()).find(e.why) != std::string::npos);
    CHECK(read.work.read.hbm == 100);
    CHECK(read.work.flops == 0);
    CHECK(read.work.programs == 0);
  }
}

}  // namespace
}  // namespace hloroof::internal

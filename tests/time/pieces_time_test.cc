// Checks what short pieces of memory and atomic updates take on a GPU: what was measured on an H100
// (tests/accuracy/h100).
#include <string>

#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

// The seconds that HBM is busy.
double hbm_seconds_of(const Work& work) { return op_time(work, device("h100_sxm")).resources[Resource::kHbm]; }

constexpr double kArray = 4.0 * 16384 * 8192;

// The seconds of reading and writing so many bytes.
double streamed(double read, double written) {
  Work work;
  work.read.hbm = read;
  work.written.hbm = written;
  return hbm_seconds_of(work);
}

Work strided(int stride) {
  const std::string kept = std::to_string(8192 / stride);
  return root_work(
      "  a = f32[16384,8192]{1,0} parameter(0)\n",
      "s = f32[16384," + kept + "]{1,0} slice(a), slice={[0:16384], [0:8192:" + std::to_string(stride) + "]}");
}

TEST_CASE("A slice reads at least 64 bytes for each piece, and no more than the array") {
  for (const int stride : {2, 8, 16}) {
    CAPTURE(stride);
    const double all = streamed(kArray, 0);
    const double kept = streamed(0, kArray / stride);
    CHECK(hbm_seconds_of(strided(stride)) == Approx(all + kept).epsilon(0.02));
  }
  CHECK(hbm_seconds_of(strided(32)) == Approx(streamed(kArray / 2, 0) + streamed(0, kArray / 32)).epsilon(0.02));
}

TEST_CASE("Interleaved slices of one array read it once") {
  const Work pairs =
      root_work("  a = f32[16384,8192]{1,0} parameter(0)\n", "f = f32[16384,4096]{1,0} fusion(a), kind=kLoop, calls=c",
                "c {\n  p = f32[16384,8192]{1,0} parameter(0)\n  x = f32[16384,4096]{1,0} slice(p), slice={[0:16384], "
                "[0:8192:2]}\n  y = f32[16384,4096]{1,0} slice(p), slice={[0:16384], [1:8192:2]}\n  ROOT z = "
                "f32[16384,4096]{1,0} add(x, y)\n}\n");
  CHECK(hbm_seconds_of(pairs) == Approx(streamed(kArray, kArray / 2)));
}

TEST_CASE("A gather of short rows moves 64 bytes for each, unless the level-2 cache holds the table") {
  const auto gather = [](const std::string& rows) {
    return root_work("  t = f32[" + rows + ",4]{1,0} parameter(0)\n  i = s32[4194304,1]{1,0} parameter(1)\n",
                     "g = f32[4194304,4]{1,0} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}");
  };
  const double count = 4194304;
  CHECK(hbm_seconds_of(gather("16777216")) == Approx(streamed(count * (64 + 4), count * 16)).epsilon(0.02));
  CHECK(hbm_seconds_of(gather("65536")) == Approx(streamed(65536 * 16 + count * 4, count * 16)).epsilon(0.02));
}

TEST_CASE("A gather takes the time of its sectors in the level-2 cache, but for what the level-1 cache holds") {
  const auto gather = [](const std::string& rows, const std::string& layout) {
    return root_work("  t = f32[" + rows + ",16]" + layout + " parameter(0)\n  i = s32[1048576,1]{1,0} parameter(1)\n",
                     "g = f32[1048576,16]{1,0} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}");
  };
  const Device h100 = device("h100_sxm");
  const auto seconds = [&](const Work& work) { return op_time(work, h100).resources[Resource::kVmem]; };
  const double rate = *h100.gpu()->on_chip.gather_rate;
  const double bytes = 65536 * 64;
  const double far = 1 - *h100.gpu()->on_chip.l1_table / bytes;
  CHECK(seconds(gather("65536", "{1,0}")) == Approx(2 * 1048576 * far / rate));
  // Rows that lie across memory: each of their elements is a sector of its own.
  CHECK(seconds(gather("65536", "{0,1}")) == Approx(16 * 1048576 * far / rate));
  CHECK(seconds(gather("1024", "{1,0}")) == 0);
  CHECK(op_time(gather("65536", "{1,0}"), device("a100_sxm_80")).resources[Resource::kVmem] == 0);  // not measured
}

TEST_CASE("Atomic updates take time in the level-2 cache, those of half words more") {
  const auto scatter = [](const std::string& type) {
    return root_work("  t = " + type + "[65536,8]{1,0} parameter(0)\n  i = s32[1048576,1]{1,0} parameter(1)\n  u = " +
                         type + "[1048576,8]{1,0} parameter(2)\n",
                     "s = " + type +
                         "[65536,8]{1,0} scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
                     "add {\n  x = " + type + "[] parameter(0)\n  y = " + type + "[] parameter(1)\n  ROOT z = " + type +
                         "[] add(x, y)\n}\n");
  };
  const Device h100 = device("h100_sxm");
  const double words = op_time(scatter("f32"), h100).resources[Resource::kVmem];
  const double half_words = op_time(scatter("bf16"), h100).resources[Resource::kVmem];
  CHECK(words == Approx(1048576 / *h100.gpu()->on_chip.atomic_rate));
  CHECK(half_words == Approx(8 * 1048576 / *h100.gpu()->on_chip.narrow_atomic_rate));
  CHECK(op_time(scatter("f32"), device("a100_sxm_80")).resources[Resource::kVmem] == 0);  // not measured
}

TEST_CASE("Products of odd rows take the time of their kernels") {
  const auto product = [](const std::string& n) {
    return root_work("  a = bf16[16384,768]{1,0} parameter(0)\n  b = bf16[768," + n + "]{1,0} parameter(1)\n",
                     "d = bf16[16384," + n + "]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  };
  const double odd = op_time(product("50257"), device("h100_sxm")).seconds;
  const double padded = op_time(product("50304"), device("h100_sxm")).seconds;
  CHECK(odd > 2.5 * padded);
  const double other = op_time(product("50257"), device("a100_sxm_80")).seconds;  // not measured
  CHECK(other < 1.05 * op_time(product("50304"), device("a100_sxm_80")).seconds);
}

TEST_CASE("A library's product reads its weights more slowly than other kernels, unless XLA timed the algorithms") {
  const auto product = [](const std::string& config) {
    return root_work("  x = bf16[4,16384]{1,0} parameter(0)\n  w = bf16[51200,16384]{1,0} parameter(1)\n",
                     "r = bf16[4,51200]{1,0} custom-call(x, w), custom_call_target=\"__cublas$gemm\", "
                     "backend_config={\"gemm_backend_config\":{" +
                         config +
                         "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
                         "\"rhs_contracting_dimensions\":[\"1\"]}}}");
  };
  const Work timed = product("\"selected_algorithm\":\"3\",");
  const double written = 2.0 * 4 * 51200;
  const double read = 2.0 * 16384 * (4 + 51200);
  CHECK(hbm_seconds_of(timed) == Approx(streamed(read, written)));
  const Device h100 = device("h100_sxm");
  CHECK(hbm_seconds_of(product("")) ==
        Approx(read / h100.hbm.bandwidth / *h100.gpu()->matrix.read_efficiency + streamed(0, written)));
  // Of MI300X no such products were measured.
  const Device other = device("mi300x");
  CHECK(op_time(product(""), other).seconds == op_time(timed, other).seconds);
}

}  // namespace
}  // namespace hloroof::internal

// Checks what gathers, scatters and slices of arrays without tiles touch piece by piece, and which products are
// aligned.
#include <cmath>
#include <string>

#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

const std::string kAdd = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n";

TEST_CASE("A slice touches the runs of memory that it keeps") {
  struct Case {
    std::string result;
    std::string slice;
    double count;
    double bytes;
  };
  for (const Case& c :
       {Case{"f32[64,32]{1,0}", "[0:64], [0:64:2]", 64 * 32, 4}, Case{"f32[64,4]{1,0}", "[0:64], [8:12]", 64, 16},
        Case{"f32[32,64]{1,0}", "[0:64:2], [0:64]", 1, 32 * 64 * 4}}) {
    INFO(c.slice);
    const Work work =
        root_work("  a = f32[64,64]{1,0} parameter(0)\n", "s = " + c.result + " slice(a), slice={" + c.slice + "}");
    if (c.count == 1) {
      CHECK(work.pieces.empty());
      continue;
    }
    REQUIRE(work.pieces.size() == 1);
    CHECK(work.pieces[0].count == c.count);
    CHECK(work.pieces[0].bytes == c.bytes);
    CHECK(work.pieces[0].array_bytes == 64 * 64 * 4);
    CHECK_FALSE(work.pieces[0].is_indexed);
  }
}

TEST_CASE("A gather touches its rows") {
  const Work work =
      root_work("  t = bf16[1024,8]{1,0} parameter(0)\n  i = s32[100,1]{1,0} parameter(1)\n",
                "g = bf16[100,8]{1,0} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                "index_vector_dim=1, slice_sizes={1,8}");
  REQUIRE(work.pieces.size() == 1);
  CHECK(work.pieces[0].count == 100);
  CHECK(work.pieces[0].bytes == 16);
  CHECK(work.pieces[0].is_indexed);
}

TEST_CASE("A scatter updates sectors atomically, and elements of less than a word one by one") {
  const auto scatter = [](const std::string& type, const std::string& unique) {
    std::string add = kAdd;
    for (std::size_t at = 0; (at = add.find("f32", at)) != std::string::npos; at += type.size())
      add.replace(at, 3, type);
    return root_work("  t = " + type + "[1024,16]{1,0} parameter(0)\n  i = s32[100,1]{1,0} parameter(1)\n  u = " +
                         type + "[100,16]{1,0} parameter(2)\n",
                     "s = " + type +
                         "[1024,16]{1,0} scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add" +
                         unique,
                     add);
  };
  const Work words = scatter("f32", "");
  CHECK(words.atomics == 200);  // 64 bytes are two sectors
  CHECK(words.narrow_atomics == 0);
  REQUIRE(words.pieces.size() == 1);
  CHECK(words.pieces[0].count == 200);
  CHECK(scatter("bf16", "").narrow_atomics == 1600);
  CHECK(scatter("bf16", "").atomics == 0);
  CHECK(scatter("f32", ", unique_indices=true").atomics == 0);
}

TEST_CASE("Calls that double the pieces again and again do not double their list") {
  constexpr int kDepth = 40;
  std::string computations =
      "c0 {\n  a = f32[64,64]{1,0} parameter(0)\n  ROOT s = f32[64,4]{1,0} slice(a), slice={[0:64], [8:12]}\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    const std::string below = std::to_string(i - 1);
    computations += "c" + std::to_string(i) +
                    " {\n  a = f32[64,64]{1,0} parameter(0)\n  x = f32[64,4]{1,0} call(a), to_apply=c" + below +
                    "\n  y = f32[64,4]{1,0} call(a), to_apply=c" + below + "\n  ROOT z = f32[64,4]{1,0} add(x, y)\n}\n";
  }
  const Work work = root_work(
      "  a = f32[64,64]{1,0} parameter(0)\n",
      "r = ((f32[64,64]{1,0}), f32[64,4]{1,0}, u32[]) async-start(a), calls=c" + std::to_string(kDepth), computations);
  REQUIRE(work.pieces.size() == 1);
  CHECK(work.pieces[0].count == std::ldexp(64.0, kDepth));
}

TEST_CASE("A product is unaligned if the rows of an operand are no multiple of 16 bytes") {
  struct Case {
    std::string lhs;
    std::string rhs;
    bool is_unaligned;
  };
  for (const Case& c :
       {Case{"bf16[64,32]{1,0}", "bf16[32,128]{1,0}", false}, Case{"bf16[64,32]{1,0}", "bf16[32,129]{1,0}", true},
        Case{"bf16[64,32]{1,0}", "bf16[32,129]{0,1}", false}, Case{"bf16[64,33]{1,0}", "bf16[33,128]{1,0}", true},
        Case{"f32[64,36]{1,0}", "f32[36,128]{1,0}", false}, Case{"f32[64,38]{1,0}", "f32[38,128]{1,0}", true},
        Case{"bf16[1,33]{1,0}", "bf16[33,128]{1,0}", false},
        Case{"bf16[64,32]{1,0}", "bf16[32,9223372036854775807]{1,0}", true}}) {
    INFO(c.lhs << " " << c.rhs);
    const std::string n = c.rhs.substr(c.rhs.find(',') + 1, c.rhs.find(']') - c.rhs.find(',') - 1);
    const std::string m = c.lhs.substr(c.lhs.find('[') + 1, c.lhs.find(',') - c.lhs.find('[') - 1);
    const Work work =
        root_work("  a = " + c.lhs + " parameter(0)\n  b = " + c.rhs + " parameter(1)\n",
                  "d = f32[" + m + "," + n + "]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    REQUIRE(work.matrix.size() == 1);
    CHECK(work.matrix[0].is_unaligned == c.is_unaligned);
  }
}

TEST_CASE("The block of a product that XLA turned is that of the turned result") {
  const auto block = [](const std::string& result, const std::string& sizes) {
    return root_work(
               "  a = bf16[4096,16]{1,0} parameter(0)\n  b = bf16[4096,28672]{1,0} parameter(1)\n",
               "f = " + result +
                   " fusion(a, b), kind=kCustom, calls=c, "
                   "backend_config={\"fusion_backend_config\":{\"kind\":\"__triton_nested_gemm_fusion\","
                   "\"block_level_fusion_config\":{\"num_stages\":3,\"num_warps\":\"4\",\"output_tiles\":[{\"sizes\":" +
                   sizes + "}]}}}",
               "c {\n  p = bf16[4096,16]{1,0} parameter(0)\n  q = bf16[4096,28672]{1,0} parameter(1)\n  d = "
               "bf16[28672,16]{0,1} dot(q, p), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n  ROOT r = " +
                   result + " bitcast(d)\n}\n")
        .matrix.at(0);
  };
  const MatrixWork turned = block("bf16[16,28672]{1,0}", R"(["16","128"])");
  CHECK(turned.m == 28672);
  CHECK(turned.tile_m == 128);
  CHECK(turned.tile_n == 16);
  const MatrixWork plain = block("bf16[28672,16]{0,1}", R"(["128","16"])");
  CHECK(plain.tile_m == 128);
  CHECK(plain.tile_n == 16);
}

}  // namespace
}  // namespace hloroof::internal

// Checks the blocks of fusions whose tiles the compiler states, what they hold and what their threads exchange, and the
// time of these.
#include <string>

#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

constexpr const char* kSum =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

// A fusion of `result` with such a tile, that computes `body` from its parameter `x`.
Work tiled(const std::string& x, const std::string& result, const std::string& tile, const std::string& body) {
  return root_work(
      "  a = " + x + " parameter(0)\n",
      "r = " + result + " fusion(a), kind=kCustom, calls=c, backend_config={\"fusion_backend_config\":{" +
          "\"kind\":\"__triton\",\"block_level_fusion_config\":{\"num_warps\":\"8\",\"output_tiles\":[{" +
          "\"sizes\":[" + tile + "]}]}}}",
      std::string(kSum) + "c {\n  x = " + x + " parameter(0)\n  zero = f32[] constant(0)\n" + body + "}\n");
}

// Divides the rows of an array of three dimensions by their sums, and by the sums of the quotients.
Work normalized(const std::string& tile, int sums = 1) {
  const std::string array = "f32[192,1024,1024]{2,1,0}";
  std::string body;
  std::string last = "x";
  for (int i = 0; i < sums; ++i) {
    const std::string n = std::to_string(i);
    body += "  sum" + n + " = f32[192,1024]{1,0} reduce(" + last + ", zero), dimensions={2}, to_apply=sum\n  b" + n +
            " = " + array + " broadcast(sum" + n + "), dimensions={0,1}\n  " + (i + 1 == sums ? "ROOT " : "") + "q" +
            n + " = " + array + " divide(" + last + ", b" + n + ")\n";
    last = "q" + n;
  }
  return tiled(array, array, tile, body);
}

TEST_CASE("The blocks of a fusion are the tiles that cover its first result") {
  CHECK(normalized(R"("1","16","1024")").tiles.blocks == 192 * 64);
  CHECK(normalized(R"("16","1","1024")").tiles.blocks == 12 * 1024);
  CHECK(normalized(R"("1","24","1024")").tiles.blocks == 192 * 43);
  CHECK(normalized(R"("16","1024")").tiles.blocks == 0);      // another rank
  CHECK(normalized(R"("0","16","1024")").tiles.blocks == 0);  // no tile
  const Work two =
      tiled("f32[64,64]{1,0}", "(f32[64,64]{1,0}, f32[64,64]{1,0})", R"("32","32")",
            "  n = f32[64,64]{1,0} negate(x)\n  ROOT t = (f32[64,64]{1,0}, f32[64,64]{1,0}) tuple(n, x)\n");
  CHECK(two.tiles.blocks == 4);
  CHECK(two.tiles.exchanged == 0);
}

TEST_CASE("Threads exchange a tile whose dimension of one lies between two others") {
  const double elements = 192.0 * 1024 * 1024;
  CHECK(normalized(R"("16","1","1024")").tiles.exchanged == 2 * elements);
  CHECK(normalized(R"("16","1","1024")", 3).tiles.exchanged == 4 * elements);
  CHECK(normalized(R"("1","16","1024")").tiles.exchanged == 0);
  CHECK(normalized(R"("1","1","1024")").tiles.exchanged == 0);
  CHECK(normalized(R"("16","2","1024")").tiles.exchanged == 0);
}

TEST_CASE("A tile has powers of two along its dimensions") {
  const auto rows = [](const std::string& tile) {
    return tiled("f32[64,56,192]{2,1,0}", "f32[64,56]{1,0}", tile,
                 "  ROOT s = f32[64,56]{1,0} reduce(x, zero), dimensions={2}, to_apply=sum\n");
  };
  CHECK(rows(R"("16","1")").tiles.exchanged == 64.0 * 56 * 256);  // the tile itself is not stored
  CHECK(rows(R"("16","8")").tiles.exchanged == 0);
}

TEST_CASE("Reductions along columns, and of arrays that are reshaped, exchange nothing") {
  const Work columns = tiled("f32[64,128,128]{2,1,0}", "f32[64,128]{1,0}", R"("16","1")",
                             "  ROOT s = f32[64,128]{1,0} reduce(x, zero), dimensions={1}, to_apply=sum\n");
  CHECK(columns.tiles.blocks > 0);
  CHECK(columns.tiles.exchanged == 0);
  const Work reshaped = tiled(
      "f32[64,128,128]{2,1,0}", "f32[8192]{0}", R"("16")",
      "  s = f32[64,128]{1,0} reduce(x, zero), dimensions={2}, to_apply=sum\n  ROOT f = f32[8192]{0} bitcast(s)\n");
  CHECK(reshaped.tiles.exchanged == 0);
}

TEST_CASE("A block holds a tile that it stores while it reduces the rows") {
  const Work stored = normalized(R"("1","12","1024")");
  CHECK(stored.tiles.warps == 8);
  CHECK(stored.tiles.held == 16.0 * 1024);
  const Work sums = tiled("f32[64,512,1024]{2,1,0}", "f32[64,512]{1,0}", R"("1","16")",
                          "  ROOT s = f32[64,512]{1,0} reduce(x, zero), dimensions={2}, to_apply=sum\n");
  CHECK(sums.tiles.held == 0);
}

TEST_CASE("Where a multiprocessor holds two blocks, the arithmetic follows the bytes") {
  const Device h100 = device("h100_sxm");
  const Work large = normalized(R"("1","16","1024")", 3);
  const Work small = normalized(R"("1","8","1024")", 3);
  const OpTime in_turn = op_time(large, h100);
  const OpTime beside = op_time(small, h100);
  const double vector = in_turn.resources[Resource::kVector];
  REQUIRE(vector > 0.02 * in_turn.resources[Resource::kHbm]);
  CHECK(in_turn.seconds == Approx(in_turn.resources[Resource::kHbm] + vector + in_turn.overhead));
  CHECK(beside.seconds < in_turn.resources[Resource::kHbm] + 0.1 * vector + beside.overhead);
  const Device other = device("a100_sxm_80");  // not measured
  CHECK(op_time(large, other).seconds == Approx(op_time(small, other).seconds));
}

TEST_CASE("The exchange follows the time of the bytes, where its rate is known") {
  const Work apart = normalized(R"("16","1","1024")");
  const Work together = normalized(R"("1","8","1024")");
  const Device h100 = device("h100_sxm");
  const double exchange = apart.tiles.exchanged / *h100.gpu()->on_chip.exchange_rate;
  CHECK(op_time(apart, h100).seconds == Approx(op_time(together, h100).seconds + exchange));
  CHECK(op_time(apart, h100).resources[Resource::kVector] ==
        Approx(op_time(together, h100).resources[Resource::kVector] + exchange));
  const Device other = device("a100_sxm_80");  // not measured
  CHECK(op_time(apart, other).seconds == Approx(op_time(together, other).seconds));
}

TEST_CASE("An op that is bound by its exchange is not near the peak of the vector units") {
  const Work many = normalized(R"("16","1","1024")", 5);
  const OpTime time = op_time(many, device("h100_sxm"));
  CHECK(time.bound == Resource::kVector);
  const double exchange = many.tiles.exchanged / *device("h100_sxm").gpu()->on_chip.exchange_rate;
  CHECK(time.efficiency == Approx((time.resources[Resource::kVector] - exchange) / time.seconds));
}

TEST_CASE("A kernel takes at least the time in which its blocks start") {
  const auto copied = [](const std::string& tile) {
    return tiled("bf16[8,2048,32,128]{3,2,1,0}", "bf16[8,32,2048,128]{3,2,1,0}", tile,
                 "  ROOT t = bf16[8,32,2048,128]{3,2,1,0} transpose(x), dimensions={0,2,1,3}\n");
  };
  const Device h100 = device("h100_sxm");
  const OpTime small = op_time(copied(R"("1","1","1","32")"), h100);  // t_0213_bf16: 1,262 us
  CHECK(small.seconds == Approx(2097152 * *h100.gpu()->overhead.block));
  CHECK(small.bound == Resource::kLatency);
  CHECK(op_time(copied(R"("1","1","8","128")"), h100).bound == Resource::kHbm);
}

}  // namespace
}  // namespace hloroof::internal

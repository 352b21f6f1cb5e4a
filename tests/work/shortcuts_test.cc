// Checks what the instructions around an operation of a fusion for a TPU make its code shorter. The final code of
// libtpu 0.0.52 does what is expected here.
#include <string>

#include "lib/time/vector_time.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

const std::string kTiles = "[1024,1024]{1,0:T(8,128)}";
constexpr double kElements = 1024 * 1024;

// The work of a fusion of `body`, which reads x and whose root is r.
Work fused(const std::string& body, const std::string& from, const std::string& to) {
  return root_work("  a = " + from + kTiles + " parameter(0)\n",
                   "f = " + to + kTiles + " fusion(a), kind=kLoop, calls=c",
                   "c {\n  x = " + from + kTiles + " parameter(0)\n" + body + "}\n");
}

std::string repeated(const std::string& name, const std::string& type, const std::string& value) {
  return "  s" + name + " = " + type + "[] constant(" + value + ")\n  " + name + " = " + type + kTiles +
         " broadcast(s" + name + "), dimensions={}\n";
}

Shortcut shortcut(const Work& work, Opcode opcode) {
  for (const VectorWork& v : work.vector) {
    if (v.opcode == opcode) return v.shortcut;
  }
  FAIL("no such operation");
  return Shortcut::kNone;
}

TEST_CASE("A conversion to integers rounds what the program rounds before it, within the range of the integers") {
  struct Case {
    const char* what;
    const char* from;
    const char* to;
    const char* low;  // null: no clamp
    const char* high;
    bool clamp_first;
    Shortcut expected;
    double rounded;  // elements by an operation of their own
    double clamped;
  };
  const Case cases[] = {
      {"rounded", "f32", "s8", nullptr, nullptr, false, Shortcut::kRounded, 0, kElements},
      {"clamped after it", "f32", "s8", "-127", "127", false, Shortcut::kRounded, 0, kElements},
      {"clamped before it", "f32", "s8", "-127", "127", true, Shortcut::kRounded, 0, kElements},
      {"the whole range", "f32", "s8", "-128", "127", false, Shortcut::kRounded, 0, kElements},
      {"one beyond", "f32", "s8", "-128", "128", false, Shortcut::kNone, kElements, kElements},
      {"wide limits", "f32", "s8", "-1e6", "1e6", false, Shortcut::kNone, kElements, kElements},
      {"not a number", "f32", "s8", "nan", "127", false, Shortcut::kNone, kElements, kElements},
      {"wide limits before it", "f32", "s8", "-1e6", "1e6", true, Shortcut::kRounded, 0, 2 * kElements},
      {"unsigned", "f32", "u8", "0", "255", false, Shortcut::kRounded, 0, kElements},
      {"below an unsigned", "f32", "u8", "-1", "255", false, Shortcut::kNone, kElements, kElements},
      {"4 bits", "f32", "s4", "-7", "7", false, Shortcut::kRounded, 0, kElements},
      {"32 bits need no limits", "f32", "s32", nullptr, nullptr, false, Shortcut::kRounded, 0, 0},
      {"in bf16", "bf16", "s8", "-127", "127", false, Shortcut::kNone, kElements, kElements},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string wide = std::string(c.from) + kTiles;
    std::string body;
    if (c.low != nullptr) body += repeated("low", c.from, c.low) + repeated("high", c.from, c.high);
    const std::string round = c.clamp_first && c.low != nullptr ? "k" : "x";
    const std::string clamp = "  k = " + wide + " clamp(low, " + (c.clamp_first ? "x" : "n") + ", high)\n";
    if (c.low != nullptr && c.clamp_first) body += clamp;
    body += "  n = " + wide + " round-nearest-even(" + round + ")\n";
    if (c.low != nullptr && !c.clamp_first) body += clamp;
    body += std::string("  ROOT r = ") + c.to + kTiles + " convert(" +
            (c.low != nullptr && !c.clamp_first ? "k" : "n") + ")\n";
    const Work work = fused(body, c.from, c.to);
    CHECK(shortcut(work, Opcode::kConvert) == c.expected);
    CHECK(vector_elements(work, Opcode::kRoundNearestEven) == c.rounded);
    CHECK(vector_elements(work, Opcode::kClamp) == c.clamped);
    CHECK(work.flops >= 2 * kElements);  // what the program states does not change
  }
}

TEST_CASE("A rounding that stands alone, or without tiles, is an operation of its own") {
  const Work alone = root_work("  a = f32" + kTiles + " parameter(0)\n", "r = s8" + kTiles + " convert(a)");
  CHECK(shortcut(alone, Opcode::kConvert) == Shortcut::kNone);
  const Work flat = root_work("  a = f32[1024,1024] parameter(0)\n", "f = s8[1024,1024] fusion(a), kind=kLoop, calls=c",
                              "c {\n  x = f32[1024,1024] parameter(0)\n  n = f32[1024,1024] round-nearest-even(x)\n"
                              "  ROOT r = s8[1024,1024] convert(n)\n}\n");
  CHECK(shortcut(flat, Opcode::kConvert) == Shortcut::kNone);
  CHECK(vector_elements(flat, Opcode::kRoundNearestEven) == kElements);
}

TEST_CASE("A clamp between a constant and its negative is one operation on TPU v5e and two on v2") {
  const auto operations = [](const char* low, const char* high, const char* device) {
    const Work work = fused(repeated("low", "f32", low) + repeated("high", "f32", high) + "  ROOT r = f32" + kTiles +
                                " clamp(low, x, high)\n",
                            "f32", "f32");
    const Device machine = *find_device(device);
    return vector_time(work, machine).operation_seconds / kElements * machine.vector.f32_rate *
           machine.tpu()->vector.efficiency;
  };
  CHECK(operations("-3", "3", "tpu_v5e") == Approx(1));
  CHECK(operations("0", "3", "tpu_v5e") == Approx(2));
  CHECK(operations("-3", "3", "tpu_v2") == Approx(2));
  CHECK(operations("0", "3", "tpu_v6e") == Approx(1));
}

TEST_CASE("The reciprocals of divisors that a broadcast repeats are computed once") {
  const struct {
    const char* what;
    const char* divisor;
    const char* dimensions;
    double divided;  // elements
  } cases[] = {
      {"along the rows", "f32[1024]{0:T(1024)}", "1", kElements / 128},
      {"along the lanes", "f32[1024]{0:T(1024)}", "0", kElements / 8},
      {"everywhere", "f32[]", "", 1024},
      {"nowhere", "f32[1024,1024]{1,0:T(8,128)}", "0,1", kElements},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const std::string parameters = "  a = f32" + kTiles + " parameter(0)\n  s = " + c.divisor + " parameter(1)\n";
    const Work work = root_work(parameters, "f = f32" + kTiles + " fusion(a, s), kind=kLoop, calls=c",
                                "c {\n" + parameters + "  b = f32" + kTiles + " broadcast(s), dimensions={" +
                                    c.dimensions + "}\n  ROOT r = f32" + kTiles + " divide(a, b)\n}\n");
    CHECK(vector_elements(work, Opcode::kDivide) == c.divided);
    CHECK(vector_elements(work, Opcode::kMultiply) == (c.divided < kElements ? kElements : 0));
  }
}

TEST_CASE("A narrow integer becomes f32 at once") {
  const Work work =
      fused("  h = bf16" + kTiles + " convert(x)\n  ROOT r = f32" + kTiles + " convert(h)\n", "s8", "f32");
  REQUIRE(work.vector.size() == 1);
  CHECK(work.vector[0].type == ElementType::kS8);
  CHECK(work.vector[0].to == ElementType::kF32);
  CHECK(work.vector[0].elements == kElements);
}

}  // namespace
}  // namespace hloroof::internal

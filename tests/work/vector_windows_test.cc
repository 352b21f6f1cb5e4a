// Checks what the windows of vector operations cost a TPU. The final code of libtpu 0.0.52 does what is expected here;
// tests/accuracy/grid compares its cycles.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

// A fusion that adds up `arrays`, each converted to the type of `sum` first if it has another.
Work sum_of(const std::vector<std::string>& arrays, const std::string& sum, const std::string& windows,
            const std::string& iterations = R"("1","1")") {
  std::string parameters;
  std::string body;
  std::string operands;
  std::string last;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    absl::StrAppend(&parameters, "  a", i, " = ", arrays[i], " parameter(", i, ")\n");
    absl::StrAppend(&body, "  p", i, " = ", arrays[i], " parameter(", i, ")\n");
    absl::StrAppend(&operands, i > 0 ? ", a" : "a", i);
    std::string value = absl::StrCat("p", i);
    if (arrays[i].substr(0, 3) != sum.substr(0, 3)) {
      absl::StrAppend(&body, "  wide", i, " = ", sum, " convert(p", i, ")\n");
      value = absl::StrCat("wide", i);
    }
    if (i > 0) {
      absl::StrAppend(&body, "  sum", i, " = ", sum, " add(", last, ", ", value, ")\n");
      value = absl::StrCat("sum", i);
    }
    last = value;
  }
  absl::StrAppend(&body, "  ROOT r = ", sum, " negate(", last, ")\n");
  return root_work(parameters,
                   absl::StrCat("f = ", sum, " fusion(", operands, R"(), kind=kLoop, calls=c, backend_config=)",
                                R"({"window_config":{"output_window_bounds":[)", windows, R"(],"iteration_bounds":[)",
                                iterations, "]}}"),
                   "c {\n" + body + "}\n");
}

TEST_CASE("Loads of rows in the same banks take a bundle each") {
  const std::string wide = "f32[2048,1024]{1,0:T(8,128)}";  // 256 x 8 tiles
  const std::string odd = "f32[2040,1152]{1,0:T(8,128)}";   // 255 x 9 tiles
  const std::string half = "bf16[2048,1024]{1,0:T(8,128)(2,1)}";
  const std::string flat = "f32[2097152]{0:T(1024)}";
  struct Case {
    const char* what;
    std::vector<std::string> arrays;
    std::string sum;
    const char* windows;
    double loads;
  };
  const Case cases[] = {
      {"eight tiles in a row", {wide, wide}, wide, R"("128","8")", 2 * 2048},
      {"two tiles in a row", {wide, wide}, wide, R"("256","2")", 2 * 2048 / 2.0},
      {"nine tiles in a row", {odd, odd, odd}, odd, R"("85","9")", 3 * 2295 / 4.0},
      {"three arrays", {wide, wide, wide}, wide, R"("128","8")", 3 * 2048},
      {"one array", {wide}, wide, R"("128","8")", 0},
      {"small windows, without a loop", {wide, wide}, wide, R"("16","8")", 0},
      {"widened", {half, half}, wide, R"("128","8")", 2 * 2048},
      {"packed", {half, half}, half, R"("128","8")", 0},
      {"without rows of tiles", {flat, flat}, flat, R"("1024")", 0},
      {"in VMEM, where it lies", {"f32[2040,1152]{1,0:T(8,128)S(1)}", odd}, odd, R"("255","4")", 2295 / 4.0 + 2295},
      {"in VMEM, in windows of an odd size",
       {"f32[2048,1024]{1,0:T(8,128)S(1)}", wide},
       wide,
       R"("256","5")",
       2048 + 2048 / 4.0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(sum_of(c.arrays, c.sum, c.windows).loads_in_turn == c.loads);
  }
}

TEST_CASE("A window starts with the transfers of its arrays") {
  const std::string hbm = "f32[2048,1024]{1,0:T(8,128)}";
  const std::string vmem = "f32[2048,1024]{1,0:T(8,128)S(1)}";
  CHECK(sum_of({hbm, hbm}, hbm, R"("128","8")", R"("2","1")").window_steps == 2 * (1 + 3));
  CHECK(sum_of({vmem, hbm}, hbm, R"("128","8")", R"("2","1")").window_steps == 2 * (1 + 2));
  CHECK(sum_of({vmem, vmem}, vmem, R"("128","8")", R"("2","1")").window_steps == 2);
  const std::string cmem = "f32[2048,1024]{1,0:T(8,128)S(3)}";
  CHECK(sum_of({cmem, cmem}, hbm, R"("128","8")", R"("2","1")").window_steps == 2 * (1 + 3));
  // The start of what a copy takes to turn its array is part of the cycles of turning.
  const Work turned = root_work("  a = " + hbm + " parameter(0)\n",
                                R"(r = f32[2048,1024]{0,1:T(8,128)} copy(a), backend_config={"window_config":)"
                                R"({"output_window_bounds":["128","1"],"iteration_bounds":["1","16"]}})");
  CHECK(turned.window_steps == 0);
}

TEST_CASE("Windows of a copy that are no whole parts of an array in VMEM are copied there") {
  struct Case {
    const char* what;
    const char* from;
    const char* to;
    const char* input;
    const char* output;
    double copies;  // bytes
  };
  constexpr double kBytes = 4.0 * 512 * 1024;
  const Case cases[] = {
      {"all of it", "{1,0:T(8,128)}", "{0,1:T(8,128)S(1)}", R"("64","8")", R"("128","4")", 0},
      {"rows of the result, all columns", "{1,0:T(8,128)}", "{0,1:T(8,128)S(1)}", R"("64","4")", R"("64","4")", 0},
      {"some columns of the result", "{1,0:T(8,128)}", "{0,1:T(8,128)S(1)}", R"("32","8")", R"("128","2")", kBytes},
      {"rows that do not divide it", "{1,0:T(8,128)}", "{0,1:T(8,128)S(1)}", R"("64","6")", R"("96","4")", kBytes},
      {"the operand", "{0,1:T(8,128)S(1)}", "{1,0:T(8,128)}", R"("128","2")", R"("32","8")", kBytes},
      {"both", "{0,1:T(8,128)S(1)}", "{1,0:T(8,128)S(1)}", R"("96","4")", R"("32","6")", 2 * kBytes},
      {"in CMEM", "{0,1:T(8,128)S(3)}", "{1,0:T(8,128)S(3)}", R"("96","4")", R"("32","6")", 0},
      {"in HBM", "{0,1:T(8,128)}", "{1,0:T(8,128)}", R"("128","2")", R"("32","8")", 0},
      {"not stated", "{0,1:T(8,128)S(1)}", "{1,0:T(8,128)}", "", R"("32","8")", 0},
      {"without a turn", "{1,0:T(8,128)S(1)}", "{1,0:T(8,128)}", R"("48","8")", R"("48","8")", 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(
        absl::StrCat("  a = f32[512,1024]", c.from, " parameter(0)\n"),
        absl::StrCat("r = f32[512,1024]", c.to, R"( copy(a), backend_config={"window_config":{"input_window_bounds":[)",
                     c.input, R"(],"output_window_bounds":[)", c.output, R"(],"iteration_bounds":["2","1"]}})"));
    CHECK(work.window_copies == c.copies);
  }
}

TEST_CASE("A window that moves elements to other lanes waits for the first of them") {
  const std::string config =
      R"(, backend_config={"window_config":{"output_window_bounds":["128","8"],"iteration_bounds":["2","1"]}})";
  const std::string shape = "f32[2048,1024]{1,0:T(8,128)}";
  const auto pad = [&](const std::string& padding) {
    return root_work("  a = " + shape + " parameter(0)\n  z = f32[] parameter(1)\n",
                     "r = f32[2048,1152]{1,0:T(8,128)} pad(a, z), padding=" + padding + config);
  };
  CHECK(pad("0_0x7_121").window_waits == 2);
  CHECK(pad("0_0x128_0").window_waits == 0);
  CHECK(sum_of({shape, shape}, shape, R"("128","8")", R"("2","1")").window_waits == 0);
}

TEST_CASE("Loads that gather rows from the same banks are spread over the columns of a small window") {
  const auto gather = [](const std::string& window) {
    return vector_elements(root_work("  a = f32[8,64,512]{2,0,1:T(8,128)S(1)} parameter(0)\n",
                                     R"(r = f32[8,64,512]{2,1,0:T(8,128)} copy(a), backend_config={"window_config":)"
                                     R"({"output_window_bounds":[)" +
                                         window + R"(],"iteration_bounds":["1","1","1"]}})"),
                           Opcode::kCopy);
  };
  constexpr double kLoads = 8.0 * 8 * 64 * 512;  // of 8 rows in one bank
  CHECK(gather(R"("8","8","1")") == kLoads);
  CHECK(gather(R"("8","8","4")") == kLoads / 2);
}

TEST_CASE("The last window is computed as a whole") {
  const std::string shape = "f32[2048,1024]{1,0:T(8,128)}";
  constexpr double kElements = 2048 * 1024;
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("128","8")"), Opcode::kAdd) == kElements);
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("96","8")"), Opcode::kAdd) == kElements * 288 / 256);
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("96","5")"), Opcode::kAdd) == kElements * 288 / 256 * 10 / 8);
  // Bounds beyond the array are those of the array, and bounds that are none say nothing.
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("4096","9223372036854775807")"), Opcode::kAdd) == kElements);
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("0","-3")"), Opcode::kAdd) == kElements);
  CHECK(vector_elements(sum_of({shape, shape}, shape, R"("96")"), Opcode::kAdd) == kElements);
}

}  // namespace
}  // namespace hloroof::internal

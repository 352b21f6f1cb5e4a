
#include "lib/counts/xla_counts.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "nlohmann/json.hpp"
#include "tests/catch.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

ModuleCounts count(std::string_view text, bool float32 = false) {
  const absl::StatusOr<Module> module = parse_module(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  XlaCountOptions options;
  options.float32 = float32;
  const absl::StatusOr<ModuleCounts> counts = count_xla(*module, options);
  REQUIRE(counts.ok());
  return *counts;
}

struct GoldenCase {
  std::string name;
  nlohmann::json expected;
  std::string text;
};

// Modules between lines `// -----`, each led by a line with its name and one with what XLA says.
std::vector<GoldenCase> golden_cases() {
  std::ifstream file("tests/counts/xla_counts_golden.hlo", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const std::string separator = "\n// -----\n", label = "// xla: ";
  std::vector<GoldenCase> cases;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(separator, begin), all.size());
    GoldenCase c;
    c.text = all.substr(begin, end - begin);
    c.name = c.text.substr(3, c.text.find('\n') - 3);
    const std::size_t at = c.text.find(label);
    REQUIRE(at != std::string::npos);
    c.expected = nlohmann::json::parse(c.text.substr(at + label.size(), c.text.find('\n', at) - at - label.size()));
    cases.push_back(c);
    begin = end + separator.size();
  }
  return cases;
}

// Whether the numbers of an instruction are those of what it calls, so that XLA's keys by operand mean nothing.
bool forwards(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kAsyncStart: return true;
    default: return false;
  }
}

TEST_CASE("every rule gives what XLA gives") {
  const std::vector<GoldenCase> cases = golden_cases();
  REQUIRE(cases.size() > 150);
  for (const GoldenCase& c : cases) {
    CAPTURE(c.name);
    const absl::StatusOr<Module> module = parse_module(c.text);
    INFO(module.status().message());
    REQUIRE(module.ok());
    const ModuleCounts counts = *count_xla(*module);
    CHECK(counts.total.flops == c.expected.value("flops", 0.0));
    CHECK(counts.total.transcendentals == c.expected.value("transcendentals", 0.0));
    CHECK(counts.total.bytes_accessed == c.expected.value("bytes accessed", 0.0));
    CHECK(counts.unknown.empty());

    bool compare_operands = true;
    std::vector<double> operands;
    for (InstructionView instruction : module->entry().instructions()) {
      compare_operands = compare_operands && !forwards(instruction);
      const absl::Span<const double> bytes = operand_bytes(counts, instruction);
      if (operands.size() < bytes.size()) operands.resize(bytes.size());
      for (std::size_t i = 0; i < bytes.size(); ++i) operands[i] += bytes[i];
    }
    if (!compare_operands) continue;
    CHECK(counts.total.output_bytes == c.expected.value("bytes accessedout{}", 0.0));
    for (std::size_t i = 0; i < operands.size(); ++i) {
      CAPTURE(i);
      CHECK(operands[i] == c.expected.value("bytes accessed" + std::to_string(i) + "{}", 0.0));
    }
  }
}

TEST_CASE("a called computation is counted with its caller") {
  const std::string_view text = R"(HloModule m

body {
  a = f32[8] parameter(0)
  ROOT b = f32[8] multiply(a, a)
}

until {
  a = f32[8] parameter(0)
  k = f32[] constant(1)
  ROOT r = pred[] compare(k, k), direction=LT
}

ENTRY main {
  p = f32[8] parameter(0)
  w = f32[8] while(p), condition=until, body=body
  ROOT n = f32[8] negate(w)
}
)";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  const ModuleCounts counts = *count_xla(*module);
  for (InstructionView i : module->entry().instructions()) {
    if (i.name() == "w") CHECK(counts.of(i.id()).flops == 9);  // one pass of the body and of the condition
    if (i.name() == "n") CHECK(counts.of(i.id()).flops == 8);
  }
  CHECK(counts.of(module->entry().id()).flops == 17);
  CHECK(counts.total.flops == 17);
}

TEST_CASE("numbers that float32 cannot hold") {
  // 2^24 + 1 elements: float32 rounds to 2^24, double does not.
  const std::string_view text = "ENTRY e {\n  p = f32[16777217] parameter(0)\n  ROOT n = f32[16777217] negate(p)\n}\n";
  CHECK(count(text).total.flops == 16777217.0);
  CHECK(count(text, true).total.flops == 16777216.0);

  // A sum over called computations rounds as well: 2^24 + 1 in the body and condition of a loop.
  const std::string_view loop = R"(
body {
  a = f32[16777216] parameter(0)
  ROOT b = f32[16777216] multiply(a, a)
}
until {
  a = f32[16777216] parameter(0)
  k = f32[] constant(1)
  ROOT r = pred[] compare(k, k), direction=LT
}
ENTRY main {
  p = f32[16777216] parameter(0)
  ROOT w = f32[16777216] while(p), condition=until, body=body
}
)";
  CHECK(count(loop).total.flops == 16777217.0);
  const absl::StatusOr<Module> module = parse_module(loop);
  REQUIRE(module.ok());
  XlaCountOptions float32;
  float32.float32 = true;
  CHECK(count_xla(*module, float32)->of(module->entry().root().id()).flops == 16777216.0);
}

TEST_CASE("what can not be counted is listed") {
  const ModuleCounts opcode = count("ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] shiny-new-thing(p)\n}\n");
  CHECK(opcode.unknown.size() == 1);
  CHECK(opcode.total.bytes_accessed == 32);  // its operand and result

  const ModuleCounts instruction = count("%f = f32[4]{0} fusion(f32[4]{0} %p), kind=kLoop, calls=%not_in_the_text");
  CHECK(instruction.unknown.size() == 1);
  CHECK(instruction.total.bytes_accessed == 32);
}

TEST_CASE("sizes beyond any machine saturate") {
  const ModuleCounts counts = count(
      "ENTRY e {\n  p = f32[4611686018427387904,4] parameter(0)\n  ROOT r = f32[4611686018427387904,4] negate(p)\n}\n");
  CHECK(counts.total.bytes_accessed > 9e18);
}

TEST_CASE("a module without ENTRY is refused") { CHECK_FALSE(count_xla(Module()).ok()); }

}  // namespace

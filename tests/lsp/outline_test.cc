#include "lib/fronts/lsp/outline.h"

#include <string>

#include "tests/catch.h"

using namespace hloroof::internal;

namespace {

// "f(a b) ENTRY main(c)".
std::string described(const std::string& text) {
  const Lines lines(text);
  const Outline outline(text, lines);
  std::string result;
  for (const OutlineComputation& computation : outline.computations()) {
    if (!result.empty()) result += ' ';
    result += (computation.is_entry ? "ENTRY " : "") + std::string(outline.name(computation)) + "(";
    for (std::size_t i = computation.first; i < computation.last; ++i) {
      if (i > computation.first) result += ' ';
      result += outline.name(outline.instructions()[i]);
    }
    result += ')';
  }
  return result;
}

}  // namespace

TEST_CASE("Computations and instructions are found by their lines") {
  struct Case {
    std::string text;
    std::string outline;
  };
  const Case cases[] = {
      {"", ""},
      {"HloModule m\n\n%f (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  ROOT %y = f32[] negate(%x)\n}\n\n"
       "ENTRY %main (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n}\n",
       "f(x y) ENTRY main(a)"},
      {"f {\r\n  x = f32[] parameter(0)\r\n}, execution_thread=\"a\"\r\nENTRY e {\r\n  ROOT y = f32[] constant(1)\r\n}",
       "f(x) ENTRY e(y)"},
      // A text with errors.
      {"%f {\n  %x = f32[\n  %y = \n  nonsense\n%g {\n  %z = f32[] add(", "f(x y) g(z)"},
      // An instruction of several lines.
      {"ENTRY e {\n  c = s32[2,2] constant({\n    { 1, 2 },\n    { 3, 4 }\n  })\n  d = s32[] add()\n}", "ENTRY e(c d)"},
      {"  ENTRY e {\n    x = f32[] parameter(0)\n  }\n", "ENTRY e(x)"},
      {"}\n}\n{\n", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(described(c.text) == c.outline);
  }
}

TEST_CASE("Offsets lead to computations and instructions, and names to both") {
  const std::string text = "f {\n  x = f32[] parameter(0)\n}\n\ng {\n  x = f32[] parameter(0)\n}\n";
  const Lines lines(text);
  const Outline outline(text, lines);
  CHECK(outline.instruction_at(0) == Outline::kNone);
  CHECK(outline.instruction_at(text.find("f32")) == 0);
  CHECK(outline.instruction_at(text.rfind("f32")) == 1);
  CHECK(outline.computation_at(text.rfind("f32")) == 1);
  CHECK(outline.computation_at(text.find("\n\n") + 1) == Outline::kNone);
  CHECK(outline.find_computation("g") == 1);
  CHECK(outline.find_computation("h") == Outline::kNone);
  CHECK(outline.find_instruction(1, "x") == 1);
  CHECK(outline.find_instruction(7, "x") == Outline::kNone);
}

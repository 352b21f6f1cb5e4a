// The module as a graph for Graphviz: what is folded, coloured and nested, and that Graphviz accepts it.
#include "lib/explain/module_dot.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hloroof/parse.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/shell.h"

namespace hloroof::internal {
namespace {

constexpr const char* kText = R"(HloModule m, is_scheduled=true
fused {
  a = f32[512,128]{1,0} parameter(0)
  b = f32[512,128]{1,0} parameter(1)
  c = f32[512,128]{1,0} add(a, b)
  d = f32[512,128]{1,0} negate(c)
  ROOT t = (f32[512,128]{1,0}, f32[512,128]{1,0}) tuple(c, d)
}
body {
  s = (s32[], f32[512,128]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[512,128]{1,0} get-tuple-element(s), index=1
  f = (f32[512,128]{1,0}, f32[512,128]{1,0}) fusion(x, x), kind=kLoop, calls=fused
  g = f32[512,128]{1,0} get-tuple-element(f), index=1
  bc = f32[65536]{0} bitcast(g)
  e = f32[65536]{0} exponential(bc)
  y = f32[512,128]{1,0} bitcast(e)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[512,128]{1,0}) tuple(j, y)
}
condition {
  s = (s32[], f32[512,128]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  p = f32[512,128]{1,0} parameter(0)
  zero = s32[] constant(0)
  t0 = (s32[], f32[512,128]{1,0}) tuple(zero, p)
  w = (s32[], f32[512,128]{1,0}) while(t0), condition=condition, body=body
  out = f32[512,128]{1,0} get-tuple-element(w), index=1
  ROOT q = f32[512,128]{1,0} sqrt(out)
}
)";

Module parsed_for_dot() {
  auto module = parse_module(kText);
  REQUIRE(module.ok());
  return *std::move(module);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string node_of(const Module& module, const std::string& name) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.name() == name) return "i" + std::to_string(instruction.id().index);
    }
  }
  return "";
}

TEST_CASE("tuples, their elements and bitcasts are edges of the graph") {
  const Module module = parsed_for_dot();
  const std::string dot = module_dot(module);
  CAPTURE(dot);
  for (const char* folded : {"t0", "out", "x", "g", "bc", "y", "r"}) {
    CAPTURE(folded);
    CHECK_FALSE(has(dot, node_of(module, folded) + " [label="));
  }
  struct Case {
    const char* from;
    const char* to;
    const char* label;
  };
  for (const Case& c :
       {Case{"p", "w", "[label=\"f32[512,128]\"]"}, Case{"zero", "w", "[label=\"s32[]\"]"},
        Case{"w", "q", "[label=\"f32[512,128]\"]"}, Case{"f", "e", "[label=\"f32[65536]\"]"},
        Case{"e", "w", "[style=dashed]"}, Case{"j", "w", "[style=dashed]"}, Case{"c", "f", "[style=dashed]"}}) {
    CAPTURE(c.from, c.to);
    CHECK(has(dot, node_of(module, c.from) + " -> " + node_of(module, c.to) + " " + c.label + ";"));
  }
  CHECK(has(dot, "f32[512,128] and 1 more"));  // x twice
  // The fusion is in the body, which is in the entry.
  const std::size_t entry = dot.find("label=\"main\"");
  const std::size_t body = dot.find("label=\"while w: body\"");
  const std::size_t fusion = dot.find("label=\"fusion f: fused\"");
  REQUIRE(fusion != std::string::npos);
  CHECK(entry < body);
  CHECK(body < fusion);
  CHECK_FALSE(has(dot, "legend"));
}

TEST_CASE("nodes of the graph have the colour of their share of the step") {
  const Module module = parsed_for_dot();
  const auto prediction = predict_step_time(module, find_device("tpu_v5e").value());
  REQUIRE(prediction.ok());
  const std::string dot = module_dot(module, &*prediction);
  CHECK(has(dot, "legend [shape=plain"));
  CHECK(has(dot, "of the step\""));
  const std::size_t exponential = dot.find(node_of(module, "e") + " [label=");
  REQUIRE(exponential != std::string::npos);
  CHECK(has(dot.substr(exponential, dot.find('\n', exponential) - exponential), "fillcolor=\"#e34a33\""));
  const std::size_t constant = dot.find(node_of(module, "one") + " [label=");
  REQUIRE(constant != std::string::npos);
  CHECK(has(dot.substr(constant, dot.find('\n', constant) - constant), "fillcolor=\"#f7f7f7\""));
}

TEST_CASE("the graph around a folded instruction has it") {
  const Module module = parsed_for_dot();
  const auto dot = neighbourhood_dot(module, "out", 1);
  REQUIRE(dot.ok());
  CHECK(has(*dot, node_of(module, "out") + " [label="));
  CHECK(has(*dot, node_of(module, "w") + " -> " + node_of(module, "out")));
  CHECK(has(*dot, node_of(module, "out") + " -> " + node_of(module, "q")));
}

TEST_CASE("Graphviz draws the graphs") {
  if (output_of("command -v dot").empty()) HLOROOF_SKIP("Graphviz is not installed");
  for (const char* path : {"examples/ffn_block.v5e_2x4.hlo", "tests/corpus/y_default_while.hlo"}) {
    CAPTURE(path);
    const auto module = load_module(path);
    REQUIRE(module.ok());
    const auto prediction = predict_step_time(*module, find_device("tpu_v5e").value());
    REQUIRE(prediction.ok());
    for (const StepPrediction* shown : {static_cast<const StepPrediction*>(nullptr), &*prediction}) {
      const std::filesystem::path file =
          std::filesystem::temp_directory_path() / ("hloroof_module_" + std::to_string(getpid()) + ".dot");
      std::ofstream(file) << module_dot(*module, shown);
      const std::string svg = output_of("dot -Tsvg " + file.string() + " 2>&1");
      std::filesystem::remove(file);
      CHECK(has(svg, "</svg>"));
      CHECK_FALSE(has(svg, "Warning"));
      CHECK_FALSE(has(svg, "Error"));
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

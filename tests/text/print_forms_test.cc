// Compares each form of printed modules with XLA's output for the same module.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The form of a file of corpus/forms, from the middle part of its name. False for forms that hloroof does not print.
bool options_of(const std::string& form, PrintOptions* options) {
  if (form == "large_constants") return true;
  if (form == "short_parsable") {
    *options = PrintOptions::short_parsable();
  } else if (form == "canonical") {
    *options = PrintOptions::canonical();
  } else if (form == "no_metadata") {
    options->metadata = false;  // these files have neither
    options->backend_config = false;
  } else if (form == "no_percent") {
    options->percent = false;
  } else if (form == "operand_shapes") {
    options->operand_shapes = true;
  } else {
    return false;
  }
  return true;
}

TEST_CASE("the forms of a dump are those XLA prints", "[corpus]") {
  const fs::path forms = shared_path("corpus/forms");
  if (!fs::exists(forms)) HLOROOF_SKIP("no corpus in " + forms.string());
  int compared = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(forms)) {
    // program.topology.form.xla-reads.hlo
    const std::string name = entry.path().filename().string();
    const std::size_t topology = name.find('.') + 1;
    const std::size_t form = name.find('.', topology) + 1;
    PrintOptions options;
    const bool known = options_of(name.substr(form, name.find('.', form) - form), &options);
    if (!known || name.find("xla-rejects") != std::string::npos) continue;
    // Only one form has complete constants, so all forms are printed from that module.
    const fs::path whole = forms / (name.substr(0, form) + "large_constants.xla-reads.hlo");
    const std::string expected = read_file(entry.path());
    const bool elides = expected.find("constant({...})") != std::string::npos;
    options.large_constants = !elides;
    const absl::StatusOr<Module> module = parse_module(read_file(whole));
    REQUIRE(module.ok());
    const std::string printed = print_module(*module, options);
    INFO(name);
    if (options.full_computations) {
      // XLA prints inline bodies in post-order, hloroof in the order of the text. Both parse as the same program.
      CHECK(parse_module(printed).ok());
      continue;
    }
    const auto at = std::mismatch(expected.begin(), expected.end(), printed.begin(), printed.end());
    const std::size_t byte = static_cast<std::size_t>(at.first - expected.begin());
    INFO("byte " << byte << ": XLA '" << expected.substr(byte > 60 ? byte - 60 : 0, 160) << "'\nours '"
                 << printed.substr(byte > 60 ? byte - 60 : 0, 160) << "'");
    CHECK(byte == expected.size());
    CHECK(printed.size() == expected.size());
    ++compared;
  }
  CHECK(compared >= 15);
}

TEST_CASE("expanded async ops name the wrapped computation, and parse as the same graph") {
  const char* text = R"(HloModule m

ENTRY %e (p: f32[16]) -> f32[4] {
  %p = f32[16]{0} parameter(0)
  %s = ((f32[16]{0}), f32[4]{0}, s32[]) slice-start(%p), slice={[0:4]}, async_execution_thread="t", metadata={op_name="x"}
  ROOT %d = f32[4]{0} slice-done(%s)
}

)";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  PrintOptions options;
  options.async_sugar = false;
  const std::string printed = print_module(*module, options);
  CHECK_THAT(printed,
             ContainsSubstring("%s = ((f32[16]{0}), f32[4]{0}, s32[]) async-start(%p), "
                               "async_execution_thread=\"t\", metadata={op_name=\"x\"}, calls=%async_wrapped"));
  CHECK_THAT(printed,
             ContainsSubstring("ROOT %slice = f32[4]{0} slice(%param_0), slice={[0:4]}, metadata={op_name=\"x\"}"));
  CHECK_THAT(printed, ContainsSubstring("}, execution_thread=\"t\""));
  CHECK_THAT(printed, ContainsSubstring("async-done(%s)"));
  const absl::StatusOr<Module> again = parse_module(printed);
  INFO(std::string(again.status().message()));
  REQUIRE(again.ok());
  CHECK(again->computations().size() == 2);
  CHECK(print_module(*module) == text);
}

TEST_CASE("an empty layout of a scalar is no layout") {
  for (const char* layout : {"{:}", "{: /* nothing */ }", "{:L(1)}", "{:S(0)}"}) {
    const absl::StatusOr<Module> module =
        parse_module("ENTRY e {\n  x = f32[]" + std::string(layout) + " parameter(0)\n  ROOT y = f32[] copy(x)\n}\n");
    INFO(layout << " " << std::string(module.status().message()));
    REQUIRE(module.ok());
    const InstructionView root = module->entry().root();
    CHECK(root.operand(0).shape_id() == root.shape_id());
  }
}

TEST_CASE("compact tuple access can be expanded") {
  const char* text = R"(HloModule m

ENTRY %e (t: (f32[2], (s32[], f32[4]))) -> f32[4] {
  %t = (f32[2]{0}, (s32[], f32[4]{0})) parameter(0)
  ROOT %a = f32[4]{0} add(%t#1#1, %t#1#1)
}

)";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(print_module(*module) == text);
  PrintOptions options;
  options.compact_tuple_access = false;
  CHECK_THAT(print_module(*module, options),
             ContainsSubstring("  %t_1 = (s32[], f32[4]{0}) get-tuple-element(%t), index=1\n"
                               "  %t_1_1 = f32[4]{0} get-tuple-element(%t_1), index=1\n"
                               "  ROOT %a = f32[4]{0} add(%t_1_1, %t_1_1)\n"));
}

TEST_CASE("a name that is a keyword keeps its % in every form") {
  const std::string text =
      "HloModule m\n\nENTRY %ENTRY {\n  %ROOT = f32[] parameter(0)\n  %nan = f32[] negate(%ROOT)\n"
      "  ROOT %manual = f32[] add(%nan, %ROOT)\n}\n\n";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(print_module(*module, PrintOptions::short_parsable()) == text);
}

TEST_CASE("inline bodies nest to any depth without recursion") {
  std::string text = "HloModule m\n\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), to_apply=";
  constexpr int kDepth = 2000;
  for (int i = 0; i < kDepth; ++i) text += "{ p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=";
  text += "{ ROOT p = f32[] parameter(0) }";
  for (int i = 0; i < kDepth; ++i) text += " }";
  text += "\n}\n";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(module->computations().size() == kDepth + 2);
  const absl::StatusOr<Module> named = parse_module(print_module(*module));
  INFO(std::string(named.status().message()));
  REQUIRE(named.ok());
  CHECK(equal(*module, *named));
}

}  // namespace
}  // namespace hloroof::internal

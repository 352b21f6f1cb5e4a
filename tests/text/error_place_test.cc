#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

struct Case {
  const char* name;
  std::string text;
  ParseOptions options;
  std::int64_t line;
  std::int64_t column;
  const char* code;
};

TEST_CASE("an error of the parser carries its place") {
  ParseOptions named;
  named.path = "step.hlo";
  const std::vector<Case> cases = {
      {"empty", "", named, 1, 1, "syntax"},
      {"not a shape", "ENTRY main {\n  ROOT x = nonsense[2] parameter(0)\n}\n", named, 2, 12, "syntax"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const absl::StatusOr<Module> module = parse_module(c.text, c.options);
    REQUIRE_FALSE(module.ok());
    const std::optional<ErrorPlace> place = error_place(module.status());
    REQUIRE(place.has_value());
    CHECK(place->path == "step.hlo");
    CHECK(place->line == c.line);
    CHECK(place->column == c.column);
    CHECK(place->code == c.code);
  }
}

TEST_CASE("an error of a value carries its place") {
  const absl::StatusOr<Window> window = parse_text<Window>("{size=3x}", read_window);
  REQUIRE_FALSE(window.ok());
  const std::optional<ErrorPlace> place = error_place(window.status());
  REQUIRE(place.has_value());
  CHECK(place->code == "value");
  CHECK(place->line == 1);
}

TEST_CASE("an error without a place has none") {
  CHECK_FALSE(error_place(absl::OkStatus()).has_value());
  CHECK_FALSE(error_place(load_module("does/not/exist.hlo").status()).has_value());
}

TEST_CASE("the algorithms of the standard library take the ranges of a module") {
  const absl::StatusOr<Module> module =
      parse_module("ENTRY main {\n  a = f32[2]{0} parameter(0)\n  ROOT b = f32[2]{0} add(a, a)\n}\n");
  REQUIRE(module.ok());
  const InstructionRange instructions = module->entry().instructions();
  CHECK(std::distance(instructions.begin(), instructions.end()) == 2);
  CHECK(std::count_if(instructions.begin(), instructions.end(),
                      [](InstructionView i) { return i.opcode() == Opcode::kAdd; }) == 1);
  const auto operands = module->entry().root().operands();
  CHECK(std::all_of(operands.begin(), operands.end(), [](InstructionView i) { return i.name() == "a"; }));
  static_assert(std::is_same_v<std::iterator_traits<InstructionRange::Iterator>::value_type, InstructionView>);
}

}  // namespace
}  // namespace hloroof::internal

// Names as tables cut them, and as `explain` reads them.
#include "lib/describe/short_names.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/parse.h"
#include "lib/explain/find_instruction.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("what selects a name") {
  struct Case {
    const char* text;
    const char* name;
    bool selects;
  };
  const Case cases[] = {
      {"loop_fusion.11", "loop_fusion.11", true},
      {"fusion.11", "loop_fusion.11", true},
      {".11", "loop_fusion.11", true},
      {"fusion.1", "loop_fusion.11", false},
      {"", "loop_fusion.11", false},
      {"loop..11", "loop_fusion.11", true},
      {"loop..12", "loop_fusion.11", false},
      {"loop_fus..ion.11", "loop_fusion.11", false},  // nothing is cut
      {"loop_fus..sion.11", "loop_fusion.11", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text, c.name);
    CHECK(selects_name(c.text, c.name) == c.selects);
  }
}

TEST_CASE("a cut name selects one name") {
  // Equal ends of both halves: the usual cut in the middle would be ambiguous.
  const std::vector<std::string_view> names = {"async-collective-done.11", "async-collective-fusion-done.11",
                                               "async-collective-done.112", "fusion.11", "copy.1"};
  const ShortNames short_names(names);
  for (const std::string_view name : names) {
    for (std::size_t width = 6; width < 30; ++width) {
      const std::string cut = short_names.shorten_cell(std::string(name), width);
      CAPTURE(name, width, cut);
      // Where no cut of this width selects one name, it is the shortest that does.
      if (cut.size() > width) CHECK(short_names.shorten_cell(std::string(name), cut.size() - 1) == cut);
      std::set<std::string_view> selected;
      for (const std::string_view other : names) {
        if (cut == name ? other == name : selects_name(cut, other)) selected.insert(other);
      }
      CHECK(selected == std::set<std::string_view>{name});
    }
  }
  CHECK(short_names.shorten_cell("async-collective-fusion-done.11 ×4", 20).ends_with(" ×4"));
  CHECK(short_names.shorten_cell("wait for async-collective-fusion-done.11", 30).starts_with("wait for a"));
}

TEST_CASE("a long name that only its middle tells from another stays whole, and a shorter one is cut wider") {
  const auto names_of = [](std::size_t side) {
    const std::string end(side, 'a');
    return std::vector<std::string>{end + "X" + end, end + "Y" + end};
  };
  const std::vector<std::string> few = names_of(25);
  const std::string cut = ShortNames(std::vector<std::string_view>(few.begin(), few.end())).shorten_cell(few[0], 20);
  CHECK(cut.size() > 20);
  CHECK(cut.size() < few[0].size());
  const std::vector<std::string> long_names = names_of(100000);
  CHECK(
      ShortNames(std::vector<std::string_view>(long_names.begin(), long_names.end())).shorten_cell(long_names[0], 20) ==
      long_names[0]);
}

TEST_CASE("instructions by an end of their name") {
  const absl::StatusOr<Module> module = parse_module(
      "HloModule m\n\nf {\n  p.1 = f32[2] parameter(0)\n  ROOT neg.7 = f32[2] negate(p.1)\n}\n\n"
      "ENTRY e {\n  x.1 = f32[2] parameter(0)\n  loop_fusion.7 = f32[2] fusion(x.1), kind=kLoop, calls=f\n"
      "  loop_fusion.8 = f32[2] fusion(loop_fusion.7), kind=kLoop, calls=f\n"
      "  ROOT out.9 = f32[2] add(loop_fusion.7, loop_fusion.8)\n}\n");
  REQUIRE(module.ok());
  const auto name_of = [&](std::string_view text) {
    const absl::StatusOr<InstructionView> found = find_instruction(*module, text);
    return found.ok() ? std::string(found->name()) : std::string(found.status().message());
  };
  CHECK(name_of("%loop_fusion.7") == "loop_fusion.7");
  CHECK(name_of("fusion.8") == "loop_fusion.8");
  CHECK(name_of(".7") == "loop_fusion.7");  // the entry has precedence over neg.7
  CHECK(name_of("neg.7") == "neg.7");
  CHECK(name_of("loop..8") == "loop_fusion.8");
  CHECK_THAT(name_of("loop..n.7"), ContainsSubstring("loop_fusion.7"));
  const absl::StatusOr<InstructionView> ambiguous = find_instruction(*module, "l..");
  CHECK(ambiguous.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(ambiguous.status().message()), ContainsSubstring("loop_fusion.7\n  loop_fusion.8"));
  CHECK(find_instruction(*module, "fusion.70").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal

// The command `passes` on the dumps of two compiles: what it writes, and what it refuses.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

// A product after so many negations of its operand.
std::string state(int negations, const std::string& name = "m") {
  std::string text = "HloModule " + name + "\n\nENTRY e {\n  x0 = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n";
  for (int i = 1; i <= negations; ++i) {
    text += "  x" + std::to_string(i) + " = f32[1024,1024]{1,0:T(8,128)} negate(x" + std::to_string(i - 1) + ")\n";
  }
  const std::string last = "x" + std::to_string(negations);
  return text + "  ROOT r = f32[1024,1024]{1,0:T(8,128)} dot(" + last + ", " + last +
         "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
}

void write_compile(const TemporaryFolder& folder, const std::string& module, const std::vector<int>& states) {
  folder.write(module + ".before_optimizations.txt", state(states[0]));
  folder.write(module + ".0001.main.after_pipeline-start.before_first.txt", state(states[0]));
  folder.write(module + ".0002.main.after_first.before_second.txt", state(states[1]));
  folder.write(module + ".0003.main.after_second.before_pipeline-end.txt", state(states[2]));
  folder.write(module + ".after_optimizations.txt", state(states[2]));
}

std::vector<std::string> passes(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"passes", "--device", "tpu_v5e"});
  return arguments;
}

TEST_CASE("two compiles: where they part, and which pass made the difference") {
  const TemporaryFolder before;
  const TemporaryFolder after;
  write_compile(before, "module_0000.m", {4, 3, 1});
  write_compile(after, "module_0007.m.cl_12", {4, 3, 2});
  const std::vector<std::string> both = passes({before.path(), after.path()});
  const CliResult text = run_hloroof(both);
  CAPTURE(text.out, text.err);
  REQUIRE(text.code == kExitOk);
  CHECK_THAT(text.out, ContainsSubstring("They part at second of pipeline main. The step goes from"));
  CHECK_THAT(text.out, ContainsSubstring("come all at second of pipeline main."));

  std::vector<std::string> arguments = both;
  arguments.insert(arguments.end(), {"--format", "json"});
  const OrderedJson json = json_of(arguments);
  CHECK(json.at("schema").get<std::string>() == "hloroof.pass_comparison/1");
  CHECK(json.at("part").get<double>() == 3);
  const OrderedJson& rows = json.at("passes");
  REQUIRE(rows.size() == 5);
  CHECK(rows[2].at("same_program").get<bool>());
  CHECK_FALSE(rows[3].at("same_program").get<bool>());
  const double difference = rows[4].at("difference_seconds").get<double>();
  CHECK(difference > 0);
  CHECK(rows[3].at("lasting_seconds").get<double>() == difference);
  CHECK(rows[3].at("growth_seconds").get<double>() == difference);

  // The difference by op after a pass is that of diff.
  arguments = both;
  arguments.insert(arguments.end(), {"--around", "second", "--format", "json"});
  const OrderedJson around = json_of(arguments);
  CHECK(around.at("schema").get<std::string>() == "hloroof.diff/1");
  CHECK(around.at("after").at("step_seconds").get<double>() - around.at("before").at("step_seconds").get<double>() ==
        Approx(difference));
}

TEST_CASE("what passes refuses") {
  const TemporaryFolder before;
  const TemporaryFolder after;
  const TemporaryFolder other;
  const TemporaryFolder empty;
  write_compile(before, "module_0000.m", {4, 3, 1});
  write_compile(after, "module_0000.m", {4, 3, 2});
  write_compile(other, "module_0000.n", {4, 3, 2});
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const Case cases[] = {
      {{before.path(), after.path(), other.path()}, "reads the dumps of one compile or compares two, not 3: leave out"},
      {{before.path(), other.path()}, "has no dumps of passes of m, only of module_0000.n"},
      {{before.path(), empty.path()}, "has no dumps of passes"},
      {{before.path(), after.path() + "/none"}, "none: No such file or directory"},
      {{before.path(), after.path(), "--around", "secnod"}, "the closest name is second"},
      {{before.path(), after.path(), "--around", "second", "--format", "html"}, "--around has no page"},
      {{before.path(), "--around", "second", "--format", "html"}, "--around has no page"},
      {{before.path(), after.path(), "--module", "k"}, "has no dumps of passes of a module k"},
  };
  for (const Case& c : cases) {
    const CliResult result = run_hloroof(passes(c.arguments));
    CAPTURE(c.arguments);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring(c.message));
    CHECK(result.out.empty());
  }
}

}  // namespace
}  // namespace hloroof::internal

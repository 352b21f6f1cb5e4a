// Options as people give them: in any order, misspelt, out of range; and what is printed besides results.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "lib/fronts/cli/cli.h"
#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kDecode[] = "examples/decode_step.v5e.hlo";

TEST_CASE("the file may stand behind any option") {
  const std::string expected = run_hloroof({"predict", kDecode, "--device", "tpu_v5e", "--view", "summary"}).out;
  REQUIRE_FALSE(expected.empty());
  CHECK(run_hloroof({"predict", "--device", "tpu_v5e", "--view", "summary", kDecode}).out == expected);
  CHECK(run_hloroof({"predict", "--view", "summary", kDecode, "--device", "tpu_v5e"}).out == expected);
  CHECK(run_hloroof({"predict", "--view=summary", "--device=tpu_v5e", kDecode}).out == expected);
  CHECK(run_hloroof({"predict", "--trip-count", "while=16", kDecode, "--device", "tpu_v5e"}).code != kExitOk);
  const CliResult set = run_hloroof({"predict", "--set", "hbm.bandwidth=1e12", kDecode, "--device", "tpu_v5e"});
  CHECK(set.code == kExitOk);
  CHECK(set.out == run_hloroof({"predict", kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1e12"}).out);
}

TEST_CASE("what is wrong in several places is said at once") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("module.hlo",
                   "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n  q = f32[2] add(p)\n"
                   "  r = f32[2] negate(p), metadata={source_line=x}\n  ROOT s = f32[2] add(q, r)\n}\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"print", file}, {"counts", file}, {"predict", file, "--device", "tpu_v5e"}}) {
    const CliResult result = run_hloroof(arguments);
    INFO(result.err);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring("module.hlo:5:"));
    CHECK_THAT(result.err, ContainsSubstring("module.hlo:6:"));
    CHECK(result.err.find("module.hlo:7:") == std::string::npos);
  }
}

TEST_CASE("wrong options: one line that says what would be right") {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{"predict", kFfn, "--device", "tpu_v5e", "--fromat", "json"}, "no option --fromat; the nearest are --format"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--format", "xml"},
       "--format takes text, json, csv, markdown, html or trace"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--format", "csv", "--view", "summary"},
       "--format csv takes one of --view ops, layers, collectives"},
      {{"predict", kFfn, "--device", "tpu_v5e", "-n", "-3"}, "-n takes a whole number from 0, not '-3'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "-n", "many"}, "not 'many'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--slices", "x"}, "--slices takes a whole number from 1, not 'x'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--slices", "99999999999999999999"}, "whole number"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--imbalance", "x"}, "--imbalance takes a number, not 'x'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--price", "0"}, "--price takes a number above 0, not '0'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--price", "nan"}, "--price takes a number above 0, not 'nan'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--tokens", "-1"}, "--tokens takes a number above 0, not '-1'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--power", "0"}, "--power takes a number above 0, not '0'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--power", "inf"}, "--power takes a number above 0, not 'inf'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--power", "200W"}, "--power takes a number above 0, not '200W'"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--power", "200", "--set", "power=300"}, "twice"},
      {{"print", kFfn, "--repeat", "0"}, "--repeat takes a whole number from 1"},
      {{"print", kFfn, "--format", "dot", "--around", "fusion.2", "--radius", "-1"}, "--radius takes a whole number"},
      {{"--nosuch"}, "no option --nosuch"},
      {{}, "hloroof predict step.hlo --device tpu_v5e"},
      {{"devices"}, "a subcommand is required"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--sort", "size"}, "--sort takes time, wasted"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--group-by", "file"}, "--group-by takes none, computation"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--estimates", "mine"}, "--estimates takes model or compiler"},
      {{"predict", kFfn, "--device"}, "--device"},
      {{"predict", kFfn, kDecode, "--device", "tpu_v5e", "--format", "trace"}, "one file"},
      {{"predict", kFfn, "--device", "tpu_v5e,tpu_v6e", "--format", "trace"}, "one device"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1,2", "--format", "trace"}, "one value"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "hbm.bandwith=2x"}, "hbm.bandwidth"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "overhead.launch=1e-6"}, "no prediction for tpu_v5e"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "ici.max_chips=2x"}, "no prediction for tpu_v5e"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1,fast"}, "NUMBERx"},
      {{"predict", kFfn, "--device", "tpu_v5e", "--set", "hbm.bandwidth=1e12", "--set", "hbm.bandwidth=2e12"}, "twice"},
      {{"memory", kFfn, "--device", "tpu_v5e", "--set", "hbm.capacity=1e9,2e9"}, "one value"},
      {{"memory", kFfn, "--device", "tpu_v5e,tpu_v6e"}, "one device"},
      {{"kernel", kFfn, "--device", "tpu_v5e,tpu_v6e"}, "one device"},
      {{"lint", kFfn, "--device", "tpu_v5e", "--topology", "2x4,4x2"}, "one --topology"},
      {{"memory", kFfn, "--device", "tpu_v5e", "--mesh", "a=8"}, "no option --mesh"},
      {{"counts", kFfn, "--device", "tpu_v5e"}, "no option --device"},
      {{"counts", kFfn, "--trip-count", "while=2"}, "--trip-count changes only --convention physical"},
      {{"explain", kFfn, ".2", "--device", "tpu_v5e"}, "is the end of several names"},
      {{"lint", kFfn, "--device", "tpu_v5e", "--ignore", "unsheduled"}, "the nearest are unscheduled"},
      {{"lint", "--device", "tpu_v5e"}, "FILE is required"},
      {{"explain", "examples", "fusion.2", "--device", "tpu_v5e"}, "ffn_block.v5e_2x4.hlo"},
      {{"print", kFfn, "--around", "fusion.2"}, "--format dot"},
      {{"print", kFfn, "--annotate"}, "--device is required"},
      {{"print", kFfn, "--annotate", "--format", "dot", "--device", "tpu_v5e"}, "--annotate requires --format hlo"},
      {{"print", kFfn, "--device", "tpu_v5e"}, "--device requires --annotate or --format dot"},
      {{"print", kFfn, "--topology", "2x4"}, "--topology requires --device"},
      {{"print", kFfn, "--trip-count", "while=2"}, "--trip-count requires --device"},
      {{"print", kFfn, "--min-share", "0.1"}, "--min-share requires --annotate"},
      {{"print", kFfn, "--annotate", "--device", "tpu_v5e", "--min-share", "2"}, "from 0 to 1"},
      {{"print", kFfn, "--annotate", "--device", "tpu_v5e", "--min-share", "nan"}, "from 0 to 1"},
      {{"mcp"}, "FOLDER"},
      {{"mcp", "examples/no_such_folder"}, "is not a folder"},
      {{"mcp", "examples", "--max-chars", "5"}, "from 200"},
      {{"print", kFfn, "--format", "dot", "--around", "fusion.22222"}, "near it are"},
      {{"devices"}, "list, show, check"},
      {{"devices", "shwo", "tpu_v5e"}, "shwo"},
      {{"completion", "tcsh"}, "bash, zsh or fish"},
      {{"completion"}, "SHELL"},
  };
  for (const Case& c : cases) {
    const CliResult result = run_hloroof(c.arguments);
    CAPTURE(c.arguments, result.out, result.err);
    CHECK(result.code == kExitBadInput);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring(c.message));
    CHECK_THAT(result.err, ContainsSubstring("hloroof"));
  }
}

TEST_CASE("--power is the power of a chip, for the energy of the step and of its tokens") {
  const auto predicted = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", kFfn, "--device", "tpu_v5e", "--format", "json", "--tokens", "8192"});
    return json_of(more);
  };
  const OrderedJson json = predicted({"--power", "250"});
  const double joules = 250 * 8 * json.at("step_seconds").get<double>();
  CHECK(json.at("most_joules").get<double>() == Approx(joules));
  CHECK(json.at("most_joules_per_token").get<double>() == Approx(joules / 8192));
  CHECK(json == predicted({"--set", "power=250"}));
}

TEST_CASE("views of several predictions come one after the other") {
  const CliResult both = run_hloroof({"predict", kFfn, kDecode, "--device", "tpu_v5e", "--view", "summary"});
  REQUIRE(both.code == kExitOk);
  CHECK_THAT(both.out, ContainsSubstring(std::string(kFfn) + " on tpu_v5e 2x4\n"));
  CHECK_THAT(both.out, ContainsSubstring(std::string(kDecode) + " on tpu_v5e 1x1\n"));
  const std::string one = run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--view", "summary"}).out;
  CHECK_THAT(both.out, ContainsSubstring(one));
  CHECK_THAT(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--view", "ops", "--filter", "no_such_op"}).out,
             ContainsSubstring("No op matches"));
  CHECK(run_hloroof({"predict", kFfn, kDecode, "--device", "tpu_v5e", "--filter", "("}).code == kExitBadInput);
}

TEST_CASE("every command's help fits 80 columns and names its options") {
  std::vector<std::vector<std::string>> commands = {{},
                                                    {"predict"},
                                                    {"explain"},
                                                    {"lint"},
                                                    {"compare"},
                                                    {"diff"},
                                                    {"sweep"},
                                                    {"memory"},
                                                    {"kernel"},
                                                    {"counts"},
                                                    {"print"},
                                                    {"devices"},
                                                    {"devices", "list"},
                                                    {"devices", "show"},
                                                    {"devices", "check"},
                                                    {"calibrate"},
                                                    {"doctor"},
                                                    {"radar"},
                                                    {"completion"},
                                                    {"man"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const CliResult result = run_hloroof(command);
    CAPTURE(command, result.out, result.err);
    CHECK(result.code == kExitOk);
    CHECK(result.err.empty());
    CHECK(widest_line(result.out) <= 80);
    CHECK_THAT(result.out, ContainsSubstring("Usage: hloroof"));
    CHECK_THAT(result.out, ContainsSubstring("--help"));
  }
  CHECK(run_hloroof({"-V"}).out == run_hloroof({"--version"}).out);
  CHECK(run_hloroof({"help"}).out == run_hloroof({"--help"}).out);
  CHECK(run_hloroof({"help", "devices", "show"}).out == run_hloroof({"devices", "show", "--help"}).out);
  CHECK_THAT(run_hloroof({"sweep", "--help"}).out, ContainsSubstring("--set PARAMETER=NUMBER"));
  CHECK_THAT(run_hloroof({"--version"}).out, ContainsSubstring("device files"));
}

TEST_CASE("--help has the common options on one screen, --help-all has all") {
  const std::string common = run_hloroof({"predict", "--help"}).out;
  const std::string all = run_hloroof({"predict", "--help-all"}).out;
  CHECK(std::count(common.begin(), common.end(), '\n') <= 40);
  const std::string last = common.substr(common.rfind('\n', common.size() - 2) + 1);
  CHECK_THAT(last, ContainsSubstring("rare options"));
  CHECK_THAT(last, ContainsSubstring("--help-all"));
  CHECK(common.find("--mesh AXIS") == std::string::npos);
  CHECK(common.find("--mesh data=4") == std::string::npos);
  CHECK_THAT(all, ContainsSubstring("--mesh data=4,model=2"));
  CHECK_THAT(all, ContainsSubstring("--device DEVICE"));
  CHECK(widest_line(all) <= 80);
  // A command without rare options has no --help-all.
  CHECK(run_hloroof({"completion", "--help-all"}).code == kExitBadInput);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"man"}, {"completion", "bash"}, {"completion", "fish"}}) {
    CHECK_THAT(run_hloroof(arguments).out, ContainsSubstring("imbalance"));
  }
}

TEST_CASE("tables are as wide as the terminal") {
  const std::vector<std::string> arguments = {"predict", kFfn, "--device", "tpu_v5e", "--view", "ops"};
  const std::string narrow = run_hloroof(arguments).out;
  Terminal terminal;
  terminal.width = 150;
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run_cli(arguments, out, err, terminal) == kExitOk);
  CHECK(widest_line(narrow) <= 80);
  CHECK(widest_line(out.str()) > 80);
  CHECK(widest_line(out.str()) <= 150);
  // A file is not on the terminal.
  const TemporaryFolder folder;
  std::vector<std::string> to_file = arguments;
  to_file.insert(to_file.end(), {"-o", folder.path() + "/table"});
  CHECK(run_cli(to_file, out, err, terminal) == kExitOk);
  std::ifstream file(folder.path() + "/table");
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == narrow);
}

TEST_CASE("a folder with protos") {
  const TemporaryFolder folder;
  std::ifstream file(kDecode);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // The proto is no proto, so that only a command that chooses it fails.
  folder.write("module_0001.f.tpu_after_optimizations.txt", text);
  folder.write("module_0001.f.tpu_after_optimizations.hlo.pb", "\x01\x02");
  folder.write("module_0001.f.before_optimizations.hlo.pb", "\x01\x02");
  CHECK(run_hloroof({"memory", folder.path(), "--device", "tpu_v5e"}).code == kExitOk);
  folder.write("module_0002.g.tpu_after_optimizations.hlo.pb.gz", "\x01\x02");
  const CliResult result = run_hloroof({"explain", folder.path(), "copy.10", "--device", "tpu_v5e"});
  CHECK(result.code == kExitBadInput);
  CHECK_THAT(result.err, ContainsSubstring("module_0001.f.tpu_after_optimizations.txt\n"));
  CHECK_THAT(result.err, ContainsSubstring("module_0002.g.tpu_after_optimizations.hlo.pb.gz"));
  CHECK(result.err.find("before_optimizations") == std::string::npos);
}

TEST_CASE("colour for a terminal alone, and the text is the same without it") {
  Terminal terminal;
  terminal.color = true;
  std::ostringstream out;
  std::ostringstream err;
  const std::vector<std::string> arguments = {"lint", kFfn, "--device", "tpu_v5e"};
  run_cli(arguments, out, err, terminal);
  std::string text = out.str();
  CHECK_THAT(text, ContainsSubstring("\033[1;35mwarning\033[0m"));
  for (std::size_t at; (at = text.find('\033')) != std::string::npos;) text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == run_hloroof(arguments).out);
}

TEST_CASE("progress on a terminal alone, and nothing of it is left") {
  const std::vector<std::string> arguments = {
      "sweep", kFfn, kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=0.5x,1x,2x"};
  Terminal terminal;
  terminal.err_is_terminal = true;
  terminal.progress_after = std::chrono::milliseconds(0);
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run_cli(arguments, out, err, terminal) == kExitOk);
  CHECK_THAT(err.str(), ContainsSubstring("1/6"));
  const std::string last = err.str().substr(err.str().rfind('\r', err.str().size() - 2) + 1);
  CHECK(last.find_first_not_of(" \r") == std::string::npos);
  const CliResult piped = run_hloroof(arguments);
  CHECK(piped.err.empty());
  CHECK(piped.out == out.str());
  // Work of less than a second shows none.
  terminal.progress_after = std::chrono::hours(1);
  std::ostringstream quiet;
  run_cli(arguments, out, quiet, terminal);
  CHECK(quiet.str().empty());
}

TEST_CASE("a folder with one module stands for it") {
  const TemporaryFolder folder;
  std::ifstream file(kDecode);
  folder.write("module_0003.jit_step.after_optimizations.txt", std::string(std::istreambuf_iterator<char>(file), {}));
  folder.write("module_0003.jit_step.before_optimizations.txt", "no HLO");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"explain", folder.path(), "copy.10", "--device", "tpu_v5e"},
                                             {"diff", folder.path(), kDecode, "--device", "tpu_v5e"},
                                             {"memory", folder.path(), "--device", "tpu_v5e"}}) {
    const CliResult result = run_hloroof(arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.code == kExitOk);
    CHECK_FALSE(result.out.empty());
  }
}

TEST_CASE("the graph around an op") {
  const CliResult all = run_hloroof({"print", kFfn, "--format", "dot"});
  const CliResult near = run_hloroof({"print", kFfn, "--format", "dot", "--around", "%fusion.2", "--radius", "1"});
  CAPTURE(near.err);
  REQUIRE(near.code == kExitOk);
  const auto count = [](const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
  };
  CHECK_THAT(near.out, ContainsSubstring("fillcolor=lightgrey"));
  CHECK_THAT(near.out, ContainsSubstring("fusion.2"));
  CHECK(count(near.out, "[label=") >= 3);
  CHECK(count(near.out, "[label=") < count(all.out, "[label="));
  CHECK(count(near.out, "{") == count(near.out, "}"));
  const CliResult alone = run_hloroof({"print", kFfn, "--format", "dot", "--around", "fusion.2", "--radius", "0"});
  CHECK(count(alone.out, "[label=") == 1);
  CHECK(count(alone.out, "->") == 0);
}

TEST_CASE("messages about binary files are text") {
  const TemporaryFolder folder;
  const std::string junk = folder.write("junk", std::string("\x80\xff\x01\x1b[31m\xfe{", 9));
  const std::string zipped = folder.write("junk.gz", "\x1f\x8b\x01 no deflate");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"devices", "check", junk},
                                             {"predict", junk, "--device", "tpu_v5e"},
                                             {"predict", zipped, "--device", "tpu_v5e"},
                                             {"compare", kFfn, "--device", "tpu_v5e", "--profile", junk},
                                             {"calibrate", "--device", "tpu_v5e", "--measurements", junk}}) {
    const CliResult result = run_hloroof(arguments);
    CAPTURE(arguments);
    CHECK(result.code == kExitBadInput);
    CHECK(
        std::all_of(result.err.begin(), result.err.end(), [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
    CHECK(result.err.find("<fd:") == std::string::npos);
  }
}

TEST_CASE("explain says what would help: the diagnosis, a better order, or that nothing would") {
  const std::string copy = run_hloroof({"explain", kDecode, "copy.10", "--device", "tpu_v5e"}).out;
  CHECK_THAT(copy, ContainsSubstring("What would help\n  [loop-carry-copy]"));
  CHECK_THAT(copy, ContainsSubstring("fastest and"));
  const std::string fusion = run_hloroof({"explain", kFfn, "fusion.2", "--device", "tpu_v5e"}).out;
  CHECK_THAT(fusion, ContainsSubstring("only less work there"));
  const CliResult gather = run_hloroof(
      {"explain", "tests/predict/dumps/gather_then_reduce.v5e_2x4.hlo", "all-gather.5", "--device", "tpu_v5e"});
  CHECK_THAT(gather.out, ContainsSubstring("[gather-then-cut]"));
  CHECK(widest_line(gather.out) <= 80);
}

TEST_CASE("the codes of diagnoses") {
  const CliResult result = run_hloroof({"lint", "--codes"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("padding-waste\n"));
  CHECK(widest_line(result.out) <= 80);
}

}  // namespace
}  // namespace hloroof::internal

// Completion scripts and the manual page: made from the same tree as --help, and read without complaint by the shells
// and by man where they are installed.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/shell.h"

namespace hloroof::internal {
namespace {

std::string said_by(const std::string& command) { return output_of(command + " 2>&1"); }

bool has_tool(const std::string& name) { return !said_by("command -v " + name).empty(); }

// Names of the long options in a command's help.
std::vector<std::string> options_of(const std::string& help) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) {
    std::size_t end = at + 2;
    while (end < help.size() && (std::isalnum(static_cast<unsigned char>(help[end])) != 0 || help[end] == '-')) ++end;
    const bool heads_line = at >= 2 && (help.compare(at - 2, 2, "  ") == 0 || help[at - 1] == ',');
    if (heads_line && end > at + 2) names.push_back(help.substr(at, end - at));
    at = end;
  }
  return names;
}

TEST_CASE("completions and the manual know every option that --help knows") {
  const std::string bash = run_hloroof({"completion", "bash"}).out;
  const std::string zsh = run_hloroof({"completion", "zsh"}).out;
  const std::string fish = run_hloroof({"completion", "fish"}).out;
  const std::string man = run_hloroof({"man"}).out;
  for (const char* command :
       {"predict", "explain", "lint", "compare", "diff", "sweep", "memory", "kernel", "counts", "print"}) {
    const std::vector<std::string> options = options_of(run_hloroof({command, "--help"}).out);
    CHECK(options.size() > 2);
    for (const std::string& option : options) {
      CAPTURE(command, option);
      CHECK_THAT(bash, ContainsSubstring(option));
      CHECK_THAT(zsh, ContainsSubstring(option + "["));
      CHECK_THAT(fish, ContainsSubstring("-l " + option.substr(2)));
      std::string roff;
      for (char c : option) roff += c == '-' ? "\\-" : std::string(1, c);
      if (option != "--help") CHECK_THAT(man, ContainsSubstring(roff));
    }
    CHECK_THAT(man, ContainsSubstring("hloroof " + std::string(command)));
  }
}

TEST_CASE("bash completes commands, options, values and lists of values") {
  if (!has_tool("bash")) HLOROOF_SKIP("no bash");
  const TemporaryFolder folder;
  const std::string script = folder.write("hloroof.bash", run_hloroof({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words) {
    const std::string driver = folder.write(
        "driver.bash", "source " + script + "\nCOMP_WORDS=(hloroof " + words +
                           ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_hloroof\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
    return said_by("bash --norc " + driver);
  };
  struct Case {
    const char* words;
    const char* first;
  };
  static const Case kCases[] = {
      {"pre", "predict "},
      {"predict --form", "--format "},
      {"predict x.hlo --format js", "json "},
      {"predict x.hlo --device tpu_v5", "tpu_v5e tpu_v5p "},
      {"predict x.hlo --device tpu_v5e,h200", "tpu_v5e,h200_sxm "},
      {"predict x.hlo --view timeline,crit", "timeline,critical "},
      {"lint x.hlo --ignore unsch", "unscheduled "},
      {"devices sh", "show "},
      {"devices show trainium2", "trainium2 "},
      {"completion f", "fish "},
      {"predict x.h", " "},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.words);
    CHECK(complete(c.words) == c.first);
  }
}

TEST_CASE("the other shells read their scripts") {
  const TemporaryFolder folder;
  if (has_tool("zsh")) {
    CHECK(said_by("zsh -n " + folder.write("_hloroof", run_hloroof({"completion", "zsh"}).out)).empty());
  }
  if (has_tool("fish")) {
    const std::string script = folder.write("hloroof.fish", run_hloroof({"completion", "fish"}).out);
    CHECK(said_by("fish --no-execute " + script).empty());
    const std::string words =
        said_by("fish --no-config -c 'source " + script + "; complete -C \"hloroof predict x.hlo --format js\"'");
    CHECK_THAT(words, ContainsSubstring("json"));
  }
}

TEST_CASE("the manual page is roff that no reader complains about") {
  const TemporaryFolder folder;
  const CliResult man = run_hloroof({"man"});
  CHECK(man.code == kExitOk);
  const std::string page = folder.write("hloroof.1", man.out);
  for (const char* part : {".TH HLOROOF 1", ".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS", ".SH ENVIRONMENT"}) {
    CHECK_THAT(man.out, ContainsSubstring(part));
  }
  if (!has_tool("groff")) HLOROOF_SKIP("no groff");
  CHECK(said_by("groff -man -Tutf8 -ww -z " + page).empty());
  CHECK_THAT(said_by("groff -man -Tascii -P-c -P-b -P-u " + page), ContainsSubstring("--device DEVICE"));
}

}  // namespace
}  // namespace hloroof::internal

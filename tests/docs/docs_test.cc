// Checks that the documents agree with the command and with the accuracy report.
//
// A block fenced as ```console holds commands, each after "$ ", and the output of each command on the lines below it.
// The test runs the commands in the top folder, with the command just built in place of build/release/hloroof, and
// compares. HLOROOF_UPDATE_GOLDEN=1 rewrites the outputs in the documents instead.
//
// A comment `<!-- tpu_matmul.v5e.median step.maxtext-22b.v4-128 -->` on a line of the README names figures of
// tests/accuracy/expected.csv. The line must state each of them as a percentage, "2.3 %".
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/shell.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

constexpr char kCommand[] = "build/release/hloroof";

std::vector<std::string> documents() {
  std::vector<std::string> found = {"README.md", "CONTRIBUTING.md"};
  for (const char* folder : {"bench", "data", "examples", "lib", "tests"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().filename() == "README.md") found.push_back(entry.path().string());
    }
  }
  return found;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string printed_by(std::string command, const std::string& built) {
  for (std::size_t at = 0; (at = command.find(kCommand, at)) != std::string::npos; at += built.size()) {
    command.replace(at, sizeof(kCommand) - 1, built);
  }
  return output_of("{ " + command + " ; } 2>&1");
}

// The document with the present output of its commands.
std::string regenerated(const std::vector<std::string>& lines, const std::string& built, int& commands) {
  std::ostringstream out;
  bool in_console = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out << lines[i] << '\n';
    if (lines[i].rfind("```", 0) == 0) {
      in_console = lines[i] == "```console";
      continue;
    }
    if (!in_console || lines[i].rfind("$ ", 0) != 0) continue;
    ++commands;
    out << printed_by(lines[i].substr(2), built);
    while (i + 1 < lines.size() && lines[i + 1].rfind("$ ", 0) != 0 && lines[i + 1].rfind("```", 0) != 0) ++i;
  }
  return out.str();
}

// The figures of the accuracy report, by name.
std::map<std::string, double> accuracy_figures() {
  std::map<std::string, double> figures;
  for (const std::string& line : read_lines("tests/accuracy/expected.csv")) {
    const std::size_t comma = line.find(',');
    if (comma != std::string::npos) figures[line.substr(0, comma)] = std::strtod(line.c_str() + comma + 1, nullptr);
  }
  return figures;
}

// Whether `line` states `figure` as a percentage with one decimal. The figure itself has four decimals, hence the
// slack.
bool states(const std::string& line, double figure) {
  for (std::size_t sign = line.find(" %"); sign != std::string::npos; sign = line.find(" %", sign + 1)) {
    const std::size_t begin = line.find_last_not_of("0123456789.", sign - 1) + 1;
    if (std::abs(std::strtod(line.c_str() + begin, nullptr) - figure * 100) < 0.056) return true;
  }
  return false;
}

TEST_CASE("the README states the figures of the accuracy report") {
  const std::map<std::string, double> figures = accuracy_figures();
  int checked = 0;
  for (const std::string& line : read_lines("README.md")) {
    const std::size_t begin = line.find("<!-- ");
    const std::size_t end = line.find(" -->");
    if (begin == std::string::npos || end == std::string::npos) continue;
    std::istringstream names(line.substr(begin + 5, end - begin - 5));
    for (std::string name; names >> name; ++checked) {
      INFO(line << ": " << name);
      REQUIRE(figures.count(name) == 1);
      CHECK(states(line, figures.at(name)));
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("documents show what the command prints") {
  const char* built = std::getenv("HLOROOF_COMMAND");
  REQUIRE(built != nullptr);
  int commands = 0;
  for (const std::string& path : documents()) {
    const std::vector<std::string> lines = read_lines(path);
    const std::vector<std::string> now = [&] {
      std::istringstream text(regenerated(lines, built, commands));
      std::vector<std::string> result;
      for (std::string line; std::getline(text, line);) result.push_back(line);
      return result;
    }();
    if (std::getenv("HLOROOF_UPDATE_GOLDEN") != nullptr && now != lines) {
      std::ofstream file(path);
      for (const std::string& line : now) file << line << '\n';
      continue;
    }
    INFO(path << " (HLOROOF_UPDATE_GOLDEN=1 rewrites it)");
    for (std::size_t i = 0; i < std::min(lines.size(), now.size()); ++i) {
      INFO("line " << i + 1);
      REQUIRE(lines[i] == now[i]);
    }
    CHECK(lines.size() == now.size());
  }
  CHECK(commands > 0);
}

TEST_CASE("the glossary of the examples is that of the reports") {
  std::vector<std::string> expected;
  for (const std::string& line : read_lines("lib/results/glossary.def")) {
    const std::string open = "HLOROOF_TERM(\"";
    const std::string middle = "\", \"";
    if (line.rfind(open, 0) != 0) continue;
    const std::size_t at = line.find(middle);
    REQUIRE(at != std::string::npos);
    const std::size_t meaning = at + middle.size();
    expected.push_back("| " + line.substr(open.size(), at - open.size()) + " | " +
                       line.substr(meaning, line.rfind("\")") - meaning) + " |");
  }
  REQUIRE(!expected.empty());
  const std::vector<std::string> readme = read_lines("examples/README.md");
  const auto title = std::find(readme.begin(), readme.end(), "| term | meaning |");
  REQUIRE(title != readme.end());
  const auto end = std::find(title, readme.end(), "");
  CHECK(std::vector<std::string>(title + 2, end) == expected);
}

}  // namespace
}  // namespace hloroof::internal

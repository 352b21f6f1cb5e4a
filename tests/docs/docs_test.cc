// What the documents show is what the command prints.
//
// A block fenced as ```console holds commands, each behind "$ ", and below each what it prints. This runs them in the
// top folder, with the command just built in place of build/release/hloroof. HLOROOF_UPDATE_GOLDEN=1 writes what they
// print into the documents instead.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/shell.h"

namespace hloroof {
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

// The document with what its commands print now.
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

}  // namespace
}  // namespace hloroof

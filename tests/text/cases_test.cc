// Runs the cases of tests/text/cases, which list accepted and rejected texts with places and messages.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  bool accept = false;
  std::string text;
  std::string place;    // LINE:COLUMN, may be empty
  std::string message;  // part of the message, may be empty
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Case> read_cases(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  std::vector<Case> cases;
  std::size_t at = text.find("### ");
  while (at != std::string::npos) {
    const std::size_t line_end = text.find('\n', at);
    std::size_t next = text.find("\n### ", line_end - 1);
    if (next != std::string::npos) ++next;
    std::vector<std::string> fields;
    std::istringstream head(text.substr(at + 4, line_end - at - 4));
    for (std::string field; std::getline(head, field, '|');) fields.push_back(trimmed(field));
    fields.resize(5);
    Case c;
    c.name = fields[0];
    c.accept = fields[1][0] == 'a';
    c.text = text.substr(line_end + 1, next == std::string::npos ? next : next - line_end - 1);
    if (fields[2] == "body") c.text = "HloModule m\n\nENTRY e {\n" + c.text + "}\n";
    c.place = fields[3];
    c.message = fields[4];
    cases.push_back(c);
    at = next;
  }
  return cases;
}

TEST_CASE("texts are accepted or rejected as the cases say") {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(source_path("tests/text/cases")))) {
    if (entry.path().extension() != ".txt") continue;
    for (const Case& c : read_cases(entry.path())) {
      ++count;
      ParseOptions options;
      options.path = "f";
      const absl::StatusOr<Module> module = parse_module(c.text, options);
      const std::string message(module.status().message());
      INFO(entry.path().filename() << " " << c.name << "\n" << c.text << "\n" << message);
      CHECK(module.ok() == c.accept);
      if (module.ok()) {
        // An accepted text can be printed and parsed again.
        const std::string printed = print_module(*module);
        const absl::StatusOr<Module> again = parse_module(printed);
        INFO(printed << "\n" << std::string(again.status().message()));
        REQUIRE(again.ok());
        std::string difference;
        const bool same = equal(*module, *again, &difference);
        INFO(difference);
        CHECK(same);
      } else if (!c.accept) {
        // Every error names a place and shows the line.
        CHECK_THAT(message, ContainsSubstring("f:" + c.place + (c.place.empty() ? "" : ": error: ")));
        CHECK_THAT(message, ContainsSubstring(c.message));
        CHECK_THAT(message, ContainsSubstring("^"));
      }
    }
  }
  CHECK(count > 200);
}

TEST_CASE("instructions are accepted or rejected as the table says") {
  std::ifstream in(fs::path(source_path("tests/text/instruction_cases.tsv")), std::ios::binary);
  std::string frame;
  int count = 0;
  ParseOptions options;
  options.strict = true;
  Parser parser(options);
  Module module;
  Module again;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("| ", 0) == 0) {
      frame += line.substr(2) + "\n";
      continue;
    }
    ++count;
    std::string instruction = line.substr(line.find('\t', line.find('\t') + 1) + 1);
    for (std::size_t i = 0; (i = instruction.find("\\n", i)) != std::string::npos;) instruction.replace(i, 2, "\n");
    const absl::Status status = parser.parse(frame + "  ROOT r = " + instruction + "\n}\n", module);
    INFO(line << "\n" << std::string(status.message()));
    CHECK(status.ok() == (line[0] == 'a'));
    if (!status.ok()) {
      CHECK_THAT(std::string(status.message()), ContainsSubstring("^"));
      continue;
    }
    const std::string printed = print_module(module);
    REQUIRE(parser.parse(printed, again).ok());
    CHECK(equal(module, again));
  }
  CHECK(count > 2000);
}

}  // namespace

TEST_CASE("a reused parser names nested operands as a new one does") {
  const char* kText = "f32[2]{0} xor(f32[2]{0} %x, f32[2]{0} multiply(f32[2]{0} constant({1, 2}), f32[2]{0} %x))";
  Parser parser;
  Module module;
  for (int again = 0; again < 2; ++again) {
    REQUIRE(parser.parse(kText, module).ok());
    std::string difference;
    CHECK(equal(module, *parse_module(kText), &difference));
    CHECK(difference == "");
  }
}

}  // namespace hloroof::internal

// Finds the modules in a text that has other lines too, such as the log of a test.
#ifndef HLOROOF_LIB_INPUT_MODULE_SECTIONS_H_
#define HLOROOF_LIB_INPUT_MODULE_SECTIONS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal::inline input {

// The lines of one module in a larger text.
struct ModuleSection {
  std::string_view name;
  std::size_t begin = 0;  // offset of its first line
  std::size_t end = 0;    // offset after its last line
  // What a logger wrote before HloModule on the first line. Each line of the module begins with the like of it.
  std::string_view prefix;
};

// The modules of the text in order. A module begins at a line with HloModule, and has attributes or a computation. It
// ends before the first line after its ENTRY that is not HLO, or before the next module.
std::vector<ModuleSection> find_sections(std::string_view text);

// The parts of a text that lines beginning with "// -----" separate, as in the tests of XLA. The name of a part without
// a line with HloModule is that of the computation that it runs. Parts of comments alone are left out.
inline constexpr std::string_view kPartSeparator = "// -----";
std::vector<ModuleSection> find_parts(std::string_view text);

// The text of a section with as many empty lines before it as the larger text has lines, so that the lines of messages
// are those of the file. Blanks replace the prefix of each line.
std::string section_text(std::string_view text, const ModuleSection& section);

// How many lines of the text, other than blank ones, are before and after a section.
struct SkippedLines {
  std::size_t before = 0;
  std::size_t after = 0;
};
SkippedLines lines_around(std::string_view text, const ModuleSection& section);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_MODULE_SECTIONS_H_

#include "lib/input/module_sections.h"

#include <algorithm>
#include <optional>

#include "lib/input/file_kind.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline input {
namespace {

constexpr std::string_view kModuleWord = "HloModule ";
constexpr std::size_t kLongestPrefix = 200;

bool is_blank(std::string_view text) { return skip_blanks(text).empty(); }

// The line at `begin` with its line end.
std::string_view line_from(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
}

struct HeaderLine {
  std::string_view name;
  std::string_view prefix;
  bool has_attributes = false;  // prose that mentions a module has none
};

// header := prefix? 'HloModule' name (',' ... | end of line)
std::optional<HeaderLine> header_of(std::string_view line) {
  const std::size_t at = line.find(kModuleWord);
  if (at == std::string_view::npos || at > kLongestPrefix) return std::nullopt;
  HeaderLine header;
  header.prefix = line.substr(0, at);
  if (at > 0 && is_word(line[at - 1])) return std::nullopt;
  if (is_blank(header.prefix)) header.prefix = {};
  const std::string_view rest = skip_blanks(line.substr(at + kModuleWord.size()));
  std::size_t size = 0;
  while (size < rest.size() && is_word(rest[size])) ++size;
  header.name = rest.substr(0, size);
  const std::string_view after = skip_blanks(rest.substr(size));
  if (size == 0 || !(after.empty() || after.front() == ',')) return std::nullopt;
  header.has_attributes = after.find('=') != std::string_view::npos;
  return header;
}

// Whether `line` begins like `prefix`, with any digits in place of its digits: a logger counts and tells the time.
bool has_prefix(std::string_view line, std::string_view prefix) {
  if (line.size() < prefix.size()) return false;
  return std::equal(prefix.begin(), prefix.end(), line.begin(),
                    [](char a, char b) { return a == b || (is_digit(a) && is_digit(b)); });
}

// The number of bytes that a logger wrote at the start of the line. Editors remove blanks at the end of a line, so an
// empty line may have a shorter prefix.
std::size_t prefix_size(std::string_view line, std::string_view prefix) {
  if (has_prefix(line, prefix)) return prefix.size();
  std::size_t size = line.size();
  while (size > 0 && is_space(line[size - 1])) --size;
  if (size < prefix.size() && is_blank(prefix.substr(size)) &&
      has_prefix(line.substr(0, size), prefix.substr(0, size))) {
    return size;
  }
  return 0;
}

// Counts open brackets outside strings and comments.
class Nesting {
 public:
  bool is_open() const { return depth_ > 0 || in_string_ || in_comment_; }

  void read(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const char next = i + 1 < line.size() ? line[i + 1] : '\0';
      if (in_string_) {
        if (c == '\\') ++i;
        in_string_ = c != '"';
      } else if (in_comment_) {
        if (c == '*' && next == '/') {
          in_comment_ = false;
          ++i;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '/' && next == '/') {
        return;
      } else if (c == '/' && next == '*') {
        in_comment_ = true;
        ++i;
      } else if (c == '{' || c == '(' || c == '[') {
        ++depth_;
      } else if (c == '}' || c == ')' || c == ']') {
        depth_ = std::max(depth_ - 1, 0);
      }
    }
  }

 private:
  int depth_ = 0;
  bool in_string_ = false;
  bool in_comment_ = false;
};

bool is_table_name(std::string_view line) {
  for (std::string_view name : {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
    if (line.starts_with(name)) return is_blank(line.substr(name.size()));
  }
  return false;
}

// Whether a line without leading blanks begins a computation.
bool begins_computation(std::string_view line, bool after_entry) {
  if (line.starts_with("ENTRY ")) return true;
  const bool has_percent = !line.empty() && line[0] == '%';
  if (has_percent) line.remove_prefix(1);
  std::size_t size = 0;
  while (size < line.size() && is_word(line[size])) ++size;
  if (size == 0) return false;
  const std::string_view rest = skip_blanks(line.substr(size));
  if (rest.starts_with("{")) return has_percent || !after_entry;
  return rest.starts_with("(") && (has_percent || rest.find(") -> ") != std::string_view::npos);
}

// Walks the lines of one module.
class SectionReader {
 public:
  explicit SectionReader(std::string_view prefix) : prefix_(prefix) {}
  int computations() const { return computations_; }

  // Takes the next line, or returns false if the module ends before it.
  bool take(std::string_view line) {
    line.remove_prefix(prefix_size(line, prefix_));
    const std::string_view text = skip_blanks(line);
    if (!nesting_.is_open() && !text.empty() && !text.starts_with("//") && !text.starts_with("/*")) {
      if (!takes_outside(text)) return false;
    }
    nesting_.read(line);
    return true;
  }

  // Whether the module is complete, so that the line which it did not take is of something else.
  bool ends_before(std::string_view line) const {
    line.remove_prefix(prefix_size(line, prefix_));
    const std::string_view text = skip_blanks(line);
    return has_entry_ && !is_hlo_line(text) && !text.starts_with("}");
  }

 private:
  // Whether a line outside all computations is HLO.
  bool takes_outside(std::string_view text) {
    if (is_first_) {
      is_first_ = false;
      return true;
    }
    if (is_table_name(text)) return in_tables_ = true;
    if (in_tables_ && is_digit(text.front())) return true;
    in_tables_ = false;
    const bool continues_head = in_head_ && (text.starts_with("->") || text.starts_with("{"));
    const bool is_head = begins_computation(text, has_entry_);
    if (!is_head && !continues_head) return false;
    if (is_head) ++computations_;
    has_entry_ = has_entry_ || text.starts_with("ENTRY ");
    in_head_ = text.find('{') == std::string_view::npos;
    return true;
  }

  std::string_view prefix_;
  Nesting nesting_;
  int computations_ = 0;
  bool is_first_ = true;
  bool in_tables_ = false;
  bool in_head_ = false;  // of a computation, before its {
  bool has_entry_ = false;
};

// The name of the module in a part of a text; none if the part has only comments.
std::optional<std::string_view> name_of_part(std::string_view part) {
  std::optional<std::string_view> name;
  for (std::size_t at = 0; at < part.size();) {
    const std::string_view line = line_from(part, at);
    at += line.size();
    if (const std::optional<HeaderLine> header = header_of(line)) return header->name;
    std::string_view text = skip_blanks(line);
    if (text.empty() || text.starts_with("//")) continue;
    if (!name) name = "";
    const bool is_entry = text.starts_with("ENTRY ");
    if (!is_entry && !begins_computation(text, false)) continue;
    if (is_entry) text = skip_blanks(text.substr(std::string_view("ENTRY ").size()));
    if (text.starts_with("%")) text.remove_prefix(1);
    const std::size_t end = std::find_if_not(text.begin(), text.end(), is_word) - text.begin();
    name = text.substr(0, end);  // without ENTRY, the last computation is taken for it
    if (is_entry) return name;
  }
  return name;
}

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_from(text, at);
    if (!is_blank(line)) ++lines;
    at += line.size();
  }
  return lines;
}

}  // namespace

std::vector<ModuleSection> find_sections(std::string_view text) {
  std::vector<ModuleSection> sections;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view first = line_from(text, at);
    const std::optional<HeaderLine> header = header_of(first);
    if (!header) {
      at += first.size();
      continue;
    }
    SectionReader section(header->prefix);
    section.take(first);
    std::optional<std::size_t> end;
    std::size_t next = at + first.size();  // becomes the line of the next header
    while (next < text.size()) {
      const std::string_view line = line_from(text, next);
      if (header_of(line)) break;
      if (!end && !section.take(line)) {
        end = section.ends_before(line) ? next : text.size();
      }
      next += line.size();
    }
    if (header->has_attributes || section.computations() > 0) {
      sections.push_back({header->name, at, std::min(end.value_or(next), next), header->prefix});
    }
    at = next;
  }
  return sections;
}

std::vector<ModuleSection> find_parts(std::string_view text) {
  std::vector<ModuleSection> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    std::string_view line = line_from(text, end);
    while (!line.empty() && !line.starts_with(kPartSeparator)) {
      end += line.size();
      line = line_from(text, end);
    }
    if (const auto name = name_of_part(text.substr(begin, end - begin))) parts.push_back({*name, begin, end, {}});
    begin = end + line.size();
  }
  return parts;
}

std::string section_text(std::string_view text, const ModuleSection& section) {
  const std::string_view before = text.substr(0, section.begin);
  std::string out(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')), '\n');
  out.reserve(out.size() + section.end - section.begin);
  const std::string_view inside = text.substr(0, section.end);
  for (std::size_t at = section.begin; at < inside.size();) {
    const std::string_view line = line_from(inside, at);
    const std::size_t prefix = prefix_size(line, section.prefix);
    out.append(prefix, ' ').append(line.substr(prefix));
    at += line.size();
  }
  return out;
}

SkippedLines lines_around(std::string_view text, const ModuleSection& section) {
  return {count_lines(text.substr(0, section.begin)), count_lines(text.substr(section.end))};
}

}  // namespace hloroof::internal::inline input

// Makes a large HLO module from real dumps. Copies their computations in turn, and appends the number of the copy to
// every name, so that the names are unique and names, references and sizes are realistic. The last ENTRY is that of the
// module; the others are not executed. With --run, an additional ENTRY calls the entries of all copies, so that the
// work grows with the text.
//
//   generate [--run] BYTES OUT DUMP...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// The computations of a dump, without the HloModule line and the stack frame tables.
std::string computations_of(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '%' && text.compare(at, 6, "ENTRY ") != 0) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return "";
    at = end + 1;
  }
  return text.substr(at);
}

// Appends `body` with `suffix` after every %name outside strings. Removes ENTRY unless `keep_entry` is set.
void append_renamed(std::string& out, const std::string& body, const std::string& suffix, bool keep_entry) {
  std::size_t i = 0;
  while (i < body.size()) {
    const char c = body[i];
    if (c == '"') {
      const std::size_t begin = i++;
      while (i < body.size() && body[i] != '"') i += body[i] == '\\' ? 2 : 1;
      ++i;
      out.append(body, begin, i - begin);
    } else if (c == '%') {
      const std::size_t begin = i++;
      while (i < body.size() && is_word(body[i])) ++i;
      out.append(body, begin, i - begin);
      out += suffix;
    } else if (!keep_entry && c == 'E' && (i == 0 || body[i - 1] == '\n') && body.compare(i, 6, "ENTRY ") == 0) {
      i += 6;
    } else {
      out += c;
      ++i;
    }
  }
}

// The text of the ENTRY computation's call in a caller: parameters for it and the call itself.
std::string call_of_entry(const std::string& body, std::uint64_t copy, std::size_t& parameters) {
  const std::size_t entry = body.rfind("\nENTRY ");
  const std::size_t name = body.find('%', entry);
  const std::size_t name_end = body.find(' ', name);
  const std::size_t arrow = body.find("-> ", name_end);
  const std::size_t open = body.find(" {\n", arrow);
  if (entry == std::string::npos || open == std::string::npos) return "";
  const std::string suffix = ".c" + std::to_string(copy);
  std::vector<std::string> operands;
  std::string text;
  std::istringstream lines(body.substr(open));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" parameter(");
    const std::size_t equals = line.find(" = ");
    if (at == std::string::npos || equals == std::string::npos || equals > at) continue;
    const std::size_t number = std::strtoull(line.c_str() + at + 11, nullptr, 10);
    if (operands.size() <= number) operands.resize(number + 1);
    operands[number] = "%argument." + std::to_string(parameters);
    text += "  " + operands[number] + " = " + line.substr(equals + 3, at - equals - 3) + " parameter(" +
            std::to_string(parameters++) + ")\n";
  }
  text += "  %run" + suffix + " = " + body.substr(arrow + 3, open - arrow - 3) + " call(";
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i > 0 ? ", " : "") + operands[i];
  return text + "), to_apply=" + body.substr(name, name_end - name) + suffix + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bool run = argc > 1 && std::string(argv[1]) == "--run";
  if (run) {
    --argc;
    ++argv;
  }
  if (argc < 4) {
    std::cerr << "usage: generate [--run] BYTES OUT DUMP...\n";
    return 1;
  }
  const std::uint64_t target = std::strtoull(argv[1], nullptr, 10);
  std::vector<std::string> bodies;
  for (int i = 3; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    bodies.push_back(computations_of(text.str()));
    if (bodies.back().empty()) {
      std::cerr << argv[i] << ": no computations found\n";
      return 1;
    }
  }
  std::ofstream out(argv[2], std::ios::binary);
  const std::string header = "HloModule generated, is_scheduled=true\n\n";
  out << header;
  std::uint64_t written = header.size();
  std::uint64_t copy = 0;
  std::size_t parameters = 0;
  std::vector<std::string> calls;
  std::string part;
  // The smallest dump comes last and provides the ENTRY.
  const std::string& last = *std::min_element(
      bodies.begin(), bodies.end(), [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  for (std::size_t skipped = 0; skipped < bodies.size(); ++copy) {
    part.clear();
    append_renamed(part, bodies[copy % bodies.size()], ".c" + std::to_string(copy), false);
    if (written + part.size() + last.size() > target) {
      ++skipped;
      continue;
    }
    skipped = 0;
    out << part;
    written += part.size();
    if (run) calls.push_back(call_of_entry(bodies[copy % bodies.size()], copy, parameters));
  }
  if (run && !calls.empty()) {
    const std::size_t begin = calls.back().rfind("  %run");
    calls.back().insert(begin + 2, "ROOT ");
    out << "ENTRY %main {\n";
    for (const std::string& call : calls) out << call;
    out << "}\n";
    return out.good() ? 0 : 1;
  }
  part.clear();
  append_renamed(part, last, ".c" + std::to_string(copy), true);
  out << part;
  return out.good() ? 0 : 1;
}

// The manual page in the man macros of groff(7): .TP starts an option, .SS a command.
#include <algorithm>
#include <set>
#include <string>

#include "hloroof/version.h"
#include "lib/describe/table.h"
#include "lib/fronts/cli/command_help.h"
#include "lib/results/glossary.h"

namespace hloroof::internal::inline cli {
namespace {

// The length of lines in the source of the page.
constexpr std::size_t kSourceWidth = 80;

// Escapes `text` for roff: backslashes, hyphens, and the characters that start a request at the beginning of a line. An
// escaped hyphen of an option remains a hyphen when the user copies it from the page.
std::string roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out += "\\&";
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\n') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

// A paragraph of the source. None of its lines starts a request.
std::string paragraph(std::string_view text) {
  std::string out;
  std::string lines = wrap(text, kSourceWidth - 8, 0);
  std::size_t at = 0;
  while (at <= lines.size()) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    out += roff(std::string_view(lines).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string option_entry(const Option& option) {
  std::string out = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i) out += (i == 0 ? "" : ", ") + bold(option.names[i]);
  if (!option.argument.empty()) out += " " + italic(option.argument);
  return out + "\n" + paragraph(option.text + (option.required ? " (required)" : ""));
}

constexpr std::string_view kOwnGroup = "Options";

void append_command(const Command& command, std::string& out) {
  out += ".SS " + bold(usage_line(command)) + "\n" + paragraph(command.text + ".");
  std::set<std::string> shared;
  for (const Option& option : command.positionals) {
    out += ".TP\n" + italic(option.names.front()) + "\n" + paragraph(option.text);
  }
  for (const Option& option : command.options) {
    if (option.names.back() == "--help" || option.names.back() == "--help-all") continue;
    if (option.group == kOwnGroup) {
      out += option_entry(option);
    } else {
      shared.insert(option.group);
    }
  }
  if (!shared.empty()) {
    out += ".PP\nIt also takes the options listed below under\n";
    std::size_t remaining = shared.size();
    for (const std::string& group : shared) {
      --remaining;
      out += italic(group) + (remaining > 1 ? ",\n" : remaining == 1 ? " and\n" : ".\n");
    }
  }
  for (const Command& inner : command.subcommands) {
    out += ".TP\n" + bold(usage_line(inner)) + "\n" + paragraph(inner.text);
  }
}

// Lists the options of each group once, although several commands have them.
void append_shared(const Command& command, std::string& out) {
  std::set<std::string> groups;
  for (const Command& subcommand : command.subcommands) {
    for (const Option& option : subcommand.options) {
      if (option.group != kOwnGroup) groups.insert(option.group);
    }
  }
  for (const std::string& group : groups) {
    out += ".SS " + roff(group) + "\n";
    std::set<std::string> written;
    for (const Command& subcommand : command.subcommands) {
      for (const Option& option : subcommand.options) {
        if (option.group == group && written.insert(option_heading(option)).second) out += option_entry(option);
      }
    }
  }
}

void append_glossary(std::string& out) {
  for (const GlossaryTerm& term : glossary()) {
    std::string meaning(term.meaning);
    meaning.erase(std::remove(meaning.begin(), meaning.end(), '`'), meaning.end());
    out += ".TP\n" + bold(term.term) + "\n" + paragraph(meaning);
  }
}

}  // namespace

std::string man_page(const Command& command) {
  std::string out = ".TH HLOROOF 1 \"\" \"hloroof " HLOROOF_VERSION_STRING "\" \"User Commands\"\n";
  out += ".SH NAME\n" + command.name + " \\- step time of an HLO program from its text\n";
  out += ".SH SYNOPSIS\n";
  for (const Command& subcommand : command.subcommands) {
    out += ".B " + roff(usage_line(subcommand)) + "\n.br\n";
  }
  out += ".SH DESCRIPTION\n" + paragraph(command.text) + ".PP\n" + paragraph(kFileForms);
  out += ".SH COMMANDS\n";
  for (const Command& subcommand : command.subcommands) append_command(subcommand, out);
  out += ".SH OPTIONS OF SEVERAL COMMANDS\n";
  append_shared(command, out);
  out += ".SH GLOSSARY\n";
  append_glossary(out);
  out += ".SH EXIT STATUS\n" + paragraph(kExitCodes);
  out += ".SH ENVIRONMENT\n.TP\n" + bold("COLUMNS") +
         "\nThe width of tables on a terminal, instead of that of the terminal.\n.TP\n" + bold("NO_COLOR") +
         "\nIf set and not empty, the output has no colours on a terminal either.\n.TP\n" + bold("TERM") +
         "\nIf it is\n.BR dumb ,\nthe output has no colours.\n";
  out += ".SH EXAMPLES\n.nf\n";
  out += roff("hloroof predict step.hlo --device tpu_v5e") + "\n";
  out += roff("hloroof predict dump/ --device tpu_v5e,tpu_v6e") + "\n";
  out += roff("hloroof explain step.hlo fusion.2 --device tpu_v5e") + "\n";
  out += roff("hloroof sweep step.hlo --device tpu_v5e --set hbm.bandwidth=0.5x,1x,2x") + "\n";
  out += ".fi\n";
  return out;
}

}  // namespace hloroof::internal::inline cli

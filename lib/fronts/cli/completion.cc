// Completion scripts for commands, options and the values of options.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "lib/fronts/cli/command_help.h"

namespace hloroof::internal::inline cli {
namespace {

// All commands, "devices" before "devices show".
std::vector<const Command*> all_commands(const Command& top) {
  std::vector<const Command*> result;
  for (const Command& command : top.subcommands) {
    result.push_back(&command);
    for (const Command& inner : command.subcommands) result.push_back(&inner);
  }
  return result;
}

// The path without the program's name: "devices show".
std::string words_of(const Command& command, const Command& top) { return command.path.substr(top.path.size() + 1); }

// Puts `text` into single quotes, in which only the quote itself is special.
std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// ---- bash ----

std::string bash_script(const Command& top) {
  std::vector<std::string> paths;
  for (const Command* command : all_commands(top)) paths.push_back(single_quoted(words_of(*command, top)));
  std::string out = "# bash completion for " + top.name + "; `" + top.name +
                    " completion bash` prints it.\n"
                    "_" +
                    top.name +
                    "() {\n"
                    "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "  local command= words= list= i\n"
                    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                    "    case \"${command:+$command }${COMP_WORDS[i]}\" in\n"
                    "      " +
                    absl::StrJoin(paths, "|") +
                    ") command=\"${command:+$command }${COMP_WORDS[i]}\" ;;\n"
                    "    esac\n"
                    "  done\n"
                    "  case \"$command:$previous\" in\n";
  const auto names_of = [](const std::string& words, const Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(single_quoted(words + ":" + name));
    return absl::StrJoin(names, "|");
  };
  for (const Command* command : all_commands(top)) {
    const std::string words = words_of(*command, top);
    for (const Option& option : command->options) {
      if (option.argument.empty()) continue;
      const std::vector<std::string> values = argument_values(option.argument);
      out += "    " + names_of(words, option) + ")\n";
      if (values.empty()) {
        out += "      return ;;\n";  // a file, which the shell completes itself, or free text
      } else {
        out += "      words=" + single_quoted(absl::StrJoin(values, " ")) +
               (is_comma_list(option.argument) ? " list=1" : "") + " ;;\n";
      }
    }
  }
  out +=
      "  esac\n"
      "  if [[ -n $words ]]; then\n"
      "    local done=\n"
      "    if [[ -n $list && $current == *,* ]]; then done=${current%,*},; fi\n"
      "    COMPREPLY=($(compgen -P \"$done\" -W \"$words\" -- \"${current#\"$done\"}\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n";
  const auto branch = [&](const std::string& words, const Command& command) {
    out += "    " + single_quoted(words) + ")\n";
    out +=
        "      if [[ $current == -* ]]; then words=" + single_quoted(absl::StrJoin(option_names(command), " ")) + "\n";
    std::vector<std::string> values = subcommand_names(command);
    if (!command.positionals.empty()) values = argument_values(command.positionals.back().argument);
    if (!values.empty()) out += "      else words=" + single_quoted(absl::StrJoin(values, " ")) + "\n";
    out += "      fi ;;\n";
  };
  branch("", top);
  for (const Command* command : all_commands(top)) branch(words_of(*command, top), *command);
  out +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}\n"
      "complete -o bashdefault -o default -F _" +
      top.name + " " + top.name + "\n";
  return out;
}

// ---- zsh ----

// Escapes a description for the [...] of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(std::string_view argument) {
  const std::vector<std::string> values = argument_values(argument);
  if (values.empty()) return "_files";
  if (is_comma_list(argument)) return "_values -s , value " + absl::StrJoin(values, " ");
  return "(" + absl::StrJoin(values, " ") + ")";
}

void zsh_arguments(const Command& command, const std::string& indent, std::string& out) {
  out += indent + "_arguments -S";
  for (const Option& option : command.options) {
    for (const std::string& name : option.names) {
      std::string spec = (option.repeats() ? "*" : "") + name + "[" + zsh_text(option.text) + "]";
      if (!option.argument.empty()) spec += ":" + zsh_text(option.argument) + ":" + zsh_action(option.argument);
      out += " \\\n" + indent + "  " + single_quoted(spec);
    }
  }
  for (const Option& option : command.positionals) {
    const std::string spec = option.names.front() + ":" + zsh_action(option.argument);
    out += " \\\n" + indent + "  " + single_quoted((option.repeats() ? "*:" : ":") + spec);
  }
  out += "\n";
}

void zsh_subcommands(const Command& command, const std::string& indent, std::string& out) {
  out += indent + "local -a commands=(\n";
  for (const Command& subcommand : command.subcommands) {
    out += indent + "  " + single_quoted(subcommand.name + ":" + subcommand.text) + "\n";
  }
  out += indent + ")\n";
  out += indent + "if ((CURRENT == 2)); then _describe command commands; return; fi\n";
  out += indent + "shift words; ((CURRENT--))\n";
  out += indent + "case $words[1] in\n";
}

std::string zsh_script(const Command& top) {
  std::string out =
      "#compdef " + top.name + "\n# `" + top.name + " completion zsh` prints this.\n_" + top.name + "() {\n";
  zsh_subcommands(top, "  ", out);
  for (const Command& command : top.subcommands) {
    out += "    " + command.name + ")\n";
    if (command.subcommands.empty()) {
      zsh_arguments(command, "      ", out);
    } else {
      zsh_subcommands(command, "      ", out);
      for (const Command& inner : command.subcommands) {
        out += "        " + inner.name + ")\n";
        zsh_arguments(inner, "          ", out);
        out += "          ;;\n";
      }
      out += "      esac\n";
    }
    out += "      ;;\n";
  }
  // Found on $fpath the file is the function's first call; sourced it only declares it.
  const std::string function = "_" + top.name;
  return out + "  esac\n}\ncompdef " + function + " " + top.name + "\nif [[ $funcstack[1] == " + function +
         " ]]; then\n  " + function + " \"$@\"\nfi\n";
}

// ---- fish ----

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

void fish_command(const Command& command, const std::string& when, const Command& top, std::string& out) {
  const std::string begin = "complete -c " + top.name + " -n " + fish_quoted(when);
  for (const Option& option : command.options) {
    out += begin;
    for (const std::string& name : option.names) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.argument.empty()) {
      const std::vector<std::string> values = argument_values(option.argument);
      if (values.empty()) {
        out += " -r";
      } else if (is_comma_list(option.argument)) {
        out += " -x -a " + fish_quoted("(__fish_append , " + absl::StrJoin(values, " ") + ")");
      } else {
        out += " -x -a " + fish_quoted(absl::StrJoin(values, " "));
      }
    }
    out += " -d " + fish_quoted(option.text) + "\n";
  }
  for (const Command& subcommand : command.subcommands) {
    out += begin + " -f -a " + subcommand.name + " -d " + fish_quoted(subcommand.text) + "\n";
  }
  for (const Option& option : command.positionals) {
    const std::vector<std::string> values = argument_values(option.argument);
    if (!values.empty()) out += begin + " -f -a " + fish_quoted(absl::StrJoin(values, " ")) + "\n";
  }
}

std::string fish_script(const Command& top) {
  std::string out = "# fish completion for " + top.name + "; `" + top.name + " completion fish` prints it.\n";
  fish_command(top, "__fish_use_subcommand", top, out);
  for (const Command& command : top.subcommands) {
    std::string when = "__fish_seen_subcommand_from " + command.name;
    if (!command.subcommands.empty()) {
      const std::string inner = absl::StrJoin(subcommand_names(command), " ");
      for (const Command& subcommand : command.subcommands) {
        fish_command(subcommand, when + "; and __fish_seen_subcommand_from " + subcommand.name, top, out);
      }
      when += "; and not __fish_seen_subcommand_from " + inner;
    }
    fish_command(command, when, top, out);
  }
  return out;
}

}  // namespace

std::string completion_script(const Command& command, std::string_view shell) {
  if (shell == "bash") return bash_script(command);
  if (shell == "zsh") return zsh_script(command);
  if (shell == "fish") return fish_script(command);
  return "";
}

}  // namespace hloroof::internal::inline cli

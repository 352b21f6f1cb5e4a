#include "lib/fronts/cli/mcp_tools.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/answer/answer.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/base/utf.h"
#include "lib/fronts/cli/cli.h"
#include "lib/fronts/cli/command.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {
namespace {

// A tool is a command. It takes what the command takes, except rare options and those of kRefused and `refused`.
struct ToolRow {
  const char* name;
  std::vector<const char*> command;         // {"devices", "show"}
  const char* hint;                         // for the model, behind the text of the command
  std::vector<std::string_view> questions;  // of lib/answer; their tables are the results of format=json
  std::vector<std::string_view> refused = {};
};

// The server states this option itself.
constexpr std::string_view kMaxBytes = "max-bytes";
// What no tool takes: it would write files or use the machine of the server, or is for terminals and gates.
constexpr std::string_view kRefused[] = {kMaxBytes, "output", "jobs", "wide", "fail-on", "fail-if", "codes"};

const std::vector<ToolRow>& tool_rows() {
  static const auto* const kRows = new std::vector<ToolRow>{
      {"predict",
       {"predict"},
       "Start here: the headline, the longest ops and what limits them. view=diagnostics says what to change",
       {"predict"}},
      {"explain", {"explain"}, "Use it for the longest ops that predict lists", {"explain"}},
      {"lint", {"lint"}, "Each finding has the time at stake and what to do about it", {"lint"}},
      {"diff", {"diff"}, "Use it after a change, with the dump from before", {"diff"}},
      {"bundles",
       {"bundles"},
       "The cycles, spills and waits of the TPU kernels of a folder in which libtpu dumped its final code",
       {"bundles"}},
      {"memory", {"memory"}, "", {"memory"}},
      {"sweep", {"sweep"}, "Several devices, topologies or values of set in one call", {"sweep"}},
      {"scale",
       {"scale"},
       "From one dump to more or fewer devices, another batch or more layers, without a compile",
       {"scale"}},
      {"passes", {"passes"}, "", {"passes", "compare-passes"}, {"set", "trip-count"}},
      {"devices", {"devices", "list"}, "", {"devices"}},
      {"device", {"devices", "show"}, "", {"device"}},
  };
  return *kRows;
}

// The formats that have a use for a model.
constexpr std::string_view kFormats[] = {"text", "json", "csv", "markdown"};

// The commands with targets that nobody reads, for their descriptions.
struct Described {
  std::ostringstream out;
  std::ostringstream err;
  Context context{out, err, {}};
  Command top;

  Described() { describe_commands(context, top); }

  const Command& find(const std::vector<const char*>& path) const {
    const Command* command = &top;
    for (const std::string_view name : path) {
      command = &*std::find_if(command->subcommands.begin(), command->subcommands.end(),
                               [&](const Command& inner) { return inner.name == name; });
    }
    return *command;
  }
};

const Described& described() {
  static const auto* const kDescribed = new Described();
  return *kDescribed;
}

// What a tool takes: an option or a positional argument of its command.
struct ToolOption {
  std::string name;  // as on the command line, without dashes; a positional argument in lower case
  const Option* option = nullptr;
  bool is_positional = false;

  bool is_required() const { return is_positional || option->reads == Reads::kDevices; }
};

std::string plain_name(const Option& option) {
  std::string_view name = option.names.back();
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return absl::AsciiStrToLower(to_absl(name));
}

template <typename Names>
bool has_name(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool takes_max_bytes(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [](const Option& option) { return plain_name(option) == kMaxBytes; });
}

// Positional arguments come first, in the order of the command, and the format last.
std::vector<ToolOption> tool_options(const ToolRow& row) {
  const Command& command = described().find(row.command);
  std::vector<ToolOption> options;
  for (const Option& option : command.positionals) options.push_back({plain_name(option), &option, true});
  for (const Option& option : command.options) {
    std::string name = plain_name(option);
    const bool is_help = std::holds_alternative<std::monostate>(option.target);
    if (is_help || option.rare || has_name(kRefused, name) || has_name(row.refused, name)) continue;
    options.push_back({std::move(name), &option, false});
  }
  std::stable_partition(options.begin(), options.end(), [](const ToolOption& o) { return o.name != "format"; });
  return options;
}

// The name of an option as a member of the arguments: "group_by".
std::string member_name(std::string_view name) {
  std::string member(name);
  std::replace(member.begin(), member.end(), '-', '_');
  return member;
}

std::vector<std::string> allowed_values(const Option& option, std::string_view name) {
  std::vector<std::string> choices = choices_of(option.argument);
  if (name == "format") {
    std::erase_if(choices, [](const std::string& choice) {
      return std::find(std::begin(kFormats), std::end(kFormats), choice) == std::end(kFormats);
    });
  }
  return choices;
}

Json option_schema(const ToolOption& row) {
  const Option& option = *row.option;
  Json schema = Json::object();
  std::string text = option.text;
  if (option.argument.find('=') != std::string::npos) text += " (" + option.argument + ")";
  if (option.reads == Reads::kFile)
    text += ". Paths are relative to the folder of this server, and - is not available; FILE#NAME selects a module";
  schema["description"] = text;
  const std::vector<std::string> choices = allowed_values(option, row.name);
  if (std::holds_alternative<bool*>(option.target)) {
    schema["type"] = "boolean";
  } else if (std::holds_alternative<double*>(option.target)) {
    schema["type"] = "number";
  } else if (option.repeats()) {
    schema["type"] = "array";
    schema["items"] = Json{{"type", "string"}};
    schema["minItems"] = 1;
  } else if (std::holds_alternative<std::string*>(option.target)) {
    schema["type"] = "string";
    if (!choices.empty()) schema["enum"] = choices;
  } else {
    schema["type"] = "integer";
    schema["minimum"] = option.least;
  }
  return schema;
}

Json input_schema(const ToolRow& row) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ToolOption& option : tool_options(row)) {
    properties[member_name(option.name)] = option_schema(option);
    if (option.is_required()) required.push_back(member_name(option.name));
  }
  return Json{{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}};
}

// The real path of a file in the folder, with its #NAME.
absl::StatusOr<std::string> checked_path(const Folder& folder, const std::string& text) {
  if (text == "-" || absl::StartsWith(text, "-#") || absl::StartsWith(text, "-@")) {
    return invalid_argument("standard input is not a file of this server");
  }
  absl::StatusOr<std::string> path = folder.resolve(text);
  std::string choice;
  if (const std::size_t hash = text.rfind('#'); !path.ok() && hash != std::string::npos) {
    path = folder.resolve(std::string_view(text).substr(0, hash));
    choice = text.substr(hash);
  }
  if (!path.ok()) return path;
  // The commands give these characters a meaning: FILE#NAME, FILE@DEVICE and lists.
  if (path->find_first_of("#@,") != std::string::npos || choice.find('@') != std::string::npos) {
    return invalid_argument(text + ": the name of a file or module here must not contain #, @ or a comma");
  }
  return *path + choice;
}

absl::StatusOr<std::string> checked_device(const Folder& folder, const std::string& text) {
  const bool may_be_path = text.find('/') != std::string::npos || absl::EndsWith(text, ".json");
  if (!may_be_path) return text;
  absl::StatusOr<std::string> path = folder.resolve(text);
  if (path.ok() && path->find(',') != std::string::npos) {
    return invalid_argument(text + ": the name of a device file must not contain a comma");
  }
  return path;
}

// The values of one argument as texts. Errors: InvalidArgument for a value of another type.
absl::StatusOr<std::vector<std::string>> texts_of(const ToolOption& row, const Json& value) {
  const Option& option = *row.option;
  const std::string name = member_name(row.name);
  std::vector<std::string> texts;
  if (option.repeats()) {
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& element : list) {
      if (!element.is_string()) return invalid_argument(name + " takes a list of strings");
      const std::string text = element.get<std::string>();
      // The command would split a path or a name here, behind the check.
      std::vector<std::string> parts = {text};
      if (is_comma_list(option.argument)) parts = absl::StrSplit(text, ',');
      texts.insert(texts.end(), parts.begin(), parts.end());
    }
    return texts;
  }
  if (value.is_string()) return std::vector<std::string>{value.get<std::string>()};
  if (const std::optional<std::int64_t> whole = integer_at(value, {})) {
    return std::vector<std::string>{std::to_string(*whole)};
  }
  if (value.is_number()) return std::vector<std::string>{value.dump()};
  return invalid_argument(name + " takes a " +
                          (std::holds_alternative<std::string*>(option.target) ? "string" : "number"));
}

// Appends the words of the command line for one argument.
absl::Status add_argument(const Folder& folder, const ToolOption& row, const Json& value,
                          std::vector<std::string>& words) {
  const Option& option = *row.option;
  const std::string name = member_name(row.name);
  if (std::holds_alternative<bool*>(option.target)) {
    if (!value.is_boolean()) return invalid_argument(name + " takes true or false");
    if (value.get<bool>()) words.push_back(option.names.back());
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> texts = texts_of(row, value);
  if (!texts.ok()) return texts.status();
  const std::vector<std::string> allowed = allowed_values(option, row.name);
  words.reserve(words.size() + 2 * texts->size());
  for (const std::string& text : *texts) {
    absl::StatusOr<std::string> checked = text;
    if (option.reads == Reads::kFile) checked = checked_path(folder, text);
    if (option.reads == Reads::kDevices) checked = checked_device(folder, text);
    if (!checked.ok()) return checked.status();
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *checked) == allowed.end()) {
      return invalid_argument(name + " takes " + absl::StrJoin(allowed, ", ") + ", not '" + text + "'");
    }
    if (checked->empty() || checked->find('\0') != std::string::npos) {
      return invalid_argument(name + " must not be empty or contain NUL");
    }
    if (row.is_positional) {
      // The parser of the command would take it for an option, such as --output.
      if (checked->front() == '-') return invalid_argument(name + " must not begin with a dash");
      words.push_back(*checked);
    } else if (absl::StartsWith(option.names.back(), "--")) {
      words.push_back(option.names.back() + "=" + *checked);  // one word, so that the value cannot be an option
    } else {
      words.push_back(option.names.back());
      words.push_back(*checked);
    }
  }
  return absl::OkStatus();
}

// The command line for the arguments of a tool. Positional arguments come first and in the order of the command.
absl::StatusOr<std::vector<std::string>> command_line(const ToolRow& row, const Folder& folder, std::int64_t max_bytes,
                                                      const Json& arguments) {
  const std::vector<ToolOption> known = tool_options(row);
  std::vector<std::string> words(row.command.begin(), row.command.end());
  std::vector<std::string> options;
  std::size_t used = 0;
  for (const ToolOption& option : known) {
    const Json* value = find(arguments, {member_name(option.name)});
    if (value == nullptr || value->is_null()) {
      if (option.is_required()) return invalid_argument(member_name(option.name) + " is required");
      used += value == nullptr ? 0 : 1;
      continue;
    }
    ++used;
    if (absl::Status status = add_argument(folder, option, *value, option.is_positional ? words : options);
        !status.ok()) {
      return status;
    }
  }
  if (used != arguments.size()) {
    std::vector<std::string> members;
    members.reserve(known.size());
    for (const ToolOption& option : known) members.push_back(member_name(option.name));
    for (const auto& [name, value] : arguments.items()) {
      if (has_name(members, name)) continue;
      return invalid_argument(std::string(row.name) + " has no argument '" + name + "'; there are " +
                              absl::StrJoin(members, ", ") + ", first_line and max_chars");
    }
  }
  words.insert(words.end(), options.begin(), options.end());
  if (takes_max_bytes(described().find(row.command))) words.push_back(absl::StrCat("--max-bytes=", max_bytes));
  return words;
}

McpResult call_command(const ToolRow& row, const Folder& folder, std::int64_t max_bytes, const Json& arguments) {
  const absl::StatusOr<std::vector<std::string>> words = command_line(row, folder, max_bytes, arguments);
  if (!words.ok()) return {.text = std::string(from_absl(words.status().message())), .is_error = true};
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_cli(*words, out, err);
  // A gate that fails is a finding, not an error.
  if (code != kExitOk && code != kExitGateFailed) return {.text = err.str(), .is_error = true};
  return {.text = out.str(), .notes = err.str(), .is_json = string_at(arguments, {"format"}) == "json"};
}

absl::StatusOr<std::string> read_dump_text(const std::string& path, std::int64_t max_bytes) {
  const auto source = SourceText::read(path, max_bytes);
  if (!source.ok()) return source.status();
  const std::string_view text = (*source)->view();
  std::size_t at = 0;
  while (at < text.size() && text[at] != '\0' && utf8_length(text, at) > 0) at += utf8_length(text, at);
  if (at == text.size()) return std::string(text);
  std::ostringstream out;  // a proto
  std::ostringstream err;
  if (run_cli({"print", path, "--elide-constants", absl::StrCat("--max-bytes=", max_bytes)}, out, err) == kExitOk) {
    return out.str();
  }
  return invalid_argument(err.str());
}

}  // namespace

McpOptions mcp_options(const Folder& folder, std::int64_t max_bytes) {
  McpOptions options;
  options.instructions =
      "Predicts the step time of compiled XLA programs (HLO dumps) on TPUs and GPUs without running them. Call predict "
      "with a dump and a device, then explain for the longest ops and lint for what to change; after a change, diff. "
      "The dumps are the resources of this server, and paths are relative to its folder. Times are predictions: the "
      "line `trust` says how far measurements confirm them, and is absent where none applies.";
  options.read_dump = [max_bytes](const std::string& path) { return read_dump_text(path, max_bytes); };
  options.tools.reserve(tool_rows().size());
  for (const ToolRow& row : tool_rows()) {
    const Command& command = described().find(row.command);
    std::vector<std::string> schemas;
    for (const std::string_view question : row.questions) {
      const auto table = find_question(question).value()->table;
      const ResultTable result = table();
      const std::string name = result_name(result);
      schemas.push_back("hloroof:///schemas/" + name);
      options.schemas.push_back({name, std::string(result.title), [table] { return schema_json(table()); }});
    }
    std::string text = command.text + ".";
    if (*row.hint != '\0') text += std::string(" ") + row.hint + ".";
    text += " The schema of format=json is the resource " + absl::StrJoin(schemas, " or ") + ".";
    options.tools.push_back({row.name, text, input_schema(row), [&row, &folder, max_bytes](const Json& given) {
                               return call_command(row, folder, max_bytes, given);
                             }});
  }
  return options;
}

}  // namespace hloroof::internal::inline cli

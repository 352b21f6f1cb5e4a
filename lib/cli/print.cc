
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "hloroof/print.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/report/json_writer.h"
#include "lib/report/module_views.h"

namespace hloroof::internal {
namespace {

struct PrintFlags {
  std::vector<std::string> files;
  std::string format = "hlo";
  std::string output;
  std::string around;
  std::int64_t radius = 2;
  bool strict = false;
  bool timing = false;
  std::int64_t repeat = 1;
};

// Parses several times with one parser into one module, as a sweep over many dumps would, and reports the shortest
// time, which other load on the machine disturbs least. Reading the file is not timed.
absl::StatusOr<Module> parse_repeatedly(const PrintFlags& flags, const SourceText& text, double& best_seconds) {
  ParseOptions options = reading_options();
  options.path = text.path();
  options.strict = flags.strict;
  options.borrow = true;
  Parser parser(options);
  Module module;
  best_seconds = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < flags.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const absl::Status status = parser.parse(text.view(), module);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!status.ok()) return status;
    best_seconds = std::min(best_seconds, took.count());
  }
  return module;
}

void run_print(const PrintFlags& flags, Context& context) {
  if (!flags.around.empty() && flags.format != "dot") {
    return context.fail(invalid_argument("--around requires --format dot"));
  }
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  std::string result;
  for (const std::string& file : *files) {
    const auto text = SourceText::read(file, ParseOptions().max_bytes);
    if (!text.ok()) return context.fail(text.status());
    double seconds = 0;
    const absl::StatusOr<Module> module = parse_repeatedly(flags, **text, seconds);
    if (!module.ok()) {
      // Text that only --strict rejects is valid but not fully known.
      ParseOptions lenient;
      lenient.path = (*text)->path();
      const bool incomplete = flags.strict && parse_module((*text)->view(), lenient).ok();
      return context.fail(module.status(), incomplete ? kExitIncomplete : kExitBadInput);
    }
    if (flags.timing) {
      JsonWriter timing;
      timing.begin_object();
      timing.member("parse_seconds", seconds);
      timing.member("bytes", static_cast<std::int64_t>((*text)->size()));
      timing.member("instructions", static_cast<std::int64_t>(module->instruction_count()));
      timing.end_object();
      std::string line = timing.take();
      line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
      context.err << line << '\n';
    }
    if (flags.format == "hlo") {
      result += print_module(*module);
    } else if (flags.format == "dot" && !flags.around.empty()) {
      const absl::StatusOr<std::string> dot =
          neighbourhood_dot(*module, flags.around, static_cast<std::size_t>(flags.radius));
      if (!dot.ok()) return context.fail(dot.status());
      result += *dot;
    } else if (flags.format == "dot") {
      result += module_dot(*module);
    } else if (flags.format == "json") {
      result += module_json(*module);
    }
  }
  if (absl::Status status = write_output(context, flags.output, result); !status.ok()) context.fail(status);
}

}  // namespace

Command print_command(Context& context) {
  auto flags = std::make_shared<PrintFlags>();
  Command command{.name = "print", .text = "Prints the module as HLO text, as a Graphviz graph or as JSON"};
  command.positionals = {files_argument(flags->files)};
  command.options = {
      {.names = {"--format"},
       .argument = "hlo|dot|json|none",
       .text = "Output format; dot is for Graphviz",
       .target = &flags->format},
      output_option(flags->output),
      {.names = {"--around"},
       .argument = "OP",
       .text = "With --format dot, print only the neighbourhood of this instruction",
       .target = &flags->around},
      {.names = {"--radius"},
       .argument = "N",
       .text = "Size of the neighbourhood, in steps to an operand or a user",
       .target = &flags->radius},
      {.names = {"--strict"}, .text = "Reject unknown opcodes and attributes", .target = &flags->strict},
      {.names = {"--repeat"}, .argument = "N", .text = "Parse N times", .target = &flags->repeat, .least = 1},
      {.names = {"--timing"},
       .text = "Print the shortest parse time as JSON to standard error",
       .target = &flags->timing}};
  command.run = [flags, &context] { run_print(*flags, context); };
  return command;
}

}  // namespace hloroof::internal

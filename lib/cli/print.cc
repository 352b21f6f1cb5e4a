#include "hloroof/print.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/report/json_writer.h"
#include "lib/report/module_views.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  std::string format = "hlo";
  std::string output;
  std::string around;
  std::int64_t radius = 2;
  bool strict = false;
  bool timing = false;
  std::int64_t repeat = 1;
};

// The best of several parses by one parser into one module, as a sweep over many dumps would use them, so that what
// else the machine does counts least. The text is read once, outside the clock.
absl::StatusOr<Module> parse_repeatedly(const Flags& flags, const SourceText& text, double& best_seconds) {
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

void run(const Flags& flags, Context& context) {
  if (!flags.around.empty() && flags.format != "dot") {
    return context.fail(invalid_argument("--around goes with --format dot"));
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
      // What only strict reading refuses is incomplete knowledge, not bad text.
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

void add_print(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("print", "The module back as text, as a graph, or as JSON");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files);
  add_choice(*command, "--format", flags->format, "hlo|dot|json|none", "What to print; dot is for Graphviz");
  add_output(*command, flags->output);
  command->add_option("--around", flags->around, "Of --format dot only what is near this instruction")->type_name("OP");
  add_count(*command, "--radius", flags->radius, 0, "How near: so many operands or users away");
  command->add_flag("--strict", flags->strict, "Refuse opcodes and attributes that are not in the grammar");
  add_count(*command, "--repeat", flags->repeat, 1, "Parse this many times");
  command->add_flag("--timing", flags->timing, "Print the best parse time as JSON on standard error");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0

#include "hloroof/print.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>

#include "hloroof/predict.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/describe/json_writer.h"
#include "lib/explain/module_dot.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/input/module_choice.h"
#include "lib/input/module_file.h"
#include "lib/ir/rows.h"
#include "lib/report/annotated_text.h"
#include "lib/report/module_json.h"

namespace hloroof::internal::inline cli {
namespace {

struct PrintFlags {
  std::vector<std::string> files;
  std::string format = "hlo";
  std::string output;
  std::string around;
  Request predict;  // without strict
  double min_share = 0;
  bool annotate = false;
  std::int64_t radius = 2;
  bool strict = false;
  bool elide_constants = false;
  bool timing = false;
  std::int64_t repeat = 1;
};

// Parses several times with one parser into one module, as a sweep over many dumps would, and prints the shortest time,
// which other load on the machine disturbs least, as JSON. Reading the file is not timed.
absl::Status print_timing(const PrintFlags& flags, const Module& module, Context& context) {
  ParseOptions options = reading_options();
  options.path = ModuleRows::path(module);
  options.strict = flags.strict;
  options.borrow = true;
  Parser parser(options);
  Module again;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < flags.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    absl::Status status = parser.parse(ModuleRows::source(module).view(), again);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!status.ok()) return status;
    best_seconds = std::min(best_seconds, took.count());
  }
  JsonWriter timing;
  timing.begin_object();
  timing.member("parse_seconds", best_seconds);
  timing.member("bytes", static_cast<std::int64_t>(ModuleRows::source(module).size()));
  timing.member("instructions", static_cast<std::int64_t>(module.instruction_count()));
  timing.end_object();
  std::string line = timing.take();
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  context.err << line << '\n';
  return absl::OkStatus();
}

// Reads the module of a file with the values of all constants. Reports a failure and returns nullopt.
std::optional<Module> read_for_printing(const PrintFlags& flags, const std::string& path, Context& context) {
  const auto [file, choice] = split_module_path(path);
  if (absl::Status status = context.take_input(file); !status.ok()) {
    context.fail(status);
    return std::nullopt;
  }
  const auto source = SourceText::read(file, context.max_bytes);
  if (!source.ok()) {
    context.fail(source.status());
    return std::nullopt;
  }
  ParseOptions options = reading_options();
  options.strict = flags.strict;
  options.max_bytes = context.max_bytes;
  absl::StatusOr<LoadedModule> loaded = parse_module_file(*source, choice, options, LargeConstants::kKeep);
  if (!loaded.ok()) {
    // Text that only --strict rejects is valid but not fully known.
    options.strict = false;
    const bool incomplete = flags.strict && parse_module_file(*source, choice, options).ok();
    context.fail(loaded.status(), incomplete ? kExitIncomplete : kExitBadInput);
    return std::nullopt;
  }
  context.note(path, loaded->note);
  return std::move(loaded->module);
}

// The prediction on the device and with the settings of the options.
absl::StatusOr<StepPrediction> predict_printed(const PrintFlags& flags, const Module& module) {
  absl::StatusOr<Subjects> place = find_place(flags.predict);
  if (!place.ok()) return place.status();
  place->options.strict = flags.strict;
  return predict_step_time(module, place->targets.front(), place->options);
}

absl::StatusOr<std::string> render_graph(const PrintFlags& flags, const Module& module) {
  std::optional<StepPrediction> prediction;
  if (!flags.predict.devices.empty()) {
    absl::StatusOr<StepPrediction> predicted = predict_printed(flags, module);
    if (!predicted.ok()) return predicted.status();
    prediction = *std::move(predicted);
  }
  const StepPrediction* shown = prediction ? &*prediction : nullptr;
  if (flags.around.empty()) return module_dot(module, shown);
  return neighbourhood_dot(module, flags.around, static_cast<std::size_t>(flags.radius), shown);
}

absl::StatusOr<std::string> render_module(const PrintFlags& flags, const Module& module) {
  if (flags.format == "json") return module_json(module);
  if (flags.format == "dot") return render_graph(flags, module);
  if (flags.format == "proto") return write_proto(module);
  if (flags.format != "hlo") return "";
  PrintOptions options;
  options.large_constants = !flags.elide_constants;
  if (!flags.annotate) return print_module(module, options);
  const absl::StatusOr<StepPrediction> prediction = predict_printed(flags, module);
  if (!prediction.ok()) return prediction.status();
  return annotated_text(module, *prediction, options, flags.min_share);
}

absl::Status check_combination(const PrintFlags& flags) {
  const bool has_device = !flags.predict.devices.empty();
  if (!flags.around.empty() && flags.format != "dot") return invalid_argument("--around requires --format dot");
  if (flags.annotate && flags.format != "hlo") return invalid_argument("--annotate requires --format hlo");
  if (flags.annotate && !has_device) return find_targets(flags.predict).status();
  if (has_device && !flags.annotate && flags.format != "dot") {
    return invalid_argument("--device requires --annotate or --format dot");
  }
  const bool is_changed = !flags.predict.topologies().empty() || !flags.predict.settings().empty();
  const std::string work_option = given_work_option(flags.predict);
  if (!has_device && (is_changed || !work_option.empty())) {
    const std::string option = !flags.predict.topologies().empty() ? "--topology" : is_changed ? "--set" : work_option;
    return invalid_argument(option + " requires --device");
  }
  if (!(flags.min_share >= 0 && flags.min_share <= 1)) {
    return invalid_argument("--min-share takes a share of the step from 0 to 1, such as 0.01 for 1 %");
  }
  if (flags.min_share > 0 && !flags.annotate) return invalid_argument("--min-share requires --annotate");
  if (flags.format == "proto" && flags.elide_constants) {
    return invalid_argument("--format proto has the values of all constants; leave out --elide-constants");
  }
  return absl::OkStatus();
}

void run_print(const PrintFlags& flags, Context& context) {
  if (absl::Status status = check_combination(flags); !status.ok()) return context.fail(status);
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  if (flags.format == "proto" && files->size() != 1) {
    return context.fail(invalid_argument("--format proto writes one module; give one file"));
  }
  std::string result;
  for (const std::string& file : *files) {
    const std::optional<Module> module = read_for_printing(flags, file, context);
    if (!module) return;
    if (flags.timing) {
      if (absl::Status status = print_timing(flags, *module, context); !status.ok()) return context.fail(status);
    }
    const absl::StatusOr<std::string> text = render_module(flags, *module);
    if (!text.ok()) return context.fail_prediction(text.status());
    result += *text;
  }
  if (absl::Status status = write_output(context, flags.output, result); !status.ok()) context.fail(status);
}

}  // namespace

Command print_command(Context& context) {
  auto flags = std::make_shared<PrintFlags>();
  Command command{.name = "print", .text = "Prints the module as HLO text, as a Graphviz graph, as JSON or as a proto"};
  command.positionals = {files_argument(flags->files)};
  command.options = {{.names = {"--format"},
                      .argument = "hlo|dot|json|proto|none",
                      .text = "Output format; dot is for Graphviz, proto is XLA's HloModuleProto",
                      .target = &flags->format},
                     output_option(flags->output),
                     {.names = {"--annotate"},
                      .text = "Print the predicted time, bound, bytes, padding and source of each op in a comment in "
                              "front of it; the text remains valid HLO. Requires --device",
                      .target = &flags->annotate},
                     {.names = {"--min-share"},
                      .argument = "SHARE",
                      .text = "With --annotate, only comment ops with this share of the step; 0.01 is 1 %",
                      .target = &flags->min_share},
                     {.names = {"--around"},
                      .argument = "OP",
                      .text = "With --format dot, print only the neighbourhood of this instruction",
                      .target = &flags->around},
                     {.names = {"--radius"},
                      .argument = "N",
                      .text = "Size of the neighbourhood, in steps to an operand or a user",
                      .target = &flags->radius},
                     {.names = {"--elide-constants"},
                      .text = "Print constants of more than ten elements as {...}, as XLA does by default",
                      .target = &flags->elide_constants},
                     {.names = {"--strict"}, .text = "Reject unknown opcodes and attributes", .target = &flags->strict},
                     {.names = {"--repeat"},
                      .argument = "N",
                      .text = "With --timing, parse N times",
                      .target = &flags->repeat,
                      .least = 1},
                     {.names = {"--timing"},
                      .text = "Print the shortest parse time as JSON to standard error",
                      .target = &flags->timing}};
  // The device is for --annotate and for the colours of --format dot. --strict above is about the text as well.
  for (Option& option : prediction_options(flags->predict)) {
    if (option.names.back() != "--strict") command.options.push_back(std::move(option));
  }
  command.run = [flags, &context] { run_print(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli

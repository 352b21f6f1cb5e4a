#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "lib/base/strings.h"
#include "lib/cli/context.h"
#include "lib/report/csv.h"
#include "lib/report/html_report.h"
#include "lib/report/prediction_json.h"
#include "lib/report/trace.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  std::vector<std::string> views;
  std::size_t limit = 10;
  std::string sort = "time";
  std::string filter;
  std::string group_by = "none";
  std::vector<std::string> rewrites;
  bool wide = false;
};

absl::StatusOr<ViewOptions> view_options(const Flags& flags) {
  ViewOptions options;
  options.width = flags.wide ? 0 : 80;
  options.rows.limit = flags.limit;
  options.rows.filter = flags.filter;
  const auto group = group_by_from_string(flags.group_by);
  if (!group) return invalid_argument("--group-by takes none, computation, category, op_name, source or layer");
  options.rows.group = *group;
  const auto sort = sort_by_from_string(flags.sort);
  if (!sort) return invalid_argument("--sort takes time, wasted, flops, bytes or padding");
  options.rows.sort = *sort;
  for (const std::string& text : flags.rewrites) {
    auto rewrite = parse_rewrite(text);
    if (!rewrite.ok()) return rewrite.status();
    options.rows.rewrites.push_back(*std::move(rewrite));
  }
  return options;
}

using Named = std::pair<std::string, StepPrediction>;

// `module` is the last one predicted.
absl::StatusOr<std::string> render(const std::vector<Named>& predictions, const Module& module, const Flags& flags,
                                   const ViewOptions& options) {
  if (flags.format == "json") {
    std::vector<StepPrediction> plain;
    plain.reserve(predictions.size());
    for (const Named& named : predictions) plain.push_back(named.second);
    return predictions_json(plain);
  }
  if (flags.format == "csv") return predictions_csv(predictions);
  if (flags.format == "trace") {
    if (predictions.size() != 1) return invalid_argument("--format trace takes one file and one device");
    return chrome_trace(predictions.front().second);
  }
  if (flags.format == "html") {
    if (predictions.size() != 1) return invalid_argument("--format html takes one file and one device");
    return html_report(module, predictions.front().second);
  }
  if (predictions.size() > 1) return comparison_view(predictions, options.width);
  std::vector<std::string> views = flags.views;
  if (views.empty()) views = {"summary", "ops"};
  absl::StatusOr<std::string> text = render_views(predictions.front().second, views, options);
  if (!text.ok() || !flags.views.empty()) return text;
  // The first screen ends with the diagnoses worth most; --view diagnostics has all.
  StepPrediction first_three = predictions.front().second;
  std::vector<Diagnostic>& diagnostics = first_three.diagnostics;
  std::erase_if(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::kInfo; });
  if (diagnostics.empty()) return text;
  const std::size_t more = diagnostics.size() > 3 ? diagnostics.size() - 3 : 0;
  if (more > 0) diagnostics.resize(3);
  *text += "\n" + diagnostics_view(first_three, options);
  if (more > 0) *text += "  [" + std::to_string(more) + " more: --view diagnostics]\n";
  return text;
}

void run(const Flags& flags, Context& context) {
  static constexpr std::string_view kFormats[] = {"text", "json", "csv", "html", "trace"};
  if (std::find(std::begin(kFormats), std::end(kFormats), flags.format) == std::end(kFormats)) {
    context.fail(
        invalid_argument("--format " + flags.format + " is not available; there are text, json, csv, html and trace"));
    return;
  }
  const absl::StatusOr<ViewOptions> view = view_options(flags);
  if (!view.ok()) return context.fail(view.status());
  absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  options->resource_what_ifs = std::find(flags.views.begin(), flags.views.end(), "critical") != flags.views.end();
  const absl::StatusOr<std::vector<Device>> devices = load_devices(flags.predict);
  if (!devices.ok()) return context.fail(devices.status());
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());

  std::vector<Named> predictions;
  absl::StatusOr<Module> module = absl::UnknownError("no file");
  for (const std::string& file : *files) {
    module = load_module(file);
    if (!module.ok()) return context.fail(module.status());
    for (const Device& device : *devices) {
      absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, device, *options);
      if (!prediction.ok()) {
        const bool incomplete = prediction.status().code() == absl::StatusCode::kFailedPrecondition;
        return context.fail(prediction.status(), incomplete ? kExitIncomplete : kExitBadInput);
      }
      predictions.emplace_back(file, *std::move(prediction));
    }
  }
  const absl::StatusOr<std::string> text = render(predictions, *module, flags, *view);
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("predict", "The step time and why; several files or devices give a comparison");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->files, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  command->add_option("--format", flags->format,
                      "text, json, csv, html (one self-contained page) or trace (Chrome, Perfetto)");
  command->add_option("-o,--output", flags->output, "Write to this file")->type_name("OUT");
  command
      ->add_option("--view", flags->views,
                   "summary,ops,roofline,memory,padding,collectives,timeline,critical,diagnostics; default: "
                   "the first screen")
      ->delimiter(',');
  command->add_option("-n", flags->limit, "Rows before [N others]; 0: all");
  command->add_option("--sort", flags->sort, "time, wasted, flops, bytes or padding");
  command->add_option("--filter", flags->filter, "Only ops whose name, op_name, category or source matches")
      ->type_name("RE");
  command->add_option("--group-by", flags->group_by, "computation, category, op_name, source or layer");
  command->add_option("--rewrite", flags->rewrites, "Rewrites the groups' names; may be repeated")
      ->type_name("s/RE/TEXT/");
  command->add_flag("-w,--wide", flags->wide, "Do not cut lines to 80 characters");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0

#include <algorithm>
#include <memory>

#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/report/csv.h"
#include "lib/report/html_report.h"
#include "lib/report/prediction_json.h"
#include "lib/report/trace.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

struct PredictCommandFlags {
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

absl::StatusOr<ViewOptions> view_options(const PredictCommandFlags& flags, bool color) {
  ViewOptions options;
  options.width = flags.wide ? 0 : 80;
  options.color = color && flags.output.empty();
  options.rows.limit = flags.limit;
  options.rows.filter = flags.filter;
  options.rows.group = *group_by_from_string(flags.group_by);  // the parser accepts no other value
  options.rows.sort = *sort_by_from_string(flags.sort);
  for (const std::string& text : flags.rewrites) {
    auto rewrite = parse_rewrite(text);
    if (!rewrite.ok()) return rewrite.status();
    options.rows.rewrites.push_back(*std::move(rewrite));
  }
  return options;
}

// Number of predictions that predict_all() makes.
std::size_t count_predictions(const Subjects& subjects) {
  std::size_t count = subjects.files.size() * subjects.targets.size();
  for (const Setting& setting : subjects.settings) count *= setting.values.size();
  return count;
}

// A page and a trace show one prediction.
absl::Status check_one(const Subjects& subjects, const std::string& format) {
  if (format != "html" && format != "trace") return absl::OkStatus();
  if (count_predictions(subjects) == 1) return absl::OkStatus();
  return invalid_argument("--format " + format + " takes one file, one device and one value for each --set");
}

// A CSV file has one table.
absl::Status check_csv_views(const PredictCommandFlags& flags) {
  if (flags.format != "csv" || flags.views.empty()) return absl::OkStatus();
  if (flags.views.size() == 1 && (flags.views[0] == "ops" || flags.views[0] == "collectives")) return absl::OkStatus();
  return invalid_argument(
      "--format csv takes --view ops or --view collectives; --format json has the numbers of all views");
}

// `document` is the finished text of the formats that are written while the predictions have their facts: JSON, the
// page and the trace.
absl::StatusOr<std::string> render(const std::vector<NamedPrediction>& predictions, const std::string& document,
                                   const PredictCommandFlags& flags, const ViewOptions& options) {
  if (flags.format == "csv") {
    if (flags.views == std::vector<std::string>{"collectives"}) return collectives_csv(predictions);
    return ops_csv(predictions, options.rows);
  }
  if (flags.format != "text") return document;
  if (predictions.size() > 1 && flags.views.empty()) return comparison_view(predictions, options.width);
  if (predictions.size() > 1) {  // each view shows one prediction
    std::string all;
    for (const auto& [file, prediction] : predictions) {
      const absl::StatusOr<std::string> text = render_views(prediction, flags.views, options);
      if (!text.ok()) return text.status();
      all += (all.empty() ? "" : "\n") + file + " on " + prediction.device + " " + prediction.topology + "\n\n" + *text;
    }
    return all;
  }
  std::vector<std::string> views = flags.views;
  if (views.empty()) views = {"summary", "ops"};
  absl::StatusOr<std::string> text = render_views(predictions.front().second, views, options);
  if (!text.ok() || !flags.views.empty()) return text;
  // The first screen ends with the most valuable diagnostics; --view diagnostics prints all.
  const std::string worth_most = first_diagnostics_view(predictions.front().second, 3, options);
  if (!worth_most.empty()) *text += "\n" + worth_most;
  return text;
}

void run_predict(const PredictCommandFlags& flags, Context& context) {
  const absl::StatusOr<ViewOptions> view = view_options(flags, context.terminal.color);
  if (!view.ok()) return context.fail(view.status());
  if (absl::Status status = check_views(flags.views); !status.ok()) return context.fail(status);
  if (absl::Status status = check_csv_views(flags); !status.ok()) return context.fail(status);
  // Reject a malformed filter or rewrite before predicting anything.
  if (auto rows = make_rows(StepPrediction(), view->rows); !rows.ok()) return context.fail(rows.status());
  absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  if (absl::Status status = check_one(*subjects, flags.format); !status.ok()) return context.fail(status);
  subjects->options.resource_what_ifs =
      std::find(flags.views.begin(), flags.views.end(), "critical") != flags.views.end();
  std::vector<NamedPrediction> predictions;
  std::string document;
  PredictionsWriter json(count_predictions(*subjects));
  const bool done = predict_all(*subjects, context, [&](const std::string& file, StepPrediction prediction) {
    if (flags.format == "html") document = html_report(prediction);
    if (flags.format == "trace") document = chrome_trace(prediction);
    if (flags.format == "json") return json.add(prediction);
    prediction.facts.reset();
    predictions.emplace_back(file, std::move(prediction));
  });
  if (!done) return;
  if (flags.format == "json") document = json.take();
  const absl::StatusOr<std::string> text = render(predictions, document, flags, *view);
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

Command predict_command(Context& context) {
  auto flags = std::make_shared<PredictCommandFlags>();
  Command command{.name = "predict",
                  .text = "Predicts the step time and shows where it goes; compares several files or devices"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  append(command.options,
         {{.names = {"--format"},
           .argument = "text|json|csv|html|trace",
           .text = "Output format: html is one self-contained page, trace is for Perfetto and chrome://tracing",
           .target = &flags->format},
          output_option(flags->output),
          {.names = {"--view"},
           .argument = "VIEW,...",
           .text = absl::StrJoin(view_names(), ", ") + "; default: summary, ops and the three top diagnostics",
           .target = &flags->views},
          limit_option(flags->limit, "rows"),
          {.names = {"--sort"},
           .argument = "time|wasted|flops|bytes|padding",
           .text = "Order of the rows; wasted is the time spent below the roof",
           .target = &flags->sort},
          {.names = {"--filter"},
           .argument = "RE",
           .text = "Print only ops whose name, op_name, category or source matches",
           .target = &flags->filter},
          {.names = {"--group-by"},
           .argument = "none|computation|category|op_name|source|layer",
           .text = "Print one row for all ops that share this",
           .target = &flags->group_by},
          {.names = {"--rewrite"},
           .argument = "s/RE/TEXT/",
           .text = "Rewrite the names of the groups; may be repeated",
           .target = &flags->rewrites},
          wide_option(flags->wide)});
  command.run = [flags, &context] { run_predict(*flags, context); };
  return command;
}

}  // namespace hloroof::internal

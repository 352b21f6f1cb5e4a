#include <CLI/CLI.hpp>
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

absl::StatusOr<ViewOptions> view_options(const Flags& flags, bool color) {
  ViewOptions options;
  options.width = flags.wide ? 0 : 80;
  options.color = color && flags.output.empty();
  options.rows.limit = flags.limit;
  options.rows.filter = flags.filter;
  options.rows.group = *group_by_from_string(flags.group_by);  // these options take no other
  options.rows.sort = *sort_by_from_string(flags.sort);
  for (const std::string& text : flags.rewrites) {
    auto rewrite = parse_rewrite(text);
    if (!rewrite.ok()) return rewrite.status();
    options.rows.rewrites.push_back(*std::move(rewrite));
  }
  return options;
}

// Some formats hold one prediction.
absl::Status check_one(const Subjects& subjects, const std::string& format) {
  if (format != "html" && format != "trace") return absl::OkStatus();
  std::size_t count = subjects.files.size() * subjects.devices.size();
  for (const Setting& setting : subjects.settings) count *= setting.values.size();
  if (count == 1) return absl::OkStatus();
  return invalid_argument("--format " + format + " takes one file, one device and one value for each --set");
}

// `page` is what a format that holds one prediction has made of it.
absl::StatusOr<std::string> render(const std::vector<NamedPrediction>& predictions, const std::string& page,
                                   const Flags& flags, const ViewOptions& options) {
  if (flags.format == "json") {
    std::vector<StepPrediction> plain;
    plain.reserve(predictions.size());
    for (const NamedPrediction& named : predictions) plain.push_back(named.second);
    return predictions_json(plain);
  }
  if (flags.format == "csv") return predictions_csv(predictions);
  if (flags.format != "text") return page;
  if (predictions.size() > 1 && flags.views.empty()) return comparison_view(predictions, options.width);
  if (predictions.size() > 1) {  // views are of one each
    std::string all;
    for (const auto& [file, prediction] : predictions) {
      const absl::StatusOr<std::string> text = render_views(prediction, flags.views, options);
      if (!text.ok()) return text;
      all += (all.empty() ? "" : "\n") + file + " on " + prediction.device + " " + prediction.topology + "\n\n" + *text;
    }
    return all;
  }
  std::vector<std::string> views = flags.views;
  if (views.empty()) views = {"summary", "ops"};
  absl::StatusOr<std::string> text = render_views(predictions.front().second, views, options);
  if (!text.ok() || !flags.views.empty()) return text;
  // The first screen ends with the diagnoses worth most; --view diagnostics has all.
  const std::string worth_most = first_diagnostics_view(predictions.front().second, 3, options);
  if (!worth_most.empty()) *text += "\n" + worth_most;
  return text;
}

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<ViewOptions> view = view_options(flags, context.terminal.color);
  if (!view.ok()) return context.fail(view.status());
  if (absl::Status status = check_views(flags.views); !status.ok()) return context.fail(status);
  // A filter or rewrite that is no regular expression is wrong for any prediction.
  if (auto rows = make_rows(StepPrediction(), view->rows); !rows.ok()) return context.fail(rows.status());
  absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  if (absl::Status status = check_one(*subjects, flags.format); !status.ok()) return context.fail(status);
  subjects->options.resource_what_ifs =
      std::find(flags.views.begin(), flags.views.end(), "critical") != flags.views.end();
  std::vector<NamedPrediction> predictions;
  std::string page;
  const bool done =
      predict_all(*subjects, context, [&](const std::string& file, const Module& module, StepPrediction prediction) {
        if (flags.format == "html") page = html_report(module, prediction);
        if (flags.format == "trace") page = chrome_trace(module, prediction);
        predictions.emplace_back(file, std::move(prediction));
      });
  if (!done) return;
  const absl::StatusOr<std::string> text = render(predictions, page, flags, *view);
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("predict", "The step time and why; several files or devices give a comparison");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files);
  add_predict_flags(*command, flags->predict);
  add_choice(*command, "--format", flags->format, "text|json|csv|html|trace",
             "html is one self-contained page, trace is for Perfetto and chrome://tracing");
  add_output(*command, flags->output);
  add_list(*command, "--view", flags->views, "VIEW,...",
           absl::StrJoin(view_names(), ", ") + "; default: the first screen");
  add_limit(*command, flags->limit, "Rows");
  add_choice(*command, "--sort", flags->sort, "time|wasted|flops|bytes|padding",
             "Order of the rows; wasted is time below the roof");
  command->add_option("--filter", flags->filter, "Only ops whose name, op_name, category or source matches")
      ->type_name("RE");
  add_choice(*command, "--group-by", flags->group_by, "none|computation|category|op_name|source|layer",
             "One row for all ops that share this");
  add_list(*command, "--rewrite", flags->rewrites, "s/RE/TEXT/", "Rewrites the groups' names; may be repeated");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0

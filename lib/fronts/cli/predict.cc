#include <algorithm>
#include <memory>

#include "absl/strings/str_join.h"
#include "lib/answer/answer.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/page/html_report.h"
#include "lib/page/trace.h"
#include "lib/report/sweep.h"
#include "lib/report/views.h"
#include "lib/results/prediction_json.h"

namespace hloroof::internal::inline cli {
namespace {

struct PredictCommandFlags {
  std::vector<std::string> files;
  Request predict;
  std::string format = "text";
  std::string output;
  std::vector<std::string> views;
  std::size_t limit = 10;
  std::string sort = "time";
  std::string filter;
  std::string group_by;  // empty: not given
  std::vector<std::string> rewrites;
  bool wide = false;
};

absl::StatusOr<ViewOptions> view_options(const PredictCommandFlags& flags, const Context& context) {
  ViewOptions options;
  options.width = context.width(flags.wide, flags.output);
  options.markdown = flags.format == "markdown";
  options.color = context.terminal.color && flags.output.empty() && !options.markdown;
  options.rows.limit = flags.limit;
  options.rows.filter = flags.filter;
  options.rows.group = group_by_from_string(flags.group_by).value_or(GroupBy::kNone);  // the parser checks it
  options.rows.sort = *sort_by_from_string(flags.sort);
  for (const std::string& text : flags.rewrites) {
    auto rewrite = parse_rewrite(text);
    if (!rewrite.ok()) return rewrite.status();
    options.rows.rewrites.push_back(*std::move(rewrite));
  }
  return options;
}

// A trace shows one prediction.
absl::Status check_one(const Subjects& subjects, const std::string& format) {
  if (format != "trace") return absl::OkStatus();
  if (subjects.count() == 1) return absl::OkStatus();
  return invalid_argument("--format " + format +
                          " takes one file, one device, one topology and one value for each --set");
}

// A CSV file has one table.
absl::Status check_csv_views(const PredictCommandFlags& flags) {
  if (flags.format != "csv" || flags.views.empty()) return absl::OkStatus();
  const std::vector<std::string>& tables = csv_view_names();
  if (flags.views.size() == 1 && std::find(tables.begin(), tables.end(), flags.views[0]) != tables.end()) {
    return absl::OkStatus();
  }
  return invalid_argument("--format csv takes one of --view " + absl::StrJoin(tables, ", ") +
                          ";\n  --format json has the numbers of all views");
}

absl::StatusOr<std::string> prediction_csv(const NamedPrediction& named, bool with_titles,
                                           const PredictCommandFlags& flags, const ViewOptions& options) {
  return view_csv(flags.views.empty() ? "ops" : flags.views.front(), named, options.rows, with_titles);
}

// The views of one of `count` predictions.
absl::StatusOr<std::string> prediction_text(const NamedPrediction& named, std::size_t count,
                                            const PredictCommandFlags& flags, const ViewOptions& options) {
  const auto& [file, prediction] = named;
  if (flags.views.empty() && count == 1) return first_screen(prediction, flags.group_by.empty(), options);
  absl::StatusOr<std::string> text = render_views(prediction, flags.views, options);
  if (!text.ok()) return text;
  if (count > 1)
    return (options.markdown ? "### " : "") + file + " on " + prediction.device + " " + prediction.topology + "\n\n" +
           *text;
  return text;
}

// Writes the predictions one after the other, each while it has its facts.
class PredictDocument {
 public:
  PredictDocument(const PredictCommandFlags& flags, const ViewOptions& options, const Subjects& subjects)
      : flags_(flags), options_(options), subjects_(subjects), count_(subjects.count()), json_(count_) {}

  void add(const std::string& file, StepPrediction prediction) {
    if (flags_.format == "json") return json_.add(prediction);
    if (flags_.format == "html") return page_.add(file, prediction);
    if (is_comparison()) {
      compared_.push_back(make_sweep_point(file, std::move(prediction), subjects_.targets));
      return;
    }
    absl::StatusOr<std::string> one = render({file, std::move(prediction)});
    if (!one.ok()) return status_.Update(one.status());
    if (is_text() && !text_.empty()) text_ += '\n';
    text_ += *one;
  }

  // What add() needs.
  Detail detail() const {
    if (is_comparison()) return Detail::kHeadline;
    const bool is_summary = is_text() && flags_.views == std::vector<std::string>{"summary"};
    return is_summary ? Detail::kSummary : Detail::kAll;
  }

  absl::StatusOr<std::string> take() {
    if (!status_.ok()) return status_;
    if (flags_.format == "json") return json_.take();
    if (flags_.format == "html") return page_.take();
    if (is_comparison()) return sweep_view(compared_, SweepOrder::kGiven, options_);
    return std::move(text_);
  }

 private:
  bool is_text() const { return flags_.format == "text" || flags_.format == "markdown"; }
  bool is_comparison() const { return is_text() && count_ > 1 && flags_.views.empty(); }

  absl::StatusOr<std::string> render(const NamedPrediction& named) const {
    if (flags_.format == "trace") return chrome_trace(named.second);
    if (flags_.format == "csv") return prediction_csv(named, text_.empty(), flags_, options_);
    return prediction_text(named, count_, flags_, options_);
  }

  const PredictCommandFlags& flags_;
  const ViewOptions& options_;
  const Subjects& subjects_;
  std::size_t count_;
  PredictionsWriter json_;
  PageWriter page_;
  std::vector<SweepPoint> compared_;
  std::string text_;
  absl::Status status_;
};

void run_predict(const PredictCommandFlags& flags, Context& context) {
  const absl::StatusOr<ViewOptions> view = view_options(flags, context);
  if (!view.ok()) return context.fail(view.status());
  if (absl::Status status = check_views(flags.views); !status.ok()) return context.fail(status);
  if (absl::Status status = check_csv_views(flags); !status.ok()) return context.fail(status);
  // Reject a malformed filter or rewrite before predicting anything.
  if (auto rows = make_rows(StepPrediction(), view->rows); !rows.ok()) return context.fail(rows.status());
  absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  if (absl::Status status = check_one(*subjects, flags.format); !status.ok()) return context.fail(status);
  subjects->options.resource_what_ifs = flags.format == "html";
  request_for(flags.views, subjects->options);
  PredictDocument document(flags, *view, *subjects);
  const bool done = predict_all(
      *subjects, document.detail(), context,
      [&](const std::string& file, StepPrediction prediction) { document.add(file, std::move(prediction)); });
  if (!done) return;
  const absl::StatusOr<std::string> text = document.take();
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
         {format_option(flags->format, formats_of("predict"),
                        "html is one page, trace is for Perfetto and chrome://tracing"),
          output_option(flags->output),
          {.names = {"--view"},
           .argument = "VIEW,...",
           .text = absl::StrJoin(view_names(), ", "),
           .target = &flags->views},
          limit_option(flags->limit, "rows"),
          {.names = {"--sort"},
           .argument = "time|wasted|flops|bytes|padding",
           .text = "Order of the rows; wasted: time below the roof",
           .target = &flags->sort},
          {.names = {"--filter"},
           .argument = "RE",
           .text = "Only ops whose name, category or source matches",
           .target = &flags->filter},
          {.names = {"--group-by"},
           .argument = "none|computation|category|op_name|source|layer|similar",
           .text = "Print one row for all ops that share this; similar ops have equal opcode, output shape and op_name",
           .target = &flags->group_by},
          {.names = {"--rewrite"},
           .argument = "s/RE/TEXT/",
           .text = "Rewrite the names of the groups; may be repeated",
           .target = &flags->rewrites,
           .rare = true},
          jobs_option(flags->predict),
          wide_option(flags->wide)});
  command.run = [flags, &context] { run_predict(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli

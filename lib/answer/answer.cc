#include "lib/answer/answer.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/explain/explain.h"
#include "lib/hardware/describe.h"
#include "lib/page/html_report.h"
#include "lib/page/passes_page.h"
#include "lib/page/trace.h"
#include "lib/report/device_report.h"
#include "lib/report/memory_report.h"
#include "lib/results/prediction_json.h"
#include "lib/scale/scale_report.h"

namespace hloroof::internal::inline answer {
namespace {

constexpr std::string_view kFormatNames[] = {"text", "json", "csv", "sarif", "markdown", "html", "trace"};
static_assert(std::size(kFormatNames) == kAnswerFormatCount);

// A function about one alternative of Found as one about any. The row of that alternative has it, and no other.
template <auto Write>
struct OfFound;
template <typename T, typename Text, Text (*Write)(const T&, const ViewOptions&)>
struct OfFound<Write> {
  static absl::StatusOr<std::string> write(const Found& found, const ViewOptions& view) {
    return Write(std::get<T>(found), view);
  }
};
template <typename T, typename Text, Text (*Write)(const T&)>
struct OfFound<Write> {
  static absl::StatusOr<std::string> write(const Found& found, const ViewOptions& /*view*/) {
    return Write(std::get<T>(found));
  }
};

// The same for a function about what a member of the alternative points to.
template <auto kMember, auto Write>
struct OfPart;
template <typename T, typename Part, const Part* T::*kMember, auto Write>
struct OfPart<kMember, Write> {
  static absl::StatusOr<std::string> write(const Found& found, const ViewOptions& view) {
    const Part& part = *(std::get<T>(found).*kMember);
    if constexpr (std::is_invocable_v<decltype(Write), const Part&, const ViewOptions&>) {
      return Write(part, view);
    } else {
      return Write(part);
    }
  }
};

// Text and Markdown name each file if there are several.
template <typename Report, typename File, typename View>
std::string sections(const std::vector<Report>& reports, const ViewOptions& options, const File& file,
                     const View& view) {
  std::string text;
  for (const Report& report : reports) {
    if (!text.empty()) text += "\n";
    if (reports.size() > 1) text += (options.markdown ? "### " : "") + file(report) + "\n";
    text += view(report, options);
  }
  return text;
}

absl::StatusOr<std::string> predict_text(const PredictedStep& of, const ViewOptions& view) {
  return first_screen(*of.prediction, true, view);
}
std::string predict_json(const PredictedStep& of) {
  PredictionsWriter writer(1);
  writer.add(*of.prediction);
  return writer.take();
}
absl::StatusOr<std::string> predict_csv(const PredictedStep& of, const ViewOptions& view) {
  return view_csv("ops", NamedStep(of.prediction->module_name, *of.prediction), view.rows);
}
std::string predict_html(const PredictedStep& of) { return html_report(*of.prediction); }
std::string predict_trace(const PredictedStep& of) { return chrome_trace(*of.prediction); }

absl::StatusOr<std::string> explain_text(const ExplainedOp& of, const ViewOptions& view) {
  return explanation_text(*of.prediction, of.op, view.width);
}
absl::StatusOr<std::string> explain_json(const ExplainedOp& of) { return explanation_json(*of.prediction, of.op); }
absl::StatusOr<std::string> explain_csv(const ExplainedOp& of) { return explanation_csv(*of.prediction, of.op); }
absl::StatusOr<std::string> explain_markdown(const ExplainedOp& of) {
  return explanation_markdown(*of.prediction, of.op);
}

// The options of a view that has a limit of its own.
template <typename Options>
Options options_of(const ViewOptions& view) {
  Options options;
  static_cast<TextLayout&>(options) = view;
  options.limit = view.rows.limit;
  return options;
}

std::string diff_as_text(const ComparedSteps& of, const ViewOptions& view) {
  return diff_view(*of.difference, options_of<DiffOptions>(view));
}
std::string diff_as_markdown(const ComparedSteps& of, const ViewOptions& view) {
  return diff_markdown(*of.difference, options_of<DiffOptions>(view));
}

std::string compare_text(const MeasuredStep& of, const ViewOptions& view) {
  return compare_view(*of.prediction, *of.comparison, options_of<CompareOptions>(view));
}
std::string compare_json(const MeasuredStep& of) { return comparison_json(*of.prediction, *of.comparison); }
std::string compare_html(const MeasuredStep& of) { return html_report(*of.prediction, of.comparison->timeline); }

std::string memory_text(const MemoryOfSteps& of, const ViewOptions& view) {
  return sections(
      *of.predictions, view, [](const NamedPrediction& named) { return named.first; },
      [](const NamedPrediction& named, const ViewOptions& options) { return memory_view(named.second, options); });
}

std::string kernel_text(const KernelsOfSteps& of, const ViewOptions& view) {
  return sections(
      *of.reports, view, [](const KernelReport& report) { return report.file; }, kernel_view);
}

std::string sweep_text(const SweptSteps& of, const ViewOptions& view) { return sweep_view(*of.points, of.order, view); }

std::string scale_text(const StepAtOtherSize& of, const ViewOptions& view) {
  return scale_view(*of.result, view) + "\n" + summary_view(of.result->prediction, view);
}

std::string passes_text(const PassesOfCompile& of, const ViewOptions& view) {
  return passes_view(*of.report, of.all, view);
}

std::string two_passes_text(const PassesOfTwoCompiles& of, const ViewOptions& view) {
  return pass_comparison_view(*of.comparison, of.all, view);
}

std::string show_text(const ShownDevices& of) {
  std::string out;
  for (const Device& device : *of.devices) out += (out.empty() ? "" : "\n") + describe_device(device);
  return out;
}

template <auto Write>
constexpr WriteAnswer kWrite = OfFound<Write>::write;
template <auto kMember, auto Write>
constexpr WriteAnswer kPart = OfPart<kMember, Write>::write;

// Text, JSON, CSV, SARIF, Markdown, HTML, trace.
constexpr Question kQuestions[] = {
    {"predict",
     prediction_table,
     {kWrite<predict_text>, kWrite<predict_json>, kWrite<predict_csv>, nullptr, kWrite<predict_text>,
      kWrite<predict_html>, kWrite<predict_trace>}},
    {"explain",
     explanation_table,
     {kWrite<explain_text>, kWrite<explain_json>, kWrite<explain_csv>, nullptr, kWrite<explain_markdown>}},
    {"lint",
     lint_table,
     {kPart<&LintedSteps::report, lint_text>, kPart<&LintedSteps::report, lint_json>, nullptr,
      kPart<&LintedSteps::report, lint_sarif>, kPart<&LintedSteps::report, lint_markdown>}},
    {"diff",
     diff_table,
     {kWrite<diff_as_text>, kPart<&ComparedSteps::difference, diff_json>, kPart<&ComparedSteps::difference, diff_csv>,
      nullptr, kWrite<diff_as_markdown>}},
    {"compare",
     comparison_table,
     {kWrite<compare_text>, kWrite<compare_json>, kPart<&MeasuredStep::comparison, comparison_csv>, nullptr,
      kWrite<compare_text>, kWrite<compare_html>}},
    {"memory",
     memory_table,
     {kWrite<memory_text>, kPart<&MemoryOfSteps::predictions, memory_json>,
      kPart<&MemoryOfSteps::predictions, memory_csv>, nullptr, kWrite<memory_text>}},
    {"kernel",
     kernel_table,
     {kWrite<kernel_text>, kPart<&KernelsOfSteps::reports, kernel_json>, kPart<&KernelsOfSteps::reports, kernel_csv>,
      nullptr, kWrite<kernel_text>}},
    {"bundles",
     code_table,
     {kPart<&CodeOfProgram::report, code_view>, kPart<&CodeOfProgram::report, code_json>,
      kPart<&CodeOfProgram::report, code_csv>, nullptr, kPart<&CodeOfProgram::report, code_view>}},
    {"sweep",
     sweep_table,
     {kWrite<sweep_text>, kPart<&SweptSteps::points, sweep_json>, kPart<&SweptSteps::points, sweep_csv>, nullptr,
      kWrite<sweep_text>}},
    {"scale",
     scale_table,
     {kWrite<scale_text>, kPart<&StepAtOtherSize::result, scale_json>, nullptr, nullptr,
      kPart<&StepAtOtherSize::result, scale_view>}},
    {"passes",
     passes_table,
     {kWrite<passes_text>, kPart<&PassesOfCompile::report, passes_json>, kPart<&PassesOfCompile::report, passes_csv>,
      nullptr, kWrite<passes_text>, kPart<&PassesOfCompile::report, passes_html>}},
    {"compare-passes",
     pass_comparison_table,
     {kWrite<two_passes_text>, kPart<&PassesOfTwoCompiles::comparison, pass_comparison_json>,
      kPart<&PassesOfTwoCompiles::comparison, pass_comparison_csv>, nullptr, kWrite<two_passes_text>,
      kPart<&PassesOfTwoCompiles::comparison, pass_comparison_html>}},
    {"devices",
     device_list_table,
     {kPart<&ListedDevices::devices, describe_devices>, kPart<&ListedDevices::devices, device_list_json>,
      kPart<&ListedDevices::devices, device_list_csv>, nullptr, kPart<&ListedDevices::devices, device_list_markdown>}},
    {"device",
     device_table,
     {kWrite<show_text>, kPart<&ShownDevices::devices, devices_json>, kPart<&ShownDevices::devices, devices_csv>,
      nullptr, kPart<&ShownDevices::devices, devices_markdown>}},
};
static_assert(std::size(kQuestions) == std::variant_size_v<Found>);

}  // namespace

std::string_view to_string(AnswerFormat format) { return kFormatNames[static_cast<std::size_t>(format)]; }

std::optional<AnswerFormat> answer_format_from_string(std::string_view text) {
  const auto* found = std::find(std::begin(kFormatNames), std::end(kFormatNames), text);
  if (found == std::end(kFormatNames)) return std::nullopt;
  return static_cast<AnswerFormat>(found - std::begin(kFormatNames));
}

std::string Question::formats() const {
  std::string names;
  for (std::size_t i = 0; i < kAnswerFormatCount; ++i) {
    if (writers[i] != nullptr) names += (names.empty() ? "" : "|") + std::string(kFormatNames[i]);
  }
  return names;
}

std::span<const Question> questions() { return kQuestions; }

absl::StatusOr<const Question*> find_question(std::string_view name) {
  for (const Question& question : kQuestions) {
    if (question.name == name) return &question;
  }
  const auto add_name = [](std::string* out, const Question& question) { *out += question.name; };
  return invalid_argument("unknown question '" + std::string(name) + "'; there are " +
                          absl::StrJoin(kQuestions, ", ", add_name));
}

std::string formats_of(std::string_view question) { return find_question(question).value()->formats(); }

absl::StatusOr<std::string> answer_text(const Found& found, AnswerFormat format, const ViewOptions& view) {
  const Question& question = kQuestions[found.index()];
  const WriteAnswer write = question.writer(format);
  if (write == nullptr) {
    return invalid_argument(std::string(question.name) + " has no " + std::string(to_string(format)) + ", only " +
                            question.formats());
  }
  ViewOptions options = view;
  options.markdown = format == AnswerFormat::kMarkdown;
  return write(found, options);
}

absl::StatusOr<TextAndJson> answer_as_text_and_json(const Found& found, const ViewOptions& view) {
  absl::StatusOr<std::string> text = answer_text(found, AnswerFormat::kText, view);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::string> json = answer_text(found, AnswerFormat::kJson, view);
  if (!json.ok()) return json.status();
  return TextAndJson{*std::move(text), *std::move(json)};
}

}  // namespace hloroof::internal::inline answer

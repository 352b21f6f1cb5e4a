// The questions that hloroof answers, a row for each: its result with the fields, and how the answer is written in each
// format. The fronts find a result, each in its way, and leave the rest to the row.
#ifndef HLOROOF_LIB_ANSWER_ANSWER_H_
#define HLOROOF_LIB_ANSWER_ANSWER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/explain/code_report.h"
#include "lib/explain/kernel_report.h"
#include "lib/lint/lint.h"
#include "lib/measured/compare.h"
#include "lib/report/sweep.h"
#include "lib/report/views.h"
#include "lib/scale/scale.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/diff.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline answer {

// In the order in which --help lists them.
enum class AnswerFormat : std::uint8_t { kText, kJson, kCsv, kSarif, kMarkdown, kHtml, kTrace };
inline constexpr std::size_t kAnswerFormatCount = 7;

// "text", "json", ...
std::string_view to_string(AnswerFormat format);
std::optional<AnswerFormat> answer_format_from_string(std::string_view text);

// What the front has found for each question, and so what the question takes. They refer to it; it must outlive them.
struct PredictedStep {
  const StepPrediction* prediction = nullptr;  // for HTML, made with resource_what_ifs
};
struct ExplainedOp {
  const StepPrediction* prediction = nullptr;  // with its facts
  std::string_view op;
};
struct LintedSteps {
  const LintReport* report = nullptr;
};
struct ComparedSteps {
  const Difference* difference = nullptr;
};
struct MeasuredStep {
  const StepPrediction* prediction = nullptr;
  const ProfileComparison* comparison = nullptr;
};
struct MemoryOfSteps {
  const std::vector<NamedPrediction>* predictions = nullptr;
};
struct KernelsOfSteps {
  const std::vector<KernelReport>* reports = nullptr;
};
struct CodeOfProgram {
  const CodeReport* report = nullptr;
};
struct SweptSteps {
  const std::vector<SweepPoint>* points = nullptr;
  SweepOrder order = SweepOrder::kGiven;
};
struct StepAtOtherSize {
  const ScaleResult* result = nullptr;  // with the facts of its prediction
};
struct PassesOfCompile {
  const PassReport* report = nullptr;
  bool all = false;  // also those that changed nothing
};
struct PassesOfTwoCompiles {
  const PassComparison* comparison = nullptr;
  bool all = false;
};
struct ListedDevices {
  const std::vector<Device>* devices = nullptr;
};
struct ShownDevices {
  const std::vector<Device>* devices = nullptr;
};
using Found = std::variant<PredictedStep, ExplainedOp, LintedSteps, ComparedSteps, MeasuredStep, MemoryOfSteps,
                           KernelsOfSteps, CodeOfProgram, SweptSteps, StepAtOtherSize, PassesOfCompile,
                           PassesOfTwoCompiles, ListedDevices, ShownDevices>;

// `view` has the width and colors of text and the limit of rows.
using WriteAnswer = absl::StatusOr<std::string> (*)(const Found& found, const ViewOptions& view);

struct Question {
  std::string_view name;
  ResultTable (*table)() = nullptr;                       // the fields of its JSON
  std::array<WriteAnswer, kAnswerFormatCount> writers{};  // null: no such format

  WriteAnswer writer(AnswerFormat format) const { return writers[static_cast<std::size_t>(format)]; }
  // The names of its formats as an option has them: "text|json|csv".
  std::string formats() const;
};

// In the order of the alternatives of Found.
std::span<const Question> questions();

// The row `name`. Errors: InvalidArgument that lists the questions.
absl::StatusOr<const Question*> find_question(std::string_view name);

// The formats of a question. There must be one of this name.
std::string formats_of(std::string_view question);

// Writes a result in one format, and computes no other. Markdown sets view.markdown, text clears it. Errors:
// InvalidArgument for a format that the question does not have; NotFound for an op that the program does not have.
absl::StatusOr<std::string> answer_text(const Found& found, AnswerFormat format, const ViewOptions& view = {});

// For a front that gives both to its user.
struct TextAndJson {
  std::string text;
  std::string json;
};
absl::StatusOr<TextAndJson> answer_as_text_and_json(const Found& found, const ViewOptions& view = {});

}  // namespace hloroof::internal::inline answer

#endif  // HLOROOF_LIB_ANSWER_ANSWER_H_

#include "lib/answer/answer.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "lib/hardware/named_target.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kHlo[] = R"(HloModule m, is_scheduled=true

ENTRY e {
  p = f32[64,128] parameter(0)
  ROOT r = f32[64,128] negate(p)
}
)";

constexpr AnswerFormat kFormats[] = {AnswerFormat::kText,  AnswerFormat::kJson,     AnswerFormat::kCsv,
                                     AnswerFormat::kSarif, AnswerFormat::kMarkdown, AnswerFormat::kHtml,
                                     AnswerFormat::kTrace};

// One result for each question.
struct Results {
  Module module = parse_module(kHlo).value();
  Target target = named_target("tpu_v5e").value();
  StepPrediction step = predict_step_time(module, target, {}).value();
  LintReport lint;
  Difference difference = find_difference(step, step, {});
  ProfileComparison comparison;
  std::vector<NamedPrediction> named = {{"m.hlo", step}, {"n.hlo", step}};
  std::vector<KernelReport> kernels = {kernel_report("m.hlo", step)};
  CodeReport code = {"dump", "tpu_v5e", 1.5e9, 7e11, 1e-6, {CodeRow()}};
  std::vector<SweepPoint> points = {make_sweep_point("m.hlo", step, {target})};
  ScaleResult scaled = {"m", "tpu_v5e", "2x4", "4x4", {}, {}, {}, step};
  PassReport passes;
  PassComparison two_passes;
  std::vector<Device> devices = {target.device};

  std::vector<Found> all() const {
    return {PredictedStep{&step},
            ExplainedOp{&step, "r"},
            LintedSteps{&lint},
            ComparedSteps{&difference},
            MeasuredStep{&step, &comparison},
            MemoryOfSteps{&named},
            KernelsOfSteps{&kernels},
            CodeOfProgram{&code},
            SweptSteps{&points},
            StepAtOtherSize{&scaled},
            PassesOfCompile{&passes},
            PassesOfTwoCompiles{&two_passes},
            ListedDevices{&devices},
            ShownDevices{&devices}};
  }
};

TEST_CASE("every question answers in each of its formats and refuses the others") {
  const Results results;
  const std::vector<Found> all = results.all();
  REQUIRE(all.size() == questions().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Question& question = questions()[i];
    REQUIRE(all[i].index() == i);
    for (const AnswerFormat format : kFormats) {
      CAPTURE(question.name, to_string(format));
      const absl::StatusOr<std::string> text = answer_text(all[i], format);
      CHECK(text.ok() == (question.writer(format) != nullptr));
      if (!text.ok()) {
        CHECK(absl::StrContains(text.status().message(), question.formats()));
      } else if (format == AnswerFormat::kJson) {
        // The JSON is of the schema that the row names.
        CHECK(absl::StrContains(*text, std::string(question.table().id)));
      } else if (format == AnswerFormat::kText) {
        CHECK(answer_as_text_and_json(all[i]).value().text == *text);
      }
    }
  }
}

TEST_CASE("questions have names of their own, text and JSON") {
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    CHECK(find_question(question.name).value() == &question);
    CHECK(absl::StartsWith(question.formats(), "text|json"));
  }
  CHECK(formats_of("lint") == "text|json|sarif|markdown");
  CHECK(formats_of("predict") == "text|json|csv|markdown|html|trace");
}

TEST_CASE("the message about an unknown question lists all") {
  const absl::Status status = find_question("why").status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  for (const Question& question : questions()) CHECK(absl::StrContains(status.message(), std::string(question.name)));
}

TEST_CASE("formats have names that are read again") {
  for (const AnswerFormat format : kFormats) CHECK(answer_format_from_string(to_string(format)) == format);
  CHECK_FALSE(answer_format_from_string("xml").has_value());
}

TEST_CASE("an op that the program lacks is an error in each format") {
  const Results results;
  for (const AnswerFormat format : {AnswerFormat::kText, AnswerFormat::kJson, AnswerFormat::kCsv}) {
    CHECK(answer_text(ExplainedOp{&results.step, "nothing"}, format).status().code() == absl::StatusCode::kNotFound);
  }
  CHECK_FALSE(answer_as_text_and_json(ExplainedOp{&results.step, "nothing"}).ok());
}

TEST_CASE("tables of several programs name each") {
  const Results results;
  CHECK(absl::StartsWith(answer_text(MemoryOfSteps{&results.named}, AnswerFormat::kText).value(), "m.hlo\n"));
  CHECK(absl::StartsWith(answer_text(MemoryOfSteps{&results.named}, AnswerFormat::kMarkdown).value(), "### m.hlo\n"));
  const std::vector<NamedPrediction> one = {results.named.front()};
  CHECK_FALSE(absl::StartsWith(answer_text(MemoryOfSteps{&one}, AnswerFormat::kText).value(), "m.hlo"));
}

}  // namespace
}  // namespace hloroof::internal

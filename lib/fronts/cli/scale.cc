#include "lib/scale/scale.h"

#include <memory>
#include <vector>

#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct ScaleFlags {
  std::string file;
  Request predict;
  std::vector<std::string> axes;
  std::string batch;
  std::string layers;
  std::vector<std::string> shards;
  bool as_given = false;
  AnswerFlags answer;
  std::string output;  // of the module
};

void run_scale(const ScaleFlags& flags, Context& context) {
  if (flags.output == "-") {
    return context.fail(invalid_argument("-o - would mix the module with the report; give the name of a file"));
  }
  const absl::StatusOr<ScaleRequest> request =
      parse_scale_request(flags.axes, flags.batch, flags.layers, flags.shards, flags.as_given);
  if (!request.ok()) return context.fail(request.status());
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context, LargeConstants::kKeep);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<ScaledProgram> scaled = scale_program(subject->module, *request, &subject->target.device);
  if (!scaled.ok()) return context.fail(scaled.status());
  const absl::StatusOr<ScaleResult> result =
      compare_scaled(subject->module, *scaled, subject->target, subject->options);
  if (!result.ok()) return context.fail_prediction(result.status());
  OriginWarnings(context).add(subject->file, result->prediction.diagnostics);
  if (!flags.output.empty()) {
    const absl::Status status = write_output(context, flags.output, print_module(scaled->module));
    if (!status.ok()) return context.fail(status);
  }
  write_answer(StepAtOtherSize{&*result}, flags.answer, context);
}

}  // namespace

Command scale_command(Context& context) {
  auto flags = std::make_shared<ScaleFlags>();
  Command command{
      .name = "scale",
      .text =
          "Predicts a program at another size: writes another mesh axis, batch or number of layers into it, or "
          "says where that would be another program"};
  command.positionals = {
      {.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true, .reads = Reads::kFile}};
  command.options = {
      {.names = {"--axis"},
       .argument = "NAME=SIZE",
       .text = "Give the mesh axis NAME, which may be a name that reports show, a role such as data or "
               "tensor, or an index, SIZE devices. The batch of each device and the model stay. May be "
               "repeated",
       .target = &flags->axes},
      {.names = {"--batch"},
       .argument = "FACTOR",
       .text = "Multiply the batch of each device, by 2x, 4/3x or 0.5x",
       .target = &flags->batch},
      {.names = {"--layers"},
       .argument = "N",
       .text = "Give the loops over stacked layers N trips, or with a factor such as 2x that many times "
               "as many. A trip that computes several layers counts as one",
       .target = &flags->layers},
      {.names = {"--shard"},
       .argument = "PARAMETER=DIMENSION",
       .text = "Of this dimension of a parameter of the entry, given by number or name, each device along "
               "the axis has a part. Needed where the text does not show it; then no other dimension "
               "has parts. May be repeated",
       .target = &flags->shards},
      {.names = {"--as-given"},
       .text = "Go on, and say so, where the compiler is known or likely to make another program at the other size",
       .target = &flags->as_given},
      {.names = {"-o", "--output"},
       .argument = "OUT",
       .text = "Write the scaled module to OUT, as HLO text",
       .target = &flags->output}};
  append(command.options, prediction_options(flags->predict));
  append(command.options, {answer_format_option(flags->answer, "scale"), wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_scale(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli

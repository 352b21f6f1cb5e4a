#include "lib/scale/scale.h"

#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/report/views.h"
#include "lib/scale/scale_report.h"

namespace hloroof::internal::inline cli {
namespace {

struct ScaleFlags {
  std::string file;
  Request predict;
  std::vector<std::string> axes;
  std::string batch;
  std::int64_t layers = 0;
  std::string format = "text";
  std::string output;  // of the module
  bool wide = false;
};

absl::StatusOr<ScaleRequest> scale_request(const ScaleFlags& flags) {
  ScaleRequest request;
  for (const std::string& axis : flags.axes) {
    const std::size_t equals = axis.rfind('=');
    std::int64_t size = 0;
    if (equals == std::string::npos || !absl::SimpleAtoi(axis.substr(equals + 1), &size)) {
      return invalid_argument("--axis takes NAME=SIZE, not \"" + axis + "\"");
    }
    request.axes.emplace_back(axis.substr(0, equals), size);
  }
  if (!flags.batch.empty()) {
    const absl::StatusOr<Ratio> ratio = parse_ratio(flags.batch);
    if (!ratio.ok()) return ratio.status();
    request.batch = *ratio;
  }
  if (flags.layers > 0) request.layers = flags.layers;
  if (request.axes.empty() && !request.batch && !request.layers) {
    return invalid_argument("what to scale is not given; name it with --axis NAME=SIZE, --batch 2x or --layers N");
  }
  return request;
}

absl::StatusOr<std::string> render_scaled(const ScaleFlags& flags, const ScaleResult& result, const Context& context) {
  if (flags.format == "json") return scale_json(result);
  const TextLayout layout = context.layout(flags.format, flags.wide);
  const std::string view = scale_view(result, layout);
  if (layout.markdown) return view;
  ViewOptions options;
  static_cast<TextLayout&>(options) = layout;
  return view + "\n" + summary_view(result.prediction, options);
}

void run_scale(const ScaleFlags& flags, Context& context) {
  if (flags.output == "-") {
    return context.fail(invalid_argument("-o - would mix the module with the report; give the name of a file"));
  }
  const absl::StatusOr<ScaleRequest> request = scale_request(flags);
  if (!request.ok()) return context.fail(request.status());
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context, LargeConstants::kKeep);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<ScaledProgram> scaled = scale_program(subject->module, *request);
  if (!scaled.ok()) return context.fail(scaled.status());
  const absl::StatusOr<ScaleResult> result =
      compare_scaled(subject->module, *scaled, subject->target, subject->options);
  if (!result.ok()) return context.fail_prediction(result.status());
  OriginWarnings(context).add(subject->file, result->prediction.diagnostics);
  if (!flags.output.empty()) {
    const absl::Status status = write_output(context, flags.output, print_module(scaled->module));
    if (!status.ok()) return context.fail(status);
  }
  const absl::StatusOr<std::string> text = render_scaled(flags, *result, context);
  if (!text.ok()) return context.fail(text.status());
  const absl::Status status = write_output(context, "", *text);
  if (!status.ok()) context.fail(status);
}

}  // namespace

Command scale_command(Context& context) {
  auto flags = std::make_shared<ScaleFlags>();
  Command command{
      .name = "scale",
      .text =
          "Predicts a program at another size: writes another mesh axis, batch or number of layers into it, or "
          "says where that would be another program"};
  command.positionals = {{.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true}};
  command.options = {{.names = {"--axis"},
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
                      .text = "Give the loops over stacked layers N layers",
                      .target = &flags->layers,
                      .least = 1},
                     {.names = {"-o", "--output"},
                      .argument = "OUT",
                      .text = "Write the scaled module to OUT, as HLO text",
                      .target = &flags->output}};
  append(command.options, prediction_options(flags->predict));
  append(command.options, {format_option(flags->format, "text|json|markdown"), wide_option(flags->wide)});
  command.run = [flags, &context] { run_scale(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli

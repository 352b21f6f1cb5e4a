#include "lib/fronts/cli/answer_command.h"

namespace hloroof::internal::inline cli {

Option answer_format_option(AnswerFlags& flags, std::string_view question, const std::string& remark) {
  return format_option(flags.format, formats_of(question), remark);
}

bool write_answer(const Found& found, const AnswerFlags& flags, Context& context) {
  ViewOptions view;
  view.width = context.width(flags.wide, flags.output);
  view.color = context.terminal.color && flags.output.empty();
  view.rows.limit = flags.limit;
  const AnswerFormat format = *answer_format_from_string(flags.format);  // the parser accepts no other value
  const absl::StatusOr<std::string> text = answer_text(found, format, view);
  const absl::Status status = text.ok() ? write_output(context, flags.output, *text) : text.status();
  if (!status.ok()) context.fail(status);
  return status.ok();
}

}  // namespace hloroof::internal::inline cli

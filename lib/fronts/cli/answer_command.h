// What the commands that answer one question (lib/answer) have in common: how they write the answer.
#ifndef HLOROOF_LIB_FRONTS_CLI_ANSWER_COMMAND_H_
#define HLOROOF_LIB_FRONTS_CLI_ANSWER_COMMAND_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/answer/answer.h"
#include "lib/fronts/cli/common_options.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {

struct AnswerFlags {
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

// --format with the formats of a question.
Option answer_format_option(AnswerFlags& flags, std::string_view question, const std::string& remark = "");

// Writes the answer to where the flags say. False if that fails, which context.exit_code then says.
bool write_answer(const Found& found, const AnswerFlags& flags, Context& context);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_ANSWER_COMMAND_H_

// Prints a module with comments, which no parser of HLO text reads.
#ifndef HLOROOF_LIB_TEXT_PRINT_COMMENTS_H_
#define HLOROOF_LIB_TEXT_PRINT_COMMENTS_H_

#include <functional>
#include <string>
#include <string_view>

#include "hloroof/module.h"
#include "hloroof/print.h"

namespace hloroof::internal::inline text {

// The texts must be comments or blank; comment_text() makes a text fit into one.
struct PrintComments {
  std::function<std::string_view(ComputationView)> above;    // whole lines
  std::function<std::string_view(InstructionView)> leading;  // the beginning of the line of an instruction
};

// The module as print_module() prints it, with the comments. Bodies that the options print inline have none.
std::string print_with_comments(const Module& module, const PrintOptions& options, const PrintComments& comments);

// `text` without what ends a comment or what a reader of comments may refuse: a control character or one that is not
// ASCII becomes a question mark, and the slash after an asterisk becomes a bar.
std::string comment_text(std::string_view text);

}  // namespace hloroof::internal::inline text

#endif  // HLOROOF_LIB_TEXT_PRINT_COMMENTS_H_

// Shows the progress of a long run, only on a terminal.
#ifndef HLOROOF_LIB_FRONTS_CLI_PROGRESS_H_
#define HLOROOF_LIB_FRONTS_CLI_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string_view>

#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {

// One line on context.err, overwritten at each step and erased at the end. Nothing is written if err is not a terminal,
// if there is only one step, or before Terminal::progress_after has passed.
class Progress {
 public:
  Progress(Context& context, std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  // Starts the next step. `what` is truncated to the width of the line.
  void step(std::string_view what);
  // Erases the line, so that messages may follow.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  Context& context_;
  std::size_t steps_;
  std::size_t done_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_;  // when the line was last written
  bool is_shown_ = false;
};

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_PROGRESS_H_

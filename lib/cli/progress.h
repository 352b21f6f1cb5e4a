// How far a long run has come, on a terminal alone.
#ifndef HLOROOF_LIB_CLI_PROGRESS_H_
#define HLOROOF_LIB_CLI_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string_view>

#include "lib/cli/context.h"

namespace hloroof::inline v0 {

// One line on context.err that is written over as the work goes on and goes when it ends. Nothing at all where err is
// no terminal, for a single step, and before the work has taken Terminal::progress_after.
class Progress {
 public:
  Progress(Context& context, std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  // The next step begins; `what` is shortened to what fits the line.
  void step(std::string_view what);
  // Takes the line away; messages may follow.
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

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_PROGRESS_H_

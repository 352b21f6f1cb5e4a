#include "lib/fronts/cli/progress.h"

#include <string>

#include "lib/describe/table.h"

namespace hloroof::internal::inline cli {
namespace {

constexpr std::size_t kLineWidth = 79;  // a line of 80 would wrap on some terminals
constexpr std::size_t kBar = 20;
constexpr std::chrono::milliseconds kBetween{50};  // the eye cannot follow more frequent updates

}  // namespace

Progress::Progress(Context& context, std::size_t steps) : context_(context), steps_(steps) {}

void Progress::step(std::string_view what) {
  const std::size_t number = ++done_;
  if (!context_.terminal.err_is_terminal || steps_ < 2) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < context_.terminal.progress_after || (is_shown_ && now - shown_ < kBetween)) return;
  const std::size_t filled = kBar * (number - 1) / steps_;
  std::string line = "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] " + std::to_string(number) +
                     "/" + std::to_string(steps_) + " ";
  line += shorten(what, kLineWidth - line.size());
  line.resize(kLineWidth, ' ');
  context_.err << '\r' << line << std::flush;
  shown_ = now;
  is_shown_ = true;
}

void Progress::end() {
  if (!is_shown_) return;
  context_.err << '\r' << std::string(kLineWidth, ' ') << '\r' << std::flush;
  is_shown_ = false;
}

}  // namespace hloroof::internal::inline cli

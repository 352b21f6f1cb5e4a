// Reads arbitrary profiles. The result must be ops with times, or a message.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lib/profile/measured_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<hloroof::internal::MeasuredProfile> profile = hloroof::internal::read_profile(text, "fuzzed");
  if (!profile.ok()) {
    // A message must not be empty or repeat a long text.
    if (profile.status().message().empty() || profile.status().message().size() > 20'000) std::abort();
    return 0;
  }
  if (profile->format.empty() || profile->programs.empty()) std::abort();
  for (const hloroof::internal::MeasuredProgram& program : profile->programs) {
    if (program.ops.empty() || !std::isfinite(program.executions) || !std::isfinite(program.wall_seconds)) std::abort();
    std::unordered_set<std::string_view> names;
    for (const hloroof::internal::MeasuredOp& op : program.ops) {
      if (op.name.empty() || op.name.find(' ') != std::string::npos || !names.insert(op.name).second) std::abort();
      if (!std::isfinite(op.seconds) || op.seconds < 0 || !std::isfinite(op.occurrences)) std::abort();
    }
  }
  return 0;
}

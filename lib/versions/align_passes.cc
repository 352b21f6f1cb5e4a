#include "lib/versions/align_passes.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace hloroof::internal::inline versions {
namespace {

// One byte for each pair of states. A compile of a large program has some hundred.
constexpr std::size_t kMostPairs = std::size_t{1} << 26;

// A pair counts more if the programs are the same too. It never counts as much as two pairs.
constexpr std::uint32_t kSamePass = 4;
constexpr std::uint32_t kSameProgram = 1;

enum class Advance : std::uint8_t { kPair, kBefore, kAfter };

std::uint32_t likeness(const PassRow& before, const PassRow& after) {
  if (before.pass != after.pass || before.pipeline != after.pipeline) return 0;
  const bool is_same = before.error.empty() && after.error.empty() && before.program == after.program;
  return kSamePass + (is_same ? kSameProgram : 0);
}

}  // namespace

absl::StatusOr<std::vector<AlignedPass>> align_passes(absl::Span<const PassRow> before,
                                                      absl::Span<const PassRow> after) {
  const std::size_t width = after.size() + 1;
  if (before.size() + 1 > kMostPairs / width) {
    return absl::ResourceExhaustedError(absl::StrCat("the compiles have ", before.size(), " and ", after.size(),
                                                     " states, too many to align; dump fewer "
                                                     "passes with --xla_dump_hlo_pass_re"));
  }
  // moves[i * width + j] is the best move if the states before i and j are aligned.
  std::vector<Advance> moves((before.size() + 1) * width, Advance::kAfter);
  std::vector<std::uint32_t> best(width);  // of the row below, then of this one
  for (std::size_t i = before.size(); i-- > 0;) {
    std::uint32_t diagonal = best[after.size()];  // best of (i + 1, j + 1)
    moves[i * width + after.size()] = Advance::kBefore;
    for (std::size_t j = after.size(); j-- > 0;) {
      const std::uint32_t pair = likeness(before[i], after[j]);
      const std::uint32_t with_pair = pair > 0 ? diagonal + pair : 0;
      const std::uint32_t most = std::max({with_pair, best[j], best[j + 1]});
      diagonal = best[j];
      moves[i * width + j] = pair > 0 && most == with_pair ? Advance::kPair
                             : most == best[j]             ? Advance::kBefore
                                                           : Advance::kAfter;
      best[j] = most;
    }
  }
  std::vector<AlignedPass> aligned;
  aligned.reserve(before.size() + after.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const Advance move = moves[i * width + j];
    AlignedPass& pass = aligned.emplace_back();
    if (move != Advance::kAfter) pass.before = i++;
    if (move != Advance::kBefore) pass.after = j++;
  }
  return aligned;
}

}  // namespace hloroof::internal::inline versions

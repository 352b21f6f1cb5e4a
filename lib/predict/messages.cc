#include "lib/predict/messages.h"

#include <map>
#include <tuple>
#include <utility>

#include "hloroof/attribute_values.h"

namespace hloroof::inline v0 {
namespace {

// What a send and the receive of the same message have in common: where they stand, their channel, and who sends to
// whom. XLA gives both halves of a permutation that it takes apart the same channel and pairs
// (openxla/xla xla/service/collective_permute_decomposer.cc).
using Message = std::tuple<std::uint32_t, std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>;

constexpr std::int64_t kNoChannel = -1;

}  // namespace

void join_messages(const Module& module, const CollectiveCosts& collectives, Costs& costs) {
  std::map<Message, std::pair<std::vector<InstructionId>, std::vector<InstructionId>>> halves;  // sent, received
  for (const Collective& collective : collectives.collectives) {  // in the order of the text
    if (collective.kind != CollectiveKind::kSend && collective.kind != CollectiveKind::kRecv) continue;
    const InstructionView half = module.instruction(collective.instruction);
    if (half.id() != collective.carrier || collectives.by_carrier.count(half.id().index) == 0) continue;
    const std::int64_t channel = integer(half, AttributeKey::kChannelId).value_or(kNoChannel);
    if (channel == kNoChannel && collective.pairs.empty()) continue;
    auto& [sent, received] = halves[{half.computation().id().index, channel, collective.pairs}];
    (collective.kind == CollectiveKind::kSend ? sent : received).push_back(half.id());
  }
  for (const auto& [message, pair] : halves) {
    const auto& [sent, received] = pair;
    for (std::size_t i = 0; i < sent.size() && i < received.size(); ++i) {
      Demand& demand = costs.demand[received[i].index];
      demand.carried_by = sent[i];
      demand.seconds = 0;
      demand.busy = {};
    }
  }
}

}  // namespace hloroof::inline v0

#include "lib/step/messages.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analysis/megascale.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline step {
namespace {

// The key that a send and the receive of the same message share: their computation, their channel, and the
// (source, target) pairs. When XLA decomposes a permutation, it gives both halves the same channel and pairs
// (openxla/xla xla/service/collective_permute_decomposer.cc).
using Message = std::tuple<std::uint32_t, std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>;

constexpr std::int64_t kNoChannel = -1;

}  // namespace

std::map<std::uint32_t, InstructionId> join_messages(const Module& module, const CollectiveCosts& collectives) {
  std::map<Message, std::pair<std::vector<InstructionId>, std::vector<InstructionId>>> halves;  // sent, received
  for (const Collective& collective : collectives.collectives) {                                // in text order
    if (collective.kind != CollectiveKind::kSend && collective.kind != CollectiveKind::kRecv) continue;
    const InstructionView half = module.instruction(collective.instruction);
    if (half.id() != collective.carrier || !collectives.by_carrier.contains(half.id().index)) continue;
    const std::int64_t channel = integer(half, AttributeKey::kChannelId).value_or(kNoChannel);
    if (channel == kNoChannel && collective.pairs.empty()) continue;
    auto& [sent, received] = halves[{half.computation().id().index, channel, collective.pairs}];
    (collective.kind == CollectiveKind::kSend ? sent : received).push_back(half.id());
  }
  std::map<std::uint32_t, InstructionId> sends;
  for (const auto& [message, pair] : halves) {
    const auto& [sent, received] = pair;
    for (std::size_t i = 0; i < sent.size() && i < received.size(); ++i) sends[received[i].index] = sent[i];
  }
  return sends;
}

std::map<std::uint32_t, InstructionId> join_slice_transfers(const Module& module, const CollectiveCosts& collectives) {
  std::map<std::uint32_t, std::map<std::string, InstructionId>> sends;  // by computation
  std::map<std::uint32_t, InstructionId> halves;
  for (const Collective& collective : collectives.collectives) {
    if (collective.slices == 0 || !collectives.by_carrier.contains(collective.carrier.index)) continue;
    const InstructionView recv = module.instruction(collective.carrier);
    const auto [of_computation, is_new] = sends.try_emplace(recv.computation().id().index);
    if (is_new) of_computation->second = megascale_sends(recv.computation());
    const auto send = of_computation->second.find(megascale_rendezvous(recv));
    if (send == of_computation->second.end()) continue;
    if (!halves.emplace(send->second.index, recv.id()).second) continue;
    halves[recv.id().index] = send->second;
  }
  return halves;
}

Demand carried_by(InstructionId send, const Demand& demand) {
  Demand carried = demand;
  carried.carried_by = send;
  carried.seconds = 0;
  carried.busy = {};
  return carried;
}

}  // namespace hloroof::internal::inline step

// Collectives among GPUs: inside one NVLink or xGMI domain from measured rates, and across nodes over the NICs.
#ifndef HLOROOF_LIB_COST_SCALE_UP_H_
#define HLOROOF_LIB_COST_SCALE_UP_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

struct ScaleUpCost {
  double seconds = 0;  // beyond the latency
  double latency_seconds = 0;
  double wire_bytes = 0;       // sent by one device, inside its domain or out of its NIC, whichever more
  double link_bytes = 0;       // of those, over the slower of the two
  double network_seconds = 0;  // of `seconds`, if the network is the slower part; else 0
  bool assumed = false;        // a rate the device file does not give was put together from others
};

// The rates of the device for one kind; those of the all-gather where the kind has none of its own. Permutations and
// sends have rates of another form, SendRates.
const CollectiveRates& rates_of(const Device& device, CollectiveKind kind);

// Bytes one of `devices` sends for a collective of `bytes`: the full array, or what one device holds of an exchange.
double bytes_sent(CollectiveKind kind, double bytes, std::int64_t devices);

// A message of `bytes` from each device to at most one other, in a program of `devices`.
struct Send {
  double bytes = 0;
  std::int64_t devices = 2;
  bool relays = false;       // some device receives from another device than it sends to
  bool leaves_node = false;  // some message goes over the network
};
ScaleUpCost send_cost(const Device& device, const Send& send);

// Send::relays of messages from the first to the second device of each pair.
bool relays(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);

// Channels that carry one message of `bytes`, see SendRates; 1 if the number of channels is not known. That it doubles
// with the size is NCCL's rule (src/enqueue.cc, calcP2pChannelCount), and XLA's measured table shows each step of it.
double send_channels(const SendRates& rates, double bytes, std::int64_t devices);

// Any other kind of collective, with `local` members of the group in each of `nodes` domains.
ScaleUpCost scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                          std::int64_t nodes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_SCALE_UP_H_

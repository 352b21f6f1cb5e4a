// Collectives among GPUs: inside one NVLink or xGMI domain from measured rates, and across nodes over the NICs.
#ifndef HLOROOF_LIB_COST_SCALE_UP_H_
#define HLOROOF_LIB_COST_SCALE_UP_H_

#include <cstdint>

#include "hloroof/device.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

struct ScaleUpCost {
  double seconds = 0;  // beyond the latency
  double latency_seconds = 0;
  double wire_bytes = 0;       // sent by one device, inside its domain or out of its NIC, whichever more
  double network_seconds = 0;  // of `seconds`, if the network is the slower part; else 0
  bool assumed = false;        // a rate the device file does not give was put together from others
};

// The rates of the device for one kind; those of the all-gather where the kind has none of its own.
const CollectiveRates& rates_of(const Device& device, CollectiveKind kind);

// Bytes one of `devices` sends for a collective of `bytes`: the full array, or what one device holds of an exchange.
double bytes_sent(CollectiveKind kind, double bytes, std::int64_t devices);

// `local` members of the group in each of `nodes` domains.
ScaleUpCost scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                          std::int64_t nodes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_SCALE_UP_H_

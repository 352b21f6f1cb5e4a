// The number of devices that run a program.
//
// The header of a text states num_partitions and replica_count. XLA's proto has them only in its device assignment, and
// texts written by hand often lack them. A collective between all devices then has no known size.
#ifndef HLOROOF_LIB_STEP_DEVICE_COUNT_H_
#define HLOROOF_LIB_STEP_DEVICE_COUNT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline step {

struct DeviceCount {
  std::int64_t replicas = 1;
  std::int64_t partitions = 1;
  bool is_implied = false;  // by the program, which an edit may change

  friend bool operator==(const DeviceCount&, const DeviceCount&) = default;
};

// Whether the header states num_partitions or replica_count.
bool states_device_count(const Module& module);

// The counts to use in place of those of the module: PredictOptions::partitions, or, if the header states none and a
// collective is between all devices, the number that the ids of other collectives or the shardings of the parameters
// imply. A count that was inferred before and set is inferred again, because the module may have been edited. nullopt
// if the module's counts hold. Errors: InvalidArgument if the option is below 1 or contradicts the header.
absl::StatusOr<std::optional<DeviceCount>> find_device_count(const Module& module, const PredictOptions& options);

// Whether a collective is between all devices and their number is unknown.
bool has_unknown_size(const Module& module, const Collective& collective);

// The counts that the module has now.
DeviceCount device_count(const Module& module);

void set_device_count(DeviceCount count, Module& module);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_DEVICE_COUNT_H_

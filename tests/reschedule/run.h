// Modules to reschedule, and what comes of them.
#ifndef HLOROOF_TESTS_RESCHEDULE_RUN_H_
#define HLOROOF_TESTS_RESCHEDULE_RUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/reschedule/search.h"
#include "tests/catch.h"

namespace hloroof::internal {

// A scheduled program of eight devices with the instructions of its entry, one a line.
inline std::string scheduled(std::string_view instructions) {
  return "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY %main {\n" + std::string(instructions) + "}\n";
}

// The attributes of collectives between all devices.
inline std::string over_all(int channel) {
  return ", channel_id=" + std::to_string(channel) +
         ", replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true\n";
}

inline Module parsed(std::string_view text) {
  absl::StatusOr<Module> module = parse_module(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

// The clock never ends these searches.
inline RescheduleOptions without_clock(std::int64_t trials = 400) {
  RescheduleOptions options;
  options.seconds = 1e5;
  options.trials = trials;
  return options;
}

inline Device test_device() {
  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  return *device;
}

inline Rescheduling rescheduled(Module& module, const RescheduleOptions& options = without_clock()) {
  absl::StatusOr<Rescheduling> result = search_order(module, test_device(), options);
  INFO(result.status().message());
  REQUIRE(result.ok());
  return *std::move(result);
}

// The names of the entry's instructions in order, without the parameters: "gather dot gathered".
inline std::string order_of_entry(const Module& module) {
  std::string names;
  for (InstructionView instruction : module.entry().instructions()) {
    if (instruction.opcode() == Opcode::kParameter) continue;
    names += (names.empty() ? "" : " ") + std::string(instruction.name());
  }
  return names;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_RESCHEDULE_RUN_H_

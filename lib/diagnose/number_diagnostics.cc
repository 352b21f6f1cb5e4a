// Findings about numbers of the text that cannot be right, or that are missing: counts of devices, ids, trip counts,
// sizes and estimates.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/attributes.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/saturating.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/ir/rows.h"
#include "lib/step/device_count.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

// Larger whole numbers are not exact as floating-point numbers.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
// Far more devices than any machine has.
constexpr std::int64_t kMostDevices = std::int64_t{1} << 32;

class NumberDiagnoser {
 public:
  explicit NumberDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis), facts_(diagnosis.facts), module_(diagnosis.module) {}

  void run() {
    header();
    product_of_counts();
    device_count();
    group_ids();
    trip_counts();
    sizes();
    estimates();
  }

 private:
  void impossible(InstructionView instruction, std::string_view cause, std::string message) {
    diagnosis_.add({.code = kImpossibleNumber,
                    .severity = Severity::kError,
                    .message = std::move(message),
                    .cause = std::string(cause),
                    .op = std::string(instruction.name()),
                    .parts = {{TimePart::Kind::kWork, instruction.id(), {}}}});
  }

  void header() {
    const std::pair<const char*, std::int64_t> counts[] = {{"num_partitions", module_.num_partitions()},
                                                           {"replica_count", module_.replica_count()}};
    for (const auto& [name, count] : counts) {
      if (count >= 1) continue;
      diagnosis_.add({.code = kImpossibleNumber,
                      .severity = Severity::kError,
                      .message = absl::StrCat("the HloModule line states ", name, "=", count,
                                              ": expected at least 1, which is assumed"),
                      .cause = name});
    }
  }

  void product_of_counts() {
    if (module_.num_partitions() < 1 || module_.replica_count() < 1 ||
        saturating_multiply(module_.num_partitions(), module_.replica_count()) <= kMostDevices) {
      return;
    }
    diagnosis_.add({.code = kImpossibleNumber,
                    .severity = Severity::kError,
                    .message = absl::StrCat("the HloModule line states ", module_.replica_count(), " replicas of ",
                                            module_.num_partitions(), " partitions: expected at most ", kMostDevices,
                                            " devices in all, more than any machine has"),
                    .cause = "number of devices"});
  }

  void device_count() {
    if (states_device_count(module_) || facts_.options.partitions) return;
    for (const Collective& collective : facts_.collectives.collectives) {
      if (collective.slices > 0 || !collective.groups.all_devices) continue;
      const std::int64_t devices = collective.groups.group_size;
      const InstructionView instruction = module_.instruction(collective.carrier);
      diagnosis_.add(
          {.code = kUnknownDeviceCount,
           .severity = devices > 1 ? Severity::kInfo : Severity::kWarning,
           .message = devices > 1
                          ? absl::StrCat("the text does not state num_partitions: ", devices,
                                         " devices are taken from its other replica groups and shardings. "
                                         "--partitions states their number")
                          : std::string("this collective is between all devices, and the text does not state how many "
                                        "there are: one is assumed, so that it costs nothing. --partitions states "
                                        "their number"),
           .cause = "num_partitions",
           .op = std::string(instruction.name()),
           .parts = {{TimePart::Kind::kWork, instruction.id(), {}}}});
    }
  }

  void group_ids() {
    for (const Collective& collective : facts_.collectives.collectives) {
      std::int64_t least = 0;
      for (const std::vector<std::int64_t>& group : collective.groups.members) {
        for (const std::int64_t id : group) least = std::min(least, id);
      }
      for (const auto& [source, target] : collective.pairs) least = std::min({least, source, target});
      if (least >= 0) continue;
      const InstructionView instruction = module_.instruction(collective.instruction);
      impossible(instruction, "negative id",
                 absl::StrCat("the device id ", least, " of ", std::string(instruction.name()),
                              " is negative: expected ids from 0. Its time is that of arbitrary devices"));
    }
  }

  void trip_counts() {
    for (const CallGraph::Loop& loop : facts_.calls.loops()) {
      if (loop.trips.value <= kMostExact) continue;
      const InstructionView instruction = module_.instruction(loop.instruction);
      impossible(instruction, "trip count",
                 absl::StrCat("the loop ", std::string(instruction.name()), " runs ", loop.trips.value,
                              " times, which no step does; the step time is not exact above 2^53. --trip-count states "
                              "another number"));
    }
  }

  // Sizes beyond 2^63 saturate.
  void sizes() {
    std::vector<bool> seen(module_.shapes().size(), false);
    for (ComputationId id : CallFacts::scheduled(facts_.calls)) {
      for (InstructionView instruction : module_.computation(id).instructions()) {
        const std::uint32_t shape = instruction.shape_id().index;
        if (seen[shape]) continue;
        seen[shape] = true;
        for (const ShapeId leaf : module_.shapes().leaves(instruction.shape_id())) {
          const Shape& array = module_.shape(leaf);
          if (!array.is_array() || padded_bytes(array) < kSaturated) continue;
          impossible(instruction, "size",
                     absl::StrCat("the array of ", std::string(instruction.name()),
                                  " has more than 2^63 bytes with its padding: its size is too large to count, and "
                                  "the time of ops that use it means nothing"));
          break;
        }
      }
    }
  }

  void estimates() {
    if (facts_.options.estimates != EstimateSource::kCompiler) return;
    for (ComputationId id : CallFacts::scheduled(facts_.calls)) {
      for (InstructionView instruction : module_.computation(id).instructions()) {
        const std::optional<std::int64_t> cycles = estimated_cycles(instruction);
        if (!cycles || *cycles >= 0) continue;
        impossible(instruction, "estimated_cycles",
                   absl::StrCat("estimated_cycles of ", std::string(instruction.name()), " is ", *cycles,
                                ": expected at least 0. The time of the model is used instead"));
      }
    }
  }

  Diagnosis& diagnosis_;
  const StepFacts& facts_;
  const Module& module_;
};

}  // namespace

void diagnose_numbers(Diagnosis& diagnosis) { NumberDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose

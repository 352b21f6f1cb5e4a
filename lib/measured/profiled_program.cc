#include "lib/measured/profiled_program.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/device.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/input/module_file.h"

namespace hloroof::internal::inline measured {
namespace {

constexpr double kSameMemory = 0.08;  // a GPU reports less than its nominal memory

double seconds_in_ops(const MeasuredProgram& program) {
  double seconds = 0;
  for (const MeasuredOp& op : program.ops) seconds += op.seconds;
  return seconds;
}

// The built-in GPUs with this compute capability ("sm_90"; the devices say "sm_90a") and this memory.
std::vector<std::string> gpus_like(const MeasuredProfile& profile) {
  std::vector<std::string> found;
  const std::vector<std::string> names = device_names();
  found.reserve(names.size());
  for (const std::string& name : names) {
    const absl::StatusOr<Target> target = find_target(name);
    if (!target.ok() || target->device.family() != DeviceFamily::kGpu) continue;
    std::string_view architecture = target->device.architecture;
    if (!architecture.empty() && architecture.back() == 'a') architecture.remove_suffix(1);
    if (architecture != profile.device_kind) continue;
    const double capacity = target->device.hbm.capacity;
    if (profile.memory_bytes > 0 && std::abs(profile.memory_bytes / capacity - 1) > kSameMemory) continue;
    found.push_back(name);
  }
  return found;
}

}  // namespace

const MeasuredProgram& longest_program(const MeasuredProfile& profile) {
  const MeasuredProgram* longest = &profile.programs.front();
  for (const MeasuredProgram& program : profile.programs) {
    if (seconds_in_ops(program) > seconds_in_ops(*longest)) longest = &program;
  }
  return *longest;
}

absl::StatusOr<Module> profiled_module(const MeasuredProfile& profile, const ParseOptions& options) {
  const MeasuredProgram& longest = longest_program(profile);
  if (longest.module.empty()) {
    return not_found(absl::StrCat(options.path, ": the profile does not have the HLO of ",
                                  longest.name.empty() ? "its program" : longest.name,
                                  "; give the module as well: hloroof compare FILE --profile ", options.path));
  }
  const std::string path = absl::StrCat(options.path, "#", longest.name);
  absl::StatusOr<LoadedModule> loaded = parse_module_file(SourceText::copy(longest.module, path), "", options);
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->module);
}

absl::StatusOr<std::string> profiled_device(const MeasuredProfile& profile) {
  switch (profile.backend) {
    case ProfiledBackend::kTpu: {
      if (profile.device_kind.empty()) break;
      const absl::StatusOr<Target> target = find_target(profile.device_kind);
      if (!target.ok()) return target.status();
      return target->device.name;
    }
    case ProfiledBackend::kGpu: {
      const std::vector<std::string> gpus = gpus_like(profile);
      if (gpus.size() == 1) return gpus.front();
      return not_found(absl::StrCat("the profile is of a GPU of the architecture ", profile.device_kind,
                                    ", which --device must name",
                                    gpus.empty() ? "" : "; it may be one of " + absl::StrJoin(gpus, ", ")));
    }
    case ProfiledBackend::kCpu:
      return "cpu";  // whose numbers a profile does not say: data/hardware/cpu.json assumes them
    case ProfiledBackend::kUnknown: break;
  }
  return not_found("the profile does not say on which device it was taken: --device must name it");
}

}  // namespace hloroof::internal::inline measured

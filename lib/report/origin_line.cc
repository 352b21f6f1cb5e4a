#include "lib/report/origin_line.h"

#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace hloroof::internal::inline report {
namespace {

// "TPU v4 or v5p"; "TPU" if too many generations are possible for a line.
std::string backend_text(const ModuleOrigin& origin) {
  constexpr std::size_t kMostGenerations = 3;
  constexpr std::string_view kPrefix = "tpu_";
  switch (origin.backend) {
    case Backend::kUnknown: return "unknown backend";
    case Backend::kGpu: return "GPU";
    case Backend::kCpu: return "CPU";
    case Backend::kTpu: break;
  }
  if (origin.generations.empty() || origin.generations.size() > kMostGenerations) return "TPU";
  std::vector<std::string> names;
  for (const std::string& name : origin.generations) {
    names.push_back(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
  }
  return "TPU " + absl::StrJoin(names, " or ");
}

}  // namespace

std::string origin_line(const StepPrediction& p) {
  const ModuleOrigin& origin = p.origin;
  if (origin.backend == Backend::kUnknown && origin.stage == CompileStage::kUnknown) return "";
  std::string line = backend_text(origin);
  switch (origin.stage) {
    case CompileStage::kUnpartitioned:
      return line + absl::StrFormat(", not partitioned over its %d devices, not optimized", origin.sharded_over);
    case CompileStage::kUnoptimized: line += ", not optimized"; break;
    case CompileStage::kOptimized:
      line += p.is_scheduled ? ", optimized, scheduled" : ", optimized, not scheduled";
      break;
    case CompileStage::kUnknown: line += ", not scheduled"; break;
  }
  if (p.num_partitions > 1) line += absl::StrFormat(", %d partitions", p.num_partitions);
  if (p.text_slices > 1) line += absl::StrFormat(" in each of %d slices", p.text_slices);
  if (p.replica_count > 1) line += absl::StrFormat(", %d replicas", p.replica_count);
  return line;
}

}  // namespace hloroof::internal::inline report

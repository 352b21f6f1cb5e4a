// The first difference between two predictions, which must be equal to the last bit.
#ifndef HLOROOF_TESTS_PREDICT_COMPARE_H_
#define HLOROOF_TESTS_PREDICT_COMPARE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal {

inline bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// The first figure that differs, by name; empty if none does.
inline std::string difference(const StepSummary& a, const StepSummary& b) {
  const auto bits = [](double value) { return std::to_string(value); };
#define HLOROOF_COMPARE(field) \
  if (!same(a.field, b.field)) return #field ": " + bits(a.field) + " against " + bits(b.field);
  HLOROOF_COMPARE(step_seconds)
  HLOROOF_COMPARE(lower_bound_seconds)
  HLOROOF_COMPARE(serial_seconds)
  HLOROOF_COMPARE(exposed_communication_seconds)
  HLOROOF_COMPARE(flops)
  HLOROOF_COMPARE(transcendentals)
  HLOROOF_COMPARE(hbm_bytes)
  HLOROOF_COMPARE(logical_bytes)
  HLOROOF_COMPARE(padded_bytes)
  HLOROOF_COMPARE(wire_bytes)
  HLOROOF_COMPARE(modelled_share)
  HLOROOF_COMPARE(assumed_share)
  HLOROOF_COMPARE(unknown_share)
#undef HLOROOF_COMPARE
  if (a.bound != b.bound) return "bound";
  if (a.hfu != b.hfu) return "hfu";
  if (a.resources.size() != b.resources.size()) return "resources";
  for (std::size_t r = 0; r < a.resources.size(); ++r) {
    if (!same(a.resources[r].busy_seconds, b.resources[r].busy_seconds))
      return "busy " + std::string(to_string(a.resources[r].resource, a.family));
    if (!same(a.resources[r].utilization, b.resources[r].utilization)) return "utilization";
    if (!same(a.resources[r].idle_seconds, b.resources[r].idle_seconds)) return "idle";
  }
  return "";
}

inline std::string difference(const StepPrediction& a, const StepPrediction& b) {
  std::string first = difference(static_cast<const StepSummary&>(a), b);
  if (!first.empty()) return first;
  if (a.topology != b.topology || a.compiler_estimate_seconds != b.compiler_estimate_seconds) return "topology";
  if (a.ops.size() != b.ops.size()) return "ops";
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const OpPrediction& x = a.ops[i];
    const OpPrediction& y = b.ops[i];
    if (x.id != y.id || x.name != y.name || x.category != y.category || x.bound != y.bound || x.source != y.source ||
        !same(x.executions, y.executions) || !same(x.seconds, y.seconds) ||
        !same(x.exposed_seconds, y.exposed_seconds) || !same(x.critical_seconds, y.critical_seconds) ||
        !same(x.efficiency, y.efficiency) || !same(x.work->flops, y.work->flops) ||
        !same(x.work->padded_bytes, y.work->padded_bytes) || !same(x.time->wire_bytes, y.time->wire_bytes)) {
      return "op " + x.name + " against " + y.name;
    }
  }
  if (a.collectives.size() != b.collectives.size()) return "collectives";
  for (std::size_t i = 0; i < a.collectives.size(); ++i) {
    const CollectivePrediction& x = a.collectives[i];
    const CollectivePrediction& y = b.collectives[i];
    if (x.id != y.id || x.name != y.name) return "collective " + x.name + " against " + y.name;
    if (x.axes != y.axes || x.axis_names != y.axis_names) return "axes of " + x.name;
    if (x.algorithm != y.algorithm) return "algorithm of " + x.name;
    if (x.crossover_tokens != y.crossover_tokens) return "crossover of " + x.name;
    if (x.role != y.role) return "role of " + x.name;
    if (!same(x.seconds, y.seconds) || !same(x.exposed_seconds, y.exposed_seconds)) return "time of " + x.name;
  }
  if (a.mesh.size() != b.mesh.size()) return "mesh";
  for (std::size_t i = 0; i < a.mesh.size(); ++i) {
    if (a.mesh[i].name != b.mesh[i].name || a.mesh[i].roles != b.mesh[i].roles || a.mesh[i].why != b.mesh[i].why ||
        a.mesh[i].placement != b.mesh[i].placement) {
      return "mesh axis " + a.mesh[i].name;
    }
  }
  if (!same(a.memory.peak_bytes, b.memory.peak_bytes) || a.memory.hbm_over_program != b.memory.hbm_over_program) {
    return "memory";
  }
  if (a.diagnostics.size() != b.diagnostics.size()) return "diagnostics";
  for (std::size_t i = 0; i < a.diagnostics.size(); ++i) {
    if (a.diagnostics[i].message != b.diagnostics[i].message) return a.diagnostics[i].message;
  }
  if (a.timeline.size() != b.timeline.size()) return "timeline";
  for (std::size_t i = 0; i < a.timeline.size(); ++i) {
    if (a.timeline[i].id != b.timeline[i].id || !same(a.timeline[i].begin, b.timeline[i].begin)) return "timeline";
  }
  return "";
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PREDICT_COMPARE_H_

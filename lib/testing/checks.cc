// Each check is a comparison, a line with the expectation and the finding, and a view that explains a failure.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/testing.h"
#include "lib/base/units.h"
#include "lib/report/views.h"
#include "lib/versions/diff.h"

namespace hloroof::inline v0 {
using namespace internal;

namespace {

// Short views, for the logs of tests.
ViewOptions short_views() {
  ViewOptions options;
  options.width = 100;
  options.rows.limit = 5;
  return options;
}

std::string subject(const StepPrediction& step) {
  return absl::StrCat(step.module_name, " on ", step.device, step.topology.empty() ? "" : " ", step.topology);
}

CheckResult without_prediction(const Predicted& step) {
  return CheckResult::undecided(absl::StrCat("there is no prediction: ", std::string(step.error->message())));
}

// "<module> on <device>: <found>, expected <asked>", and the explanation if `ok` is false.
template <typename Explain>
CheckResult result(const StepPrediction& step, bool ok, const std::string& found, const std::string& asked,
                   const Explain& explain) {
  std::string message = absl::StrCat(subject(step), ": ", found, ", expected ", asked);
  if (!ok) absl::StrAppend(&message, "\n", explain());
  return {ok, std::move(message)};
}

std::string explain_ops(const StepPrediction& step) {
  absl::StatusOr<std::string> view = ops_view(step, short_views());
  return view.ok() ? *std::move(view) : std::string();
}

std::string explain_memory(const StepPrediction& step) { return memory_view(step, short_views()); }

std::string explain_collectives(const StepPrediction& step) { return collectives_view(step, short_views()); }

std::string explain_diagnostics(const StepPrediction& step) { return diagnostics_view(step, short_views()); }

std::string explain_resources(const StepPrediction& step) {
  std::string out;
  for (const ResourceUse& use : step.resources) {
    absl::StrAppend(
        &out, absl::StrFormat("  %-8s busy %s, %s of the step\n", std::string(to_string(use.resource, step.family)),
                              format_seconds(use.busy_seconds), format_percent(use.utilization)));
  }
  return out;
}

}  // namespace

CheckResult step_faster_than(const Predicted& predicted, double seconds) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->step_seconds < seconds, "the step takes " + format_seconds(step->step_seconds),
                "less than " + format_seconds(seconds), [&] { return explain_ops(*step); });
}

CheckResult no_slower_than(const Predicted& predicted, const Predicted& before, double tolerance) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  if (before.step == nullptr) return without_prediction(before);
  const double old_seconds = before.step->step_seconds;
  return result(*step, step->step_seconds <= old_seconds * (1 + tolerance),
                "the step takes " + format_seconds(step->step_seconds),
                absl::StrCat("at most ", format_seconds(old_seconds * (1 + tolerance)), " (",
                             format_seconds(old_seconds), " before, tolerance ", format_percent(tolerance), ")"),
                [&] {
                  DiffOptions options;
                  options.width = 100;
                  options.limit = 5;
                  options.read_modules = owns_module(*before.step) && owns_module(*step);
                  return diff_view(find_difference(*before.step, *step, options), options);
                });
}

CheckResult mfu_above(const Predicted& predicted, double share) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->mfu && *step->mfu > share,
                step->mfu ? "the MFU is " + format_percent(*step->mfu) : std::string("the MFU is unknown"),
                "above " + format_percent(share), [&] { return explain_ops(*step); });
}

CheckResult bound_by(const Predicted& predicted, std::string_view resource) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  const std::string bound(to_string(step->bound, step->family));
  return result(*step, bound == resource, "the step is bound by " + bound, std::string(resource),
                [&] { return explain_resources(*step); });
}

CheckResult exposed_communication_below(const Predicted& predicted, double seconds) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->exposed_communication_seconds < seconds,
                format_seconds(step->exposed_communication_seconds) + " of communication are exposed",
                "less than " + format_seconds(seconds), [&] { return explain_collectives(*step); });
}

CheckResult fits_in_memory(const Predicted& predicted) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->memory.fits, "the peak in HBM is " + format_bytes(step->memory.hbm_peak_bytes),
                "at most the usable " + format_bytes(step->memory.usable_bytes), [&] { return explain_memory(*step); });
}

CheckResult peak_memory_below(const Predicted& predicted, double bytes) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->memory.hbm_peak_bytes < bytes,
                "the peak in HBM is " + format_bytes(step->memory.hbm_peak_bytes), "less than " + format_bytes(bytes),
                [&] { return explain_memory(*step); });
}

CheckResult has_no_diagnostic(const Predicted& predicted, std::string_view code) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  int count = 0;
  std::string found;
  for (const Diagnostic& diagnostic : step->diagnostics) {
    if (to_string(diagnostic.code) != code) continue;
    ++count;
    absl::StrAppend(&found, "  ", diagnostic.op, diagnostic.op.empty() ? "" : ": ", diagnostic.message, "\n");
  }
  return result(*step, count == 0, absl::StrCat(count, " diagnostics [", std::string(code), "]"), "none",
                [&] { return found; });
}

CheckResult has_no_warning(const Predicted& predicted) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  int count = 0;
  for (const Diagnostic& diagnostic : step->diagnostics) count += diagnostic.severity != Severity::kInfo ? 1 : 0;
  return result(*step, count == 0, absl::StrCat(count, " warnings or errors"), "none",
                [&] { return explain_diagnostics(*step); });
}

CheckResult unknown_at_most(const Predicted& predicted, double share) {
  const StepPrediction* step = predicted.step;
  if (step == nullptr) return without_prediction(predicted);
  return result(*step, step->unknown_share <= share, format_percent(step->unknown_share) + " of the step is unknown",
                "at most " + format_percent(share), [&] { return explain_diagnostics(*step); });
}

}  // namespace hloroof::inline v0

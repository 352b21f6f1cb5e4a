#include "lib/predict/many_targets.h"

#include <utility>

#include "lib/predict/from_facts.h"
#include "lib/schedule/memory.h"
#include "lib/step/other_program.h"

namespace hloroof::internal::inline predict {

absl::StatusOr<std::unique_ptr<ManyTargets>> ManyTargets::create(const Module& module, const PredictOptions& options) {
  absl::StatusOr<ModuleFacts> facts = find_counted_facts(borrow(module), options);
  if (!facts.ok()) return facts.status();
  return std::unique_ptr<ManyTargets>(new ManyTargets(*std::move(facts)));
}

absl::StatusOr<StepPrediction> ManyTargets::predict(const Target& target, const PredictOptions& options,
                                                    Detail detail) const {
  return predict_on(of_module_, target, options, detail);
}

std::unique_ptr<ManyTargets::Parts> ManyTargets::take_parts() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!unused_.empty()) {
      std::unique_ptr<Parts> parts = std::move(unused_.back());
      unused_.pop_back();
      return parts;
    }
  }
  auto parts = std::make_unique<Parts>();
  parts->facts = facts_without_target(of_module_);
  return parts;
}

// The memory depends on the order of the instructions and on few numbers of the device.
void ManyTargets::update_memory(Parts& parts) {
  const StepFacts& facts = parts.facts;
  const Device& device = facts.target.device;
  if (!facts.schedule.empty() || !parts.memory_device || !uses_same_memory(*parts.memory_device, device)) {
    parts.memory = analyze_memory(*facts.module, facts.calls, device, facts.schedule).prediction;
    parts.memory.live_at_peak = {};
    parts.memory.donatable = {};
    parts.memory.hbm_over_program = {};
    parts.memory_device = device;
  }
  set_capacity(device, parts.memory);
}

absl::StatusOr<StepPrediction> ManyTargets::headline(const Target& target, const PredictOptions& options) {
  // `strict` reads all diagnostics.
  if (options.strict || options.resource_what_ifs || options.sensitivity) return predict(target, options);
  std::unique_ptr<Parts> parts = take_parts();
  // After an error, the parts are dropped.
  if (absl::Status status = change_target(target, options, parts->facts); !status.ok()) return status;
  if (absl::Status status = replay_sums(parts->facts); !status.ok()) return status;
  update_memory(*parts);
  StepPrediction headline = headline_from_facts(parts->facts);
  headline.memory = parts->memory;
  if (!options.allow_other_backend) {
    absl::Status status = refuse_other_backend(headline.origin, headline.module_name, parts->facts.target);
    if (!status.ok()) return status;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  unused_.push_back(std::move(parts));
  return headline;
}

}  // namespace hloroof::internal::inline predict

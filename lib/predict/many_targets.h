// Predicts one module on many targets. What does not depend on the target is found once: the call graph, the
// collectives, the work of each instruction and the asynchronous pairs.
//
//   const auto step = ManyTargets::create(module, options);
//   for (const Target& target : targets) (*step)->headline(target, options)->step_seconds;
//
// Threads: any number of threads may predict at once.
#ifndef HLOROOF_LIB_PREDICT_MANY_TARGETS_H_
#define HLOROOF_LIB_PREDICT_MANY_TARGETS_H_

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/predict/from_facts.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline predict {

class ManyTargets {
 public:
  // The module must outlive the object and the facts of its predictions. Of `options`, reads only those that concern
  // the program. Errors: those of predict_step_time about the module and these options.
  static absl::StatusOr<std::unique_ptr<ManyTargets>> create(const Module& module, const PredictOptions& options);

  // These return what predict_step_time(module, target, options) returns. The options that concern the program must be
  // those of create(). Errors: those of predict_step_time.
  // kSummary: a part of that; see from_facts.h.
  absl::StatusOr<StepPrediction> predict(const Target& target, const PredictOptions& options,
                                         Detail detail = Detail::kAll) const;
  // Only the members of headline_from_facts() and the memory without its lists. Several times as fast.
  absl::StatusOr<StepPrediction> headline(const Target& target, const PredictOptions& options);

 private:
  // The parts of one prediction, which the next one on the same thread updates.
  struct Parts {
    StepFacts facts;
    std::optional<Device> memory_device;  // `memory` is that on this device
    MemoryPrediction memory;
  };

  explicit ManyTargets(ModuleFacts of_module) : of_module_(std::move(of_module)) {}

  static void update_memory(Parts& parts);
  std::unique_ptr<Parts> take_parts();

  const ModuleFacts of_module_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Parts>> unused_;  // parts that no thread uses now
};

}  // namespace hloroof::internal::inline predict

#endif  // HLOROOF_LIB_PREDICT_MANY_TARGETS_H_

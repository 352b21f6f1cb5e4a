#include "lib/fronts/lsp/text_facts.h"

#include "lib/base/strings.h"
#include "lib/hardware/named_target.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline lsp {
namespace {

void find_names(NamedModule& named) {
  named.instructions.reserve(named.module.instruction_limit());
  for (ComputationView computation : named.module.computations()) {
    named.computations.emplace(computation.name(), computation.id());
    for (InstructionView instruction : computation.instructions()) {
      named.instructions.emplace(std::pair(computation.name(), instruction.name()), instruction.id());
    }
  }
}

// The computations that run their own ops have the time of these, and the others that of their callers.
void find_times(Predicted& predicted) {
  const Module& module = predicted.named->module;
  predicted.ops.assign(module.instruction_limit(), nullptr);
  predicted.computations.assign(module.computation_limit(), {});
  std::vector<double> of_callers(module.computation_limit(), 0);
  std::vector<double> runs_of_callers(module.computation_limit(), 0);
  std::vector<bool> has_ops(module.computation_limit(), false);
  for (const OpPrediction& op : predicted.prediction.ops) {
    if (op.id.index >= predicted.ops.size()) continue;
    predicted.ops[op.id.index] = &op;
    predicted.op_names.emplace(op.name, &op);
    const InstructionView instruction = module.instruction(op.id);
    const std::size_t own = instruction.computation().id().index;
    has_ops[own] = true;
    predicted.computations[own].seconds += op.exposed_seconds;
    for (const ComputationId called : instruction.called_computations()) {
      of_callers[called.index] += op.exposed_seconds;
      runs_of_callers[called.index] += op.executions;
    }
  }
  const StepFacts& facts = *predicted.prediction.facts;
  for (ComputationView computation : module.computations()) {
    const std::size_t i = computation.id().index;
    ComputationTime& time = predicted.computations[i];
    time.runs = has_ops[i] ? facts.executions(computation.id()) : runs_of_callers[i];
    if (!has_ops[i]) time.seconds = of_callers[i];
  }
}

}  // namespace

std::optional<InstructionView> NamedModule::find(std::string_view computation, std::string_view name) const {
  const auto found = instructions.find(std::pair(computation, name));
  if (found == instructions.end()) return std::nullopt;
  return module.instruction(found->second);
}

const OpPrediction* Predicted::op(std::string_view computation, std::string_view name) const {
  const std::optional<InstructionView> instruction = named->find(computation, name);
  return instruction ? ops[instruction->id().index] : nullptr;
}

ParseOptions parse_options(const std::string& uri) {
  ParseOptions options;
  options.path = uri;
  options.max_errors = kMostTextErrors;
  return options;
}

ParsedText parse_text(std::shared_ptr<const SourceText> text, const std::string& uri, ModuleParser& parser) {
  ParsedText result;
  auto named = std::make_shared<NamedModule>();
  if (parser.read(std::move(text), parse_options(uri), named->module)) {
    find_names(*named);
    result.named = std::move(named);
  } else {
    result.errors = parser.errors();
  }
  result.computation_begins = parser.computation_begins();
  return result;
}

PredictedText predict_text(std::shared_ptr<const NamedModule> named, const std::string& uri,
                           const EditorSettings& settings) {
  if (settings.device.empty()) {
    return {nullptr, invalid_argument("choose a device to see times: set hloroof.device")};
  }
  const absl::StatusOr<Target> target = named_target(settings.device);
  if (!target.ok()) return {nullptr, target.status()};
  PredictOptions options;
  options.allow_other_backend = true;  // it is among the findings
  if (!settings.topology.empty()) options.topology = settings.topology;
  absl::StatusOr<StepPrediction> prediction = predict_step_time(named->module, *target, options);
  if (!prediction.ok()) return {nullptr, prediction.status()};
  auto predicted = std::make_unique<Predicted>();
  predicted->named = std::move(named);
  predicted->prediction = *std::move(prediction);
  find_times(*predicted);
  Linter linter(nullptr, settings.ignored, Severity::kError, "");
  linter.add(uri, predicted->prediction);
  predicted->findings = std::move(linter.take().files.front().findings);
  return {std::move(predicted), absl::OkStatus()};
}

}  // namespace hloroof::internal::inline lsp

#include "lib/fronts/lsp/document.h"

#include <algorithm>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/hardware/named_target.h"
#include "lib/ir/module_builder.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline lsp {
namespace {

constexpr int kMostErrors = 20;

ParseOptions parse_options(const std::string& uri) {
  ParseOptions options;
  options.path = uri;
  options.max_errors = kMostErrors;
  return options;
}

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

Document::Document(std::string uri, std::string text, std::int64_t version)
    : uri_(std::move(uri)), text_(std::move(text)), version_(version), lines_(text_) {}

const Outline& Document::outline() {
  if (!outline_) outline_.emplace(text_, lines_);
  return *outline_;
}

void Document::replace(std::size_t begin, std::size_t end, std::string_view with) {
  end = std::max(begin, end);
  text_.replace(begin, end - begin, with);
  lines_.replace(text_, begin, end - begin, with.size());
  is_parsed_ = false;
  is_predicted_ = false;
  const std::size_t computation =
      outline_ ? outline_->replace(text_, lines_, begin, end - begin, with.size()) : Outline::kNone;
  const bool is_other = changed_ == Changed::kComputation && changed_computation_ != computation;
  if (computation == Outline::kNone) outline_.reset();
  if (computation == Outline::kNone || is_other || changed_ == Changed::kText) {
    changed_ = Changed::kText;
    return;
  }
  changed_ = Changed::kComputation;
  changed_computation_ = computation;
  const auto follow = [&](std::size_t& offset) {
    if (offset >= end) offset += with.size() - (end - begin);
  };
  for (TextError& error : errors_) {
    follow(error.offset);
    for (ErrorRecord& note : error.notes) follow(note.offset);
  }
}

void Document::replace_all(std::string_view with) {
  text_ = with;
  lines_ = Lines(text_);
  outline_.reset();
  is_parsed_ = false;
  is_predicted_ = false;
  changed_ = Changed::kText;
}

void Document::edit(const Json& changes, std::int64_t version, PositionUnit unit) {
  version_ = version;
  if (!changes.is_array()) return;
  for (const Json& change : changes) {
    const Json* text = internal::find(change, {"text"});
    if (text == nullptr || !text->is_string()) continue;
    const auto& with = text->get_ref<const std::string&>();
    const Json* start = internal::find(change, {"range", "start"});
    const Json* end = internal::find(change, {"range", "end"});
    if (start == nullptr || end == nullptr) {
      replace_all(with);
      continue;
    }
    const std::size_t from = lines_.offset(text_, read_position(*start), unit);
    replace(from, lines_.offset(text_, read_position(*end), unit), with);
  }
}

// Finds the errors in the changed computation. Returns false if they may depend on more than this computation: if the
// parser does not see the computations that the outline has, or if an error is outside of the bodies or above. What is
// not closed there may end in this computation.
bool Document::check_computation() {
  if (!parser_sees_outline_) return false;
  const std::vector<OutlineComputation>& computations = outline_->computations();
  const OutlineComputation& changed = computations[changed_computation_];
  for (const TextError& error : errors_) {
    const std::size_t within = outline_->computation_at(error.offset);
    const bool is_inside = within != Outline::kNone && error.offset > computations[within].head_end;
    if (!is_inside || within < changed_computation_) return false;
  }
  const auto precedes = [&](std::string_view name) { return outline_->find_computation(name) < changed_computation_; };
  const std::optional<std::size_t> next =
      parser_.read_computation(SourceText::borrow(text_, uri_), changed.begin, precedes, parse_options(uri_), scratch_);
  ModuleBuilder(scratch_).clear();  // it refers to the text
  const std::size_t after = changed_computation_ + 1;
  const std::size_t expected = after < computations.size() ? computations[after].begin : text_.size();
  if (!next || *next != expected) return false;
  std::vector<TextError> errors = parser_.errors();
  for (const TextError& error : errors) {
    if (error.offset <= changed.head_end || error.offset >= changed.end) return false;
  }
  for (TextError& error : errors_) {
    if (error.offset >= changed.end) errors.push_back(std::move(error));
  }
  if (errors.size() >= kMostErrors) return false;
  errors_ = std::move(errors);
  return true;
}

void Document::parse() {
  if (is_parsed_) return;
  is_parsed_ = true;
  changed_ = Changed::kNothing;
  errors_.clear();
  constexpr std::size_t kMostBytes = 0xfffffff0;
  if (text_.size() > kMostBytes) {
    errors_.push_back({0, "the text has more bytes than the parser reads", {}});
    return;
  }
  auto named = std::make_shared<NamedModule>();
  if (parser_.read(SourceText::copy(text_, uri_), parse_options(uri_), named->module)) {
    find_names(*named);
    named_ = std::move(named);
  } else {
    errors_ = parser_.errors();
  }
  const std::vector<std::size_t>& seen = parser_.computation_begins();
  const auto begins_at = [](std::size_t begin, const OutlineComputation& computation) {
    return begin == computation.begin;
  };
  const std::vector<OutlineComputation>& computations = outline().computations();
  parser_sees_outline_ = std::equal(seen.begin(), seen.end(), computations.begin(), computations.end(), begins_at);
}

const std::vector<TextError>& Document::errors() {
  if (changed_ == Changed::kComputation && check_computation()) changed_ = Changed::kNothing;
  if (changed_ != Changed::kNothing) parse();
  return errors_;
}

const NamedModule* Document::module() {
  if (errors().empty()) parse();
  return named_.get();
}

void Document::predict(const EditorSettings& settings) {
  if (errors().empty()) parse();
  if (is_predicted_ || named_ == nullptr || (!errors_.empty() && predicted_ != nullptr)) return;
  is_predicted_ = true;
  predicted_.reset();
  if (settings.device.empty()) {
    prediction_status_ = invalid_argument("choose a device to see times: set hloroof.device");
    return;
  }
  const absl::StatusOr<Target> target = named_target(settings.device);
  if (!target.ok()) {
    prediction_status_ = target.status();
    return;
  }
  PredictOptions options;
  options.allow_other_backend = true;  // it is among the findings
  if (!settings.topology.empty()) options.topology = settings.topology;
  absl::StatusOr<StepPrediction> prediction = predict_step_time(named_->module, *target, options);
  prediction_status_ = prediction.status();
  if (!prediction.ok()) return;
  auto predicted = std::make_unique<Predicted>();
  predicted->named = named_;
  predicted->prediction = *std::move(prediction);
  find_times(*predicted);
  Linter linter(nullptr, settings.ignored, Severity::kError, "");
  linter.add(uri_, predicted->prediction);
  predicted->findings = std::move(linter.take().files.front().findings);
  predicted_ = std::move(predicted);
}

void Document::forget_prediction() {
  predicted_.reset();
  is_predicted_ = false;
}

}  // namespace hloroof::internal::inline lsp

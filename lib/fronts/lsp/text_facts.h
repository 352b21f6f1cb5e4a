// What the parser and the model say about one text. Both take a text as it was at one time, so that they may run beside
// the thread in which the user goes on typing.
#ifndef HLOROOF_LIB_FRONTS_LSP_TEXT_FACTS_H_
#define HLOROOF_LIB_FRONTS_LSP_TEXT_FACTS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "hloroof/predict.h"
#include "lib/base/source_text.h"
#include "lib/fronts/lsp/settings.h"
#include "lib/lint/lint.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline lsp {

// A module whose instructions are found by name.
struct NamedModule {
  Module module;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, InstructionId> instructions;
  absl::flat_hash_map<std::string_view, ComputationId> computations;

  std::optional<InstructionView> find(std::string_view computation, std::string_view name) const;
};

// The time of a computation in a step: that of its own ops, or of the ops that call it.
struct ComputationTime {
  double runs = 0;
  double seconds = 0;
};

struct Predicted {
  std::shared_ptr<const NamedModule> named;
  StepPrediction prediction;
  std::vector<const OpPrediction*> ops;       // by InstructionId; null if it is not executed on its own
  std::vector<ComputationTime> computations;  // by ComputationId
  std::vector<LintFinding> findings;
  absl::flat_hash_map<std::string_view, const OpPrediction*> op_names;

  const OpPrediction* op(std::string_view computation, std::string_view name) const;
};

struct ParsedText {
  std::shared_ptr<const NamedModule> named;  // null if there are errors
  std::vector<TextError> errors;
  std::vector<std::size_t> computation_begins;  // as the parser found them
};

// How many errors of a text are shown.
inline constexpr int kMostTextErrors = 20;

// The options with which the language server reads the text at `uri`.
ParseOptions parse_options(const std::string& uri);

ParsedText parse_text(std::shared_ptr<const SourceText> text, const std::string& uri, ModuleParser& parser);

struct PredictedText {
  std::unique_ptr<const Predicted> predicted;  // null if there is no prediction
  absl::Status status;                         // why
};

PredictedText predict_text(std::shared_ptr<const NamedModule> named, const std::string& uri,
                           const EditorSettings& settings);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_TEXT_FACTS_H_

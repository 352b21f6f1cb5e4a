// One open document: its text, what the parser and the model say about it, and what they said about the last text that
// was right. Results are computed when they are asked for, and kept until the text changes.
#ifndef HLOROOF_LIB_FRONTS_LSP_DOCUMENT_H_
#define HLOROOF_LIB_FRONTS_LSP_DOCUMENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/fronts/lsp/lines.h"
#include "lib/fronts/lsp/outline.h"
#include "lib/fronts/lsp/settings.h"
#include "lib/fronts/lsp/text_facts.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline lsp {

// Which part of the text has changed since something was found out about it.
struct ChangedPart {
  enum class What { kNothing, kComputation, kText };
  What what = What::kText;
  std::size_t computation = Outline::kNone;  // of kComputation, in the outline

  // Adds a change inside the body of a computation, or anywhere if it is kNone.
  void add(std::size_t changed);
};

// The semantic tokens that were sent last, of which the next answer is a change.
struct SentTokens {
  std::uint64_t id = 0;
  std::vector<std::vector<std::uint32_t>> parts;  // of the header and of each computation; one after the other as sent
  std::size_t lines = 0;                          // of the text
  ChangedPart changed;
};

class Document {
 public:
  Document(std::string uri, std::string text, std::int64_t version);

  const std::string& uri() const { return uri_; }
  std::int64_t version() const { return version_; }
  std::string_view text() const { return text_; }
  const Lines& lines() const { return lines_; }
  const Outline& outline();

  // Applies the `contentChanges` of textDocument/didChange in their order.
  void edit(const Json& changes, std::int64_t version, PositionUnit unit);

  // The errors of the text; empty if it parses. After edits inside one computation only that is parsed again: then a
  // contradiction between this computation and another one shows when the module is read.
  const std::vector<TextError>& errors();
  // The module of the last text that parsed; null if there was none.
  const NamedModule* module();

  // Predicts the current text if it parses and has not been predicted. If it does not parse and nothing has been
  // predicted, predicts the last text that did.
  void predict(const EditorSettings& settings);
  // Does the same in another thread. Returns false if there is nothing to predict, and true while a prediction runs,
  // which may be of an earlier text.
  bool begin_prediction(const EditorSettings& settings);
  // Waits up to `time` for what begin_prediction began, and takes the result. Returns whether it has come.
  bool await_prediction(std::chrono::milliseconds time);
  // The last prediction, which may be of an earlier text; null if there was none.
  const Predicted* predicted() const { return predicted_.get(); }
  // Why the last text that parsed has no prediction.
  const absl::Status& prediction_status() const { return prediction_status_; }
  void forget_prediction();

  SentTokens sent_tokens;

 private:
  void replace(std::size_t begin, std::size_t end, std::string_view with);
  void replace_all(std::string_view with);
  bool check_computation();
  void parse();
  void take(ParsedText parsed);
  bool wants_prediction();

  // A prediction in another thread.
  struct Result {
    std::optional<ParsedText> parsed;
    PredictedText predicted;
  };
  struct Running {
    std::future<Result> result;
    std::uint64_t edits = 0;  // of the text that is predicted
    bool is_wanted = true;    // false after forget_prediction
  };
  void take(Running running);

  std::string uri_;
  std::string text_;
  std::int64_t version_;
  Lines lines_;
  std::optional<Outline> outline_;
  ModuleParser parser_;
  ChangedPart unchecked_;             // since the errors were found
  bool is_parsed_ = false;            // as a whole: named_ is of this text if it has no errors
  bool parser_sees_outline_ = false;  // the last parse as a whole found the computations of the outline, and no others
  std::vector<TextError> errors_;
  Module scratch_;  // of check_computation
  std::shared_ptr<const NamedModule> named_;
  std::unique_ptr<const Predicted> predicted_;
  absl::Status prediction_status_;
  bool is_predicted_ = false;
  std::uint64_t edits_ = 0;  // so far
  std::optional<Running> running_;
};

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_DOCUMENT_H_

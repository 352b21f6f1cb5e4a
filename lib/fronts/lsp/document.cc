#include "lib/fronts/lsp/document.h"

#include <algorithm>
#include <utility>

#include "lib/base/source_text.h"
#include "lib/ir/module_builder.h"

namespace hloroof::internal::inline lsp {

void ChangedPart::add(std::size_t changed) {
  const bool is_other = what == What::kComputation && computation != changed;
  if (changed == Outline::kNone || is_other || what == What::kText) {
    what = What::kText;
    return;
  }
  what = What::kComputation;
  computation = changed;
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
  ++edits_;
  is_parsed_ = false;
  is_predicted_ = false;
  const std::size_t computation =
      outline_ ? outline_->replace(text_, lines_, begin, end - begin, with.size()) : Outline::kNone;
  if (computation == Outline::kNone) outline_.reset();
  unchecked_.add(computation);
  sent_tokens.changed.add(computation);
  if (unchecked_.what == ChangedPart::What::kText) return;
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
  ++edits_;
  is_parsed_ = false;
  is_predicted_ = false;
  unchecked_.add(Outline::kNone);
  sent_tokens.changed.add(Outline::kNone);
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
  const std::size_t index = unchecked_.computation;
  const OutlineComputation& changed = computations[index];
  for (const TextError& error : errors_) {
    const std::size_t within = outline_->computation_at(error.offset);
    const bool is_inside = within != Outline::kNone && error.offset > computations[within].head_end;
    if (!is_inside || within < index) return false;
  }
  const auto precedes = [&](std::string_view name) { return outline_->find_computation(name) < index; };
  const std::optional<std::size_t> next =
      parser_.read_computation(SourceText::borrow(text_, uri_), changed.begin, precedes, parse_options(uri_), scratch_);
  ModuleBuilder(scratch_).clear();  // it refers to the text
  const std::size_t expected = index + 1 < computations.size() ? computations[index + 1].begin : text_.size();
  if (!next || *next != expected) return false;
  std::vector<TextError> errors = parser_.errors();
  for (const TextError& error : errors) {
    if (error.offset <= changed.head_end || error.offset >= changed.end) return false;
  }
  for (TextError& error : errors_) {
    if (error.offset >= changed.end) errors.push_back(std::move(error));
  }
  if (errors.size() >= std::size_t{kMostTextErrors}) return false;
  errors_ = std::move(errors);
  return true;
}

void Document::parse() {
  if (is_parsed_) return;
  constexpr std::size_t kMostBytes = 0xfffffff0;
  if (text_.size() > kMostBytes) {
    take(ParsedText{nullptr, {{0, "the text has more bytes than the parser reads", {}}}, {}});
  } else {
    take(parse_text(SourceText::copy(text_, uri_), uri_, parser_));
  }
}

void Document::take(ParsedText parsed) {
  is_parsed_ = true;
  unchecked_.what = ChangedPart::What::kNothing;
  errors_ = std::move(parsed.errors);
  if (parsed.named != nullptr) named_ = std::move(parsed.named);
  const std::vector<OutlineComputation>& computations = outline().computations();
  parser_sees_outline_ = std::equal(
      parsed.computation_begins.begin(), parsed.computation_begins.end(), computations.begin(), computations.end(),
      [](std::size_t begin, const OutlineComputation& computation) { return begin == computation.begin; });
}

const std::vector<TextError>& Document::errors() {
  using What = ChangedPart::What;
  if (unchecked_.what == What::kComputation && check_computation()) unchecked_.what = What::kNothing;
  if (unchecked_.what != What::kNothing) parse();
  return errors_;
}

const NamedModule* Document::module() {
  if (errors().empty()) parse();
  return named_.get();
}

// Whether there is a text to predict: the current one, or the last one that parsed if there is no prediction at all.
bool Document::wants_prediction() {
  if (is_predicted_) return false;
  return errors().empty() || (named_ != nullptr && predicted_ == nullptr);
}

void Document::predict(const EditorSettings& settings) {
  if (running_ && running_->is_wanted && running_->edits == edits_) take(*std::exchange(running_, std::nullopt));
  if (errors().empty()) parse();
  if (!wants_prediction()) return;
  is_predicted_ = true;
  PredictedText result = predict_text(named_, uri_, settings);
  predicted_ = std::move(result.predicted);
  prediction_status_ = std::move(result.status);
}

bool Document::begin_prediction(const EditorSettings& settings) {
  if (running_) return true;
  if (!wants_prediction()) return false;
  const bool has_module = is_parsed_ || !errors_.empty();
  const auto run = [uri = uri_, settings, named = named_,
                    text = has_module ? nullptr : SourceText::copy(text_, uri_)]() mutable {
    Result result;
    if (text != nullptr) {
      ModuleParser parser;
      result.parsed = parse_text(std::move(text), uri, parser);
      named = result.parsed->named;
    }
    if (named != nullptr) result.predicted = predict_text(std::move(named), uri, settings);
    return result;
  };
  // Without a further thread it runs when its result is taken.
  running_.emplace(Running{std::async(std::launch::async | std::launch::deferred, run), edits_, true});
  return true;
}

bool Document::await_prediction(std::chrono::milliseconds time) {
  if (!running_) return true;
  if (running_->result.wait_for(time) == std::future_status::timeout) return false;
  take(*std::exchange(running_, std::nullopt));
  return true;
}

void Document::take(Running running) {
  Result result = running.result.get();
  const bool is_current = running.edits == edits_;
  bool has_errors = false;
  if (result.parsed) {
    has_errors = result.parsed->named == nullptr;
    if (is_current) {
      take(*std::move(result.parsed));
    } else if (!has_errors) {
      named_ = std::move(result.parsed->named);
    }
  }
  if (!running.is_wanted) return;
  if (is_current) is_predicted_ = true;
  if (has_errors || (!is_current && result.predicted.predicted == nullptr)) return;
  predicted_ = std::move(result.predicted.predicted);
  prediction_status_ = std::move(result.predicted.status);
}

void Document::forget_prediction() {
  predicted_.reset();
  is_predicted_ = false;
  if (running_) running_->is_wanted = false;
}

}  // namespace hloroof::internal::inline lsp

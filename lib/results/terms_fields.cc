#include "lib/results/terms_fields.h"

#include <utility>

#include "lib/describe/record_json.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/names.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline results {

std::optional<Term> terms_of(const StepFacts* facts, InstructionId op) {
  if (facts == nullptr) return std::nullopt;
  Term term = execution_terms(*facts, op);
  if (!(term.seconds > 0)) return std::nullopt;
  return term;
}

void TermChildren::write_json(JsonWriter& out) const {  // NOLINT(misc-no-recursion): as deep as the formulas nest
  out.begin_array();
  for (const Term& term : *terms) write_json_value(TermRow(term), out);
  out.end_array();
}

WrittenTerms::WrittenTerms(const StepFacts* facts, absl::Span<const OpPrediction> ops)
    : facts_(facts), ops_(ops), texts_(ops.size()) {
  if (facts != nullptr) first_ = first_with_same_terms(*facts, ops);
}

void WrittenTerms::write(std::size_t i, JsonWriter& out) {
  if (facts_ == nullptr) return out.null();
  std::string& text = texts_[first_[i]];
  if (!text.empty()) return out.json(text);
  const std::size_t begin = out.text().size();
  if (const std::optional<Term> terms = terms_of(facts_, ops_[i].id)) {
    write_json_value(TermRow(*terms), out);
  } else {
    out.null();
  }
  text = out.text().substr(begin);
}

std::vector<ParameterRow> parameter_rows(const StepFacts* facts) {
  std::vector<ParameterRow> rows;
  if (facts == nullptr) return rows;
  for (Parameter& parameter : parameters(facts->target.device)) {
    if (!parameter.value) continue;
    rows.push_back({std::move(parameter.path), to_optional(parameter.value), std::move(parameter.unit),
                    word_of(kProvenanceWords, parameter.source.kind), std::move(parameter.source.source)});
  }
  return rows;
}

}  // namespace hloroof::internal::inline results

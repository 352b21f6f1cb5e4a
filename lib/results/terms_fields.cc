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

SharedTerms share_terms(const StepFacts* facts, absl::Span<const OpPrediction> ops) {
  SharedTerms shared;
  shared.of_ops.resize(ops.size());
  if (facts == nullptr) return shared;
  const std::vector<std::uint32_t> first = first_with_same_terms(*facts, ops);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (first[i] < i) {
      shared.of_ops[i] = shared.of_ops[first[i]];
    } else if (std::optional<Term> terms = terms_of(facts, ops[i].id)) {
      shared.of_ops[i] = static_cast<std::int64_t>(shared.terms.size());
      shared.terms.push_back(*std::move(terms));
    }
  }
  return shared;
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

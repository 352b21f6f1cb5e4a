#include "lib/report/terms_fields.h"
#include "lib/hardware/device_facts.h"

#include <utility>

#include "lib/hardware/names.h"
#include "lib/predict/execution_terms.h"
#include "lib/predict/facts.h"
#include "lib/report/record_json.h"

namespace hloroof::internal {

TermRow term_row(Term term) {  // NOLINT(misc-no-recursion): as deep as the formulas nest
  TermRow row;
  row.seconds = term.seconds;
  row.is_leaf = term.is_leaf();
  row.is_norm = !row.is_leaf && term.combine == Combine::kNorm;
  row.amount = term.amount;
  row.scale = term.scale();
  row.rate = 1 / row.scale;
  row.exponent = term.exponent;
  row.unit = term.unit;
  row.combine = combine_name(term.combine);
  for (const Factor& factor : term.factors) {
    row.parameters.insert(row.parameters.end(), factor.parameters.begin(), factor.parameters.end());
  }
  if (!term.exponent_parameter.empty()) row.parameters.push_back(term.exponent_parameter);
  row.name = std::move(term.name);
  row.note = std::move(term.note);
  row.children.reserve(term.children.size());
  for (Term& child : term.children) row.children.push_back(term_row(std::move(child)));
  return row;
}

std::optional<TermRow> terms_of(const StepFacts* facts, InstructionId op) {
  if (facts == nullptr) return std::nullopt;
  Term term = execution_terms(*facts, op);
  if (!(term.seconds > 0)) return std::nullopt;
  return term_row(std::move(term));
}

WrittenTerms::WrittenTerms(const StepFacts* facts, absl::Span<const OpPrediction> ops)
    : facts_(facts), ops_(ops), places_(ops.size()) {
  if (facts != nullptr) first_ = first_with_same_terms(*facts, ops);
}

void WrittenTerms::write(std::size_t i, JsonWriter& out) {
  if (facts_ == nullptr) return out.null();
  const Place& first = places_[first_[i]];
  if (first_[i] != i && first.end > first.begin) return out.repeat(first.begin, first.end);
  places_[i].begin = out.text().size();
  write_json_value(terms_of(facts_, ops_[i].id), out, DeviceFamily::kOther);
  places_[i].end = out.text().size();
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

}  // namespace hloroof::internal

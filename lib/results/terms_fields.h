// The terms of an op and the numbers of the device as fields of a prediction's JSON: `terms` and `parameters`.
#ifndef HLOROOF_LIB_RESULTS_TERMS_FIELDS_H_
#define HLOROOF_LIB_RESULTS_TERMS_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/describe/record.h"
#include "lib/time/terms.h"

namespace hloroof::internal::inline results {

struct TermRow;

// The paths of the device numbers in the rate or the scale of a term.
struct TermParameters {
  using Value = std::vector<std::string_view>;
  const Term* term = nullptr;

  // Calls visit(path) for each.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const Factor& factor : term->factors) {
      for (const std::string_view path : factor.parameters) visit(path);
    }
    if (!term->exponent_parameter.empty()) visit(term->exponent_parameter);
  }
  bool empty() const {
    bool is_empty = true;
    each([&is_empty](std::string_view) { is_empty = false; });
    return is_empty;
  }
  void write_json(JsonWriter& out) const {
    out.begin_array();
    each([&out](std::string_view path) { out.value(path); });
    out.end_array();
  }
};

struct TermChildren {
  using Value = std::vector<TermRow>;
  const std::vector<Term>* terms = nullptr;

  void write_json(JsonWriter& out) const;
};

// A Term with the numbers that the JSON has and Term computes. The term must outlive it.
struct TermRow {
  explicit TermRow(const Term& of)
      : term(of), is_leaf(of.is_leaf()), scale(of.scale()), rate(1 / scale), combine(combine_name(of.combine)) {}

  const Term& term;
  bool is_leaf;
  double scale;
  double rate;
  std::string_view combine;
  TermParameters parameters = {&term};
  TermChildren children = {&term.children};
};

// The terms of an op; nullopt if it takes no time, or if the prediction no longer has its facts.
std::optional<Term> terms_of(const StepFacts* facts, InstructionId op);

// The different terms of the ops of a prediction. Most ops have the terms of another: a module of 6,800 ops has 200.
struct SharedTerms {
  std::vector<Term> terms;                          // in the order of the ops that have them first
  std::vector<std::optional<std::int64_t>> of_ops;  // by op, the index in `terms`; nullopt if it has none
};

SharedTerms share_terms(const StepFacts* facts, absl::Span<const OpPrediction> ops);

// A number of the device that terms refer to by its path.
struct ParameterRow {
  std::string path;
  std::optional<double> value;
  std::string unit;
  std::string_view kind;
  std::string source;
};

// The known numbers of the device; none if the prediction no longer has its facts.
std::vector<ParameterRow> parameter_rows(const StepFacts* facts);

template <typename T>
OrAbsent<T> present_if(bool condition, const T& value) {
  return {condition ? &value : nullptr};
}

}  // namespace hloroof::internal::inline results

namespace hloroof::internal {

template <>
struct Described<TermRow> {
  static constexpr RecordInfo kInfo = {
      "term", "Term",
      "A part of the time of an op. A leaf takes amount / rate seconds; others combine their children."};
  static constexpr auto kFields = fields(
      field("name", "What takes the time.", [](const TermRow& row) -> const std::string& { return row.term.name; }),
      field("seconds", Unit::kSeconds, "Time of one execution.", [](const TermRow& row) { return row.term.seconds; }),
      field("amount", "Amount of work; leaves only.",
            [](const TermRow& row) { return present_if(row.is_leaf, row.term.amount); }),
      field("unit", "Unit of amount.",
            [](const TermRow& row) { return present_if(!row.term.unit.empty(), row.term.unit); }),
      field("rate", "Amount per second; leaves only.",
            [](const TermRow& row) { return present_if(row.is_leaf, row.rate); }),
      field("combine", "How the times of the children combine: sum, max, min or norm.",
            [](const TermRow& row) { return present_if(!row.is_leaf, row.combine); }),
      field("exponent", "Exponent of a norm.",
            [](const TermRow& row) {
              return present_if(!row.is_leaf && row.term.combine == Combine::kNorm, row.term.exponent);
            }),
      field("scale", "Factor of the combined time; 1 if absent.",
            [](const TermRow& row) { return present_if(!row.is_leaf && row.scale != 1, row.scale); }),
      field("parameters", "Paths of the device numbers in the rate or the scale.",
            [](const TermRow& row) { return present_if(!row.parameters.empty(), row.parameters); }),
      field("note", "Details.", [](const TermRow& row) { return present_if(!row.term.note.empty(), row.term.note); }),
      field("children", "Parts of the term.",
            [](const TermRow& row) { return present_if(!row.is_leaf, row.children); }));
};

template <>
struct Described<ParameterRow> {
  static constexpr RecordInfo kInfo = {"parameter", "Parameter", "A number of the device, with its source."};
  static constexpr auto kFields =
      fields(field("path", "Path in the device file.", &ParameterRow::path),
             field("value", "Value in SI units.", &ParameterRow::value),
             field("unit", "Unit of the value.", &ParameterRow::unit),
             field("kind", "Published, derived, fitted, assumed, or set by the user.", &ParameterRow::kind),
             field("source", "Document or measurement that the value comes from.", &ParameterRow::source));
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_RESULTS_TERMS_FIELDS_H_

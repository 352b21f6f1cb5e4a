// Writes the explanation of an instruction as JSON, CSV and Markdown.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hloroof/print.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/describe/table.h"
#include "lib/explain/code_fields.h"
#include "lib/explain/explain.h"
#include "lib/explain/kernel_fields.h"
#include "lib/explain/op_code.h"
#include "lib/results/prediction_fields.h"
#include "lib/results/step_fields.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline explain {
namespace {

constexpr std::string_view kExplanationSchema[] = {"hloroof.explanation/1"};

// An op with its terms.
struct ExplainedOpRow {
  const OpPrediction* op = nullptr;
  std::optional<Term> terms;
};

struct ExplanationDocument {
  const StepPrediction* step = nullptr;
  std::string name;
  std::string computation;
  std::string opcode;
  std::string hlo;
  std::optional<ExplainedOpRow> op;  // nullopt: not executed on its own
  std::optional<KernelRow> kernel;
  std::optional<CodeRow> code;
  std::vector<CollectivePrediction> collectives;
  std::vector<Diagnostic> diagnostics;
  std::vector<ParameterRow> parameters;
};

const StepPrediction& step_of(const ExplanationDocument& explanation) { return *explanation.step; }

// A term of the tree with its depth.
struct TermLevel {
  std::int64_t level = 0;
  const Term* term = nullptr;
};

// The term and all terms below it, each before its children.
std::vector<TermLevel> levels_of(const Term& root) {
  std::vector<TermLevel> levels;
  std::vector<TermLevel> rest = {{0, &root}};
  while (!rest.empty()) {
    const TermLevel next = rest.back();
    rest.pop_back();
    levels.push_back(next);
    const std::vector<Term>& children = next.term->children;
    for (auto child = children.rbegin(); child != children.rend(); ++child) rest.push_back({next.level + 1, &*child});
  }
  return levels;
}

const OpPrediction* executed_op(const StepPrediction& prediction, InstructionView instruction) {
  for (const OpPrediction& op : prediction.ops) {
    if (op.id == instruction.id()) return &op;
  }
  return nullptr;
}

ExplanationDocument make_document(const StepPrediction& prediction, InstructionView instruction) {
  ExplanationDocument result;
  result.step = &prediction;
  result.name = std::string(instruction.name());
  result.computation = std::string(instruction.computation().name());
  result.opcode = std::string(instruction.opcode_text());
  result.hlo = print_instruction(instruction, PrintOptions());
  if (const OpPrediction* op = executed_op(prediction, instruction)) {
    result.op = ExplainedOpRow{op, terms_of(prediction.facts.get(), op->id)};
    result.kernel = kernel_row(prediction, *op);
    result.code = op_code(prediction, *op);
  }
  for (const CollectivePrediction& collective : prediction.collectives) {
    if (collective.name == result.name) result.collectives.push_back(collective);
  }
  for (const Diagnostic& diagnostic : prediction.diagnostics) {
    const bool is_about = std::find(diagnostic.ops.begin(), diagnostic.ops.end(), result.name) != diagnostic.ops.end();
    if (is_about) result.diagnostics.push_back(diagnostic);
  }
  std::set<std::string_view> paths;
  const std::optional<Term> terms = terms_of(prediction.facts.get(), instruction.id());
  if (terms) {
    for (const TermLevel& level : levels_of(*terms)) {
      TermParameters{level.term}.each([&paths](std::string_view path) { paths.insert(path); });
    }
  }
  for (ParameterRow& row : parameter_rows(prediction.facts.get())) {
    if (paths.count(row.path) > 0) result.parameters.push_back(std::move(row));
  }
  return result;
}

}  // namespace

}  // namespace hloroof::internal::inline explain

namespace hloroof::internal {

template <>
struct Described<TermLevel> {
  static constexpr RecordInfo kInfo = {"term_level", "TermLevel", "A term of an op and its depth in the tree."};
  static constexpr auto kFields = fields(
      field("level", Unit::kCount, "Depth; 0 for the whole.", &TermLevel::level),
      field("name", "What takes the time.", [](const TermLevel& row) -> const std::string& { return row.term->name; }),
      field("seconds", Unit::kSeconds, "Time of one execution.",
            [](const TermLevel& row) { return row.term->seconds; }),
      field("amount", "Amount of work; leaves only.",
            [](const TermLevel& row) {
              return row.term->is_leaf() ? std::optional<double>(row.term->amount) : std::nullopt;
            }),
      field("unit", "Unit of amount.", [](const TermLevel& row) { return row.term->unit; }),
      field("rate", "Amount per second; leaves only.",
            [](const TermLevel& row) {
              return row.term->is_leaf() ? std::optional<double>(1 / row.term->scale()) : std::nullopt;
            }),
      field("combine", "How the times of the parts combine.",
            [](const TermLevel& row) {
              return row.term->is_leaf() ? std::string_view() : combine_name(row.term->combine);
            }),
      field("parameters", "Paths of the device numbers in the rate.",
            [](const TermLevel& row) {
              std::string paths;
              TermParameters{row.term}.each([&paths](std::string_view path) {
                if (!paths.empty()) paths += ' ';
                paths += path;
              });
              return paths;
            }),
      field("note", "Details.", [](const TermLevel& row) -> const std::string& { return row.term->note; }));
};

template <>
struct Described<ExplainedOpRow> {
  static constexpr RecordInfo kInfo = Described<OpPrediction>::kInfo;
  static constexpr auto kFields = concatenated(
      fields_of<&ExplainedOpRow::op>(Described<OpPrediction>::kFields),
      fields(field("terms", "The parts of `seconds`; null if the op takes no time.", [](const ExplainedOpRow& row) {
        return row.terms ? std::optional<TermRow>(*row.terms) : std::nullopt;
      })));
};

template <>
struct Described<ExplanationDocument> {
  using Document = ExplanationDocument;
  static constexpr RecordInfo kInfo = {"explanation", "Explanation", "One instruction and where its time goes."};
  static constexpr auto kFields = concatenated(
      fields(schema_field<kExplanationSchema>(),
             field("module", "Name of the module.", StepMember<&StepPrediction::module_name>())),
      kPlaceFields,
      fields(kStepSecondsField, field("name", "Name of the instruction, without %.", &Document::name),
             field("computation", "Computation that contains the instruction.", &Document::computation),
             field("opcode", "Opcode as the HLO text has it.", &Document::opcode),
             field("hlo", "The instruction as HLO text.", &Document::hlo),
             field("op", "The numbers of the op; null if another op executes it, such as a fusion.", &Document::op),
             field("kernel", "The Pallas kernel that the op runs; null if it runs none.", &Document::kernel),
             field("code", "The final code of the op; null without --code, or if it has none there.", &Document::code),
             field("collectives", "The collective, if the instruction is one.", &Document::collectives),
             field("diagnostics", "Findings about the instruction.", &Document::diagnostics),
             field("parameters", "The numbers of the device in the terms.", &Document::parameters)));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline explain {

absl::StatusOr<std::string> explanation_json(const StepPrediction& prediction, std::string_view name) {
  const absl::StatusOr<InstructionView> instruction = find_op(prediction, name);
  if (!instruction.ok()) return instruction.status();
  JsonWriter out;
  write_json_value(make_document(prediction, *instruction), out, prediction.family);
  return out.take_document();
}

absl::StatusOr<std::string> explanation_csv(const StepPrediction& prediction, std::string_view name) {
  const absl::StatusOr<InstructionView> instruction = find_op(prediction, name);
  if (!instruction.ok()) return instruction.status();
  const std::optional<Term> terms = terms_of(prediction.facts.get(), instruction->id());
  const std::vector<TermLevel> levels = terms ? levels_of(*terms) : std::vector<TermLevel>();
  return records_csv(levels);
}

absl::StatusOr<std::string> explanation_markdown(const StepPrediction& prediction, std::string_view name) {
  const absl::StatusOr<InstructionView> instruction = find_op(prediction, name);
  if (!instruction.ok()) return instruction.status();
  const absl::StatusOr<std::string> text = explanation_text(prediction, instruction->name());
  if (!text.ok()) return text.status();
  return "### `" + std::string(instruction->name()) + "` of `" + prediction.module_name + "` on " + prediction.device +
         " " + prediction.topology + "\n\n" + preformatted(*text, {.markdown = true});
}

ResultTable explanation_table() {
  return describe_result<ExplanationDocument>(kExplanationSchema[0], "An instruction: explain --format json");
}

}  // namespace hloroof::internal::inline explain

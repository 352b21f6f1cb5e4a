// Writes a difference as JSON and CSV.
#include <cmath>

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/results/step_fields.h"
#include "lib/versions/diff.h"

namespace hloroof::internal::inline versions {
namespace {

constexpr std::string_view kDiffSchema[] = {"hloroof.diff/1"};
constexpr std::string_view kChangeStates[] = {"matched", "gone", "new"};

struct DiffSide {
  std::string_view file;
  const StepPrediction* step = nullptr;
  const MatchedShare* share = nullptr;
};

struct DiffDocument {
  const Difference* difference = nullptr;
  DiffSide before;
  DiffSide after;
};

DiffDocument document_of(const Difference& difference) {
  return {&difference,
          {difference.before_file, difference.before, &difference.before_share},
          {difference.after_file, difference.after, &difference.after_share}};
}

const StepPrediction& step_of(const DiffSide& side) { return *side.step; }

std::string_view state_name(bool was_there, bool is_there) { return kChangeStates[!is_there ? 1 : !was_there ? 2 : 0]; }

std::optional<std::string_view> name_or_null(const OpPrediction* op) {
  return op != nullptr ? std::optional<std::string_view>(op->name) : std::nullopt;
}

std::optional<double> relative_change(double before, double after) {
  return before > 0 ? std::optional<double>((after - before) / before) : std::nullopt;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

}  // namespace hloroof::internal::inline versions

namespace hloroof::internal {

template <>
struct Described<DiffSide> {
  static constexpr RecordInfo kInfo = {"side", "DiffSide", "One of the two predictions."};
  static constexpr auto kFields = concatenated(
      fields(field("file", "Path of the dump.", &DiffSide::file),
             field("module", "Name of the module.", StepMember<&StepPrediction::module_name>())),
      kPlaceFields,
      fields(
          kStepSecondsField, kExposedField, kHbmPeakField,
          field("flops", Unit::kFlops, "Floating-point operations.", StepMember<&StepPrediction::flops>()),
          field("hbm_bytes", Unit::kBytes, "Bytes read from and written to HBM.",
                StepMember<&StepPrediction::hbm_bytes>()),
          field("wire_bytes", Unit::kBytes, "Bytes that each device sends.", StepMember<&StepPrediction::wire_bytes>()),
          field("ops", Unit::kCount, "Ops that take time.", [](const DiffSide& side) { return side.share->ops; }),
          field("matched_ops_share", Unit::kShare, "Share of these ops that have a partner in the other program.",
                [](const DiffSide& side) { return side.share->of_ops(); })
              .at_most(1),
          field("matched_time_share", Unit::kShare,
                "Share of the step in ops that have a partner in the other program.",
                [](const DiffSide& side) { return side.share->of_seconds(); })
              .at_most(1)));
};

template <>
struct Described<GateResult> {
  static constexpr RecordInfo kInfo = {"gate", "GateResult", "A condition of --fail-if."};
  static constexpr auto kFields =
      fields(field("condition", "The condition as written.", &GateResult::condition),
             field("failed", "True if the condition holds.", &GateResult::failed),
             field("before", "The metric before, in SI units.", &GateResult::before),
             field("after", "The metric after, in SI units.", &GateResult::after),
             field("found", "The number that the gate limits; null if infinite.",
                   [](const GateResult& gate) { return finite(gate.found); })
                 .may_be_negative(),
             field("limit", "The limit of this number.", &GateResult::limit).may_be_negative(),
             field("finding", "The change of the metric and the limit, for people.", &GateResult::finding));
};

template <>
struct Described<GroupChange> {
  static constexpr RecordInfo kInfo = {"group", "GroupChange", "The ops that have the same category, layer, ..."};
  static constexpr auto kFields =
      fields(field("name", "What the ops share.", &GroupChange::name),
             field("state", "gone: only before; new: only after; otherwise matched.",
                   [](const GroupChange& group) { return state_name(group.was_there, group.is_there); })
                 .one_of(kChangeStates),
             field("before_seconds", Unit::kSeconds, "Part of the step before.", &GroupChange::before_seconds),
             field("after_seconds", Unit::kSeconds, "Part of the step after.", &GroupChange::after_seconds),
             field("change_seconds", Unit::kSeconds, "after_seconds - before_seconds.", [](const GroupChange& group) {
               return group.change();
             }).may_be_negative());
};

template <>
struct Described<OpChange> {
  static constexpr RecordInfo kInfo = {"op", "OpChange", "An op of either program or of both."};
  static constexpr auto kFields = fields(
      field("state", "gone: only before; new: only after; otherwise matched.",
            [](const OpChange& op) { return state_name(op.before != nullptr, op.after != nullptr); })
          .one_of(kChangeStates),
      field("before", "Name of the instruction before; null if it is new.",
            [](const OpChange& op) { return name_or_null(op.before); }),
      field("after", "Name of the instruction after; null if it is gone.",
            [](const OpChange& op) { return name_or_null(op.after); }),
      field("category", "Category as XProf names it.",
            [](const OpChange& op) -> const std::string& { return op.op().category; }),
      field("op_name", "Path in the user's program; null if the metadata has none.",
            [](const OpChange& op) { return text_or_null(op.op().op_name); }),
      field("changed", "What else than the time differs: shape, layout, fused ops, attributes.", &OpChange::what),
      field("before_seconds", Unit::kSeconds, "Part of the step before.",
            [](const OpChange& op) { return op.before_seconds(); }),
      field("after_seconds", Unit::kSeconds, "Part of the step after.",
            [](const OpChange& op) { return op.after_seconds(); }),
      field("change_seconds", Unit::kSeconds, "after_seconds - before_seconds.", [](const OpChange& op) {
        return op.change();
      }).may_be_negative());
};

template <>
struct Described<DiffDocument> {
  using Document = DiffDocument;
  static constexpr RecordInfo kInfo = {"diff", "Diff", "The changes between two predictions."};
  static constexpr auto kFields = fields(
      schema_field<kDiffSchema>(), field("before", "", &Document::before), field("after", "", &Document::after),
      field("step_change_seconds", Unit::kSeconds, "Change of the step time.",
            [](const Document& d) { return d.after.step->step_seconds - d.before.step->step_seconds; })
          .may_be_negative(),
      field("step_change", "Change relative to the step before; null if that is 0.",
            [](const Document& d) { return relative_change(d.before.step->step_seconds, d.after.step->step_seconds); })
          .may_be_negative(),
      field("gates", "The conditions of --fail-if.",
            [](const Document& d) -> const std::vector<GateResult>& { return d.difference->gates; }),
      field("categories", "Ops by category, largest change first.",
            [](const Document& d) -> const std::vector<GroupChange>& { return d.difference->categories; }),
      field("group_by", "What the groups share; null without --group-by.",
            [](const Document& d) { return text_or_null(d.difference->group_by); }),
      field("groups", "Ops by --group-by, largest change first.",
            [](const Document& d) -> const std::vector<GroupChange>& { return d.difference->groups; }),
      field("ops", "Ops that take time, largest change first.",
            [](const Document& d) -> const std::vector<OpChange>& { return d.difference->ops; }));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline versions {

std::string diff_json(const Difference& difference) { return records_json<DiffDocument>({document_of(difference)}); }

std::string diff_csv(const Difference& difference) {
  if (!difference.group_by.empty()) return records_csv(difference.groups);
  return records_csv(difference.ops);
}

ResultTable diff_table() { return describe_result<DiffDocument>(kDiffSchema[0], "A change: diff --format json"); }

}  // namespace hloroof::internal::inline versions

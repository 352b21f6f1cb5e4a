// Writes the report of `lint` as text, Markdown and JSON.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/units.h"
#include "lib/describe/record_json.h"
#include "lib/describe/table.h"
#include "lib/lint/lint.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal::inline lint {
namespace {

constexpr std::string_view kLintSchema[] = {"hloroof.lint/1"};

std::string count_text(std::int64_t count, std::string_view one, std::string_view many) {
  return absl::StrCat(count, " ", std::string(count == 1 ? one : many));
}

std::string place_text(const UnusedWaiver& unused) {
  return absl::StrCat(unused.path, ":", unused.line, ": unused waiver '", unused.rule, "': ", unused.why);
}

std::optional<std::int64_t> number_or_null(std::int64_t number) {
  return number > 0 ? std::optional<std::int64_t>(number) : std::nullopt;
}

std::string title_of(const LintedFile& file) {
  return absl::StrCat(file.module_name.empty() ? "module" : file.module_name, " on ", file.device,
                      file.topology.empty() ? "" : " " + file.topology);
}

}  // namespace

// A diagnostic and what `lint` knows about it.
template <typename Get>
struct OfDiagnostic {
  Field<Get> row;
  decltype(auto) operator()(const LintFinding& finding) const { return row.of(finding.diagnostic); }
};

}  // namespace hloroof::internal::inline lint

namespace hloroof::internal {

template <>
struct Described<LintFinding> {
  static constexpr RecordInfo kInfo = Described<Diagnostic>::kInfo;
  static constexpr auto kFields = concatenated(
      Described<Diagnostic>::kFields.all([]<typename... Gets>(const Field<Gets>&... rows) {
        return fields(Field<OfDiagnostic<Gets>>{rows.info, OfDiagnostic<Gets>{rows}}...);
      }),
      fields(field("line", Unit::kCount, "Line of `op` in the HLO text; null if the text does not have it.",
                   [](const LintFinding& finding) { return number_or_null(finding.line); }),
             field("column", Unit::kCount, "Column of `op` in that line, in bytes.",
                   [](const LintFinding& finding) { return number_or_null(finding.column); }),
             field("op_name", "op_name of `op`: the path in the traced program.", or_null(&LintFinding::op_name)),
             field("source_file", "Source file of `op` in the user's program.", or_null(&LintFinding::source_file)),
             field("source_line", Unit::kCount, "Line in source_file.",
                   [](const LintFinding& finding) { return number_or_null(finding.source_line); }),
             field("fingerprint",
                   "SHA-256 of the code and the cause; the same for the same finding after another compilation.",
                   &LintFinding::fingerprint),
             field("is_waived", "True if a waiver accepts it.", &LintFinding::is_waived),
             field("waiver", "The rule that waives it.", or_null(&LintFinding::waiver)),
             field("reason", "The reason that the rule gives.", or_null(&LintFinding::reason))));
};

template <>
struct Described<LintedFile> {
  static constexpr RecordInfo kInfo = {"file", "LintedFile", "The findings about one module."};
  static constexpr auto kFields =
      fields(field("file", "Path of the dump.", &LintedFile::file),
             field("module", "Name of the module.", &LintedFile::module_name),
             field("device", "Name of the device.", &LintedFile::device),
             field("topology", "Topology of one slice; null if there is none.", or_null(&LintedFile::topology)),
             field("step_seconds", Unit::kSeconds, "Predicted step time.", &LintedFile::step_seconds),
             field("diagnostics", "Findings: those about the origin of the module, then the most severe and costly.",
                   &LintedFile::findings));
};

template <>
struct Described<UnusedWaiver> {
  static constexpr RecordInfo kInfo = {"unused_waiver", "UnusedWaiver",
                                       "A rule of the waiver file that waived nothing."};
  static constexpr auto kFields = fields(field("path", "The waiver file.", &UnusedWaiver::path),
                                         field("line", Unit::kCount, "Line of the rule.", &UnusedWaiver::line),
                                         field("rule", "The rule as written.", &UnusedWaiver::rule),
                                         field("why", "Why it is unused.", &UnusedWaiver::why));
};

template <>
struct Described<LintReport> {
  static constexpr RecordInfo kInfo = {"lint", "Lint", "The diagnostics of one or several modules."};
  static constexpr auto kFields =
      fields(schema_field<kLintSchema>(),
             field("failed", "True if a diagnostic that is not waived is as severe as --fail-on.", &LintReport::failed),
             field("waived", Unit::kCount, "Number of waived diagnostics.", &LintReport::waived),
             field("files", "The modules, in the order of the arguments.", &LintReport::files),
             field("unused_waivers", "Rules of the waiver file that waived nothing.", &LintReport::unused_waivers));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline lint {

std::string lint_text(const LintReport& report, const ViewOptions& options) {
  std::string out;
  for (const LintedFile& file : report.files) {
    if (report.files.size() > 1) absl::StrAppend(&out, file.file, "\n");
    std::string body;
    std::int64_t waived = 0;
    for (const LintFinding& finding : file.findings) {
      if (finding.is_waived) {
        ++waived;
      } else {
        body += diagnostic_text(finding.diagnostic, file.step_seconds, options);
      }
    }
    out += body.empty() ? "Diagnostics: none\n" : std::string(kDiagnosticsTitle) + body;
    if (waived > 0) absl::StrAppend(&out, "  ", count_text(waived, "diagnostic is", "diagnostics are"), " waived\n");
  }
  for (const UnusedWaiver& unused : report.unused_waivers) {
    out += wrap("info: " + place_text(unused), options.width, 2) + "\n";
  }
  return out;
}

std::string lint_markdown(const LintReport& report) {
  std::string out;
  const auto code = [](std::string text) {
    std::replace(text.begin(), text.end(), '`', '\'');
    return "`" + text + "`";
  };
  for (const LintedFile& file : report.files) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", "### ", code(title_of(file)), ": ",
                    format_seconds(file.step_seconds), "\n");
    Table table({{"severity"},
                 {.title = "code", .is_code = true},
                 {"at stake", Align::kRight},
                 {"of the step", Align::kRight},
                 {"ops", Align::kRight},
                 {.title = "cause", .is_code = true},
                 {"what to do"},
                 {.title = "example", .is_code = true}});
    std::int64_t waived = 0;
    for (const LintFinding& finding : file.findings) {
      const Diagnostic& diagnostic = finding.diagnostic;
      if (finding.is_waived) {
        ++waived;
        continue;
      }
      const std::optional<double>& seconds = diagnostic.seconds_at_stake;
      const bool has_share = seconds && file.step_seconds > 0;
      table.add({std::string(to_string(diagnostic.severity)), std::string(to_string(diagnostic.code)),
                 seconds                     ? format_seconds(*seconds)
                 : diagnostic.bytes_at_stake ? format_bytes(*diagnostic.bytes_at_stake)
                                             : "",
                 has_share ? format_percent(*seconds / file.step_seconds) : "", std::to_string(diagnostic.ops.size()),
                 diagnostic.cause, diagnostic.message, diagnostic.op});
    }
    const bool is_empty = waived == static_cast<std::int64_t>(file.findings.size());
    out += is_empty ? "\nNo diagnostics.\n" : table.to_string({.width = 0, .markdown = true});
    if (waived > 0) absl::StrAppend(&out, "\n", count_text(waived, "diagnostic is", "diagnostics are"), " waived.\n");
  }
  for (const UnusedWaiver& unused : report.unused_waivers) {
    absl::StrAppend(&out, "\n- ", code(place_text(unused)), "\n");
  }
  return out;
}

std::string lint_json(const LintReport& report) { return records_json<LintReport>({report}); }

ResultTable lint_table() { return describe_result<LintReport>(kLintSchema[0], "Diagnostics: lint --format json"); }

}  // namespace hloroof::internal::inline lint

// Writes the report of `lint` as SARIF 2.1.0, which code hosts show next to the changed lines.
// Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 27 March 2020.
#include <optional>

#include "absl/strings/str_cat.h"
#include "hloroof/version.h"
#include "lib/base/units.h"
#include "lib/describe/json_writer.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/lint/lint.h"

namespace hloroof::internal::inline lint {
namespace {

// The levels of SARIF, section 3.27.10.
std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "none";
}

// A path as a URI reference (RFC 3986): other bytes than unreserved ones and slashes are percent-encoded. FILE#NAME is
// the file alone.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = path.substr(0, 1) == "/" ? "file://" : "";
  for (const char c : path.substr(0, path.find('#'))) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kDigits[byte >> 4];
      uri += kDigits[byte & 15];
    }
  }
  return uri;
}

void write_text(JsonWriter& out, std::string_view key, std::string_view text) {
  out.key(key);
  out.begin_object();
  out.member("text", text);
  out.end_object();
}

// The physical location of a line of a file; without a region if `line` is 0.
void write_place(JsonWriter& out, std::string_view path, std::int64_t line, std::int64_t column) {
  out.key("physicalLocation");
  out.begin_object();
  out.key("artifactLocation");
  out.begin_object();
  out.member("uri", uri_of(path));
  out.end_object();
  if (line > 0) {
    out.key("region");
    out.begin_object();
    out.member("startLine", line);
    if (column > 0) out.member("startColumn", column);
    out.end_object();
  }
  out.end_object();
}

void write_rules(JsonWriter& out) {
  out.key("rules");
  out.begin_array();
  for (const DiagnosisKind& kind : diagnosis_kinds()) {
    out.begin_object();
    out.member("id", kind.name);
    write_text(out, "shortDescription", kind.meaning);
    if (!kind.remedy.empty()) write_text(out, "help", kind.remedy);
    out.end_object();
  }
  out.end_array();
}

void write_locations(JsonWriter& out, const LintedFile& file, const LintFinding& finding) {
  out.key("locations");
  out.begin_array();
  out.begin_object();
  write_place(out, file.file, finding.line, finding.column);
  if (!finding.diagnostic.op.empty()) {
    out.key("logicalLocations");
    out.begin_array();
    out.begin_object();
    out.member("name", finding.diagnostic.op);
    if (!finding.op_name.empty()) out.member("fullyQualifiedName", finding.op_name);
    out.member("kind", "element");
    out.end_object();
    out.end_array();
  }
  out.end_object();
  out.end_array();
  if (finding.source_file.empty()) return;
  out.key("relatedLocations");
  out.begin_array();
  out.begin_object();
  out.member("id", std::int64_t{1});
  write_place(out, finding.source_file, finding.source_line, 0);
  write_text(out, "message", "The line of the program that the instruction comes from.");
  out.end_object();
  out.end_array();
}

void write_suppressions(JsonWriter& out, const LintFinding& finding) {
  out.key("suppressions");
  out.begin_array();
  if (finding.is_waived) {
    out.begin_object();
    out.member("kind", "external");
    out.member("status", "accepted");
    out.member("justification", finding.reason.empty() ? finding.waiver : finding.reason);
    out.end_object();
  }
  out.end_array();
}

void write_properties(JsonWriter& out, const LintedFile& file, const LintFinding& finding) {
  const Diagnostic& diagnostic = finding.diagnostic;
  out.key("properties");
  out.begin_object();
  out.member("device", file.device);
  out.member("seconds_at_stake", diagnostic.seconds_at_stake);
  const bool has_share = diagnostic.seconds_at_stake && file.step_seconds > 0;
  out.member("share_of_step",
             has_share ? std::optional<double>(*diagnostic.seconds_at_stake / file.step_seconds) : std::nullopt);
  out.member("bytes_at_stake", diagnostic.bytes_at_stake);
  out.key("ops");
  out.begin_array();
  for (const std::string& op : diagnostic.ops) out.value(op);
  out.end_array();
  out.end_object();
}

std::string message_of(const LintedFile& file, const Diagnostic& diagnostic) {
  std::string text;
  if (diagnostic.seconds_at_stake && file.step_seconds > 0) {
    absl::StrAppend(&text, format_seconds(*diagnostic.seconds_at_stake), ", ",
                    format_percent(*diagnostic.seconds_at_stake / file.step_seconds), " of the step: ");
  }
  if (!diagnostic.cause.empty() && diagnostic.message.find(diagnostic.cause) == std::string::npos) {
    absl::StrAppend(&text, diagnostic.cause, ": ");
  }
  text += diagnostic.message;
  if (diagnostic.ops.size() > 1) absl::StrAppend(&text, " (", diagnostic.ops.size(), " ops)");
  return text;
}

void write_result(JsonWriter& out, const LintReport& report, const LintedFile& file, const LintFinding& finding) {
  const Diagnostic& diagnostic = finding.diagnostic;
  out.begin_object();
  out.member("ruleId", to_string(diagnostic.code));
  out.member("ruleIndex", static_cast<std::int64_t>(diagnostic.code));
  out.member("level", level_of(diagnostic.severity));
  write_text(out, "message", message_of(file, diagnostic));
  write_locations(out, file, finding);
  out.key("partialFingerprints");
  out.begin_object();
  out.member("hloroofCause/v1", finding.fingerprint);
  out.end_object();
  // Either all results of a run state their suppressions or none does (section 3.27.23).
  if (report.has_waivers) write_suppressions(out, finding);
  write_properties(out, file, finding);
  out.end_object();
}

// Unused waivers are about the run and not about a module.
void write_invocation(JsonWriter& out, const LintReport& report) {
  out.key("invocations");
  out.begin_array();
  out.begin_object();
  out.member("executionSuccessful", true);
  out.key("toolConfigurationNotifications");
  out.begin_array();
  for (const UnusedWaiver& unused : report.unused_waivers) {
    out.begin_object();
    out.member("level", "note");
    write_text(out, "message", absl::StrCat("unused waiver '", unused.rule, "': ", unused.why));
    out.key("locations");
    out.begin_array();
    out.begin_object();
    write_place(out, unused.path, unused.line, 0);
    out.end_object();
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.end_array();
}

}  // namespace

std::string lint_sarif(const LintReport& report) {
  JsonWriter out;
  out.begin_object();
  out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  out.member("version", "2.1.0");
  out.key("runs");
  out.begin_array();
  out.begin_object();
  out.key("tool");
  out.begin_object();
  out.key("driver");
  out.begin_object();
  out.member("name", "hloroof");
  out.member("semanticVersion", HLOROOF_VERSION_STRING);
  write_rules(out);
  out.end_object();
  out.end_object();
  write_invocation(out, report);
  out.member("columnKind", "utf16CodeUnits");
  out.key("results");
  out.begin_array();
  for (const LintedFile& file : report.files) {
    for (const LintFinding& finding : file.findings) write_result(out, report, file, finding);
  }
  out.end_array();
  out.end_object();
  out.end_array();
  out.end_object();
  return out.take_document();
}

}  // namespace hloroof::internal::inline lint

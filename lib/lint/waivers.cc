#include "lib/lint/waivers.h"

#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/error_place.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/diagnose/diagnostics.h"

namespace hloroof::internal::inline lint {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kLongestWord = 40;  // that a message repeats

// A range of the text of the file.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin >= end; }
};

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

class WaiverParser {
 public:
  WaiverParser(std::string_view text, const std::string& path) : text_(text), path_(path) {
    for (const DiagnosisKind& kind : diagnosis_kinds()) codes_.emplace_back(kind.name);
  }

  absl::StatusOr<Waivers> run() {
    Waivers result;
    result.path = path_;
    std::size_t line = 1;
    for (std::size_t begin = 0; begin < text_.size(); ++line) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const absl::StatusOr<std::optional<Waiver>> rule = read_line({begin, end});
      if (!rule.ok()) return rule.status();
      if (*rule) {
        result.rules.push_back(**rule);
        result.rules.back().line = line;
      }
      begin = end + 1;
    }
    return result;
  }

 private:
  absl::Status error(std::size_t at, std::string_view message) const {
    return located_error(path_, text_, at, message);
  }

  std::string text_of(Part part) const { return std::string(text_.substr(part.begin, part.end - part.begin)); }

  Part trimmed(Part part) const {
    while (!part.empty() && is_blank(text_[part.begin])) ++part.begin;
    while (!part.empty() && is_blank(text_[part.end - 1])) --part.end;
    return part;
  }

  // Takes the first word of `part`.
  Part take_word(Part& part) const {
    part = trimmed(part);
    Part word = {part.begin, part.begin};
    while (word.end < part.end && !is_blank(text_[word.end])) ++word.end;
    part = trimmed({word.end, part.end});
    return word;
  }

  // line = [ code [ regex ] ] [ "#" comment ]
  absl::StatusOr<std::optional<Waiver>> read_line(Part line) const {
    Part comment = {line.end, line.end};
    for (std::size_t i = line.begin; i < line.end; ++i) {
      if (text_[i] != '#' || (i > line.begin && !is_blank(text_[i - 1]))) continue;
      comment = {i + 1, line.end};
      line.end = i;
      break;
    }
    line = trimmed(line);
    if (line.empty()) return std::nullopt;
    Waiver rule;
    rule.text = text_of(line);
    const Part code = take_word(line);
    const auto found = std::find(codes_.begin(), codes_.end(), text_of(code));
    if (found == codes_.end()) {
      const std::string word = text_of(code).substr(0, kLongestWord);
      return error(code.begin, absl::StrCat("expected the code of a diagnostic, not '", word, "'; the nearest are ",
                                            absl::StrJoin(nearest_names(word, codes_, 3), ", "),
                                            ". `hloroof lint --codes` lists them"));
    }
    rule.code = static_cast<DiagnosticCode>(found - codes_.begin());
    if (!line.empty()) {
      if (absl::Status status = read_regex(line, rule); !status.ok()) return status;
    }
    if (absl::Status status = read_comment(comment, rule); !status.ok()) return status;
    return rule;
  }

  absl::Status read_regex(Part part, Waiver& rule) const {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(std::int64_t{1} << 22);
    auto regex = std::make_shared<re2::RE2>(text_of(part), options);
    if (!regex->ok()) {
      return error(part.begin, absl::StrCat("expected a regular expression (RE2) after the code: ",
                                            regex->error().substr(0, 4 * kLongestWord)));
    }
    rule.regex = std::move(regex);
    return absl::OkStatus();
  }

  // comment = [ "until" date ] [ reason ]
  absl::Status read_comment(Part comment, Waiver& rule) const {
    comment = trimmed(comment);
    Part rest = comment;
    if (const Part word = take_word(rest); text_of(word) == "until") {
      const Part date = take_word(rest);
      if (!is_date(text_of(date))) {
        return error(std::min(date.begin, text_.size()),
                     absl::StrCat("expected a date as YYYY-MM-DD after 'until', not '",
                                  text_of(date).substr(0, kLongestWord), "'"));
      }
      rule.until = text_of(date);
      comment = rest;
    }
    rule.reason = text_of(comment);
    return absl::OkStatus();
  }

  static bool is_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    int number[3] = {0, 0, 0};
    int part = 0;
    for (const char c : text) {
      if (c == '-') {
        ++part;
        continue;
      }
      if (c < '0' || c > '9' || part > 2) return false;
      number[part] = number[part] * 10 + (c - '0');
    }
    static constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return number[1] >= 1 && number[1] <= 12 && number[2] >= 1 && number[2] <= kDays[number[1] - 1];
  }

  std::string_view text_;
  const std::string& path_;
  std::vector<std::string> codes_;  // by DiagnosticCode
};

bool matches_rule(const re2::RE2& regex, const OpPrediction& op) {
  if (!op.op_name.empty() && re2::RE2::PartialMatch(op.op_name, regex)) return true;
  if (op.source_file.empty()) return false;
  return re2::RE2::PartialMatch(absl::StrCat(op.source_file, ":", op.source_line), regex);
}

}  // namespace

std::size_t Waivers::find(const Diagnostic& diagnostic, const StepPrediction& prediction,
                          std::string_view today) const {
  std::unordered_map<std::string_view, const OpPrediction*> ops;  // made for the first regex
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Waiver& rule = rules[i];
    if (rule.code != diagnostic.code || (!rule.until.empty() && rule.until < today)) continue;
    if (rule.regex == nullptr) return i;
    if (diagnostic.ops.empty()) {
      if (re2::RE2::PartialMatch(diagnostic.cause, *rule.regex)) return i;
      continue;
    }
    if (ops.empty()) {
      for (const OpPrediction& op : prediction.ops) ops.emplace(op.name, &op);
    }
    const bool all = std::all_of(diagnostic.ops.begin(), diagnostic.ops.end(), [&](const std::string& name) {
      const auto found = ops.find(name);
      return found != ops.end() && matches_rule(*rule.regex, *found->second);
    });
    if (all) return i;
  }
  return rules.size();
}

absl::StatusOr<Waivers> parse_waivers(std::string_view text, const std::string& path) {
  return WaiverParser(text, path).run();
}

std::string today_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[16];
  const std::size_t size = std::strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return std::string(text, size);
}

}  // namespace hloroof::internal::inline lint

#include "lib/report/annotated_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/results/fold.h"
#include "lib/results/glossary.h"
#include "lib/results/rows.h"
#include "lib/step/facts.h"
#include "lib/text/print_comments.h"

namespace hloroof::internal::inline report {
namespace {

// A line that is a comment.
std::string comment_line(std::string_view text) { return "// " + comment_text(text) + "\n"; }

// The comments of the ops and of the computations, both in tables by id.
class Annotations {
 public:
  Annotations(const Module& module, const StepPrediction& prediction, double least_share)
      : prediction_(prediction),
        lines_(module.instruction_limit(), kNoLine),
        computation_seconds_(module.computation_limit(), 0),
        is_annotated_(module.computation_limit(), false) {
    Table table({{"share", Align::kRight},
                 {"time", Align::kRight},
                 {"wait", Align::kRight},
                 {"runs", Align::kRight},
                 {.title = "bound", .max_width = 24},
                 {"bytes", Align::kRight},
                 {"padding", Align::kRight},
                 {.title = "source", .max_width = 24}});
    std::size_t count = 0;
    for (const OpPrediction& op : prediction.ops) {
      const ComputationId computation = module.instruction(op.id).computation().id();
      computation_seconds_[computation.index] += op.exposed_seconds;
      if (!takes_time(op)) continue;
      if (share_of(op.exposed_seconds) < least_share) {
        ++left_out_;
        left_out_seconds_ += op.exposed_seconds;
        continue;
      }
      add(op, table);
      is_annotated_[computation.index] = true;
      lines_[op.id.index] = ++count;  // line 0 has the titles
    }
    split(table.to_string({.width = 0}, 0));
  }

  // The lines at the beginning of the text.
  std::string head(double least_share) const {
    std::string where = prediction_.device;
    if (!prediction_.topology.empty()) where += " " + prediction_.topology;
    std::string out = comment_line(prediction_.module_name + " on " + where + ": a step of " +
                                   format_seconds(prediction_.step_seconds) + ", predicted by hloroof");
    out += comment_line("share and time are of the whole step; bytes and padding of all runs, in all memories");
    for (const GlossaryTerm& term : glossary()) {
      constexpr std::string_view kShown[] = {"wait", "bound", "padding"};
      const bool is_shown = std::find(std::begin(kShown), std::end(kShown), term.term) != std::end(kShown);
      if (is_shown) out += comment_line(std::string(term.term) + ": " + std::string(term.meaning));
    }
    if (left_out_ > 0) {
      out += comment_line("without a comment: " + format_count(static_cast<double>(left_out_)) + " ops below " +
                          format_percent(least_share) + " of the step, together " + format_seconds(left_out_seconds_));
    }
    return out;
  }

  std::string_view above(ComputationView c) {
    above_.clear();
    const double runs = prediction_.facts->executions(c.id());
    const double seconds = computation_seconds_[c.id().index];
    in_annotated_ = is_annotated_[c.id().index];
    if (!in_annotated_ && seconds <= 0) return above_;
    above_ = comment_line((c.is_entry() ? "ENTRY " : "") + std::string(c.name()) + ": " + format_count(runs) +
                          (runs == 1 ? " run, " : " runs, ") + format_seconds(seconds) + ", " +
                          format_percent(share_of(seconds)) + " of the step");
    if (in_annotated_) above_ += rows_.front().substr(0, rows_.front().size() - 1) + "\n";
    return above_;
  }

  std::string_view leading(InstructionView i) const {
    if (!in_annotated_) return "";
    const std::size_t line = lines_[i.id().index];
    return line == kNoLine ? std::string_view(blank_) : std::string_view(rows_[line]);
  }

 private:
  static constexpr std::size_t kNoLine = 0;

  double share_of(double seconds) const {
    return prediction_.step_seconds > 0 ? seconds / prediction_.step_seconds : 0;
  }

  void add(const OpPrediction& op, Table& table) const {
    const double bytes = op.executions * op.work->padded_bytes;
    const double padding = bytes - op.executions * op.work->logical_bytes;
    table.add({format_percent(share_of(op.exposed_seconds)), format_seconds(op.exposed_seconds),
               op.wait_seconds > 0 ? format_seconds(op.wait_seconds) : "", format_count(op.executions),
               comment_text(op.limit), bytes > 0 ? format_bytes(bytes) : "", padding > 0 ? format_bytes(padding) : "",
               comment_text(short_source(op.source_file, op.source_line))});
  }

  // Makes comments of one width from the lines of the table.
  void split(std::string_view text) {
    rows_.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    std::size_t width = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      rows_.emplace_back(text.substr(0, end));
      width = std::max(width, rows_.back().size());
      text.remove_prefix(end + 1);
    }
    for (std::string& row : rows_) {
      row.resize(width, ' ');
      row = "/* " + row + " */ ";
    }
    blank_.assign(width + 7, ' ');
  }

  const StepPrediction& prediction_;
  std::vector<std::size_t> lines_;  // by InstructionId: the index in rows_, or kNoLine
  std::vector<double> computation_seconds_;
  std::vector<bool> is_annotated_;
  std::vector<std::string> rows_;
  std::string blank_;
  std::string above_;
  bool in_annotated_ = false;  // the computation that is printed has comments
  std::size_t left_out_ = 0;
  double left_out_seconds_ = 0;
};

}  // namespace

std::string annotated_text(const Module& module, const StepPrediction& prediction, const PrintOptions& options,
                           double least_share) {
  Annotations annotations(module, prediction, least_share);
  PrintComments comments;
  comments.above = [&annotations](ComputationView c) { return annotations.above(c); };
  comments.leading = [&annotations](InstructionView i) { return annotations.leading(i); };
  return annotations.head(least_share) + print_with_comments(module, options, comments);
}

}  // namespace hloroof::internal::inline report

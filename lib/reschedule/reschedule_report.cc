#include "lib/reschedule/reschedule_report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"

namespace hloroof::internal::inline reschedule {
namespace {

constexpr std::string_view kRescheduleSchema[] = {"hloroof.reschedule/1"};

std::string costs_table(const Rescheduling& result, const TextLayout& layout) {
  Table table({{.title = "predicted", .is_whole = true},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"change", Align::kRight}});
  const auto add = [&table](const char* title, double before, double after, std::string (*format)(double)) {
    table.add({title, format(before), format(after), format_relative_change(before, after)});
  };
  add("step", result.before.step_seconds, result.after.step_seconds, format_seconds);
  add("waits for transfers", result.before.wait_seconds, result.after.wait_seconds, format_seconds);
  add("peak memory", result.before.peak_bytes, result.after.peak_bytes, format_bytes);
  return table.to_string(layout);
}

// "copy-start.3 runs earlier, before dot.1 and not before dot.2: copy-done.3 waited 3 ms for copy-start.3 (hbm)".
std::string move_text(const KeptMove& move) {
  std::string text = move.name + (move.direction == Direction::kEarlier ? " runs earlier" : " runs later");
  if (move.along > 0) text += " with " + format_count(static_cast<double>(move.along)) + " that must go along";
  text += ", before " + move.to_before;
  if (!move.from_before.empty()) text += " and not before " + move.from_before;
  if (move.waiting.empty()) return text + (move.gain_seconds == 0 ? ": memory is in use for a shorter time" : "");
  text += ": " + move.waiting + " waited " + format_seconds(move.wait_seconds);
  if (move.transfer != move.waiting) text += " for " + move.transfer;
  return text + (move.limit.empty() ? "" : " (" + move.limit + ")");
}

std::string gain_text(const KeptMove& move) {
  std::string text = move.gain_seconds > 0   ? "-" + format_seconds(move.gain_seconds)
                     : move.gain_seconds < 0 ? "+" + format_seconds(-move.gain_seconds)
                                             : "";
  if (move.gain_bytes == 0) return text;
  if (!text.empty()) text += ", ";
  return text + (move.gain_bytes > 0 ? "-" : "+") + format_bytes(std::abs(move.gain_bytes));
}

std::string_view end_text(SearchEnd end) {
  switch (end) {
    case SearchEnd::kNothingBetter: return "no further move can make the step shorter.";
    case SearchEnd::kTrials: return "--trials ended the search; with more, it may find a better order.";
    case SearchEnd::kSeconds: return "--seconds ended the search; with more, it may find a better order.";
  }
  return "";
}

}  // namespace

std::string reschedule_view(const Rescheduling& result, std::size_t limit, const TextLayout& layout) {
  std::string out = absl::StrFormat("Order of %s on %s %s\n", result.module, result.device, result.topology);
  out += costs_table(result, layout);
  const auto add_line = [&](const std::string& line) { out += list_line(line, layout); };
  add_line(absl::StrFormat("%d orders predicted, seed %d: %s", result.trials, result.seed, end_text(result.end)));
  if (result.moves.empty()) add_line("The order that came in is the best one found.");
  if (!result.moves.empty()) out += "\nMoves\n";
  const std::size_t shown = limit == 0 ? result.moves.size() : std::min(limit, result.moves.size());
  for (std::size_t i = 0; i < shown; ++i) {
    add_line(gain_text(result.moves[i]) + "  " + move_text(result.moves[i]) + ".");
  }
  if (shown < result.moves.size()) {
    add_line(format_count(static_cast<double>(result.moves.size() - shown)) + " more; -n and --format json show them.");
  }
  if (!result.bounds.empty()) out += "\nWhat keeps the predicted step from being shorter\n";
  for (const OrderBound& bound : result.bounds) {
    add_line(bound.name + (bound.seconds ? ", " + format_seconds(*bound.seconds) : "") + ": " + bound.text + ".");
  }
  out += "\n";
  add_line("All times are predicted; no hardware has confirmed them. The busiest resource alone takes " +
           format_seconds(result.lower_bound_seconds) + ".");
  return out;
}

}  // namespace hloroof::internal::inline reschedule

namespace hloroof::internal {

template <>
struct EnumNames<Direction> {
  static constexpr std::string_view kNames[] = {"earlier", "later"};
};

template <>
struct EnumNames<SearchEnd> {
  static constexpr std::string_view kNames[] = {"nothing_better", "trials", "seconds"};
};

template <>
struct Described<OrderCost> {
  static constexpr RecordInfo kInfo = {"order_cost", "OrderCost", "What an order costs, by the prediction."};
  static constexpr auto kFields =
      fields(field("step_seconds", Unit::kSeconds, "Predicted step time.", &OrderCost::step_seconds),
             field("wait_seconds", Unit::kSeconds, "The part in which the compute stream waits for transfers.",
                   &OrderCost::wait_seconds),
             field("peak_bytes", Unit::kBytes, "Peak of HBM.", &OrderCost::peak_bytes));
};

template <>
struct Described<KeptMove> {
  static constexpr RecordInfo kInfo = {"move", "OrderMove", "The moves of one instruction in one direction."};
  static constexpr auto kFields = fields(
      field("op", "Instruction.", &KeptMove::name),
      field("computation", "Computation in which it moves.", &KeptMove::computation),
      field("direction", "Whether it runs earlier or later than before.", &KeptMove::direction),
      field("from_before", "Instruction that followed it; null if it was the last.", or_null(&KeptMove::from_before)),
      field("to_before", "Instruction before which it is put in the end.", &KeptMove::to_before),
      field("along", Unit::kCount, "Most instructions that go along because of dependencies.", &KeptMove::along),
      field("gain_seconds", Unit::kSeconds,
            "By how much the predicted step becomes shorter; negative if other moves make up for it.",
            &KeptMove::gain_seconds)
          .may_be_negative(),
      field("gain_bytes", Unit::kBytes, "By how much the peak of HBM falls; negative if it rises.",
            &KeptMove::gain_bytes)
          .may_be_negative(),
      field("waiting", "Op whose wait is the reason; null if there is none.", or_null(&KeptMove::waiting)),
      field("transfer", "Transfer that it waits for; null if there is none.", or_null(&KeptMove::transfer)),
      field("limit", "Link of that transfer; null if there is none.", or_null(&KeptMove::limit)),
      field("wait_seconds", Unit::kSeconds, "How long it waits before the search, in the step.",
            &KeptMove::wait_seconds));
};

template <>
struct Described<OrderBound> {
  static constexpr RecordInfo kInfo = {"bound", "OrderBound", "A reason why no faster order was found."};
  static constexpr auto kFields = fields(
      field("name", "A wait, a resource, blocking collectives, or a limit.", &OrderBound::name),
      field("seconds", Unit::kSeconds, "Its time in the step; null if the reason has none.", &OrderBound::seconds),
      field("text", "The reason.", &OrderBound::text));
};

template <>
struct Described<Rescheduling> {
  static constexpr RecordInfo kInfo = {"reschedule", "Rescheduling", "The best predicted order of a module."};
  static constexpr auto kFields = fields(
      schema_field<kRescheduleSchema>(), field("module", "Module.", &Rescheduling::module),
      field("device", "Device.", &Rescheduling::device), field("topology", "Topology.", &Rescheduling::topology),
      field("before", "The order that came in.", &Rescheduling::before),
      field("after", "The best order found.", &Rescheduling::after),
      field("lower_bound_seconds", Unit::kSeconds, "Busy time of the busiest resource, which no order undercuts.",
            &Rescheduling::lower_bound_seconds),
      field("memory_limit_bytes", Unit::kBytes, "Peak of HBM that no order may exceed.",
            &Rescheduling::memory_limit_bytes),
      field("seed", "Seed of the random moves; the same seed and trials give the same order.", &Rescheduling::seed),
      field("trials", Unit::kCount, "Orders that were predicted.", &Rescheduling::trials),
      field("end", "Why the search ended: no order can be better, the number of trials, or the time of --seconds.",
            &Rescheduling::end),
      field("moves", "The moves, those that gain the most first.", &Rescheduling::moves),
      field("bounds", "What keeps the predicted step from being shorter.", &Rescheduling::bounds));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline reschedule {

std::string reschedule_json(const Rescheduling& result) { return records_json<Rescheduling>({result}); }

std::string reschedule_csv(const Rescheduling& result) { return records_csv(result.moves); }

ResultTable reschedule_table() {
  return describe_result<Rescheduling>(kRescheduleSchema[0], "The best predicted order: reschedule --format json");
}

}  // namespace hloroof::internal::inline reschedule

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/fronts/python/parts.h"
#include "lib/report/verdict.h"

namespace hloroof::internal::inline python {
namespace {

// The colors of the page, by Resource, then that of waits. They contrast with white and with black.
constexpr int kWaitColor = kResourceCount;
constexpr std::array<std::string_view, kResourceCount + 1> kColors = {
    "#1f6feb", "#8250df", "#d9730d", "#0f8b8d", "#cf222e", "#8c5a2b", "#6e7781", "#b08800", "#bf3989"};

constexpr double kWidth = 860;
constexpr double kCharacter = 6.3;  // mean width of a character
constexpr std::size_t kDots = 300;  // of the roofline

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, to_absl(anchor),
                         escape_markup(text));
}

std::string figure(double height, std::string_view title, std::string_view body) {
  return absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"100%%\" role=\"img\" "
      "style=\"max-width:%.0fpx;display:block\" fill=\"currentColor\" font-family=\"system-ui,sans-serif\" "
      "font-size=\"11\"><title>%s</title>%s</svg>",
      kWidth, height, kWidth, to_absl(title), to_absl(body));
}

int color_of(const OpPrediction& op, bool is_wait) {
  if (is_wait) return kWaitColor;
  return static_cast<int>(op.bound.value_or(Resource::kLatency));
}

std::string color_word(int color, DeviceFamily family) {
  return color == kWaitColor ? "wait" : std::string(to_string(static_cast<Resource>(color), family));
}

std::string share_text(const StepPrediction& p, double seconds) {
  return p.step_seconds > 0 ? ", " + format_percent(seconds / p.step_seconds) + " of the step" : "";
}

// The events of the first iteration of each loop, one row for each lane.
class Timeline {
 public:
  explicit Timeline(const StepPrediction& p) : p_(p) {
    for (const OpPrediction& op : p.ops) ops_.emplace(op.id.index, &op);
    for (const TimelineEvent& event : p.timeline) {
      end_ = std::max(end_, event.end);
      if (ops_.count(event.id.index) != 0) lanes_[event.lane].push_back(&event);
    }
  }

  std::string draw() {
    if (!(end_ > 0) || !std::isfinite(end_) || lanes_.empty()) return "";
    std::string body;
    double top = 4;
    for (const auto& [lane, events] : lanes_) {
      body += svg_text(kLeft - 8, top + kRow / 2 + 4, "end", to_string(lane, p_.family));
      body += draw_lane(events, top);
      top += kRow + 6;
    }
    for (int i = 0; i <= 4; ++i) {
      const double x = kLeft + (kWidth - kLeft - kRight) * i / 4;
      body += absl::StrFormat("<path d=\"M%.1f 0V%.1f\" stroke=\"currentColor\" stroke-opacity=\"0.2\"/>", x, top);
      body += svg_text(x, top + 13, i == 4 ? "end" : i == 0 ? "start" : "middle", format_seconds(end_ * i / 4));
    }
    return figure(top + 38, "Timeline", body + legend(top + 31));
  }

 private:
  static constexpr double kLeft = 84, kRight = 8, kRow = 22;

  double x_of(double seconds) const { return kLeft + (kWidth - kLeft - kRight) * seconds / end_; }

  static bool is_container(const OpPrediction& op) {
    return op.opcode == "while" || op.opcode == "conditional" || op.opcode == "call";
  }

  std::string draw_lane(const std::vector<const TimelineEvent*>& events, double top) {
    std::string outlines;
    std::string bars;
    // Seconds of each color in each pixel, of the events that are too narrow for a bar.
    std::map<int, std::array<double, kResourceCount + 1>> pixels;
    for (const TimelineEvent* event : events) {
      const OpPrediction& op = *ops_.at(event->id.index);
      const bool is_wait = event->awaited.valid();
      const int color = color_of(op, is_wait);
      const double x = x_of(event->begin);
      const double width = x_of(event->end) - x;
      const bool is_outline = is_container(op) && !is_wait;
      if (width < 1.5) {
        if (!is_outline) pixels[static_cast<int>(x)][static_cast<std::size_t>(color)] += width;
        continue;
      }
      used_[static_cast<std::size_t>(color)] |= !is_outline;
      const std::string title = absl::StrCat(
          is_wait ? "wait for the transfer of " : "", op.name, ": ", format_seconds(event->end - event->begin),
          op.executions > 1 && !is_outline ? " each time" : "", is_wait ? "" : ", " + color_word(color, p_.family));
      const std::string paint =
          is_outline ? "fill-opacity=\"0.08\" stroke=\"currentColor\" stroke-opacity=\"0.4\""
                     : absl::StrCat("fill=\"", to_absl(kColors.at(static_cast<std::size_t>(color))), "\"");
      (is_outline ? outlines : bars) += bar(x, top, width, paint, title);
      if (!is_outline && width > kCharacter * static_cast<double>(op.name.size()) + 8) {
        bars += absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" fill=\"#fff\" pointer-events=\"none\">%s</text>", x + 4,
                                top + kRow / 2 + 4, escape_markup(op.name));
      }
    }
    return outlines + bars + draw_pixels(pixels, top);
  }

  // Draws neighbouring pixels of the same color as one bar.
  std::string draw_pixels(const std::map<int, std::array<double, kResourceCount + 1>>& pixels, double top) {
    std::string out;
    int begin = 0;
    int end = 0;
    std::size_t color = 0;
    const auto flush = [&] {
      if (end > begin) {
        out += bar(begin, top, end - begin, absl::StrCat("fill=\"", to_absl(kColors.at(color)), "\""), "");
      }
    };
    for (const auto& [x, widths] : pixels) {
      const auto most = static_cast<std::size_t>(std::max_element(widths.begin(), widths.end()) - widths.begin());
      used_[most] = true;
      if (x != end || most != color) {
        flush();
        begin = x;
        color = most;
      }
      end = x + 1;
    }
    flush();
    return out;
  }

  static std::string bar(double x, double top, double width, std::string_view paint, std::string_view title) {
    std::string out = absl::StrFormat("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" %s", x, top, width,
                                      kRow, to_absl(paint));
    return out + (title.empty() ? "/>"
                                : ">"
                                  "<title>" +
                                      escape_markup(title) + "</title></rect>");
  }

  std::string legend(double y) const {
    std::string out;
    double x = kLeft;
    for (std::size_t color = 0; color < used_.size(); ++color) {
      if (!used_[color]) continue;
      const std::string word = color_word(static_cast<int>(color), p_.family);
      out += absl::StrFormat("<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>", x, y - 9,
                             to_absl(kColors.at(color)));
      out += svg_text(x + 14, y, "start", word);
      x += 30 + kCharacter * static_cast<double>(word.size());
    }
    return out;
  }

  const StepPrediction& p_;
  std::unordered_map<std::uint32_t, const OpPrediction*> ops_;
  std::map<Lane, std::vector<const TimelineEvent*>> lanes_;
  double end_ = 0;
  std::array<bool, kResourceCount + 1> used_ = {};
};

// Achieved rate over arithmetic intensity, both logarithmic.
class Roofline {
 public:
  explicit Roofline(const StepPrediction& p) : p_(p) {
    for (const OpPrediction& op : p.ops) {
      if (op.total_seconds > 0) ops_.push_back(&op);
    }
    std::stable_sort(ops_.begin(), ops_.end(),
                     [](const auto* a, const auto* b) { return a->total_seconds > b->total_seconds; });
    if (ops_.size() > kDots) ops_.resize(kDots);
    for (const Roof& roof : p.roofs) add_roof(roof);
    std::sort(compute_.begin(), compute_.end(), [](const Roof& a, const Roof& b) { return a.rate > b.rate; });
  }

  std::string draw() {
    if (ops_.empty() || compute_.empty()) return "";
    find_range();
    std::string body = grid();
    for (const OpPrediction* op : ops_) body += dot(*op);
    return figure(kHeight, "Roofline", body + roofs());
  }

 private:
  static constexpr double kLeft = 84, kRight = 8, kTop = 14, kBottom = 36, kHeight = 320, kEdge = 14;

  // Roofs with the same rate share a line: "mxu f16, mxu bf16".
  void add_roof(const Roof& roof) {
    if (!roof.is_compute) {
      if (roof.name == "hbm") memory_ = roof;
      return;
    }
    for (Roof& other : compute_) {
      if (other.rate != roof.rate) continue;
      other.name += ", " + roof.name;
      return;
    }
    compute_.push_back(roof);
  }

  static double hbm_bytes(const OpPrediction& op) { return op.work->read.hbm + op.work->written.hbm; }
  static double rate_of(const OpPrediction& op) { return op.seconds > 0 ? op.work->flops / op.seconds : 0; }
  // Ops without flops are at the left edge, those without bytes of main memory at the right one.
  double intensity_of(const OpPrediction& op) const {
    if (op.work->flops <= 0) return 0;
    const double bytes = hbm_bytes(op);
    return bytes > 0 ? op.work->flops / bytes : std::pow(10, x1_);
  }

  void find_range() {
    const double peak = compute_.front().rate;
    double least_x = 0.1;
    double most_x = 1e4;
    double least_y = peak / 1e4;
    for (const OpPrediction* op : ops_) {
      if (op->work->flops > 0 && hbm_bytes(*op) > 0) {
        least_x = std::min(least_x, op->work->flops / hbm_bytes(*op));
        most_x = std::max(most_x, op->work->flops / hbm_bytes(*op));
      }
      if (rate_of(*op) > peak / 1e8) least_y = std::min(least_y, rate_of(*op));
    }
    x0_ = std::floor(std::log10(std::max(1e-3, least_x)));
    x1_ = std::ceil(std::log10(std::min(1e12, most_x)));
    y1_ = std::ceil(std::log10(peak) + 0.2);
    y0_ = std::max(y1_ - 8, std::floor(std::log10(least_y)));
  }

  static double share_of(double value, double low, double high) {
    return (std::clamp(std::log10(std::max(value, 1e-300)), low, high) - low) / (high - low);
  }
  double x_of(double intensity) const {
    return kLeft + kEdge + share_of(intensity, x0_, x1_) * (kWidth - kLeft - kRight - kEdge);
  }
  double y_of(double rate) const {
    return kHeight - kBottom - kEdge - share_of(rate, y0_, y1_) * (kHeight - kTop - kBottom - kEdge);
  }

  static std::string line(double x0, double y0, double x1, double y1, double opacity) {
    return absl::StrFormat("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"currentColor\" stroke-opacity=\"%.2f\"/>", x0, y0,
                           x1, y1, opacity);
  }

  std::string grid() const {
    std::string out;
    for (int e = static_cast<int>(x0_); e <= static_cast<int>(x1_); ++e) {
      const double x = x_of(std::pow(10, e));
      out += line(x, kTop, x, kHeight - kBottom, 0.15);
      out += svg_text(x, kHeight - kBottom + 13, e == static_cast<int>(x1_) ? "end" : "middle",
                      format_number(std::pow(10, e)));
    }
    for (int e = static_cast<int>(y0_); e <= static_cast<int>(y1_); ++e) {
      const double y = y_of(std::pow(10, e));
      out += line(kLeft, y, kWidth - kRight, y, 0.15);
      out += svg_text(kLeft - 6, y + 4, "end", format_rate(std::pow(10, e), "flop/s"));
    }
    return out + svg_text((kLeft + kWidth) / 2, kHeight - 6, "middle", "flop per byte of main memory");
  }

  std::string dot(const OpPrediction& op) const {
    const double longest = ops_.front()->total_seconds;
    const std::string title =
        absl::StrCat(op.name, ": ", format_seconds(op.total_seconds), share_text(p_, op.exposed_seconds), ", ",
                     op.limit.empty() ? "no bound" : "bound by " + op.limit, ", ", format_rate(rate_of(op), "flop/s"));
    return absl::StrFormat(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.6\"><title>%s</title></circle>",
        x_of(intensity_of(op)), y_of(rate_of(op)), 2 + 12 * std::sqrt(op.total_seconds / longest),
        to_absl(kColors.at(static_cast<std::size_t>(color_of(op, false)))), escape_markup(title));
  }

  std::string roofs() const {
    std::string out;
    double above = -kHeight;  // the roof above
    for (const Roof& roof : compute_) {
      const double from = memory_ ? std::max(std::pow(10, x0_), roof.rate / memory_->rate) : std::pow(10, x0_);
      const double y = y_of(roof.rate);
      if (x_of(from) < kWidth - kRight) out += line(x_of(from), y, kWidth - kRight, y, 0.8);
      const double label = y - above < 16 ? y + 12 : y - 4;  // below its line if there is no room above
      out += svg_text(kWidth - kRight - 2, label, "end", roof.name + " " + format_rate(roof.rate, "flop/s"));
      above = y;
    }
    if (!memory_) return out;
    const double from = std::max(std::pow(10, x0_), std::pow(10, y0_) / memory_->rate);
    const double to = std::min(std::pow(10, x1_), compute_.front().rate / memory_->rate);
    if (to <= from) return out;
    out += line(x_of(from), y_of(from * memory_->rate), x_of(to), y_of(to * memory_->rate), 0.8);
    const double slope = std::atan2(y_of(from * memory_->rate) - y_of(to * memory_->rate), x_of(to) - x_of(from));
    out += absl::StrFormat("<text transform=\"translate(%.1f %.1f) rotate(%.1f)\">%s</text>", x_of(from) + 14,
                           y_of(from * memory_->rate) - 14 * std::tan(slope) - 5, -slope * 180 / 3.14159265358979,
                           escape_markup(memory_->name + " " + format_rate(memory_->rate, "B/s")));
    return out;
  }

  const StepPrediction& p_;
  std::vector<const OpPrediction*> ops_;  // longest first
  std::vector<Roof> compute_;             // fastest first
  std::optional<Roof> memory_;
  double x0_ = 0, x1_ = 1, y0_ = 0, y1_ = 1;  // powers of ten at the ends of the axes
};

}  // namespace

std::string notebook_html(const StepPrediction& prediction) {
  const std::string sentence = verdict(prediction);
  std::string out = sentence.empty() ? "" : "<p>" + escape_markup(sentence) + "</p>";
  out += Timeline(prediction).draw();
  return out + Roofline(prediction).draw();
}

}  // namespace hloroof::internal::inline python

#include <algorithm>
#include <queue>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"
#include "lib/results/layers.h"

namespace hloroof::internal::inline report {
namespace {

constexpr std::size_t kTop = Layer::kNoParent;
constexpr double kAlmostAll = 0.9;

// A line of the view: a layer, and the layers that it shares its line with because it contains nothing else:
// "mlp/wi_0/dot_general".
struct Line {
  std::string label;
  std::size_t layer = 0;            // the outermost of them
  std::vector<std::size_t> inside;  // lines
  bool is_shown = false;
};

// A column of times. All times have the same unit and the same number of decimals, so that the reader can add them up.
struct TimeColumn {
  std::string title;
  double (*time)(const LayerTimes&);
};

struct Scale {
  double per_second = 1;
  const char* unit = "s";
  int decimals = 3;
};

Scale scale_for(double step_seconds) {
  Scale scale = step_seconds >= 0.9995e-3   ? Scale{1e3, "ms"}
                : step_seconds >= 0.9995e-6 ? Scale{1e6, "us"}
                                            : Scale{1e9, "ns"};
  const double shown = step_seconds * scale.per_second;
  scale.decimals = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
  return scale;
}

// The label of a layer below `parent`. Flax writes a method's scope as that of its module and the method:
// mlp/mlp.project is mlp and .project.
std::string label_of(const Layer& layer, const std::string* parent) {
  std::string label = layer.name;
  if (parent != nullptr && label.size() > parent->size() + 1 && label.compare(0, parent->size(), *parent) == 0 &&
      label[parent->size()] == '.') {
    label.erase(0, parent->size());
  }
  return label;
}

// Shortens a name. Names of kernels end with their settings, and the beginning tells them apart:
// splash_mha_fwd_block_q=512.
std::string shorten_name(const std::string& name, std::size_t room) {
  if (name.find('=') == std::string::npos || name.size() <= room) return shorten(name, room);
  return name.substr(0, room - 2) + "..";
}

// Returns the lines of `layers`. `top` gets those that no other contains.
std::vector<Line> lines_of(const std::vector<Layer>& layers, std::vector<std::size_t>& top) {
  std::vector<std::size_t> child_count(layers.size(), 0);
  for (const Layer& layer : layers) {
    if (layer.parent != kTop) ++child_count[layer.parent];
  }
  std::vector<Line> lines;
  std::vector<std::size_t> line_of(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const bool has_parent = layer.parent != kTop;
    const std::string label = label_of(layer, has_parent ? &layers[layer.parent].name : nullptr);
    if (has_parent && child_count[layer.parent] == 1 && layer.repeats == 1 && layers[layer.parent].repeats == 1) {
      line_of[i] = line_of[layer.parent];
      lines[line_of[i]].label += (label[0] == '.' ? "" : "/") + label;
      continue;
    }
    line_of[i] = lines.size();
    Line line;
    line.label = label;
    line.layer = i;
    lines.push_back(std::move(line));
    (has_parent ? lines[line_of[layer.parent]].inside : top).push_back(line_of[i]);
  }
  return lines;
}

// Whether a scope is almost all one op, which is no news below it.
bool is_one_op(const Line& line, const std::vector<Line>& lines, const std::vector<Layer>& layers) {
  if (line.inside.empty() || layers[line.layer].depth == 0) return false;
  const Layer& longest = layers[lines[line.inside.front()].layer];
  return longest.is_op && longest.times.seconds >= kAlmostAll * layers[line.layer].times.seconds;
}

// Shows the `limit` lines with the most time. A line is shown only if the one that contains it is.
void show_most(std::vector<Line>& lines, const std::vector<Layer>& layers, const std::vector<std::size_t>& top,
               std::size_t limit) {
  using Candidate = std::pair<double, std::size_t>;
  const auto less = [](const Candidate& a, const Candidate& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(less)> open(less);
  const auto add = [&](const std::vector<std::size_t>& candidates) {
    for (std::size_t i : candidates) open.emplace(layers[lines[i].layer].times.seconds, i);
  };
  add(top);
  for (std::size_t shown = 0; !open.empty() && (limit == 0 || shown < limit); ++shown) {
    const std::size_t at = open.top().second;
    open.pop();
    lines[at].is_shown = true;
    if (limit == 0 || !is_one_op(lines[at], lines, layers)) add(lines[at].inside);
  }
}

class LayersTable {
 public:
  LayersTable(const StepPrediction& prediction, const std::vector<Layer>& layers)
      : step_seconds_(prediction.step_seconds), scale_(scale_for(prediction.step_seconds)) {
    for (const Layer& layer : layers) {
      if (layer.parent == kTop) total_.add(layer.times);
    }
    columns_.push_back({"total", [](const LayerTimes& t) { return t.seconds; }});
    if (total_.wait_seconds > 0) columns_.push_back({"wait", [](const LayerTimes& t) { return t.wait_seconds; }});
    if (total_.of(Phase::kOther) == total_.seconds) return;
    columns_.push_back({"forward", [](const LayerTimes& t) { return t.of(Phase::kForward); }});
    columns_.push_back({"backward", [](const LayerTimes& t) { return t.of(Phase::kBackward); }});
    if (total_.of(Phase::kRemat) != 0) {
      columns_.push_back({"remat", [](const LayerTimes& t) { return t.of(Phase::kRemat); }});
    }
    columns_.push_back({"other", [](const LayerTimes& t) { return t.of(Phase::kOther); }});
  }

  void add(std::string_view label, std::string_view suffix, std::size_t depth, const LayerTimes& times) {
    Row row{std::string(2 * depth, ' '), std::string(label), std::string(suffix), {}};
    row.cells.push_back(step_seconds_ > 0 ? absl::StrFormat("%.1f %%", 100 * times.seconds / step_seconds_) : "");
    for (const TimeColumn& column : columns_) {
      const double shown = column.time(times) * scale_.per_second;
      row.cells.push_back(shown == 0 ? "" : absl::StrFormat("%.*f", scale_.decimals, shown));
    }
    rows_.push_back(std::move(row));
  }

  std::string to_string(const TextLayout& layout) {
    const std::size_t width = layout.markdown ? 0 : layout.width;
    add("TOTAL", "", 0, total_);
    std::vector<Column> columns = {{"share", Align::kRight}};
    for (const TimeColumn& column : columns_) columns.push_back({column.title, Align::kRight});
    std::size_t used = 2;  // the indentation and the columns of numbers
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::size_t widest = columns[c].title.size();
      for (const Row& row : rows_) widest = std::max(widest, row.cells[c].size());
      used += widest + 2;
    }
    columns.push_back({.title = "layer", .is_code = true});
    Table table(std::move(columns));
    for (Row& row : rows_) {
      // Only the name is shortened, not its indentation nor the number of repetitions.
      const std::size_t fixed = used + row.indent.size() + display_width(row.suffix);
      const std::size_t room = width > fixed + kLeastName ? width - fixed : kLeastName;
      row.cells.push_back(row.indent + (width == 0 ? row.label : shorten_name(row.label, room)) + row.suffix);
      table.add(std::move(row.cells));
    }
    return "Time in the step by layer, in " + std::string(scale_.unit) +
           (total_.of(Phase::kOther) == total_.seconds ? "" : "; other: in neither pass, such as the optimizer") +
           "\n" + table.to_string(layout);
  }

 private:
  static constexpr std::size_t kLeastName = 8;

  struct Row {
    std::string indent;
    std::string label;
    std::string suffix;
    std::vector<std::string> cells;
  };

  double step_seconds_;
  Scale scale_;
  LayerTimes total_;
  std::vector<TimeColumn> columns_;
  std::vector<Row> rows_;
};

std::string repeats_text(double repeats) { return repeats == 1 ? "" : absl::StrFormat(" ×%.0f", repeats); }

}  // namespace

// Shows the layers with the most time, each below the one that contains it, and the others of each in one row.
std::string layers_view(const StepPrediction& prediction, const ViewOptions& options) {
  const std::vector<Layer> layers = make_layers(prediction);
  std::vector<std::size_t> top;
  std::vector<Line> lines = lines_of(layers, top);
  show_most(lines, layers, top, options.rows.limit);

  LayersTable table(prediction, layers);
  struct Open {
    const std::vector<std::size_t>* lines;
    std::size_t next;
  };
  std::vector<Open> open = {{&top, 0}};
  while (!open.empty()) {
    Open& at = open.back();
    const std::vector<std::size_t>& siblings = *at.lines;
    const std::size_t depth = open.size() - 1;
    const std::size_t remaining = siblings.size() - at.next;
    // The siblings with the most time come first, so that the hidden ones are the last.
    if (remaining > 1 && !lines[siblings[at.next]].is_shown) {
      LayerTimes hidden;
      for (std::size_t i = at.next; i < siblings.size(); ++i) hidden.add(layers[lines[siblings[i]].layer].times);
      table.add(absl::StrFormat("… %d more", remaining), "", depth, hidden);
      open.pop_back();
      continue;
    }
    if (remaining == 0) {
      open.pop_back();
      continue;
    }
    const Line& line = lines[siblings[at.next++]];
    const Layer& layer = layers[line.layer];
    table.add(line.label, repeats_text(layer.repeats), depth, layer.times);
    const bool is_open = !line.inside.empty() && lines[line.inside.front()].is_shown;
    if (is_open) open.push_back({&line.inside, 0});
  }
  return table.to_string(options);
}

}  // namespace hloroof::internal::inline report

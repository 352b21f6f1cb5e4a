#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/report/sweep.h"

namespace hloroof::internal::inline report {
namespace {

using Points = std::vector<SweepPoint>;

std::string place_of(const SweepPoint& point) {
  const StepPrediction& step = point.step;
  std::string place = step.device;
  if (!step.topology.empty()) place += ":" + step.topology;
  return step.slices > 1 ? absl::StrFormat("%s*%d", place, step.slices) : place;
}

// Returns the length of the folder prefix that all files share.
std::size_t common_folder(const Points& points) {
  const std::string& first = points.front().file;
  std::size_t shared = first.rfind('/') + 1;
  for (const SweepPoint& point : points) {
    const std::string& file = point.file;
    const auto differ = std::mismatch(
        first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(shared, file.size())), file.begin());
    shared = static_cast<std::size_t>(differ.first - first.begin());
    shared = shared == 0 ? 0 : first.rfind('/', shared - 1) + 1;
  }
  return shared;
}

// "0.5x (410 GB/s)", or the value alone if the device has none of its own.
std::string value_text(const SweptValue& value) {
  const std::string quantity = format_quantity(value.value, value.unit);
  return value.factor ? format_number(*value.factor) + "x (" + quantity + ")" : quantity;
}

// Returns the indices of the parameters whose values differ between points. Several devices have different values of
// the same multiple, which is what the user chose.
std::vector<std::size_t> varied_values(const Points& points) {
  std::vector<std::size_t> varied;
  const std::vector<SweptValue>& first = points.front().values;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool differs = std::any_of(points.begin(), points.end(), [&](const SweepPoint& point) {
      return value_text(point.values[i]) != value_text(first[i]);
    });
    if (differs) varied.push_back(i);
  }
  return varied;
}

// Returns one line for each prediction of a module that its device would not run, and how to learn more.
std::string origin_warnings(const Points& points, std::size_t width) {
  std::set<std::string> lines;
  for (const SweepPoint& point : points) {
    for (const Diagnostic& diagnostic : point.step.diagnostics) {
      if (!is_about_origin(diagnostic)) continue;
      const std::string what = absl::StrFormat("%s [%s] on %s", std::string(to_string(diagnostic.severity)),
                                               std::string(to_string(diagnostic.code)), point.step.device);
      const bool fits = width == 0 || point.file.size() + 2 + what.size() <= width;
      lines.insert(point.file + ":" + (fits ? " " : "\n  ") + what + "\n");
    }
  }
  if (lines.empty()) return "";
  std::string out;
  for (const std::string& line : lines) out += line;
  return out + wrap("Such times are those of another program: `hloroof lint` says why.", width, 0) + "\n\n";
}

// The columns that may be left out, the least important first.
enum class Extra { kCovered, kBound, kRelative, kFits };
constexpr Extra kExtras[] = {Extra::kCovered, Extra::kBound, Extra::kRelative, Extra::kFits};

class SweepTable {
 public:
  SweepTable(const Points& points, const TextLayout& layout)
      : points_(points), layout_(layout), folder_(common_folder(points)), varied_(varied_values(points)) {
    std::set<bool> fits;
    for (const SweepPoint& point : points) {
      fastest_ = std::min(fastest_, point.step.step_seconds);
      if (std::find(files_.begin(), files_.end(), point.file) == files_.end()) files_.push_back(point.file);
      places_.insert(place_of(point));
      devices_.insert(point.step.device);
      fits.insert(point.step.memory.fits);
    }
    all_fit_ = fits.size() == 1 && *fits.begin();
    none_fits_ = fits.size() == 1 && !*fits.begin();
  }

  std::string run() {
    Table table = make_table();
    for (const Extra extra : kExtras) {
      if (fits_width(table)) break;
      if (extra == Extra::kFits && !all_fit_ && !none_fits_) continue;  // no other place says which do
      left_out_.insert(extra);
      table = make_table();
    }
    if (!fits_width(table) && files_.size() > 1) {
      numbers_files_ = true;
      table = make_table();
    }
    return header() + table.to_string(layout_, 0);
  }

 private:
  bool fits_width(const Table& table) const {
    return layout_.markdown || layout_.width == 0 || table.natural_width(0) <= layout_.width;
  }
  bool has(Extra extra) const { return left_out_.count(extra) == 0; }
  bool has_topologies_alone() const { return places_.size() > 1 && devices_.size() == 1; }

  std::string header() const {
    std::string out;
    if (files_.size() == 1) {
      out = files_.front() + "\n";
    } else if (folder_ > 1) {
      out = "in " + points_.front().file.substr(0, folder_) + "\n";
    }
    for (std::size_t i = 0; numbers_files_ && i < files_.size(); ++i) {
      out += absl::StrFormat("[%d] %s\n", i + 1, files_[i].substr(folder_));
    }
    if (places_.size() == 1) out += "on " + *places_.begin() + "\n";
    if (has_topologies_alone()) out += "on " + *devices_.begin() + "\n";
    const std::vector<SweptValue>& values = points_.front().values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::find(varied_.begin(), varied_.end(), i) != varied_.end()) continue;
      out += "with " + values[i].parameter + " " + value_text(values[i]) + "\n";
    }
    if (!has(Extra::kFits)) out += all_fit_ ? "all fit the memory\n" : "NONE fits the memory\n";
    return out.empty() || layout_.markdown ? out : out + "\n";
  }

  std::string file_cell(const std::string& file) const {
    if (!numbers_files_) return file.substr(folder_);
    return absl::StrFormat("[%d]", std::find(files_.begin(), files_.end(), file) - files_.begin() + 1);
  }

  Table make_table() const {
    const std::vector<SweptValue>& values = points_.front().values;
    std::vector<Column> columns;
    if (files_.size() > 1) columns.push_back({.title = "file", .is_whole = true, .is_code = true});
    if (places_.size() > 1) {
      columns.push_back({.title = has_topologies_alone() ? "topology" : "device", .is_whole = true});
    }
    for (const std::size_t i : varied_) columns.push_back({values[i].parameter, Align::kRight});
    columns.push_back({"step", Align::kRight});
    if (has(Extra::kRelative)) columns.push_back({"relative", Align::kRight});
    if (has(Extra::kBound)) columns.push_back({.title = "bound", .is_whole = true});
    columns.push_back({"HFU", Align::kRight});
    columns.push_back({"memory", Align::kRight});
    if (has(Extra::kFits)) columns.push_back({"fits"});
    if (has(Extra::kCovered)) columns.push_back({"covered", Align::kRight});
    Table table(std::move(columns));
    for (const SweepPoint& point : points_) {
      const StepPrediction& step = point.step;
      std::vector<std::string> row;
      if (files_.size() > 1) row.push_back(file_cell(point.file));
      if (places_.size() > 1) row.push_back(has_topologies_alone() ? topology_cell(point) : place_of(point));
      for (const std::size_t i : varied_) row.push_back(value_text(point.values[i]));
      row.push_back(format_seconds(step.step_seconds));
      if (has(Extra::kRelative))
        row.push_back(fastest_ > 0 ? absl::StrFormat("%.2f", step.step_seconds / fastest_) : "");
      if (has(Extra::kBound)) row.emplace_back(to_string(step.bound, step.family));
      row.push_back(step.hfu ? format_percent(*step.hfu) : "");
      row.push_back(format_bytes(step.memory.hbm_peak_bytes));
      if (has(Extra::kFits)) row.emplace_back(step.memory.fits ? "yes" : "NO");
      if (has(Extra::kCovered)) row.push_back(format_percent(step.modelled_share));
      table.add(std::move(row));
    }
    return table;
  }

  static std::string topology_cell(const SweepPoint& point) {
    return point.step.slices > 1 ? absl::StrFormat("%s*%d", point.step.topology, point.step.slices)
                                 : point.step.topology;
  }

  const Points& points_;
  const TextLayout& layout_;
  std::size_t folder_;
  std::vector<std::size_t> varied_;
  double fastest_ = std::numeric_limits<double>::infinity();
  std::vector<std::string> files_;  // in the order of the rows
  std::set<std::string> places_;
  std::set<std::string> devices_;
  bool all_fit_ = false;
  bool none_fits_ = false;
  std::set<Extra> left_out_;
  bool numbers_files_ = false;
};

}  // namespace

std::string sweep_view(const Points& points, SweepOrder order, const TextLayout& layout) {
  if (points.empty()) return "";
  const std::string warnings = origin_warnings(points, layout.width);
  std::vector<Points> by_file;
  if (order == SweepOrder::kGiven) {
    for (const SweepPoint& point : points) {
      if (by_file.empty() || by_file.back().front().file != point.file) by_file.emplace_back();
      by_file.back().push_back(point);
    }
  }
  // A table for each file leaves room for the other columns.
  if (by_file.size() <= 1 || by_file.size() == points.size()) return warnings + SweepTable(points, layout).run();
  std::string out;
  for (const Points& same : by_file) out += (out.empty() ? "" : "\n") + SweepTable(same, layout).run();
  return warnings + out;
}

}  // namespace hloroof::internal::inline report

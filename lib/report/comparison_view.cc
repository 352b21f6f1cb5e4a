#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_format.h"
#include "lib/predict/diagnostics.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

std::string device_of(const StepPrediction& p) { return p.topology.empty() ? p.device : p.device + ":" + p.topology; }

// Returns the length of the folder prefix that all files share.
std::size_t common_folder(const std::vector<NamedPrediction>& predictions) {
  const std::string& first = predictions.front().first;
  std::size_t shared = first.rfind('/') + 1;
  for (const auto& [file, p] : predictions) {
    const auto differ = std::mismatch(
        first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(shared, file.size())), file.begin());
    shared = static_cast<std::size_t>(differ.first - first.begin());
    shared = shared == 0 ? 0 : first.rfind('/', shared - 1) + 1;
  }
  return shared;
}

// Returns the indices in `set` of the parameters whose values differ between predictions.
std::vector<std::size_t> varied_settings(const std::vector<NamedPrediction>& predictions) {
  std::vector<std::size_t> varied;
  const auto& first = predictions.front().second.set;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool differs = std::any_of(predictions.begin(), predictions.end(), [&](const NamedPrediction& named) {
      return named.second.set[i].second != first[i].second;
    });
    if (differs) varied.push_back(i);
  }
  return varied;
}

// Returns one line for each prediction of a module that its device would not run, and how to learn more.
std::string origin_warnings(const std::vector<NamedPrediction>& predictions, std::size_t width) {
  std::set<std::string> lines;
  for (const auto& [file, p] : predictions) {
    for (const Diagnostic& diagnostic : p.diagnostics) {
      if (!is_about_origin(diagnostic)) continue;
      const std::string head = std::string(to_string(diagnostic.severity)) + " [" +
                               std::string(to_string(diagnostic.code)) + "] on " + p.device + ": ";
      const std::size_t room =
          width == 0 ? file.size() : std::max<std::size_t>(width - std::min(width, head.size()), 8);
      lines.insert(head + shorten(file, room) + "\n");
    }
  }
  if (lines.empty()) return "";
  std::string out;
  for (const std::string& line : lines) out += line;
  return out + wrap("Such times are those of another program: `hloroof lint` says why.", width, 0) + "\n\n";
}

// Writes one line for each prediction, below a header with the values that all of them share.
std::string one_table(const std::vector<NamedPrediction>& predictions, std::size_t width) {
  double fastest = std::numeric_limits<double>::infinity();
  std::set<std::string> files;
  std::set<std::string> devices;  // with topology
  std::set<std::string> names;    // device names
  std::string out;
  for (const auto& [file, p] : predictions) {
    fastest = std::min(fastest, p.step_seconds);
    files.insert(file);
    devices.insert(device_of(p));
    names.insert(p.device);
  }
  // The values that all lines share are in the header.
  const std::size_t folder = common_folder(predictions);
  if (files.size() == 1) {
    out = wrap(*files.begin(), width, 0) + "\n";
  } else if (folder > 1) {
    out = "in " + wrap(predictions.front().first.substr(0, folder), width, 3) + "\n";
  }
  const bool slices_alone = devices.size() > 1 && names.size() == 1;
  if (devices.size() == 1) out += "on " + *devices.begin() + "\n";
  if (slices_alone) out += "on " + *names.begin() + "\n";
  const std::vector<std::size_t> varied = varied_settings(predictions);
  const auto& settings = predictions.front().second.set;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (std::find(varied.begin(), varied.end(), i) != varied.end()) continue;
    out += absl::StrFormat("with %s = %.6g\n", settings[i].first, settings[i].second);
  }
  if (!out.empty()) out += "\n";

  // A sweep varies rates, which do not change the memory. The memory columns, and then the others, give their room to
  // the parameters.
  const bool with_memory = varied.empty();
  const bool with_mfu = varied.size() < 2;
  std::vector<Column> columns;
  columns.reserve(varied.size() + 9);
  for (std::size_t i : varied) columns.push_back({settings[i].first, Align::kRight});
  columns.insert(columns.end(), {{"step", Align::kRight}, {"relative", Align::kRight}, {"bound"}});
  if (with_mfu) columns.push_back({"MFU", Align::kRight});
  if (with_memory) columns.push_back({"memory", Align::kRight});
  columns.push_back({"fits"});
  if (with_memory) columns.push_back({"covered", Align::kRight});
  if (devices.size() > 1) columns.push_back({slices_alone ? "slice" : "device"});
  if (files.size() > 1) columns.push_back({"file"});
  Table table(std::move(columns));
  for (const auto& [file, p] : predictions) {
    std::vector<std::string> row;
    row.reserve(varied.size() + 9);
    for (std::size_t i : varied) row.push_back(absl::StrFormat("%.6g", p.set[i].second));
    row.push_back(format_seconds(p.step_seconds));
    row.push_back(fastest > 0 ? absl::StrFormat("%.2f", p.step_seconds / fastest) : "");
    row.emplace_back(to_string(p.bound, p.family));
    if (with_mfu) row.push_back(p.mfu ? format_percent(*p.mfu) : "");
    if (with_memory) row.push_back(format_bytes(p.memory.hbm_peak_bytes));
    row.emplace_back(p.memory.fits ? "yes" : "NO");
    if (with_memory) row.push_back(format_percent(p.modelled_share));
    if (devices.size() > 1) row.push_back(slices_alone ? p.topology : device_of(p));
    if (files.size() > 1) row.push_back(file.substr(folder));
    table.add(std::move(row));
  }
  return out + table.to_string(width, 0);
}

}  // namespace

std::string comparison_view(const std::vector<NamedPrediction>& predictions, std::size_t width) {
  std::vector<std::vector<NamedPrediction>> by_file;
  for (const NamedPrediction& named : predictions) {
    if (by_file.empty() || by_file.back().front().first != named.first) by_file.emplace_back();
    by_file.back().push_back(named);
  }
  // Several devices for each of several files: one table for each file leaves room for the names.
  const std::string warnings = origin_warnings(predictions, width);
  if (by_file.size() == 1 || by_file.size() == predictions.size()) return warnings + one_table(predictions, width);
  std::string out;
  for (const std::vector<NamedPrediction>& same : by_file) out += (out.empty() ? "" : "\n") + one_table(same, width);
  return warnings + out;
}

}  // namespace hloroof::internal

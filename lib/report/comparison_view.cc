#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_format.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

using Named = std::pair<std::string, StepPrediction>;  // a file's name and what is predicted for it

std::string device_of(const StepPrediction& p) { return p.topology.empty() ? p.device : p.device + ":" + p.topology; }

// How many characters of `files` are one folder that all of them share.
std::size_t common_folder(const std::vector<Named>& predictions) {
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

// A line for each, below what is the same in all of them.
std::string one_table(const std::vector<Named>& predictions, std::size_t width) {
  double fastest = std::numeric_limits<double>::infinity();
  std::set<std::string> files;
  std::set<std::string> devices;  // with their topologies
  std::set<std::string> names;    // of the devices
  std::string out;
  for (const auto& [file, p] : predictions) {
    fastest = std::min(fastest, p.step_seconds);
    files.insert(file);
    devices.insert(device_of(p));
    names.insert(p.device);
  }
  const std::size_t folder = common_folder(predictions);
  if (files.size() == 1) {
    out = wrap(*files.begin(), width, 0) + "\n";
  } else if (folder > 1) {
    out = "in " + wrap(predictions.front().first.substr(0, folder), width, 3) + "\n";
  }
  const bool slices_alone = devices.size() > 1 && names.size() == 1;
  if (devices.size() == 1) out += "on " + *devices.begin() + "\n";
  if (slices_alone) out += "on " + *names.begin() + "\n";
  if (!out.empty()) out += "\n";

  std::vector<Column> columns = {{"step", Align::kRight},   {"relative", Align::kRight}, {"bound"},
                                 {"MFU", Align::kRight},    {"memory", Align::kRight},   {"fits"},
                                 {"covered", Align::kRight}};
  if (devices.size() > 1) columns.push_back({slices_alone ? "slice" : "device"});
  if (files.size() > 1) columns.push_back({"file"});
  Table table(std::move(columns));
  for (const auto& [file, p] : predictions) {
    std::vector<std::string> row = {format_seconds(p.step_seconds),
                                    fastest > 0 ? absl::StrFormat("%.2f", p.step_seconds / fastest) : "",
                                    p.bound,
                                    p.mfu ? format_percent(*p.mfu) : "",
                                    format_bytes(p.memory.hbm_peak_bytes),
                                    p.memory.fits ? "yes" : "NO",
                                    format_percent(p.modelled_share)};
    if (devices.size() > 1) row.push_back(slices_alone ? p.topology : device_of(p));
    if (files.size() > 1) row.push_back(file.substr(folder));
    table.add(std::move(row));
  }
  return out + table.to_string(width, 0);
}

}  // namespace

std::string comparison_view(const std::vector<std::pair<std::string, StepPrediction>>& predictions, std::size_t width) {
  std::vector<std::vector<Named>> by_file;
  for (const Named& named : predictions) {
    if (by_file.empty() || by_file.back().front().first != named.first) by_file.emplace_back();
    by_file.back().push_back(named);
  }
  // Several devices for each of several files: a table a file, so that names have room.
  if (by_file.size() == 1 || by_file.size() == predictions.size()) return one_table(predictions, width);
  std::string out;
  for (const std::vector<Named>& same : by_file) out += (out.empty() ? "" : "\n") + one_table(same, width);
  return out;
}

}  // namespace hloroof::inline v0

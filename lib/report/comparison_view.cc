#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_format.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

// How many characters of `files` are one folder that all of them share.
std::size_t common_folder(const std::vector<std::pair<std::string, StepPrediction>>& predictions) {
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

}  // namespace

std::string comparison_view(const std::vector<std::pair<std::string, StepPrediction>>& predictions, std::size_t width) {
  double fastest = std::numeric_limits<double>::infinity();
  std::set<std::string> files;
  std::set<std::string> devices;  // with their topologies
  std::set<std::string> names;    // of the devices
  std::string out;
  const auto device_of = [](const StepPrediction& p) {
    return p.topology.empty() ? p.device : p.device + ":" + p.topology;
  };
  for (const auto& [file, p] : predictions) {
    fastest = std::min(fastest, p.step_seconds);
    files.insert(file);
    devices.insert(device_of(p));
    names.insert(p.device);
  }
  if (files.size() > 1 && predictions.size() > files.size()) {  // a table a file, so that names have room
    for (std::size_t begin = 0; begin < predictions.size();) {
      std::size_t end = begin;
      while (end < predictions.size() && predictions[end].first == predictions[begin].first) ++end;
      const auto from = predictions.begin();
      const auto offset = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
      if (!out.empty()) out += '\n';
      out += comparison_view({from + offset(begin), from + offset(end)}, width);
      begin = end;
    }
    return out;
  }
  // What is the same in all lines stands above them.
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

}  // namespace hloroof::inline v0

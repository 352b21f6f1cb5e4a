#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {

std::string comparison_view(const std::vector<std::pair<std::string, StepPrediction>>& predictions, std::size_t width) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& [file, p] : predictions) fastest = std::min(fastest, p.step_seconds);
  Table table({{"step", Align::kRight},
               {"relative", Align::kRight},
               {"bound"},
               {"MFU", Align::kRight},
               {"memory", Align::kRight},
               {"fits"},
               {"covered", Align::kRight},
               {"device", Align::kLeft, 24},
               {"file"}});
  for (const auto& [file, p] : predictions) {
    const std::string device = p.topology.empty() ? p.device : p.device + ":" + p.topology;
    table.add({format_seconds(p.step_seconds), fastest > 0 ? absl::StrFormat("%.2f", p.step_seconds / fastest) : "", p.bound,
               p.mfu ? format_percent(*p.mfu) : "", format_bytes(p.memory.hbm_peak_bytes), p.memory.fits ? "yes" : "NO",
               format_percent(p.modelled_share), device, file});
  }
  return table.to_string(width, 0);
}

}  // namespace hloroof::inline v0

// Prints the shipped and the fitted rates of each device of XLA's measured table in SI units. The fit uses half of the
// table, and its last columns are the range over fits without a fifth of that; collective_accuracy_test prints the
// error on the other half:
//   fit_collectives TABLE.csv
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/calibrate/folds.h"
#include "tests/calibrate/collective_fit.h"
#include "tests/calibrate/collective_table.h"

namespace hloroof::internal {
namespace {

using Measurements = std::vector<CollectiveMeasurement>;

// One number of the rates of a kind.
template <typename Rates>
struct Number {
  const char* name;
  Fact<double> Rates::*value;
};

constexpr Number<CollectiveRates> kRates[] = {{"launch", &CollectiveRates::launch},
                                              {"step", &CollectiveRates::step},
                                              {"fill", &CollectiveRates::fill},
                                              {"efficiency", &CollectiveRates::efficiency},
                                              {"peer_efficiency", &CollectiveRates::peer_efficiency},
                                              {"square", &CollectiveRates::square}};
constexpr Number<SendRates> kSendRates[] = {{"launch", &SendRates::launch},
                                            {"efficiency", &SendRates::efficiency},
                                            {"channel_bandwidth", &SendRates::channel_bandwidth},
                                            {"shared_channel_bandwidth", &SendRates::shared_channel_bandwidth},
                                            {"low_latency_bandwidth", &SendRates::low_latency_bandwidth}};

// Prints each number as shipped and as `fit` finds it, with its range over fits that leave out every fifth row.
template <typename Rates, std::size_t kCount>
void print(std::string rates, const Number<Rates> (&numbers)[kCount], const Rates& shipped, const Measurements& rows,
           const std::function<Rates(const Measurements&)>& fit) {
  std::replace(rates.begin(), rates.end(), '-', '_');
  const Rates found = fit(rows);
  std::vector<Rates> folds;
  for (std::size_t out = 0; out < kFolds && rows.size() >= kFolds; ++out) {
    folds.push_back(fit(without_fold(rows, out)));
  }
  for (const Number<Rates>& number : numbers) {
    const Fact<double>& before = shipped.*number.value;
    const Fact<double>& after = found.*number.value;
    if (!before && !after) continue;
    const std::string path = "scale_up." + rates + "." + number.name;
    std::printf("  %-42s %10.4g -> %-10.4g", path.c_str(), before ? *before : NAN, after ? *after : NAN);
    double least = after ? *after : NAN;
    double most = least;
    std::size_t without = 0;
    for (const Rates& fold : folds) {
      const Fact<double>& value = fold.*number.value;
      if (!value) ++without;
      if (value) least = std::fmin(least, *value), most = std::fmax(most, *value);
    }
    if (least < most) std::printf("  %.4g .. %.4g", least, most);
    if (without > 0) std::printf("  none in %zu of %zu", without, folds.size());
    std::printf("\n");
  }
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) {
  using namespace hloroof;            // NOLINT
  using namespace hloroof::internal;  // NOLINT
  if (argc != 2) {
    std::fprintf(stderr, "usage: fit_collectives TABLE.csv\n");
    return 1;
  }
  const CollectiveTable table = read_collective_table(argv[1]);
  for (const auto& [key, name] : table_devices()) {
    absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) return 1;
    std::printf("%s\n", name.c_str());
    for (const CollectiveKind kind : {CollectiveKind::kAllGather, CollectiveKind::kReduceScatter,
                                      CollectiveKind::kAllReduce, CollectiveKind::kAllToAll}) {
      const auto rows = table.fitted.find({key, kind});
      if (rows == table.fitted.end()) continue;
      print<CollectiveRates>(std::string(to_string(kind)), kRates, rates_of(*device, kind), rows->second,
                             [&](const Measurements& part) { return fit_collective_rates(part, *device); });
    }
    const auto rows = table.fitted.find({key, CollectiveKind::kCollectivePermute});
    if (rows == table.fitted.end()) continue;
    print<SendRates>("permute", kSendRates, device->scale_up.permute, rows->second,
                     [&](const Measurements& part) { return fit_send_rates(part, *device); });
  }
}

// XLA's table of measured GPU collectives (xla_gpu_collective_perf.csv), read for fitting and for scoring.
#ifndef HLOROOF_TESTS_CALIBRATE_COLLECTIVE_TABLE_H_
#define HLOROOF_TESTS_CALIBRATE_COLLECTIVE_TABLE_H_

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "lib/base/csv.h"
#include "lib/ir/opcode_facts.h"
#include "lib/time/scale_up.h"
#include "tests/calibrate/collective_fit.h"

namespace hloroof::internal {

// The devices of the table by the names of this project.
inline const std::vector<std::pair<std::string, std::string>>& table_devices() {
  static const std::vector<std::pair<std::string, std::string>> devices = {
      {"sm_90", "h100_sxm"}, {"sm_100_B200", "b200_sxm"}, {"sm_100_GB200", "gb200"},
      {"sm_103", "gb300"},   {"gfx950", "mi355x"},
  };
  return devices;
}

inline std::optional<CollectiveKind> table_kind(const std::string& opcode) {
  for (int i = 0; i < kCollectiveKindCount; ++i) {
    if (to_string(static_cast<CollectiveKind>(i)) == opcode) return static_cast<CollectiveKind>(i);
  }
  return std::nullopt;
}

// The devices and the flow of a permutation written as "0>1;1>0".
inline void read_pairs(const std::string& text, CollectiveMeasurement& m) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  std::istringstream rest(text);
  std::string pair;
  m.devices = 2;
  while (std::getline(rest, pair, ';')) {
    const std::int64_t source = std::atol(pair.c_str());
    const std::int64_t target = std::atol(pair.substr(pair.find('>') + 1).c_str());
    pairs.emplace_back(source, target);
    m.devices = std::max(m.devices, std::max(source, target) + 1);
  }
  m.relays = relays(pairs);
}

struct CollectiveTable {
  // By device and kind. Every second size of each series is fitted, and the others are held back.
  std::map<std::pair<std::string, CollectiveKind>, std::vector<CollectiveMeasurement>> fitted;
  std::map<std::pair<std::string, CollectiveKind>, std::vector<CollectiveMeasurement>> held_back;
};

inline CollectiveTable read_collective_table(const std::string& path) {
  CollectiveTable table;
  const absl::StatusOr<CsvTable> csv = load_csv(path);
  if (!csv.ok()) return table;
  using Series = std::tuple<std::string, CollectiveKind, std::string, long, std::string>;
  std::map<Series, std::vector<CollectiveMeasurement>> series;
  for (const CsvTable::Row& row : csv->rows) {
    const auto cell = [&](const char* column) -> const std::string& {
      return row.fields[csv->find_column(column).value()];
    };
    const std::optional<CollectiveKind> kind = table_kind(cell("opcode"));
    const double throughput = std::atof(cell("throughput_bytes_per_sec").c_str());
    if (!kind || !(throughput > 0)) continue;
    CollectiveMeasurement m;
    m.kind = *kind;
    m.bytes = std::atof(cell("bytes_transferred_xla").c_str());
    m.devices = std::max(2L, std::atol(cell("devices_per_group").c_str()));
    m.seconds = m.bytes / throughput;
    const std::string& pairs = cell("source_target_pairs");
    if (*kind == CollectiveKind::kCollectivePermute) read_pairs(pairs, m);
    series[{cell("device_key"), *kind, cell("dtype"), m.devices, pairs}].push_back(m);
  }
  for (auto& [key, rows] : series) {
    std::sort(rows.begin(), rows.end(),
              [](const CollectiveMeasurement& a, const CollectiveMeasurement& b) { return a.bytes < b.bytes; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& half = i % 2 == 0 ? table.fitted : table.held_back;
      half[{std::get<0>(key), std::get<1>(key)}].push_back(rows[i]);
    }
  }
  return table;
}

// A measurement and its prediction.
inline ScaleUpCost<double> cost_of(const CollectiveMeasurement& m, const Device& device, MissingNumbers* missing) {
  if (m.kind != CollectiveKind::kCollectivePermute)
    return scale_up_cost(device, m.kind, m.bytes, m.devices, 1, missing);
  Send send;
  send.bytes = m.bytes;
  send.devices = m.devices;
  send.relays = m.relays;
  return send_cost(device, send, missing);
}

// The held-back rows of one device and kind, with their predictions.
struct PredictedRow {
  CollectiveMeasurement measured;
  ScaleUpCost<double> cost;
  bool is_complete = true;  // the device file has all numbers that the cost is made of
  double seconds() const { return cost.seconds + cost.latency_seconds; }
};
struct PredictedSeries {
  std::string device;
  CollectiveKind kind = CollectiveKind::kAllGather;
  std::vector<PredictedRow> large;  // from 1 MiB on
  std::vector<PredictedRow> small;
};

// In the order of table_devices(), then of kinds, without unknown devices.
inline std::vector<PredictedSeries> predict_held_back(const CollectiveTable& table) {
  std::vector<PredictedSeries> all;
  for (const auto& [key, name] : table_devices()) {
    const absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) continue;
    for (const auto& [of, rows] : table.held_back) {
      if (of.first != key) continue;
      PredictedSeries series;
      series.device = name;
      series.kind = of.second;
      for (const CollectiveMeasurement& m : rows) {
        MissingNumbers missing;
        const ScaleUpCost<double> cost = cost_of(m, *device, &missing);
        (m.bytes >= (1 << 20) ? series.large : series.small).push_back({m, cost, missing.empty()});
      }
      all.push_back(std::move(series));
    }
  }
  return all;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_CALIBRATE_COLLECTIVE_TABLE_H_

#include "tests/accuracy/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/base/csv.h"

namespace hloroof::internal {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) rank[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return rank;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 1;
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

Figures figures(const std::vector<Sample>& samples) {
  Figures result;
  result.count = samples.size();
  if (samples.empty()) return result;
  std::vector<double> signed_error;
  std::vector<double> error;
  std::vector<double> predicted;
  std::vector<double> reference;
  std::size_t within = 0;
  for (const Sample& s : samples) {
    const double ratio = s.predicted / s.reference;
    signed_error.push_back(ratio - 1);
    error.push_back(std::abs(ratio - 1));
    within += ratio < 1.6 && ratio > 1 / 1.6 ? 1 : 0;
    predicted.push_back(s.predicted);
    reference.push_back(s.reference);
  }
  result.bias = quantile(signed_error, 0.5);
  result.median = quantile(error, 0.5);
  result.p90 = quantile(error, 0.9);
  result.within = static_cast<double>(within) / static_cast<double>(samples.size());
  result.rank = correlation(ranks(predicted), ranks(reference));
  return result;
}

void Report::heading(const std::string& text) { text_ += "\n### " + text + "\n"; }

void Report::paragraph(const std::string& text) { text_ += "\n" + text + "\n"; }

void Report::table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  const auto line = [this](const std::vector<std::string>& cells) {
    text_ += "|";
    for (const std::string& cell : cells) text_ += " " + cell + " |";
    text_ += "\n";
  };
  text_ += "\n";
  line(header);
  line(std::vector<std::string>(header.size(), "---"));
  for (const auto& row : rows) line(row);
}

void Report::worst(const std::vector<Sample>& samples, std::size_t n) {
  std::vector<const Sample*> order;
  order.reserve(samples.size());
  for (const Sample& s : samples) order.push_back(&s);
  const auto loss = [](const Sample* s) { return std::abs(std::log(s->predicted / s->reference)) * s->weight; };
  std::stable_sort(order.begin(), order.end(), [&](const Sample* a, const Sample* b) { return loss(a) > loss(b); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < order.size() && i < n; ++i) {
    const Sample& s = *order[i];
    rows.push_back({s.what, microseconds(s.predicted), microseconds(s.reference),
                    absl::StrFormat("%.2f", s.predicted / s.reference), s.reason});
  }
  table({"furthest off", "predicted", "reference", "ratio", "why"}, rows);
}

void Report::held_back(const std::string& what, const std::vector<Sample>& samples) {
  if (!samples.empty()) held_back_.emplace_back(what, samples);
}

void Report::prepend_summary() {
  const std::string rest = std::exchange(text_, "");
  heading("Measurements held back");
  paragraph(
      "Every row of the tables below is marked. A row is *fitted* if a constant of the device is fitted to it, *seen* "
      "if "
      "a constant was chosen or confirmed with it in view, and *held back* if no constant depends on it. The error is "
      "|predicted / measured - 1|. This summary has the held-back rows only; quote no others.");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [what, samples] : held_back_) {
    const Figures f = figures(samples);
    rows.push_back({what, std::to_string(f.count), percent(f.bias), percent(f.median), percent(f.p90)});
  }
  table({"measurements", "rows", "bias", "median error", "90th percentile"}, rows);
  text_ += rest;
}

void Report::measured(const std::string& device, Measured what, const std::vector<Sample>& samples) {
  if (samples.empty()) return;
  std::vector<Sample>& all = measured_[device][what];
  all.insert(all.end(), samples.begin(), samples.end());
}

std::map<std::string, std::vector<Accuracy>> Report::accuracies() const {
  std::map<std::string, std::vector<Accuracy>> result;
  for (const auto& [device, kinds] : measured_) {
    for (const auto& [what, samples] : kinds) {
      const Figures f = figures(samples);
      result[device].push_back({what, static_cast<std::int64_t>(f.count), f.median, f.p90});
    }
  }
  return result;
}

std::string percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

std::string microseconds(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.3f s", seconds);
  if (seconds >= 1e-2) return absl::StrFormat("%.1f ms", seconds * 1e3);
  return absl::StrFormat("%.1f us", seconds * 1e6);
}

std::vector<std::map<std::string, std::string>> read_csv(const std::string& path) {
  std::vector<std::map<std::string, std::string>> rows;
  const absl::StatusOr<CsvTable> table = load_csv(path);
  if (!table.ok()) {
    std::fprintf(stderr, "%s\n", std::string(table.status().message()).c_str());
    return rows;
  }
  for (const CsvTable::Row& row : table->rows) {
    rows.emplace_back();
    for (std::size_t i = 0; i < table->columns.size(); ++i) rows.back()[table->columns[i]] = row.fields[i];
  }
  return rows;
}

}  // namespace hloroof::internal

#include "tests/accuracy/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/base/csv.h"
#include "lib/base/source_text.h"

namespace hloroof::internal {
namespace {

double pairs_of(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

// The number of pairs of equal neighbours in a sorted range.
template <typename Same>
double tied_pairs(std::size_t size, const Same& same) {
  double pairs = 0;
  for (std::size_t i = 0; i < size;) {
    std::size_t end = i + 1;
    while (end < size && same(i, end)) ++end;
    pairs += pairs_of(end - i);
    i = end;
  }
  return pairs;
}

// Sorts `values` and returns the number of pairs that were in the wrong order.
double sort_counting_swaps(std::vector<double>& values) {
  double swaps = 0;
  std::vector<double> merged(values.size());
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, values.size());
      const std::size_t end = std::min(begin + 2 * width, values.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        if (right == end || (left < middle && values[left] <= values[right])) {
          merged[out] = values[left++];
        } else {
          swaps += static_cast<double>(middle - left);
          merged[out] = values[right++];
        }
      }
    }
    values.swap(merged);
  }
  return swaps;
}

// Kendall's tau-b, in the way of W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data"
// (1966).
double kendall_tau(std::vector<std::pair<double, double>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  const double all = pairs_of(pairs.size());
  const double tied_first = tied_pairs(pairs.size(), [&](auto i, auto k) { return pairs[i].first == pairs[k].first; });
  const double tied_both = tied_pairs(pairs.size(), [&](auto i, auto k) { return pairs[i] == pairs[k]; });
  std::vector<double> second;
  second.reserve(pairs.size());
  for (const auto& pair : pairs) second.push_back(pair.second);
  const double swaps = sort_counting_swaps(second);
  const double tied_second = tied_pairs(second.size(), [&](auto i, auto k) { return second[i] == second[k]; });
  const double scale = std::sqrt((all - tied_first) * (all - tied_second));
  return scale > 0 ? (all - tied_first - tied_second + tied_both - 2 * swaps) / scale : 1;
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
  std::vector<std::pair<double, double>> pairs;
  std::size_t within = 0;
  for (const Sample& s : samples) {
    const double ratio = s.predicted / s.reference;
    signed_error.push_back(ratio - 1);
    error.push_back(std::abs(ratio - 1));
    within += ratio < 1.6 && ratio > 1 / 1.6 ? 1 : 0;
    pairs.emplace_back(s.predicted, s.reference);
  }
  result.bias = quantile(signed_error, 0.5);
  result.median = quantile(error, 0.5);
  result.p90 = quantile(error, 0.9);
  result.within = static_cast<double>(within) / static_cast<double>(samples.size());
  result.tau = kendall_tau(std::move(pairs));
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
      "|predicted / measured - 1|; Kendall's tau is the share of pairs in the right order less the share in the wrong "
      "one. This summary has the held-back rows only; quote no others.");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [what, samples] : held_back_) {
    const Figures f = figures(samples);
    rows.push_back({what, std::to_string(f.count), percent(f.bias), percent(f.median), percent(f.p90),
                    absl::StrFormat("%.2f", f.tau)});
  }
  table({"measurements", "rows", "bias", "median error", "90th percentile", "Kendall's tau"}, rows);
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
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  const auto source = SourceText::read(path, kMostBytes);
  if (!source.ok()) {
    std::fprintf(stderr, "%s\n", std::string(source.status().message()).c_str());
    return rows;
  }
  std::string_view text = (*source)->view();
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const absl::StatusOr<CsvTable> table = parse_csv(text, path);
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

// Compares predictions with the values that they are judged by, and computes the figures that summarize them.
#ifndef HLOROOF_TESTS_ACCURACY_FIGURES_H_
#define HLOROOF_TESTS_ACCURACY_FIGURES_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/device.h"

namespace hloroof::internal {

// One prediction and its reference, in seconds.
struct Sample {
  std::string what;
  double predicted = 0;
  double reference = 0;
  double weight = 1;   // times that it happens; orders the worst
  std::string reason;  // what a large error would come from
};

struct Figures {
  std::size_t count = 0;
  double bias = 0;    // median of predicted / reference - 1
  double median = 0;  // of |predicted / reference - 1|
  double p90 = 0;
  double within = 0;  // share of samples within a factor of 1.6
  double tau = 0;     // Kendall's: share of pairs in the right order less the share in the wrong one
};

// Linear between the nearest two; 0 of nothing.
double quantile(std::vector<double> values, double q);

Figures figures(const std::vector<Sample>& samples);

// What the report is built of: text in Markdown, and the figures that a check holds to. Of every figure less is better.
class Report {
 public:
  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

  // Keeps `value` under `name` for the check.
  void figure(const std::string& name, double value) { figures_[name] = value; }

  // The `n` samples with the largest error times what it weighs, as a table.
  void worst(const std::vector<Sample>& samples, std::size_t n = 5);

  // Adds held-back rows to the summary at the head of the report, one line for each `what`.
  void held_back(const std::string& what, const std::vector<Sample>& samples);
  void prepend_summary();

  // Adds held-back rows to the accuracy of a device, for its file in data/hardware.
  void measured(const std::string& device, Measured what, const std::vector<Sample>& samples);

  // The accuracy of each device with held-back rows, in the order of Measured, as its file states it.
  std::map<std::string, std::vector<Accuracy>> accuracies() const;

  const std::string& text() const { return text_; }
  const std::map<std::string, double>& kept() const { return figures_; }

 private:
  std::string text_;
  std::map<std::string, double> figures_;
  std::vector<std::pair<std::string, std::vector<Sample>>> held_back_;
  std::map<std::string, std::map<Measured, std::vector<Sample>>> measured_;  // by device
};

std::string percent(double share);
std::string microseconds(double seconds);

// The rows of a CSV file by column name. Lines at its top that begin with # say what the columns mean and are passed
// over. A file that cannot be read is reported on stderr and gives no rows.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& path);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_FIGURES_H_

// Fits the numbers `kernel.*` of the TPUs to the measured Pallas kernels of the shared corpus:
//
//   fit_kernels FOLDER         prints the numbers that fit best, and the errors with and without cross-validation
//   fit_kernels FOLDER show    prints the errors with the numbers of data/hardware
//
// The numbers are those of unrolled code on any TPU, and one for each device. The search tries each number a step up
// and down, with ever smaller steps, and keeps what lowers the loss: the mean of log(1 + (error / 10 %)^2), which
// kernels that depend on data (sizes of groups) do not dominate, and which does not give up a family for another. A
// family of n kernels on a device weighs sqrt(n).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/device.h"
#include "lib/hardware/write_device.h"
#include "tests/accuracy/pallas_kernels.h"

namespace hloroof::internal {
namespace {

struct Number {
  std::string path;
  std::string device;  // empty: the same on all devices
  double value = 0;
  double least = 0;
  double most = 0;
};

constexpr const char* kDevices[] = {"tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_v7x"};

using Kernels = std::vector<MeasuredPallasKernel>;
using Chosen = std::function<bool(std::size_t)>;

class Fit {
 public:
  explicit Fit(const Kernels& kernels) : kernels_(kernels) {
    for (const char* name : kDevices) devices_.emplace(name, *find_device(name));
    for (const MeasuredPallasKernel& kernel : kernels) ++sizes_[kernel.family + kernel.device];
    const TpuCore::Kernel& now = devices_.at("tpu_v6e").tpu()->kernel;
    numbers_ = {{"kernel.vector_efficiency", "", now.vector_efficiency, 0.1, 1},
                {"kernel.transcendental_rate", "", now.transcendental_rate, 0.2, 2},
                {"kernel.reduction_cycles", "", now.reduction_cycles, 0.1, 10},
                {"kernel.transpose_cycles", "", now.transpose_cycles, 0.5, 20},
                {"kernel.load_share", "", now.load_share, 0.02, 1},
                {"kernel.overlap_norm", "", now.overlap_norm, 1, 8},
                {"kernel.scalar_cycles", "", now.scalar_cycles, 0.25, 8},
                {"kernel.step", "", now.step, 2e-7, 2e-6},
                {"kernel.transfer_efficiency", "", now.transfer_efficiency, 0.5, 1},
                {"kernel.exposed_wait", "", now.exposed_wait, 0.05, 1}};
    for (const char* name : kDevices) {
      numbers_.push_back({"kernel.matrix_efficiency", name, devices_.at(name).tpu()->kernel.matrix_efficiency, 0.5, 1});
    }
  }

  // Searches with these steps.
  void run(const Chosen& chosen, std::initializer_list<double> steps) {
    chosen_.clear();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (chosen(i)) chosen_.push_back(i);
    }
    losses_.assign(kernels_.size(), 0);
    double best = loss("");
    for (const double step : steps) {
      for (Number& number : numbers_) {
        for (const double factor : {step, 1 / step}) {
          const double value = number.value;
          const std::vector<double> before = losses_;
          set(number, std::clamp(value * factor, number.least, number.most));
          const double now = loss(number.device);
          if (now < best) {
            best = now;
            break;
          }
          set(number, value);
          losses_ = before;
        }
      }
      std::fprintf(stderr, "loss %.4f after steps of %.3f\n", best, step);
    }
  }

  double ratio(std::size_t i) const {
    return predicted_seconds(kernels_[i], devices_.at(kernels_[i].device)) / kernels_[i].measured;
  }

  std::vector<double> values() const {
    std::vector<double> result;
    result.reserve(numbers_.size());
    for (const Number& number : numbers_) result.push_back(number.value);
    return result;
  }

  // Prints the numbers, each with its range over `others`, the numbers of other fits.
  void print(const std::vector<std::vector<double>>& others) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      double least = numbers_[i].value;
      double most = numbers_[i].value;
      for (const std::vector<double>& other : others) {
        least = std::min(least, other[i]);
        most = std::max(most, other[i]);
      }
      std::printf("  %-28s %-8s %9.3g  %9.3g .. %.3g\n", numbers_[i].path.c_str(), numbers_[i].device.c_str(),
                  numbers_[i].value, least, most);
    }
  }

 private:
  void set(Number& number, double value) {
    number.value = value;
    for (auto& [name, device] : devices_) {
      if (!number.device.empty() && number.device != name) continue;
      static_cast<void>(set_parameter(device, number.path, value, ParameterSource{}));
    }
  }

  // Computes the losses of the kernels of `device` anew; of all if it is empty.
  double loss(const std::string& device) {
    double sum = 0;
    double weights = 0;
    for (const std::size_t i : chosen_) {
      const MeasuredPallasKernel& kernel = kernels_[i];
      if (device.empty() || kernel.device == device) {
        const double error = std::log(ratio(i)) / 0.1;
        losses_[i] = std::log1p(error * error);
      }
      const double weight = 1 / std::sqrt(sizes_.at(kernel.family + kernel.device));
      sum += weight * losses_[i];
      weights += weight;
    }
    return sum / weights;
  }

  const Kernels& kernels_;
  std::map<std::string, Device> devices_;
  std::map<std::string, double> sizes_;
  std::vector<Number> numbers_;
  std::vector<std::size_t> chosen_;
  std::vector<double> losses_;  // by kernel
};

struct Errors {
  std::vector<double> ratios;

  std::string text() const {
    std::vector<double> errors;
    double near = 0;
    for (const double ratio : ratios) {
      errors.push_back(std::abs(ratio - 1));
      if (ratio < 1.6 && ratio > 1 / 1.6) near += 1;
    }
    std::sort(errors.begin(), errors.end());
    const auto n = static_cast<double>(errors.size());
    return absl::StrFormat("%4.0f %6.1f %% %6.1f %% %6.1f %%", n, 100 * errors[errors.size() / 2],
                           100 * errors[static_cast<std::size_t>(0.9 * (n - 1))], 100 * near / n);
  }
};

void print_errors(const char* title, const Kernels& kernels, const std::vector<double>& ratios) {
  std::map<std::string, Errors> rows;
  Errors all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    rows[kernels[i].family + " " + kernels[i].device].ratios.push_back(ratios[i]);
    all.ratios.push_back(ratios[i]);
  }
  std::printf("%-44s    n   median     p90   within 1.6\n", title);
  for (const auto& [name, errors] : rows) std::printf("  %-42s %s\n", name.c_str(), errors.text().c_str());
  std::printf("  %-42s %s\n", "all", all.text().c_str());
}

std::vector<double> ratios_of(const Fit& fit, const Kernels& kernels) {
  std::vector<double> ratios;
  ratios.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) ratios.push_back(fit.ratio(i));
  return ratios;
}

// Each kernel with numbers that were fitted to those of other parts, from the numbers fitted to all. `part` says which
// part a kernel is in. Adds the numbers of each fit to `values`.
std::vector<double> held_back(const Fit& all, const Kernels& kernels, const std::vector<std::string>& part,
                              std::vector<std::vector<double>>& values) {
  std::vector<double> ratios(kernels.size());
  std::vector<std::string> parts = part;
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (const std::string& out : parts) {
    Fit fit = all;
    fit.run([&](std::size_t i) { return part[i] != out; }, {1.1, 1.03});
    values.push_back(fit.values());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (part[i] == out) ratios[i] = fit.ratio(i);
    }
  }
  return ratios;
}

int fit_kernels(const std::string& folder, bool only_show) {
  const absl::StatusOr<Kernels> kernels = measured_pallas_kernels(folder);
  if (!kernels.ok()) {
    std::fprintf(stderr, "%s\n", std::string(kernels.status().message()).c_str());
    return 1;
  }
  Fit fit(*kernels);
  print_errors("with the numbers of data/hardware", *kernels, ratios_of(fit, *kernels));
  std::fflush(stdout);
  if (only_show) return 0;
  fit.run([](std::size_t) { return true; }, {1.4, 1.4, 1.2, 1.2, 1.1, 1.1, 1.05, 1.05, 1.02, 1.02});
  print_errors("fitted", *kernels, ratios_of(fit, *kernels));
  std::fflush(stdout);
  std::vector<std::string> fifths;
  std::vector<std::string> families;
  for (std::size_t i = 0; i < kernels->size(); ++i) {
    fifths.push_back(std::to_string(i % 5));
    families.push_back((*kernels)[i].family);
  }
  std::vector<std::vector<double>> values;
  print_errors("fitted to four fifths", *kernels, held_back(fit, *kernels, fifths, values));
  std::fflush(stdout);
  print_errors("fitted to the other families", *kernels, held_back(fit, *kernels, families, values));
  std::printf("numbers, with their range over the fits to parts of the kernels\n");
  fit.print(values);
  return 0;
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fit_kernels FOLDER [show]\n");
    return 2;
  }
  return hloroof::internal::fit_kernels(argv[1], argc > 2);
}

#include "lib/calibrate/parameter_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Core>

#include "lib/base/strings.h"
#include "lib/calibrate/folds.h"
#include "lib/calibrate/nonnegative_fit.h"
#include "lib/hardware/write_device.h"

namespace hloroof::internal::inline calibrate {
namespace {

constexpr std::size_t kMaxParameters = 8;
constexpr int kSteps = 24;           // Gauss-Newton steps of half length, so that the bounding resources converge
constexpr double kNudge = 1e-3;      // relative, for derivatives
constexpr double kLeastTime = 1e-8;  // s; the nudge of a time that is 0

// A parameter in the form in which the model is linear: a time itself, or the inverse of a rate or share.
struct Unknown {
  std::string path;
  std::string unit;
  bool inverse = true;
  bool is_share = false;
  double x = 0;

  double value(double at) const { return inverse ? 1 / at : at; }
};

Eigen::VectorXd predictions(const std::vector<Measurement>& measurements, const Device& device) {
  Eigen::VectorXd seconds(static_cast<Eigen::Index>(measurements.size()));
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    seconds[static_cast<Eigen::Index>(i)] = predicted_seconds(measurements[i], device);
  }
  return seconds;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  return values[low] + (at - static_cast<double>(low)) * (values[std::min(low + 1, values.size() - 1)] - values[low]);
}

}  // namespace

std::optional<Parameter> parameter_of(const Device& device, std::string_view path) {
  for (Parameter& p : parameters(device)) {
    if (p.path == path) return std::move(p);
  }
  return std::nullopt;
}

std::vector<std::string> matmul_parameters(const Device& device) {
  std::vector<std::string> paths;
  if (device.family() == DeviceFamily::kTpu) {
    paths = {"matrix.efficiency", "matrix.efficiency_s8", "hbm.read_efficiency", "hbm.write_efficiency",
             "overhead.pipeline_fill"};
  } else {
    paths = {"matrix.efficiency", "matrix.operand_bandwidth", "overhead.matmul", "overhead.wave", "overhead.split"};
  }
  std::erase_if(paths, [&](const std::string& path) {
    const auto p = parameter_of(device, path);
    return !p || !p->value;
  });
  return paths;
}

absl::StatusOr<std::vector<FittedParameter>> fit_parameters(Device& device,
                                                            const std::vector<Measurement>& measurements,
                                                            const std::vector<std::string>& paths,
                                                            const ParameterSource& source) {
  if (measurements.empty()) return invalid_argument("there are no measurements to fit");
  if (paths.empty() || paths.size() > kMaxParameters)
    return invalid_argument("a fit needs 1 to 8 parameters, not " + std::to_string(paths.size()));
  std::vector<Unknown> unknowns;
  std::vector<FittedParameter> result;
  for (const std::string& path : paths) {
    const auto parameter = parameter_of(device, path);
    if (!parameter) return not_found("there is no parameter '" + path + "'; `hloroof devices show` lists them");
    if (!parameter->value) return not_found(device.name + " has no value for '" + path + "'");
    Unknown unknown;
    unknown.path = path;
    unknown.unit = parameter->unit;
    unknown.inverse = parameter->unit != "s" && parameter->unit != "cycle";
    unknown.is_share = parameter->unit == "1";
    if (unknown.inverse && *parameter->value <= 0) return invalid_argument("'" + path + "' must be positive");
    unknown.x = unknown.value(*parameter->value);
    unknowns.push_back(unknown);
    result.push_back({path, parameter->unit, *parameter->value, *parameter->value, 0, 0});
  }

  Eigen::VectorXd measured(static_cast<Eigen::Index>(measurements.size()));
  for (std::size_t i = 0; i < measurements.size(); ++i)
    measured[static_cast<Eigen::Index>(i)] = measurements[i].seconds;
  for (int step = 0; step < kSteps; ++step) {
    const Eigen::VectorXd now = predictions(measurements, device);
    std::vector<std::size_t> shown;
    Eigen::MatrixXd slopes(measured.size(), static_cast<Eigen::Index>(unknowns.size()));
    Eigen::VectorXd targets = measured - now;
    for (std::size_t p = 0; p < unknowns.size(); ++p) {
      const Unknown& u = unknowns[p];
      const double nudge = u.x > 0 ? u.x * kNudge : kLeastTime;
      Device nudged = device;
      if (absl::Status status = set_parameter(nudged, u.path, u.value(u.x + nudge), source); !status.ok())
        return status;
      const Eigen::VectorXd slope = (predictions(measurements, nudged) - now) / nudge;
      if (slope.cwiseAbs().maxCoeff() * std::max(u.x, kLeastTime) < 1e-6 * measured.minCoeff()) continue;
      targets += slope * u.x;
      slopes.col(static_cast<Eigen::Index>(shown.size())) = slope;
      shown.push_back(p);
    }
    if (shown.empty()) break;
    const Eigen::VectorXd solution =
        fit_nonnegative(slopes.leftCols(static_cast<Eigen::Index>(shown.size())), targets, measured);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      Unknown& u = unknowns[shown[i]];
      double next = (u.x + solution[static_cast<Eigen::Index>(i)]) / 2;
      if (u.is_share) next = std::max(next, 1.0);  // a share is at most 1
      if (u.inverse && next <= 0) continue;
      u.x = next;
      if (absl::Status status = set_parameter(device, u.path, u.value(u.x), source); !status.ok()) return status;
    }
  }
  for (std::size_t p = 0; p < unknowns.size(); ++p) {
    result[p].after = result[p].least = result[p].most = unknowns[p].value(unknowns[p].x);
  }
  return result;
}

absl::Status add_spread(const Device& before, const std::vector<Measurement>& measurements,
                        std::vector<FittedParameter>& fitted) {
  std::vector<std::string> paths;
  paths.reserve(fitted.size());
  for (const FittedParameter& parameter : fitted) paths.push_back(parameter.path);
  for (std::size_t out = 0; out < kFolds && measurements.size() >= kFolds; ++out) {
    Device device = before;
    const auto fold = fit_parameters(device, without_fold(measurements, out), paths, ParameterSource{});
    if (!fold.ok()) return fold.status();
    for (std::size_t p = 0; p < fitted.size(); ++p) {
      fitted[p].least = std::min(fitted[p].least, (*fold)[p].after);
      fitted[p].most = std::max(fitted[p].most, (*fold)[p].after);
    }
  }
  return absl::OkStatus();
}

FitError fit_error(const std::vector<Measurement>& measurements, const Device& device) {
  std::vector<double> errors;
  errors.reserve(measurements.size());
  for (const Measurement& m : measurements) errors.push_back(std::abs(predicted_seconds(m, device) / m.seconds - 1));
  return {quantile(errors, 0.5), quantile(errors, 0.9)};
}

}  // namespace hloroof::internal::inline calibrate

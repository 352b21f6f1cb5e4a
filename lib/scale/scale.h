// From the program of one size to that of another.
//
// A program is scaled by one thing at a time: a mesh axis, the batch of each device, or the number of layers. seeds.h
// says where its sizes change, rules.h what each instruction makes of that, exponents.h solves it, and rewrite.h writes
// the program of the other size. All that does not follow from sizes is as in the given program: the order, what is
// fused, layouts, what is in VMEM, and how collectives are done.
#ifndef HLOROOF_LIB_SCALE_SCALE_H_
#define HLOROOF_LIB_SCALE_SCALE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/scale/rewrite.h"

namespace hloroof::internal::inline scale {

struct ScaleRequest {
  std::vector<std::pair<std::string, std::int64_t>> axes;  // name and size; see ScaledAxis::find()
  std::optional<Ratio> batch;                              // of each device
  std::optional<std::int64_t> layers;
};

// Parses "2x", "4/3x" or "0.5x". Errors: InvalidArgument.
absl::StatusOr<Ratio> parse_ratio(std::string_view text);

// What a user asks for: axes as "NAME=SIZE", a factor of the batch or nothing, and layers or 0. Errors:
// InvalidArgument, also if nothing would be scaled.
absl::StatusOr<ScaleRequest> parse_scale_request(const std::vector<std::string>& axes, std::string_view batch,
                                                 std::int64_t layers);

// What was scaled by one thing.
struct ScaleStep {
  std::string what;  // "axis data", "batch per device", "layers"
  std::string from;
  std::string to;
  Rewritten rewritten;
};

struct ScaledProgram {
  Module module;
  std::vector<ScaleStep> steps;
};

// Errors: InvalidArgument, with the place of the instruction, if the program of the other size is not the given one
// with other sizes, or if it is not known which dimensions change.
absl::StatusOr<ScaledProgram> scale_program(const Module& module, const ScaleRequest& request);

struct ScaledFigures {
  std::int64_t devices = 1;
  double step_seconds = 0;
  double compute_seconds = 0;
  double exposed_seconds = 0;
  double peak_bytes = 0;
};

struct ScaleResult {
  std::string module;
  std::string device;
  std::string given_topology;
  std::string topology;
  ScaledFigures given;
  ScaledFigures scaled;
  std::vector<ScaleStep> steps;
  StepPrediction prediction;  // of the scaled program, whose facts point to the module of the ScaledProgram
};

// Predicts both. `options` are those of the scaled program; the given one takes the default topology if its number of
// devices is another. Errors: those of predict_step_time().
absl::StatusOr<ScaleResult> compare_scaled(const Module& given, const ScaledProgram& scaled, const Target& target,
                                           const PredictOptions& options);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_SCALE_H_

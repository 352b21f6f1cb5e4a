// From the program of one size to that of another.
//
// A program is scaled by one thing at a time: a mesh axis, the batch of each device, or the number of layers. seeds.h
// says where its sizes change, rules.h what each instruction makes of that, exponents.h solves it, and rewrite.h writes
// the program of the other size. All that does not follow from sizes is as in the given program: the order, what is
// fused, layouts, what is in VMEM, and how collectives are done.
#ifndef HLOROOF_LIB_SCALE_SCALE_H_
#define HLOROOF_LIB_SCALE_SCALE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/scale/rewrite.h"
#include "lib/scale/seeds.h"

namespace hloroof::internal::inline scale {

struct ScaleRequest {
  std::vector<std::pair<std::string, std::int64_t>> axes;  // name and size; see ScaledAxis::find()
  std::optional<Ratio> batch;                              // of each device
  std::optional<std::int64_t> layers;                      // trips of the loops over them
  std::optional<Ratio> layer_factor{};                     // by which the layers grow, if `layers` is not given
  std::vector<SharedDimension> shards{};  // all parts of a whole that stays; if empty, the text shows what is sharded
  bool as_given = false;                  // also where a compiler is known or likely to make another program
};

// Parses "2x", "4/3x" or "0.5x". Errors: InvalidArgument.
absl::StatusOr<Ratio> parse_ratio(std::string_view text);

// What a user asks for: axes as "NAME=SIZE", a factor of the batch or nothing, layers as a number, a factor or nothing,
// and shards as "PARAMETER=DIMENSION". Errors: InvalidArgument, also if nothing would be scaled.
absl::StatusOr<ScaleRequest> parse_scale_request(const std::vector<std::string>& axes, std::string_view batch,
                                                 std::string_view layers, const std::vector<std::string>& shards,
                                                 bool as_given);

// What was scaled by one thing.
struct ScaleStep {
  std::string what;  // "axis data", "batch per device", "layers"
  std::string from;
  std::string to;
  Rewritten rewritten;
  std::vector<std::string> notes;  // whole sentences about what this program may not be
};

struct ScaledProgram {
  Module module;
  std::vector<ScaleStep> steps;
};

// Errors: InvalidArgument, with the place of the instruction, if the program of the other size is not the given one
// with other sizes, or if it is not known which dimensions change. With `device`, what its compiler is known to do at
// the other size is done too: see Ici::async_permute_devices.
absl::StatusOr<ScaledProgram> scale_program(const Module& module, const ScaleRequest& request,
                                            const Device* device = nullptr);

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

#include "lib/scale/scale.h"

#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/scale/axis.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/rounds.h"
#include "lib/scale/rules.h"
#include "lib/scale/seeds.h"
#include "lib/scale/trips.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::int64_t kMostTerms = 1 << 20;  // of a ratio, and devices of an axis

// Solves for the growth of all dimensions and writes the module of the other size.
absl::StatusOr<Rewritten> apply(Module& module, Constraints seeds, const Dimensions& dimensions, Ratio ratio,
                                const ScaledAxis* axis, std::int64_t layers) {
  Rules rules(module, dimensions, axis, layers, seeds);
  absl::Status status;
  walk(module, [&](InstructionView i) {
    if (status.ok()) status = rules.add(i);
  });
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<int>> exponents = solve(module, dimensions, seeds);
  if (!exponents.ok()) return exponents.status();
  return rewrite(module, dimensions, *exponents, ratio, axis);
}

Ratio reduced(Ratio ratio) {
  const std::int64_t common = std::gcd(ratio.to, ratio.from);
  return {ratio.to / common, ratio.from / common};
}

absl::StatusOr<ScaleStep> scale_axis(Module& module, const std::string& name, std::int64_t size) {
  if (size > kMostTerms) return invalid_argument(absl::StrCat("axis ", name, " would have too many devices"));
  const absl::StatusOr<ScaledAxis> axis = ScaledAxis::find(module, name, size);
  if (!axis.ok()) return axis.status();
  ScaleStep step{"axis " + axis->name(), std::to_string(axis->from()), std::to_string(size), {}};
  if (size == axis->from())
    return step;  // as a row among other sizes; whatever the program does, it is the one of this
  const absl::StatusOr<Rounds> rounds = find_rounds(module, *axis);
  if (!rounds.ok()) return rounds.status();
  const Dimensions dimensions(module);
  Constraints seeds;
  if (absl::Status status = seed_axis(module, dimensions, *axis, *rounds, seeds); !status.ok()) return status;
  const absl::StatusOr<Rewritten> rewritten =
      apply(module, std::move(seeds), dimensions, reduced({size, axis->from()}), &*axis, 0);
  if (!rewritten.ok()) return rewritten.status();
  if (absl::Status status = set_trips(module, rounds->loops); !status.ok()) return status;
  step.rewritten = *rewritten;
  step.rewritten.loops = static_cast<std::int64_t>(rounds->loops.size());
  return step;
}

absl::StatusOr<ScaleStep> scale_batch(Module& module, Ratio ratio) {
  const Dimensions dimensions(module);
  Constraints seeds;
  if (absl::Status status = seed_batch(module, dimensions, seeds); !status.ok()) return status;
  const Fixed first = seeds.seeds.front();
  const auto d = static_cast<std::size_t>(first.node - dimensions.first(first.at));
  const std::int64_t before = dimensions.array(first.at, 0).dimensions[d];
  const absl::StatusOr<Rewritten> rewritten = apply(module, std::move(seeds), dimensions, reduced(ratio), nullptr, 0);
  if (!rewritten.ok()) return rewritten.status();
  const std::int64_t after = module.instruction(first.at).shape().dimensions[d];
  return ScaleStep{"batch per device", std::to_string(before), std::to_string(after), *rewritten};
}

absl::StatusOr<ScaleStep> scale_layers(Module& module, std::int64_t layers) {
  absl::StatusOr<LayerLoops> loops = find_layer_loops(module);
  if (!loops.ok()) return loops.status();
  if (layers == loops->layers) return ScaleStep{"layers", std::to_string(layers), std::to_string(layers), {}};
  for (LoopTrips& loop : loops->loops) {
    loop.more = layers - loops->layers;
    if (layers > kMostTerms || loop.trips + loop.more < 1) {
      return placed_error(module.instruction(loop.loop),
                          absl::StrCat("it cannot have ", loop.trips + loop.more, " trips"));
    }
  }
  const Dimensions dimensions(module);
  Constraints seeds;
  seed_layers(module, dimensions, *loops, seeds);
  const absl::StatusOr<Rewritten> rewritten =
      apply(module, std::move(seeds), dimensions, reduced({layers, loops->layers}), nullptr, loops->layers);
  if (!rewritten.ok()) return rewritten.status();
  if (absl::Status status = set_trips(module, loops->loops); !status.ok()) return status;
  ScaleStep step{"layers", std::to_string(loops->layers), std::to_string(layers), *rewritten};
  step.rewritten.loops = static_cast<std::int64_t>(loops->loops.size());
  return step;
}

}  // namespace

absl::StatusOr<Ratio> parse_ratio(std::string_view text) {
  const absl::Status error =
      invalid_argument(absl::StrCat("\"", to_absl(text), "\" is no factor such as 2x, 4/3x or 0.5x"));
  if (text.empty() || text.back() != 'x') return error;
  text.remove_suffix(1);
  Ratio ratio;
  const std::vector<std::string> parts = absl::StrSplit(to_absl(text), '/');
  const std::vector<std::string> decimal = absl::StrSplit(to_absl(text), '.');
  if (parts.size() == 2) {
    if (!absl::SimpleAtoi(parts[0], &ratio.to) || !absl::SimpleAtoi(parts[1], &ratio.from)) return error;
  } else if (decimal.size() == 2 && decimal[1].size() <= 6) {
    if (!absl::SimpleAtoi(decimal[0] + decimal[1], &ratio.to)) return error;
    for (std::size_t i = 0; i < decimal[1].size(); ++i) ratio.from *= 10;
  } else if (!absl::SimpleAtoi(to_absl(text), &ratio.to)) {
    return error;
  }
  if (ratio.to < 1 || ratio.from < 1 || ratio.to > kMostTerms || ratio.from > kMostTerms) return error;
  return reduced(ratio);
}

absl::StatusOr<ScaleRequest> parse_scale_request(const std::vector<std::string>& axes, std::string_view batch,
                                                 std::int64_t layers) {
  ScaleRequest request;
  for (const std::string& axis : axes) {
    const std::size_t equals = axis.rfind('=');
    std::int64_t size = 0;
    if (equals == std::string::npos || !absl::SimpleAtoi(axis.substr(equals + 1), &size)) {
      return invalid_argument(absl::StrCat("--axis takes NAME=SIZE, not \"", axis, "\""));
    }
    request.axes.emplace_back(axis.substr(0, equals), size);
  }
  if (!batch.empty()) {
    const absl::StatusOr<Ratio> ratio = parse_ratio(batch);
    if (!ratio.ok()) return ratio.status();
    request.batch = *ratio;
  }
  if (layers > 0) request.layers = layers;
  if (request.axes.empty() && !request.batch && !request.layers) {
    return invalid_argument(
        "what to scale is not given: name an axis with its size (NAME=SIZE), a factor of the batch (2x) or the number "
        "of layers");
  }
  return request;
}

absl::StatusOr<ScaledProgram> scale_program(const Module& module, const ScaleRequest& request) {
  ScaledProgram result{module, {}};
  if (!module.has_entry()) return invalid_argument("the module has no entry computation");
  for (const auto& [name, size] : request.axes) {
    absl::StatusOr<ScaleStep> step = scale_axis(result.module, name, size);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (request.batch) {
    absl::StatusOr<ScaleStep> step = scale_batch(result.module, *request.batch);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (request.layers) {
    absl::StatusOr<ScaleStep> step = scale_layers(result.module, *request.layers);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (absl::Status status = verify(result.module, module); !status.ok()) {
    return invalid_argument(absl::StrCat("the program of the other size is not valid: ", status.message()));
  }
  return result;
}

absl::StatusOr<ScaleResult> compare_scaled(const Module& given, const ScaledProgram& scaled, const Target& target,
                                           const PredictOptions& options) {
  PredictOptions given_options = options;
  Target given_target = target;
  const bool same_devices =
      given.num_partitions() * given.replica_count() == scaled.module.num_partitions() * scaled.module.replica_count();
  if (!same_devices) {
    given_options.topology.reset();
    given_target.topology.reset();
  }
  absl::StatusOr<StepPrediction> before = predict_step_time(given, given_target, given_options);
  if (!before.ok()) return before.status();
  absl::StatusOr<StepPrediction> after = predict_step_time(scaled.module, target, options);
  if (!after.ok()) return after.status();
  const auto figures = [](const StepPrediction& p) {
    return ScaledFigures{p.num_partitions * p.replica_count, p.step_seconds,
                         p.step_seconds - p.exposed_communication_seconds, p.exposed_communication_seconds,
                         static_cast<double>(p.memory.peak_bytes)};
  };
  ScaleResult result;
  result.module = after->module_name;
  result.device = after->device;
  result.given_topology = before->topology;
  result.topology = after->topology;
  result.given = figures(*before);
  result.scaled = figures(*after);
  result.steps = scaled.steps;
  result.prediction = *std::move(after);
  return result;
}

}  // namespace hloroof::internal::inline scale

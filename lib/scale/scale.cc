#include "lib/scale/scale.h"

#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/analysis/sizes.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/ir/shapes.h"
#include "lib/scale/axis.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"
#include "lib/scale/gathered.h"
#include "lib/scale/permutes.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/rounds.h"
#include "lib/scale/rules.h"
#include "lib/scale/seeds.h"
#include "lib/scale/trips.h"

namespace hloroof::internal::inline scale {
namespace {

// Of the share of a block that is no padding, the part that must be left. At half, as with 64 of 128 lanes, libtpu was
// seen to take another layout.
constexpr double kLeastFilled = 0.75;
constexpr std::int64_t kMostTerms = 1 << 20;  // of a ratio, devices of an axis, and layers

// Solves for the growth of all dimensions and writes the module of the other size.
absl::StatusOr<Rewritten> apply(Module& module, Constraints seeds, const Dimensions& dimensions, Ratio ratio,
                                const ScaledAxis* axis, std::int64_t layers, bool as_given,
                                std::vector<std::string>& notes) {
  Rules rules(module, dimensions, axis, layers, seeds);
  absl::Status status;
  walk(module, [&](InstructionView i) {
    if (status.ok()) status = rules.add(i);
  });
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<int>> exponents = solve(module, dimensions, seeds);
  if (!exponents.ok()) return exponents.status();
  const std::vector<OtherGather> others = find_other_gathers(module, dimensions, seeds, *exponents, ratio);
  if (!others.empty() && !as_given) {
    return placed_error(module.instruction(others.front().product), others.front().why + kGoOn);
  }
  for (const OtherGather& other : others) {
    notes.push_back(absl::StrCat("Another program is likely: of ", to_absl(module.instruction(other.product).name()),
                                 ", ", other.why, "."));
  }
  return rewrite(module, dimensions, *exponents, ratio, axis);
}

Ratio reduced(Ratio ratio) {
  const std::int64_t common = std::gcd(ratio.to, ratio.from);
  return {ratio.to / common, ratio.from / common};
}

// The share of each block that goes round a ring which is no padding.
std::map<InstructionId, double> filled_shares(const Module& module, const Rounds& rounds) {
  std::map<InstructionId, double> result;
  for (const InstructionId id : rounds.inside) {
    const InstructionView i = module.instruction(id);
    if (!is_permute(i) || !i.operand(0).shape().is_array()) continue;
    const Shape& block = i.operand(0).shape();
    result[id] = static_cast<double>(element_count(block)) / static_cast<double>(padded_elements(block));
  }
  return result;
}

absl::StatusOr<ScaleStep> scale_axis(Module& module, const std::string& name, std::int64_t size,
                                     const ScaleRequest& request, const Device* device) {
  if (size > kMostTerms) return invalid_argument(absl::StrCat("axis ", name, " would have too many devices"));
  const absl::StatusOr<ScaledAxis> axis = ScaledAxis::find(module, name, size);
  if (!axis.ok()) return axis.status();
  ScaleStep step{"axis " + axis->name(), std::to_string(axis->from()), std::to_string(size), {}, {}};
  if (size == axis->from())
    return step;  // as a row among other sizes; whatever the program does, it is the one of this
  const std::optional<std::int64_t> most_async = most_async_permute_devices(device);
  const absl::StatusOr<Rounds> rounds = find_rounds(module, *axis, request.as_given, device);
  if (!rounds.ok()) return rounds.status();
  const std::map<InstructionId, double> filled = filled_shares(module, *rounds);
  const Dimensions dimensions(module);
  Constraints seeds;
  const absl::Status seeded = request.shards.empty() ? seed_axis(module, dimensions, *axis, *rounds, seeds)
                                                     : seed_shards(module, dimensions, request.shards, seeds);
  if (!seeded.ok()) return seeded;
  const absl::StatusOr<Rewritten> rewritten = apply(module, std::move(seeds), dimensions, reduced({size, axis->from()}),
                                                    &*axis, 0, request.as_given, step.notes);
  if (!rewritten.ok()) return rewritten.status();
  std::vector<std::string> unlikely = rounds->unlikely;
  for (const auto& [id, share] : filled_shares(module, *rounds)) {
    if (share > kLeastFilled * filled.at(id)) continue;
    const std::string why = absl::StrFormat(
        "its block would fill %.0f %% of its tiles, and %.0f %% in the given program; "
        "a compiler lays it out in another way",
        100 * share, 100 * filled.at(id));
    if (!request.as_given) return placed_error(module.instruction(id), why + kGoOn);
    unlikely.push_back(absl::StrCat(to_absl(module.instruction(id).name()), ": ", why));
  }
  if (absl::Status status = set_trips(module, rounds->loops); !status.ok()) return status;
  step.rewritten = *rewritten;
  step.rewritten.loops = static_cast<std::int64_t>(rounds->loops.size());
  if (most_async && axis->devices() <= *most_async && axis->new_devices() > *most_async) {
    const absl::StatusOr<std::int64_t> waits = wait_for_permutes(module);
    if (!waits.ok()) return waits.status();
    step.rewritten.waits = *waits;
  }
  for (const std::string& why : unlikely) step.notes.push_back("Another program is likely: of " + why + ".");
  return step;
}

absl::StatusOr<ScaleStep> scale_batch(Module& module, Ratio ratio, bool as_given) {
  const Dimensions dimensions(module);
  Constraints seeds;
  if (absl::Status status = seed_batch(module, dimensions, seeds); !status.ok()) return status;
  const Fixed first = seeds.seeds.front();
  const auto d = static_cast<std::size_t>(first.node - dimensions.first(first.at));
  const std::int64_t before = dimensions.array(first.at, 0).dimensions[d];
  std::vector<std::string> notes;
  const absl::StatusOr<Rewritten> rewritten =
      apply(module, std::move(seeds), dimensions, reduced(ratio), nullptr, 0, as_given, notes);
  if (!rewritten.ok()) return rewritten.status();
  const std::int64_t after = module.instruction(first.at).shape().dimensions[d];
  return ScaleStep{"batch per device", std::to_string(before), std::to_string(after), *rewritten, std::move(notes)};
}

// "while.3 (8 trips), while.7 (8 trips)".
std::string places_of(const Module& module, const LayerLoops& loops) {
  std::string text;
  for (const LoopTrips& loop : loops.loops) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", to_absl(module.instruction(loop.loop).name()), " (", loop.trips,
                    loop.trips == 1 ? " trip)" : " trips)");
  }
  return text;
}

absl::StatusOr<ScaleStep> scale_layers(Module& module, const ScaleRequest& request) {
  absl::StatusOr<LayerLoops> loops = find_layer_loops(module);
  if (!loops.ok()) return loops.status();
  std::int64_t layers = request.layers.value_or(loops->layers);
  if (request.layer_factor) {
    if (loops->layers > kMostTerms) return invalid_argument("the layers of the text are too many to multiply");
    if (loops->layers * request.layer_factor->to % request.layer_factor->from != 0) {
      return invalid_argument(absl::StrCat(loops->layers, " layers x ", request.layer_factor->to, "/",
                                           request.layer_factor->from, " is no integer"));
    }
    layers = loops->layers * request.layer_factor->to / request.layer_factor->from;
  }
  ScaleStep step{"layers", std::to_string(loops->layers), std::to_string(layers), {}, {}};
  step.notes.push_back(
      absl::StrCat("What counts as a layer is one trip of the loops that take a slice of a stack in each: ",
                   places_of(module, *loops), ". A trip that computes several layers counts as one."));
  if (layers == loops->layers) return step;
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
      apply(module, std::move(seeds), dimensions, reduced({layers, loops->layers}), nullptr, loops->layers,
            request.as_given, step.notes);
  if (!rewritten.ok()) return rewritten.status();
  if (absl::Status status = set_trips(module, loops->loops); !status.ok()) return status;
  step.rewritten = *rewritten;
  step.rewritten.loops = static_cast<std::int64_t>(loops->loops.size());
  return step;
}

// A bitcast keeps the bytes of its operand, so that both grow alike.
absl::Status check_bitcasts(const Module& given, const Module& scaled) {
  absl::Status status;
  walk(given, [&](InstructionView before) {
    if (!status.ok() || before.opcode() != Opcode::kBitcast) return;
    const InstructionView after = scaled.instruction(before.id());
    if (!before.shape().is_array() || !before.operand(0).shape().is_array() || after.opcode() != Opcode::kBitcast)
      return;
    const auto growth = [](InstructionView from, InstructionView to) {
      return static_cast<double>(element_count(to.shape())) / static_cast<double>(element_count(from.shape()));
    };
    if (element_count(before.shape()) == 0) return;
    if (growth(before, after) == growth(before.operand(0), after.operand(0))) return;
    status = placed_error(before, absl::StrCat("its operand would have ", element_count(after.operand(0).shape()),
                                               " elements and its result ", element_count(after.shape()),
                                               "; the text does not show which of its dimensions would change"));
  });
  return status;
}

// Says that the arrays which the text places in VMEM do not fit there at the other size.
void note_full_vmem(const StepPrediction& before, const StepPrediction& after, const Device& device,
                    std::vector<std::string>& notes) {
  if (!device.tpu() || !device.tpu()->on_chip.vmem_capacity) return;
  const double capacity = *device.tpu()->on_chip.vmem_capacity;
  if (after.memory.vmem_peak_bytes <= capacity || before.memory.vmem_peak_bytes > capacity) return;
  notes.push_back(
      absl::StrCat("Another program is certain: the arrays in VMEM would take ",
                   format_bytes(after.memory.vmem_peak_bytes), " of ", format_bytes(capacity),
                   ". The compiler would place some of them in HBM, so that the step is longer and the peak "
                   "of HBM is higher than this report says."));
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
                                                 std::string_view layers, const std::vector<std::string>& shards,
                                                 bool as_given) {
  ScaleRequest request;
  request.as_given = as_given;
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
  if (!layers.empty() && layers.back() == 'x') {
    const absl::StatusOr<Ratio> ratio = parse_ratio(layers);
    if (!ratio.ok()) return ratio.status();
    request.layer_factor = *ratio;
  } else if (!layers.empty()) {
    std::int64_t count = 0;
    if (!absl::SimpleAtoi(to_absl(layers), &count) || count < 1) {
      return invalid_argument(
          absl::StrCat("--layers takes a number or a factor such as 2x, not \"", to_absl(layers), "\""));
    }
    request.layers = count;
  }
  for (const std::string& shard : shards) {
    const std::size_t equals = shard.rfind('=');
    SharedDimension at;
    if (equals == std::string::npos || !absl::SimpleAtoi(shard.substr(equals + 1), &at.dimension)) {
      return invalid_argument(absl::StrCat("--shard takes PARAMETER=DIMENSION, not \"", shard, "\""));
    }
    at.parameter = shard.substr(0, equals);
    request.shards.push_back(std::move(at));
  }
  if (!request.shards.empty() && request.axes.size() != 1) {
    return invalid_argument("shards are parts along one axis: name one axis with its size");
  }
  if (request.axes.empty() && !request.batch && !request.layers && !request.layer_factor) {
    return invalid_argument(
        "what to scale is not given: name an axis with its size (NAME=SIZE), a factor of the batch (2x) or the number "
        "of layers");
  }
  return request;
}

absl::StatusOr<ScaledProgram> scale_program(const Module& module, const ScaleRequest& request, const Device* device) {
  ScaledProgram result{module, {}};
  if (!module.has_entry()) return invalid_argument("the module has no entry computation");
  for (const auto& [name, size] : request.axes) {
    absl::StatusOr<ScaleStep> step = scale_axis(result.module, name, size, request, device);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (request.batch) {
    absl::StatusOr<ScaleStep> step = scale_batch(result.module, *request.batch, request.as_given);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (request.layers || request.layer_factor) {
    absl::StatusOr<ScaleStep> step = scale_layers(result.module, request);
    if (!step.ok()) return step.status();
    result.steps.push_back(*std::move(step));
  }
  if (absl::Status status = verify(result.module, module); !status.ok()) {
    return invalid_argument(absl::StrCat("the program of the other size is not valid: ", status.message()));
  }
  if (absl::Status status = check_bitcasts(module, result.module); !status.ok()) return status;
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
                         p.memory.hbm_peak_bytes};
  };
  ScaleResult result;
  result.module = after->module_name;
  result.device = after->device;
  result.given_topology = before->topology;
  result.topology = after->topology;
  result.given = figures(*before);
  result.scaled = figures(*after);
  result.steps = scaled.steps;
  if (!result.steps.empty()) note_full_vmem(*before, *after, target.device, result.steps.back().notes);
  result.prediction = *std::move(after);
  return result;
}

}  // namespace hloroof::internal::inline scale

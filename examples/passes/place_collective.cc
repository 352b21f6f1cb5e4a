// A pass that chooses where a collective starts. The all-gather of the next layer's weights may start at several points
// of the schedule.
//
//   place_collective tpu_v5e:2x4
//
// The program is a chain of four products and the all-gather of the last one's weights, written with the builder.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/predict.h"

namespace {

using hloroof::AttributeKey;
using hloroof::InstructionId;
using hloroof::Opcode;

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

struct Program {
  hloroof::Module module;
  std::vector<InstructionId> products;
  InstructionId start;
  InstructionId done;
};

absl::StatusOr<Program> four_layers() {
  constexpr char kActivations[] = "bf16[4096,4096]{1,0:T(8,128)(2,1)}";
  constexpr char kShard[] = "bf16[512,4096]{1,0:T(8,128)(2,1)}";
  hloroof::ModuleHeader header;
  header.is_scheduled = true;
  header.num_partitions = 8;
  Program program;
  program.module = hloroof::new_module("four_layers", header);
  hloroof::ModuleEditor edit(program.module);
  hloroof::ComputationBuilder b(edit, "main", /*entry=*/true);
  const std::vector<hloroof::NewAttribute> contracting = {{AttributeKey::kLhsContractingDims, "{1}", {}},
                                                          {AttributeKey::kRhsContractingDims, "{0}", {}}};
  InstructionId x = b.parameter(kActivations, "x");
  std::vector<InstructionId> weights;
  weights.reserve(3);
  for (int layer = 0; layer < 3; ++layer) weights.push_back(b.parameter(kActivations, "weights"));
  const InstructionId shard = b.parameter(kShard, "shard");
  for (const InstructionId w : weights) {
    x = b.op(Opcode::kDot, {x, w}, contracting, kActivations, "product");
    program.products.push_back(x);
  }
  const absl::StatusOr<std::int64_t> channel = hloroof::next_channel_id(program.module);
  if (!channel.ok()) return channel.status();
  const InstructionId gathered = b.op(Opcode::kAllGather, {shard},
                                      {{AttributeKey::kChannelId, std::to_string(*channel), {}},
                                       {AttributeKey::kReplicaGroups, "[1,8]<=[8]", {}},
                                       {AttributeKey::kDimensions, "{0}", {}},
                                       {AttributeKey::kUseGlobalDeviceIds, "true", {}}},
                                      kActivations);
  x = b.op(Opcode::kDot, {x, gathered}, contracting, kActivations, "product");
  program.products.push_back(x);
  const absl::StatusOr<hloroof::ComputationId> main = b.finish(x);
  if (!main.ok()) return main.status();
  // A collective that blocks hides behind nothing.
  const absl::StatusOr<hloroof::StartAndDone> split = hloroof::split_collective(edit, gathered);
  if (!split.ok()) return split.status();
  program.start = split->start;
  program.done = split->done;
  return program;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: place_collective DEVICE\n"), 1;
  absl::StatusOr<Program> program = four_layers();
  if (!program.ok()) return fail(program.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[1]);
  if (!target.ok()) return fail(target.status());
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(program->module, *target);
  if (!predictor.ok()) return fail(predictor.status());
  hloroof::ModuleEditor& edit = predictor->edit();

  std::printf("%-28s %12s %12s\n", "all-gather", "step us", "exposed us");
  double best = 0;
  std::string chosen;
  // Before each product except the last, which needs the result, and directly before the done.
  std::vector<InstructionId> places(program->products.begin(), program->products.end() - 1);
  places.push_back(program->done);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string place =
        places[i] == program->done ? "is waited for at once" : "starts before product " + std::to_string(i);
    if (const absl::Status status = edit.move_before(program->start, places[i]); !status.ok()) return fail(status);
    const absl::StatusOr<hloroof::StepSummary> summary = predictor->summary();
    if (!summary.ok()) return fail(summary.status());
    std::printf("%-28s %12.1f %12.1f\n", place.c_str(), summary->step_seconds * 1e6,
                summary->exposed_communication_seconds * 1e6);
    if (chosen.empty() || summary->step_seconds < best) {
      best = summary->step_seconds;
      chosen = place;
    }
  }
  std::printf("best: %s, %.1f us\n", chosen.c_str(), best * 1e6);
  return 0;
}

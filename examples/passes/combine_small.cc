// A pass that combines small all-reduces into one, and takes it apart again if the step does not get shorter.
//
//   combine_small tpu_v5e:2x4
//
// The program, written with the builder, sums gradients of several sizes over all devices.
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

absl::StatusOr<hloroof::Module> gradients() {
  hloroof::ModuleHeader header;
  header.is_scheduled = true;
  header.num_partitions = 8;
  hloroof::Module module = hloroof::new_module("gradients", header);
  hloroof::ModuleEditor edit(module);
  hloroof::ComputationBuilder sum(edit, "sum");
  sum.op(Opcode::kAdd, {sum.parameter("f32[]"), sum.parameter("f32[]")});
  const absl::StatusOr<hloroof::ComputationId> body = sum.finish();
  if (!body.ok()) return body.status();
  hloroof::ComputationBuilder b(edit, "main", /*entry=*/true);
  std::vector<InstructionId> summed;
  for (const int rows : {8, 64, 256, 4096}) {
    const std::string shape = "f32[" + std::to_string(rows) + ",1024]{1,0:T(8,128)}";
    const InstructionId gradient = b.parameter(shape, "gradient");
    const absl::StatusOr<std::int64_t> channel = hloroof::next_channel_id(module);
    if (!channel.ok()) return channel.status();
    summed.push_back(b.op(Opcode::kAllReduce, {gradient},
                          {{AttributeKey::kChannelId, std::to_string(*channel), {}},
                           {AttributeKey::kReplicaGroups, "[1,8]<=[8]", {}},
                           {AttributeKey::kUseGlobalDeviceIds, "true", {}},
                           {AttributeKey::kToApply, "", {*body}}},
                          shape, "summed"));
  }
  const absl::StatusOr<hloroof::ComputationId> main = b.finish(b.op(Opcode::kTuple, summed));
  if (!main.ok()) return main.status();
  return module;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: combine_small DEVICE\n"), 1;
  absl::StatusOr<hloroof::Module> module = gradients();
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[1]);
  if (!target.ok()) return fail(target.status());
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*module, *target);
  if (!predictor.ok()) return fail(predictor.status());
  hloroof::ModuleEditor& edit = predictor->edit();

  std::vector<InstructionId> all;
  for (const hloroof::InstructionView instruction : edit.module().entry().instructions()) {
    if (instruction.opcode() == Opcode::kAllReduce) all.push_back(instruction.id());
  }
  absl::StatusOr<hloroof::StepSummary> summary = predictor->summary();
  if (!summary.ok()) return fail(summary.status());
  const double before = summary->step_seconds;
  const absl::StatusOr<InstructionId> combined = hloroof::combine_collectives(edit, all);
  if (!combined.ok()) return fail(combined.status());
  summary = predictor->summary();
  if (!summary.ok()) return fail(summary.status());
  const bool is_shorter = summary->step_seconds < before;
  std::printf("%zu all-reduces, step %.1f us; combined, step %.1f us: %s\n", all.size(), before * 1e6,
              summary->step_seconds * 1e6, is_shorter ? "kept" : "taken apart");
  if (!is_shorter) {
    const absl::StatusOr<std::vector<InstructionId>> apart = hloroof::uncombine_collective(edit, *combined);
    if (!apart.ok()) return fail(apart.status());
  }
  const absl::Status status = hloroof::verify(edit.module());
  return status.ok() ? 0 : fail(status);
}

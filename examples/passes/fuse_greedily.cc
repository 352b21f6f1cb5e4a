// A pass that fuses greedily by predicted gain. It fuses each edge from an elementwise producer to its consumer, and
// returns to the checkpoint before the fusion unless the step gets shorter.
//
//   fuse_greedily tpu_v5e
//
// The program is a gated activation after a normalization, written with the builder. The pass verifies and prints the
// result.
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"

namespace {

using hloroof::InstructionId;
using hloroof::Opcode;

constexpr char kArray[] = "bf16[2048,8192]{1,0:T(8,128)(2,1)}";

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

absl::StatusOr<hloroof::Module> gated_activation() {
  hloroof::ModuleHeader header;
  header.is_scheduled = true;
  hloroof::Module module = hloroof::new_module("gated_activation", header);
  hloroof::ModuleEditor edit(module);
  hloroof::ComputationBuilder b(edit, "main", /*entry=*/true);
  const InstructionId x = b.parameter(kArray, "x");
  const InstructionId scale = b.parameter("bf16[8192]{0:T(1024)(128)(2,1)}", "scale");
  const InstructionId up = b.parameter(kArray, "up");
  const InstructionId scales =
      b.op(Opcode::kBroadcast, {scale}, {{hloroof::AttributeKey::kDimensions, "{1}", {}}}, kArray);
  const InstructionId scaled = b.op(Opcode::kMultiply, {x, scales});
  const InstructionId gate = b.op(Opcode::kLogistic, {scaled});
  const InstructionId silu = b.op(Opcode::kMultiply, {scaled, gate});
  const InstructionId product = b.op(Opcode::kMultiply, {silu, up});
  const InstructionId sum = b.op(Opcode::kAdd, {product, x});
  const absl::StatusOr<hloroof::ComputationId> main = b.finish(b.op(Opcode::kTanh, {sum}));
  if (!main.ok()) return main.status();
  return module;
}

bool may_fuse(hloroof::InstructionView i) {
  return hloroof::is_elementwise(i.opcode()) || i.opcode() == Opcode::kBroadcast || i.opcode() == Opcode::kFusion;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: fuse_greedily DEVICE\n"), 1;
  absl::StatusOr<hloroof::Module> module = gated_activation();
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[1]);
  if (!target.ok()) return fail(target.status());
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*std::move(module), *target);
  if (!predictor.ok()) return fail(predictor.status());
  hloroof::ModuleEditor& edit = predictor->edit();
  const hloroof::Module& program = predictor->module();

  const absl::StatusOr<hloroof::StepSummary> original = predictor->summary();
  if (!original.ok()) return fail(original.status());
  double best = original->step_seconds;
  std::printf("%zu instructions, step %.1f us\n", program.instruction_count(), best * 1e6);
  std::set<std::pair<InstructionId, InstructionId>> refused;
  bool goes_on = true;
  while (goes_on) {
    goes_on = false;
    for (const hloroof::InstructionView consumer : program.entry().instructions()) {
      if (!may_fuse(consumer)) continue;
      for (const hloroof::InstructionView producer : consumer.operands()) {
        const std::pair<InstructionId, InstructionId> edge(producer.id(), consumer.id());
        if (!may_fuse(producer) || refused.count(edge) != 0) continue;
        const std::string names = std::string(producer.name()) + " + " + std::string(consumer.name());
        const hloroof::Checkpoint before = predictor->checkpoint();
        if (!edit.fuse({edge.first, edge.second}).ok()) {
          refused.insert(edge);
          if (const absl::Status status = predictor->release(before); !status.ok()) return fail(status);
          continue;
        }
        edit.erase_unused_computations();
        const absl::StatusOr<hloroof::StepSummary> summary = predictor->summary();
        if (!summary.ok()) return fail(summary.status());
        if (summary->step_seconds < best) {
          std::printf("  fused %s: step %.1f us\n", names.c_str(), summary->step_seconds * 1e6);
          best = summary->step_seconds;
        } else {
          if (const absl::Status status = predictor->rollback(before); !status.ok()) return fail(status);
          refused.insert(edge);
        }
        if (const absl::Status status = predictor->release(before); !status.ok()) return fail(status);
        goes_on = true;
        break;
      }
      if (goes_on) break;
    }
  }
  if (const absl::Status status = hloroof::verify(program); !status.ok()) return fail(status);
  // The text that XLA would read describes the same program.
  const std::string text = hloroof::print_module(program);
  const absl::StatusOr<hloroof::Module> read = hloroof::parse_module(text);
  if (!read.ok()) return fail(read.status());
  std::string difference;
  if (!hloroof::equal(program, *read, &difference)) return std::fprintf(stderr, "%s\n", difference.c_str()), 1;
  // XLA's C++ and JAX's hooks take a proto.
  const absl::StatusOr<std::string> proto = hloroof::write_proto(program);
  if (!proto.ok()) return fail(proto.status());
  std::printf("%zu instructions of the program left, step %.1f us, %zu bytes as a proto\n%s",
              program.entry().instruction_count(), best * 1e6, proto->size(), text.c_str());
  return 0;
}

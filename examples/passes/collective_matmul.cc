// A pass that makes a collective matmul: an all-gather and the product that needs its result become a ring. Each device
// multiplies the part that it has while it passes the part on. The ring stays if the step gets shorter.
//
//   collective_matmul tpu_v5e:2x4
//
// examples/python/collective_matmul.py does the same inside a compile, and handles more programs.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"

namespace {

using hloroof::AttributeKey;
using hloroof::InstructionId;
using hloroof::Opcode;

constexpr char kProgram[] = R"(HloModule gathered_product, is_scheduled=true, num_partitions=8

ENTRY main {
  x = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[2048,8192]{1,0:T(8,128)(2,1)} parameter(1)
  gathered = bf16[16384,2048]{1,0:T(8,128)(2,1)} all-gather(x), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  ROOT product = bf16[16384,8192]{1,0:T(8,128)(2,1)} dot(gathered, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

hloroof::NewInstruction op(Opcode opcode, std::vector<InstructionId> operands, std::string shape,
                           std::vector<hloroof::NewAttribute> attributes = {}) {
  hloroof::NewInstruction made;
  made.opcode = opcode;
  made.operands = std::move(operands);
  made.shape = std::move(shape);
  made.attributes = std::move(attributes);
  return made;
}

// A ring through the devices of one group, in its order.
class Ring {
 public:
  Ring(hloroof::ModuleEditor& edit, std::vector<std::int64_t> devices) : edit_(edit), devices_(std::move(devices)) {}

  // Replaces the product of a value that is gathered along its first dimension. `x` is what each device gathers.
  absl::Status build(InstructionId product, InstructionId x) {
    const auto count = static_cast<std::int64_t>(devices_.size());
    const std::int64_t rows = edit_.module().instruction(x).shape().dimensions[0];
    const std::string shape = to_string(edit_.module().shapes(), edit_.module().instruction(product).shape_id());
    const InstructionId device = add(product, op(Opcode::kPartitionId, {}, "u32[]"));
    const absl::StatusOr<hloroof::SlicedDot> sliced = hloroof::slice_dot(edit_, product, 0, 0, count);
    if (!sliced.ok()) return sliced.status();
    InstructionId result = add(sliced->parts[0], op(Opcode::kCustomCall, {}, shape,
                                                    {{AttributeKey::kCustomCallTarget, "\"AllocateBuffer\"", {}}}));
    for (std::int64_t step = 0; step < count && status_.ok(); ++step) {
      const InstructionId part = sliced->parts[static_cast<std::size_t>(step)];
      hloroof::StartAndDone sent;
      if (step + 1 < count) sent = send(part, x);
      const InstructionId slice = edit_.module().instruction(part).operand_ids()[0];
      check(edit_.set_operand(part, 0, x));
      check(edit_.erase(slice));
      result = update(result, part, offset(device, part, step, rows), shape);
      if (step + 1 == count) break;
      check(edit_.move_before(sent.done, sliced->parts[static_cast<std::size_t>(step) + 1]));
      x = sent.done;
    }
    check(edit_.replace_all_uses(sliced->result, result));
    check(edit_.erase(sliced->result));
    for (const std::vector<InstructionId>& together : fusions_) {
      if (status_.ok()) check(edit_.fuse(together, "kOutput").status());
    }
    return status_;
  }

 private:
  void check(const absl::Status& status) { status_.Update(status); }

  InstructionId add(InstructionId before, const hloroof::NewInstruction& made) {
    const absl::StatusOr<InstructionId> id = edit_.insert_before(before, made);
    check(id.status());
    return id.ok() ? *id : InstructionId();
  }

  // Passes `x` on to the next device, before an instruction.
  hloroof::StartAndDone send(InstructionId before, InstructionId x) {
    std::string pairs;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      pairs += (i == 0 ? "{" : ",{") + std::to_string(devices_[i]) + "," +
               std::to_string(devices_[(i + 1) % devices_.size()]) + "}";
    }
    const absl::StatusOr<std::int64_t> channel = hloroof::next_channel_id(edit_.module());
    check(channel.status());
    if (!channel.ok()) return {};
    hloroof::NewInstruction permute = op(Opcode::kCollectivePermute, {x}, "",
                                         {{AttributeKey::kChannelId, std::to_string(*channel), {}},
                                          {AttributeKey::kSourceTargetPairs, "{" + pairs + "}", {}}});
    permute.shape_id = edit_.module().instruction(x).shape_id();
    const absl::StatusOr<hloroof::StartAndDone> sent = hloroof::split_collective(edit_, add(before, permute));
    check(sent.status());
    return sent.ok() ? *sent : hloroof::StartAndDone();
  }

  // Where the rows begin that a device has at a step: they come from the device `step` places back in the ring.
  InstructionId offset(InstructionId device, InstructionId before, std::int64_t step, std::int64_t rows) {
    const auto count = static_cast<std::int64_t>(devices_.size());
    std::vector<std::int64_t> starts(devices_.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      starts[static_cast<std::size_t>(devices_[static_cast<std::size_t>(i)])] = (i - step + count) % count * rows;
    }
    std::string literal;
    for (const std::int64_t start : starts) literal += (literal.empty() ? "{" : ", ") + std::to_string(start);
    hloroof::NewInstruction table = op(Opcode::kConstant, {}, "s32[" + std::to_string(count) + "]{0:T(128)}");
    table.literal = literal + "}";
    const InstructionId one = add(before, op(Opcode::kDynamicSlice, {add(before, table), device}, "s32[1]{0:T(128)}",
                                             {{AttributeKey::kDynamicSliceSizes, "{1}", {}}}));
    return add(before, op(Opcode::kReshape, {one}, "s32[]"));
  }

  // Writes a product to its rows of the result. They are fused when nothing else uses the product.
  InstructionId update(InstructionId result, InstructionId part, InstructionId row, const std::string& shape) {
    const InstructionId after = edit_.next(part);
    hloroof::NewInstruction zero = op(Opcode::kConstant, {}, "s32[]");
    zero.literal = "0";
    const InstructionId column = add(after, zero);
    const InstructionId updated = add(after, op(Opcode::kDynamicUpdateSlice, {result, part, row, column}, shape));
    fusions_.push_back({part, column, updated});
    return updated;
  }

  hloroof::ModuleEditor& edit_;
  std::vector<std::int64_t> devices_;
  std::vector<std::vector<InstructionId>> fusions_;
  absl::Status status_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: collective_matmul DEVICE\n"), 1;
  const absl::StatusOr<hloroof::Module> module = hloroof::parse_module(kProgram);
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[1]);
  if (!target.ok()) return fail(target.status());
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*module, *target);
  if (!predictor.ok()) return fail(predictor.status());
  hloroof::ModuleEditor& edit = predictor->edit();

  const absl::StatusOr<InstructionId> product = hloroof::find_by_name(edit.module(), "product");
  const absl::StatusOr<hloroof::Pattern> pattern = hloroof::read_pattern("dot(%gathered = all-gather(%x), %w)");
  if (!product.ok()) return fail(product.status());
  if (!pattern.ok()) return fail(pattern.status());
  const auto found = hloroof::match(edit.module().instruction(*product), *pattern, {Opcode::kBitcast});
  if (!found) return std::printf("no product of a gathered value\n"), 1;
  const InstructionId gathered = found->at("gathered");
  std::vector<std::int64_t> devices;
  if (const auto groups = hloroof::replica_groups(edit.module().instruction(gathered))) {
    groups->for_each_group([&](absl::Span<const std::int64_t> ids) {
      devices.assign(ids.begin(), ids.end());
      return false;  // there is one group
    });
  }

  const absl::StatusOr<hloroof::StepSummary> before = predictor->summary();
  if (!before.ok()) return fail(before.status());
  const hloroof::Checkpoint checkpoint = predictor->checkpoint();
  if (const absl::Status status = Ring(edit, devices).build(*product, found->at("x")); !status.ok())
    return fail(status);
  if (const absl::Status status = edit.erase(gathered); !status.ok()) return fail(status);
  const absl::StatusOr<hloroof::StepSummary> after = predictor->summary();
  if (!after.ok()) return fail(after.status());
  const absl::StatusOr<std::vector<hloroof::OpWait>> waits = predictor->waits();
  if (!waits.ok()) return fail(waits.status());
  const bool is_shorter = after->step_seconds < before->step_seconds;
  std::printf("step %.0f us -> %.0f us: %s\n", before->step_seconds * 1e6, after->step_seconds * 1e6,
              is_shorter ? "kept" : "not kept");
  for (const hloroof::OpWait& wait : *waits) {
    std::printf("%s waits %.1f us\n", std::string(edit.module().instruction(wait.op).name()).c_str(),
                wait.seconds * 1e6);
  }
  if (!is_shorter) {
    if (const absl::Status status = predictor->rollback(checkpoint); !status.ok()) return fail(status);
  }
  const absl::Status status = hloroof::verify(edit.module());
  return status.ok() ? 0 : fail(status);
}

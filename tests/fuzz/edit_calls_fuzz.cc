// Applies arbitrary edits, checkpoints and rollbacks to a small module and predicts it in between.
//
// The first byte chooses the module: one of kModules, or with its top bit the text up to the first NUL. Every further
// byte chooses an edit or one of its arguments. No edit may crash. The editor must remain consistent, and a rollback
// must restore the text. A Predictor must return what a prediction from scratch returns, and a module that verify()
// accepts must be the one that its text describes, with the same prediction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/any_backend.h"
#include "tests/predict/compare.h"

namespace {

using namespace hloroof;

constexpr std::string_view kModules[] = {
    R"(HloModule chain, is_scheduled=true, entry_computation_layout={(f32[8,128]{1,0}, f32[8,128]{1,0})->f32[8,128]{1,0}}
f { a = f32[8,128]{1,0} parameter(0) b = f32[8,128]{1,0} parameter(1) c = f32[8,128]{1,0} add(a, b) ROOT t = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(c, a) }
ENTRY e {
  p = f32[8,128]{1,0} parameter(0)
  q = f32[8,128]{1,0} parameter(1)
  s = f32[8,128]{1,0} add(p, q)
  x = (f32[8,128]{1,0}, f32[8,128]{1,0}) fusion(s, q), kind=kLoop, calls=f
  x0 = f32[8,128]{1,0} get-tuple-element(x), index=0
  n = f32[8,128]{1,0} negate(x0), control-predecessors={s}
  k = f32[] constant(2)
  r = f32[8,128]{1,0} broadcast(k), dimensions={}
  ROOT m = f32[8,128]{1,0} multiply(n, r)
})",
    R"(HloModule paths
ENTRY e {
  p0 = f32[10]{0} parameter(0)
  p1 = (f16[10]{0}, f32[4]{0}) parameter(1)
  t = (f32[10]{0}, (f16[10]{0}, f32[4]{0})) tuple(p0, p1)
  n = f32[10]{0} negate(f32[10] %t#0)
  m = f32[4]{0} negate(f32[4] %t#1#1)
  sum = f32[10]{0} add(n, f32[10] %t#0)
  ROOT root = (f32[10]{0}, f32[4]{0}) tuple(sum, m)
})",
    R"(HloModule starts, is_scheduled=true, num_partitions=8
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  p = f32[64,128]{1,0} parameter(0)
  q = f32[64,128]{1,0} parameter(1)
  start = ((f32[64,128]{1,0}), f32[8,128]{1,0}, u32[]) reduce-scatter-start(p), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, to_apply=add
  gather = (f32[64,128]{1,0}, f32[512,128]{1,0}) all-gather-start(q), channel_id=2, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  between = f32[64,128]{1,0} negate(q)
  update = ((f32[64,128]{1,0}), f32[8,128]{1,0}, u32[]) reduce-scatter-update(start)
  done = f32[8,128]{1,0} reduce-scatter-done(update)
  gathered = f32[512,128]{1,0} all-gather-done(gather)
  reduced = f32[64,128]{1,0} all-reduce(between), channel_id=3, replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add, use_global_device_ids=true
  ROOT root = (f32[8,128]{1,0}, f32[512,128]{1,0}, f32[64,128]{1,0}) tuple(done, gathered, reduced)
})",
    R"(HloModule loops, is_scheduled=true
body {
  p = (s32[], f32[64,64]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[64,64]{1,0} get-tuple-element(p), index=1
  cs = (f32[64,64]{1,0:S(1)}, f32[64,64]{1,0}, u32[]) copy-start(x)
  y = f32[64,64]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  cd = f32[64,64]{1,0:S(1)} copy-done(cs)
  ROOT t = (s32[], f32[64,64]{1,0}) tuple(next, y)
}
cond { p = (s32[], f32[64,64]{1,0}) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(5) ROOT c = pred[] compare(i, n), direction=LT }
slow { x = f32[64,64]{1,0} parameter(0) ROOT y = f32[64,64]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
fast { x = f32[64,64]{1,0} parameter(0) ROOT y = f32[64,64]{1,0} negate(x) }
ENTRY e {
  x = f32[64,64]{1,0} parameter(0)
  which = s32[] parameter(1)
  zero = s32[] constant(0)
  state = (s32[], f32[64,64]{1,0}) tuple(zero, x)
  w = (s32[], f32[64,64]{1,0}) while(state), condition=cond, body=body
  y = f32[64,64]{1,0} get-tuple-element(w), index=1
  z = f32[64,64]{1,0} conditional(which, y, y), branch_computations={slow, fast}
  v = f32[64,64]{1,0} call(z), to_apply=fast
  ROOT r = f32[64,64]{1,0} add(v, z)
})",
    R"(HloModule unscheduled, num_partitions=4
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  p = bf16[256,512]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[512,256]{1,0:T(8,128)(2,1)} parameter(1)
  d = bf16[256,256]{1,0:T(8,128)(2,1)} dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[256,256]{1,0:T(8,128)} convert(d)
  z = f32[] constant(0)
  r = f32[256]{0:T(256)} reduce(c, z), dimensions={1}, to_apply=add
  a = f32[256]{0:T(256)} all-reduce(r), channel_id=1, replica_groups=[2,2]<=[4], use_global_device_ids=true, to_apply=add
  i = s32[256]{0} iota(), iota_dimension=0
  s = (f32[256]{0:T(256)}, s32[256]{0}) sort(a, i), dimensions={0}, to_apply={
    x = f32[] parameter(0) y = f32[] parameter(1) u = s32[] parameter(2) v = s32[] parameter(3) ROOT l = pred[] compare(x, y), direction=LT
  }
  ROOT g = f32[256]{0:T(256)} get-tuple-element(s), index=0
})",
    R"(HloModule sums, num_partitions=8
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
sum { c = f32[] parameter(0) d = f32[] parameter(1) ROOT t = f32[] add(c, d) }
ENTRY e {
  p = f32[8,128]{1,0} parameter(0)
  q = f32[128,8]{1,0} parameter(1)
  x = f32[8,128]{1,0} all-reduce(p), channel_id=1, to_apply=add
  y = f32[128,8]{1,0} all-reduce(q), channel_id=2, to_apply=sum
  z = f32[8,8]{1,0} convolution(x, y), dim_labels=bf_io->bf
  both = (f32[8,128]{1,0}, f32[8,8]{1,0}) all-reduce(p, z), to_apply=add
  b0 = f32[8,128]{1,0} get-tuple-element(both), index=0
  g = f32[64,128]{1,0} all-gather(p), channel_id=3, dimensions={0}
  h = f32[64,128]{1,0} all-gather(x), channel_id=4, dimensions={0}
  ROOT r = (f32[8,128]{1,0}, f32[64,128]{1,0}, f32[64,128]{1,0}) tuple(b0, g, h)
})",
    R"(HloModule unfit
one { c = f32[8] parameter(0) ROOT n = f32[8] negate(c) }
pair { a = f32[8] parameter(0) b = f32[4] parameter(1) ROOT t = (f32[8], f32[4]) tuple(a, b) }
ENTRY e {
  p = f32[8] parameter(0)
  q = pred[] parameter(1)
  few = (f32[8], f32[4]) call(p), to_apply=pair
  few_0 = f32[8] get-tuple-element(few), index=0
  many = f32[8] fusion(p, p, p), kind=kLoop, calls=one
  chosen = f32[8] conditional(q, p, p), true_computation=one, false_computation=pair
  looped = f32[8] while(p), condition=one, body=pair
  none = f32[8] fusion(), kind=kLoop, calls=one
  odd = f32[8] mystery(p), strange=1
  ROOT out = (f32[8], f32[8], f32[8], f32[8]) tuple(few_0, many, chosen, looped)
})",
    "ROOT %x = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} fusion(f32[8]{0} %b)), sharding={replicated}",
    R"(%w = f32[8]{0} conditional(s32[] %i, f32[8]{0} %a, f32[8]{0} %a), branch_computations={
{ t = f32[8]{0} parameter(0) ROOT u = f32[8]{0} negate(t) }, { t = f32[8]{0} parameter(0) ROOT u = f32[8]{0} fusion(t), kind=kLoop, calls={ v = f32[8]{0} parameter(0) ROOT w = f32[8]{0} tanh(v) } } })",
};

constexpr std::string_view kTargets[] = {"tpu_v5e:2x4", "h100", "tpu_v5p"};

constexpr std::pair<AttributeKey, std::string_view> kAttributes[] = {
    {AttributeKey::kSharding, "{replicated}"},
    {AttributeKey::kSharding, " {devices=[2,1]<=[2]} "},
    {AttributeKey::kMetadata, "{op_name=\"x/y\"}"},
    {AttributeKey::kBackendConfig, "{\"known_trip_count\":{\"n\":\"7\"}}"},
    {AttributeKey::kBackendConfig, "\"text\""},
    {AttributeKey::kFrontendAttributes, "{a=\"b\"}"},
    {AttributeKey::kReplicaGroups, "{{0,1},{2,3}}"},
    {AttributeKey::kReplicaGroups, "[4,2]<=[8]"},
    {AttributeKey::kReplicaGroups, "{{0,4095}}"},
    {AttributeKey::kReplicaGroups, "{}"},
    {AttributeKey::kChannelId, "7"},
    {AttributeKey::kUseGlobalDeviceIds, "true"},
    {AttributeKey::kDimensions, "{0}"},
    {AttributeKey::kDimensions, "{1,0}"},
    {AttributeKey::kDimensions, "{}"},
    {AttributeKey::kIndex, "1"},
    {AttributeKey::kDirection, "GE"},
    {AttributeKey::kKind, "kInput"},
    {AttributeKey::kLhsContractingDims, "{0}"},
    {AttributeKey::kRhsBatchDims, "{0}"},
    {AttributeKey::kAsyncExecutionThread, "\"sparsecore\""},
    {AttributeKey::kAsyncExecutionThread, "\"\""},
    {AttributeKey::kControlPredecessors, "{x}"},
    {AttributeKey::kCustomCallTarget, "\"f\""},
    {AttributeKey::kParameterReplication, "{true}"},
};

constexpr std::string_view kShapes[] = {
    "f32[]",
    "s32[]",
    "pred[]",
    "f32[8]{0}",
    "f32[8,128]{0,1}",
    "f32[8,128]{1,0:T(8,128)S(1)}",
    "bf16[64,64]{1,0}",
    "(f32[8]{0}, f32[4]{0})",
    "((f32[64,128]{1,0}), f32[8,128]{1,0}, u32[])",
    "()",
    "token[]",
    "f32[0]{0}",
    "s4[1048576,1048576]{1,0}",
    "f32[<=8]{0}",
    "(s32[], f32[64,64]{1,0})",
};

constexpr Opcode kOpcodes[] = {Opcode::kCopy,      Opcode::kNegate,     Opcode::kAdd,
                               Opcode::kTuple,     Opcode::kConvert,    Opcode::kGetTupleElement,
                               Opcode::kConstant,  Opcode::kParameter,  Opcode::kFusion,
                               Opcode::kCall,      Opcode::kAllReduce,  Opcode::kTranspose,
                               Opcode::kWhile,     Opcode::kOptBarrier, Opcode::kCopyStart,
                               Opcode::kAsyncStart};

constexpr std::string_view kNames[] = {"", "x", "p", "bf16", "t#0", "a b", "ROOT", "__x", "true", "x.1"};

class Session {
 public:
  Session(Predictor& predictor, const Target& target, const std::uint8_t* data, std::size_t size)
      : predictor_(predictor), edit_(predictor.edit()), target_(target), at_(data), end_(data + size) {}

  void run() {
    checkpoint();
    for (int i = 0; i < 32 && at_ < end_; ++i) step();
    check_consistent();
    check_predictor();
    check_printed();
    roll_back(0);
    check_consistent();
    check_predictor();
  }

 private:
  struct Mark {
    Checkpoint checkpoint;
    std::string text;
    absl::StatusOr<StepSummary> summary;
  };

  [[noreturn]] void fail(std::string_view what, std::string_view detail = {}) const {
    std::fprintf(stderr, "edit_fuzz: %.*s\n%.*s\nafter:\n%s\n%s\n", static_cast<int>(what.size()), what.data(),
                 static_cast<int>(detail.size()), detail.data(), history_.c_str(), print_module(module()).c_str());
    std::abort();
  }

  const Module& module() const { return predictor_.module(); }
  std::size_t byte() { return at_ < end_ ? *at_++ : 0; }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : byte() % n; }

  template <typename T, std::size_t N>
  const T& one_of(const T (&table)[N]) {
    return table[below(N)];
  }

  // Mostly an instruction that is there.
  InstructionId instruction() {
    const std::size_t limit = module().instruction_limit();
    const std::size_t chosen = byte();
    if (chosen == 255) return InstructionId(limit + 3);
    for (std::size_t i = 0; i < limit; ++i) {
      const InstructionId id((chosen + i) % limit);
      if (edit_.is_alive(id)) return id;
    }
    return {};
  }

  ComputationId computation() {
    const std::size_t chosen = byte();
    if (chosen == 255) return ComputationId(module().computation_limit());
    const auto all = module().computations();
    return all.empty() ? ComputationId() : all[chosen % all.size()].id();
  }

  ShapeId shape() {
    if (byte() % 2 == 0) {
      const InstructionId id = instruction();
      if (edit_.is_alive(id)) return module().instruction(id).shape_id();
    }
    const absl::StatusOr<ShapeId> made = edit_.shape(one_of(kShapes));
    return made.ok() ? *made : ShapeId();
  }

  NewInstruction made() {
    NewInstruction result;
    result.opcode = one_of(kOpcodes);
    for (std::size_t n = below(4); n > 0; --n) result.operands.push_back(instruction());
    if (byte() % 3 == 0) {
      result.shape_id = shape();
    } else if (byte() % 2 == 0) {
      result.shape = std::string(one_of(kShapes));
    }
    result.name = std::string(one_of(kNames));
    result.number = static_cast<std::uint32_t>(below(4));
    result.literal = byte() % 2 == 0 ? "1" : "{1, 2}";
    for (std::size_t n = below(3); n > 0; --n) {
      const auto& [key, value] = one_of(kAttributes);
      result.attributes.push_back({key, std::string(value), {}});
    }
    switch (result.opcode) {
      case Opcode::kFusion: result.attributes.push_back({AttributeKey::kKind, "kLoop", {}}); [[fallthrough]];
      case Opcode::kAsyncStart: result.attributes.push_back({AttributeKey::kCalls, "", {computation()}}); break;
      case Opcode::kCall:
      case Opcode::kAllReduce: result.attributes.push_back({AttributeKey::kToApply, "", {computation()}}); break;
      case Opcode::kTranspose: result.attributes.push_back({AttributeKey::kDimensions, "{1,0}", {}}); break;
      case Opcode::kWhile:
        result.attributes.push_back({AttributeKey::kCondition, "", {computation()}});
        result.attributes.push_back({AttributeKey::kBody, "", {computation()}});
        break;
      default: break;
    }
    return result;
  }

  void checkpoint() { marks_.push_back({predictor_.checkpoint(), print_module(module()), predictor_.summary()}); }

  void roll_back(std::size_t which) {
    const bool by_editor = byte() % 4 == 1;
    const Checkpoint to = marks_[which].checkpoint;
    const absl::Status status = by_editor ? edit_.rollback(to) : predictor_.rollback(to);
    if (!status.ok()) fail("a rollback failed", std::string(status.message()));
    if (which + 1 < marks_.size() && predictor_.rollback(marks_.back().checkpoint).ok()) fail("a forgotten checkpoint");
    marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(which) + 1, marks_.end());
    if (print_module(module()) != marks_[which].text) fail("a rollback gives another text", marks_[which].text);
    compare("after a rollback", predictor_.summary(), marks_[which].summary);
  }

  void compare(std::string_view what, const absl::StatusOr<StepSummary>& a,
               const absl::StatusOr<StepSummary>& b) const {
    if (a.ok() != b.ok()) fail(what, std::string((a.ok() ? b : a).status().message()));
    if (!a.ok()) return;
    const std::string difference = internal::difference(*a, *b);
    if (!difference.empty()) fail(what, difference);
  }

  void check_predictor() {
    compare("the Predictor differs", predictor_.summary(), predict_step_time(module(), target_, any_backend()));
  }

  void check_printed() {
    if (!verify(module()).ok()) return;
    const std::string text = print_module(module());
    const absl::StatusOr<Module> again = parse_module(text);
    if (!again.ok()) fail("what verify() accepted does not parse", std::string(again.status().message()));
    if (print_module(*again) != text) fail("printed again it differs", print_module(*again));
    if (!verify(*again).ok()) fail("verify() refuses the text", std::string(verify(*again).message()));
    absl::StatusOr<StepSummary> printed = predict_step_time(*again, target_, any_backend());
    const absl::StatusOr<StepSummary> now = predict_step_time(module(), target_, any_backend());
    // Some sums are made in the order of the ids, which are others in the text.
    if (printed.ok() && now.ok()) {
      for (const auto sum : {&StepSummary::exposed_communication_seconds, &StepSummary::modelled_share,
                             &StepSummary::assumed_share, &StepSummary::unknown_share}) {
        if (std::abs((*printed).*sum - (*now).*sum) <= 1e-12) (*printed).*sum = (*now).*sum;
      }
    }
    compare("the printed text has another prediction", printed, now);
  }

  // The editor must agree with one that is made of the module.
  void check_consistent() const {
    Module copy = module();
    const ModuleEditor fresh(copy);
    std::size_t alive = 0;
    for (ComputationView c : module().computations()) {
      std::size_t count = 0;
      for (InstructionView i : c.instructions()) {
        ++count;
        ++alive;
        if (!edit_.is_alive(i.id())) fail("an erased instruction is in a computation");
        if (i.computation() != c) fail("an instruction is in another computation");
        std::vector<InstructionId> a(edit_.users(i.id()).begin(), edit_.users(i.id()).end());
        std::vector<InstructionId> b(fresh.users(i.id()).begin(), fresh.users(i.id()).end());
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        if (a != b) fail("the users differ", i.name());
      }
      if (count != c.instruction_count()) fail("the number of instructions differs", c.name());
      if (count > 0 && !edit_.is_alive(c.root().id())) fail("the root was erased", c.name());
    }
    for (std::size_t i = 0; i < module().instruction_limit(); ++i) alive -= edit_.is_alive(InstructionId(i)) ? 1 : 0;
    if (alive != 0) fail("an instruction is in no computation");
  }

  void said(std::string_view what, InstructionId id, const absl::Status& status) {
    history_ += std::string(what) + " ";
    if (edit_.is_alive(id)) history_ += module().instruction(id).name();
    history_ += status.ok() ? "\n" : ": " + std::string(status.message()) + "\n";
    if (!status.ok() && status.message().empty()) fail("an error without a message");
  }

  void step() {
    const std::size_t choice = below(35);
    const InstructionId id = choice < 24 || choice >= 30 ? instruction() : InstructionId();
    switch (choice) {
      case 0: return said("set_shape", id, edit_.set_shape(id, shape()));
      case 1: {
        if (!edit_.is_alive(id)) return;
        Layout layout = module().instruction(id).shape().layout;
        layout.present = true;
        layout.memory_space = static_cast<std::int64_t>(below(4));
        if (byte() % 2 == 0) std::reverse(layout.minor_to_major.begin(), layout.minor_to_major.end());
        return said("set_layout", id, edit_.set_layout(id, layout));
      }
      case 2: return said("infer_shape", id, edit_.infer_shape(id));
      case 3:
      case 4: {
        const std::size_t i = below(4);
        return said("set_operand", id, edit_.set_operand(id, i, instruction()));
      }
      case 5: {
        std::vector<InstructionId> operands;
        for (std::size_t n = below(4); n > 0; --n) operands.push_back(instruction());
        return said("set_operands", id, edit_.set_operands(id, operands));
      }
      case 6:
      case 7: {
        const auto& [key, value] = one_of(kAttributes);
        return said("set_attribute", id, edit_.set_attribute(id, key, value));
      }
      case 8: {
        if (!edit_.is_alive(id)) return;
        const auto attributes = module().instruction(id).attributes();
        if (attributes.empty()) return;
        return said("remove_attribute", id, edit_.remove_attribute(id, attributes[below(attributes.size())].key));
      }
      case 9: {
        constexpr AttributeKey kKeys[] = {AttributeKey::kCalls, AttributeKey::kToApply, AttributeKey::kBody,
                                          AttributeKey::kCondition, AttributeKey::kBranchComputations};
        const AttributeKey key = one_of(kKeys);
        std::vector<ComputationId> all = {computation()};
        if (key == AttributeKey::kBranchComputations) all.push_back(computation());
        return said("set_computations", id, edit_.set_computations(id, key, all));
      }
      case 10:
      case 11: return said("insert_before", id, edit_.insert_before(id, made()).status());
      case 12: return said("append", id, edit_.append(computation(), made()).status());
      case 13: return said("clone", id, edit_.clone(id).status());
      case 14: return said("erase", id, edit_.erase(id));
      case 15:
      case 16: return said("replace_all_uses", id, edit_.replace_all_uses(id, instruction()));
      case 17: return said("move_before", id, edit_.move_before(id, instruction()));
      case 18: return said("set_root", id, edit_.set_root(computation(), id));
      case 19:
      case 20: {
        std::vector<InstructionId> all = {id};
        for (std::size_t n = below(3); n > 0; --n) all.push_back(instruction());
        if (edit_.is_alive(id) && byte() % 2 == 0) {
          const auto operands = module().instruction(id).operand_ids();
          if (!operands.empty()) all.push_back(operands[below(operands.size())]);
        }
        return said("fuse", id, edit_.fuse(all).status());
      }
      case 21: return said("outline", id, edit_.outline({id, instruction()}, one_of(kNames)).status());
      case 22:
      case 23: return said("unfuse", id, edit_.unfuse(id).status());
      case 24: return said("clone_computation", id, edit_.clone_computation(computation()).status());
      case 25: edit_.erase_unused_computations(); return said("erase_unused_computations", id, absl::OkStatus());
      case 26:
        if (marks_.size() < 8) checkpoint();
        return said("checkpoint", id, absl::OkStatus());
      case 27: {
        const std::size_t which = below(marks_.size());
        said("rollback " + std::to_string(which), id, absl::OkStatus());
        return roll_back(which);
      }
      case 28: {
        if (marks_.size() == 1) return;
        const std::size_t which = 1 + below(marks_.size() - 1);
        said("release " + std::to_string(which), id, predictor_.release(marks_[which].checkpoint));
        marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(which), marks_.end());
        return;
      }
      case 30: {
        CloneChanges changes;
        for (std::size_t n = below(3); n > 0; --n) changes.operands.push_back(instruction());
        if (byte() % 2 == 0) changes.shape_id = shape();
        if (byte() % 2 == 0) changes.before = instruction();
        if (byte() % 3 == 0) {
          const auto& [key, value] = one_of(kAttributes);
          changes.attributes.push_back({key, std::string(value), {}});
        }
        return said("clone with changes", id, edit_.clone(id, changes).status());
      }
      case 31: {
        std::vector<InstructionId> all = {id};
        for (std::size_t n = below(3); n > 0; --n) all.push_back(instruction());
        return said("combine_collectives", id, combine_collectives(edit_, all).status());
      }
      case 32: return said("uncombine_collective", id, uncombine_collective(edit_, id).status());
      case 33: return said("split_collective", id, split_collective(edit_, id).status());
      case 34: {
        const std::size_t operand = below(3);
        const auto dimension = static_cast<std::int64_t>(below(4));
        return said("slice_dot", id, slice_dot(edit_, id, operand, dimension, 2).status());
      }
      default:
        said("check", id, absl::OkStatus());
        switch (below(5)) {
          case 0: return check_consistent();
          case 1: return check_printed();
          case 2:
            (void)predictor_.memory();
            (void)predictor_.waits();
            return;
          case 3: {
            const absl::StatusOr<StepPrediction> all = predictor_.predict();
            const absl::StatusOr<StepPrediction> scratch = predict_step_time(module(), target_, any_backend());
            if (all.ok() != scratch.ok()) fail("predict() differs");
            if (!all.ok()) return;
            const std::string difference = internal::difference(*all, *scratch);
            if (!difference.empty()) fail("predict() differs", difference);
            return;
          }
          default: return check_predictor();
        }
    }
  }

  Predictor& predictor_;
  ModuleEditor& edit_;
  const Target& target_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::vector<Mark> marks_;
  std::string history_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::uint8_t choice = data[0];
  std::string text;
  const std::uint8_t* at = data + 1;
  const std::uint8_t* end = data + size;
  if ((choice & 0x80) != 0) {
    const std::uint8_t* nul = std::find(at, end, std::uint8_t{0});
    if (nul - at > 4096) return 0;
    text.assign(at, nul);
    at = nul == end ? nul : nul + 1;
  } else {
    text = std::string(kModules[(choice / 3) % std::size(kModules)]);
  }
  absl::StatusOr<Module> module = parse_module(text);
  if (!module.ok()) return 0;
  static const std::vector<Target>* const targets = [] {
    auto* all = new std::vector<Target>;
    for (const std::string_view name : kTargets) all->push_back(*find_target(name));
    return all;
  }();
  const Target& target = (*targets)[choice % 3];
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), target);
  if (!predictor.ok()) return 0;
  Session(*predictor, target, at, static_cast<std::size_t>(end - at)).run();
  return 0;
}

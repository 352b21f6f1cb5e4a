// Uses every function of the headers that change modules: edit.h, builder.h, walk.h, predictor.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "expect.h"
#include "hloroof/builder.h"
#include "hloroof/device.h"
#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predictor.h"
#include "hloroof/print.h"
#include "hloroof/walk.h"

using namespace hloroof;

// exp and tanh feed one add; an all-reduce follows.
constexpr char kHlo[] = R"(HloModule step, is_scheduled=true, num_partitions=4

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}

%maximum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %m = f32[] maximum(%x, %y)
}

ENTRY %main (p: f32[256,512]) -> f32[256,512] {
  %p = f32[256,512]{1,0:T(8,128)} parameter(0)
  %e = f32[256,512]{1,0:T(8,128)} exponential(%p)
  %t = f32[256,512]{1,0:T(8,128)} tanh(%p)
  %a = f32[256,512]{1,0:T(8,128)} add(%e, %t)
  ROOT %r = f32[256,512]{1,0:T(8,128)} all-reduce(%a), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%sum
}

)";

InstructionId named(const Module& module, std::string_view name) {
  InstructionId found;
  walk(module, [&](InstructionView i) {
    if (i.name() == name && i.computation().is_entry()) found = i.id();
  });
  return found;
}

std::string line(const Module& module, InstructionId id) { return print_instruction(module.instruction(id)); }

bool holds(const Module& module, InstructionId id, const char* text) {
  return line(module, id).find(text) != std::string::npos;
}

void going_through() {
  const Module module = parse_module(kHlo).value();
  const Users users(module);
  EXPECT(users.of(named(module, "p")).size() == 2);
  EXPECT(users.of(module.instruction(named(module, "a"))).size() == 1);

  std::vector<std::string> order;
  for (InstructionView i : post_order(module.entry().root())) order.emplace_back(i.name());
  EXPECT(order.front() == "p" && order.back() == "r" && order.size() == 5);

  const auto called = called_by(module.entry());  // excludes %maximum, which is not called
  EXPECT(called.size() == 1 && called[0].name() == "sum" && !called.empty() && called.ids().size() == 1);
}

void one_instruction() {
  Module module = parse_module(kHlo).value();
  ModuleEditor edit(module);
  const InstructionId p = named(module, "p");
  const InstructionId e = named(module, "e");
  const InstructionId t = named(module, "t");
  const InstructionId a = named(module, "a");
  const InstructionId r = named(module, "r");
  EXPECT(edit.is_alive(e) && edit.is_before(e, t) && edit.users(p).size() == 2 && &edit.module() == &module);

  EXPECT(edit.set_memory_space(e, 1).ok() && holds(module, e, "{1,0:T(8,128)S(1)}"));
  EXPECT(edit.set_shape(e, "f32[256,512]{0,1:T(8,128)}").ok() && holds(module, e, "{0,1:T(8,128)}"));
  const ShapeId tiled = edit.shape("f32[256,512]{1,0:T(8,128)}").value();
  EXPECT(edit.set_shape(e, tiled).ok() && module.instruction(e).shape_id() == tiled);
  EXPECT(edit.shape(module.shapes()[tiled]) == tiled);
  Layout column_major = module.shapes()[tiled].layout;
  column_major.minor_to_major = {0, 1};
  EXPECT(edit.set_layout(e, column_major).ok() && edit.infer_shape(a).ok());

  EXPECT(edit.set_operand(a, 1, e).ok() && holds(module, a, "add(%e, %e)"));
  EXPECT(edit.set_operands(a, {t, e}).ok() && holds(module, a, "add(%t, %e)"));
  EXPECT(!edit.set_operand(e, 0, a).ok());  // `a` does not precede `e`

  EXPECT(edit.set_attribute(r, AttributeKey::kChannelId, "7").ok() && holds(module, r, "channel_id=7"));
  EXPECT(edit.set_replica_groups(r, "[1,4]<=[4]").ok() && holds(module, r, "replica_groups=[1,4]<=[4]"));
  EXPECT(edit.set_sharding(a, "{replicated}").ok() && holds(module, a, "sharding={replicated}"));
  EXPECT(edit.remove_attribute(a, AttributeKey::kSharding).ok() && !holds(module, a, "sharding"));
  ComputationId maximum;
  for (ComputationView c : module.computations()) {
    if (c.name() == "maximum") maximum = c.id();
  }
  EXPECT(edit.set_computations(r, AttributeKey::kToApply, {maximum}).ok() && holds(module, r, "to_apply=%maximum"));
  EXPECT(edit.erase_unused_computations() == 1);  // %sum
  EXPECT(edit.set_name(a, "both").ok() && named(module, "both") == a);
  EXPECT(verify(module).ok());
}

void the_order() {
  Module module = parse_module(kHlo).value();
  ModuleEditor edit(module);
  const InstructionId e = named(module, "e");
  const InstructionId t = named(module, "t");
  const InstructionId a = named(module, "a");
  const InstructionId r = named(module, "r");

  NewInstruction negate;
  negate.opcode = Opcode::kNegate;
  negate.operands = {e};
  const InstructionId n = edit.insert_before(a, negate).value();  // infers the shape
  EXPECT(edit.replace_all_uses(t, n).ok() && holds(module, a, "add(%e, %negate"));
  EXPECT(!edit.erase(n).ok() && edit.erase(t).ok() && !edit.is_alive(t));

  const InstructionId twin = edit.clone(e).value();
  EXPECT(edit.move_before(twin, a).ok() && edit.is_before(n, twin) && edit.set_operand(n, 0, e).ok());

  negate.operands = {r};
  const InstructionId last = edit.append(module.entry().id(), negate).value();
  EXPECT(edit.set_root(module.entry().id(), last).ok() && module.entry().root().id() == last);
  EXPECT(verify(module).ok() && parse_module(print_module(module)).ok());

  bool erased = false;
  for (const Edit& done : edit.take_edits()) erased |= done.kind == Edit::Kind::kErased && done.instruction == t;
  EXPECT(erased && edit.take_edits().empty());
}

void computations() {
  Module module = parse_module(kHlo).value();
  ModuleEditor edit(module);
  const InstructionId e = named(module, "e");
  const InstructionId t = named(module, "t");
  const InstructionId a = named(module, "a");

  const InstructionId fusion = edit.fuse({e, t, a}, "kLoop").value();
  EXPECT(holds(module, fusion, "fusion(%p), kind=kLoop"));
  const std::vector<InstructionId> parts = edit.unfuse(fusion).value();
  EXPECT(parts.size() == 3 && !edit.is_alive(fusion));
  const InstructionId call = edit.outline(parts, "activation").value();
  EXPECT(holds(module, call, "call(%p)") && verify(module).ok());

  const ComputationId body = edit.clone_computation(module.instruction(call).called_computations()[0]).value();
  EXPECT(edit.set_computations(call, AttributeKey::kToApply, {body}).ok() && verify(module).ok());

  const ComputationId empty = edit.add_computation("more", false, body);  // without a builder
  NewInstruction parameter;
  parameter.opcode = Opcode::kParameter;
  parameter.shape = "f32[]";
  EXPECT(edit.append(empty, parameter).ok() && edit.erase_unused_computations() > 0);
}

// state = (i, x); while (i < 8) x = tanh(x)
void building() {
  Module module = new_module("loop", ModuleHeader{true, 1, 1});
  ModuleEditor edit(module);
  const char* kState = "(s32[], f32[256,512]{1,0:T(8,128)})";

  ComputationBuilder condition(edit, "condition");
  const InstructionId before = condition.parameter(kState);
  const InstructionId bound = condition.constant("s32[]", "8");
  const ComputationId is_less = condition
                                    .finish(condition.op(Opcode::kCompare, {condition.element(before, 0), bound},
                                                         {{AttributeKey::kDirection, "LT", {}}}))
                                    .value();

  ComputationBuilder body(edit, "body");
  const InstructionId state = body.parameter(kState);
  const InstructionId next = body.op(Opcode::kAdd, {body.element(state, 0), body.constant("s32[]", "1")});
  const ComputationId step = body.finish(body.tuple({next, body.op(Opcode::kTanh, {body.element(state, 1)})})).value();

  ComputationBuilder half(edit, "half");
  const ComputationId halved =
      half.finish(half.op(Opcode::kNegate, {half.parameter("f32[256,512]{1,0:T(8,128)}")})).value();

  ComputationBuilder main(edit, "main", true);
  const InstructionId x = main.parameter("f32[256,512]{1,0:T(8,128)}", "x");
  const InstructionId zero = main.constant("s32[]", "0");
  const InstructionId ran = main.loop(is_less, step, main.tuple({zero, main.call(halved, {x})}));
  EXPECT(main.status().ok() && main.finish(main.element(ran, 1)).ok());
  EXPECT(verify(module).ok() && parse_module(print_module(module)).ok());
}

void predicting_again() {
  Predictor predictor = Predictor::create(parse_module(kHlo).value(), find_device("tpu_v5e").value()).value();
  const double before = predictor.summary()->step_seconds;
  const double peak = predictor.memory()->hbm_peak_bytes;

  ModuleEditor& edit = predictor.edit();
  const InstructionId fusion =
      edit.fuse({named(predictor.module(), "e"), named(predictor.module(), "t"), named(predictor.module(), "a")})
          .value();
  EXPECT(predictor.summary()->step_seconds < before);
  EXPECT(predictor.memory()->hbm_peak_bytes < peak && predictor.predict()->ops.size() < 5);
  EXPECT(edit.unfuse(fusion).ok() && predictor.summary()->step_seconds == before);
}

int main() {
  going_through();
  one_instruction();
  the_order();
  computations();
  building();
  predicting_again();
}

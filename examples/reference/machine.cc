// Uses every function of the headers of the cost model: analysis.h, counts.h, cost.h, device.h, mesh.h, predict.h, and
// the checks of testing.h.
#include <sstream>
#include <string>
#include <vector>

#include "expect.h"
#include "hloroof/analysis.h"
#include "hloroof/counts.h"
#include "hloroof/device.h"
#include "hloroof/mesh.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/testing.h"

using namespace hloroof;

constexpr char kHlo[] = R"(
HloModule loop

cond {
  t = (s32[], f32[3,5]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT l = pred[] compare(i, n), direction=LT
}

body {
  t = (s32[], f32[3,5]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  o = s32[] constant(1)
  j = s32[] add(i, o)
  v = f32[3,5] get-tuple-element(t), index=1
  w = f32[3,5] exponential(v)
  ROOT r = (s32[], f32[3,5]) tuple(j, w)
}

yes { ROOT p = f32[3,5] parameter(0) }
no { ROOT p = f32[3,5] parameter(0) }

ENTRY e {
  zero = s32[] constant(0)
  p = f32[3,5]{1,0:T(2,2)} parameter(0)
  start = (s32[], f32[3,5]) tuple(zero, p)
  loop = (s32[], f32[3,5]) while(start), condition=cond, body=body
  v = f32[3,5] get-tuple-element(loop), index=1
  which = pred[] parameter(1)
  ROOT choice = f32[3,5] conditional(which, v, v), true_computation=yes, false_computation=no
}
)";

InstructionView named(const Module& module, std::string_view name) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView i : computation.instructions()) {
      if (i.name() == name) return i;
    }
  }
  std::fprintf(stderr, "there is no %s\n", std::string(name).c_str());
  std::exit(1);
}

void sizes_and_calls() {
  const Module m = parse_module(kHlo).value();
  const Shape& tiled = named(m, "start").operand(1).shape();
  EXPECT(physical_size(tiled).elements == 24 && padded_bytes(tiled) == 96 && logical_bytes(tiled) == 60);
  EXPECT(padded_elements(tiled) == 24 && memory_space(tiled) == MemorySpace::kHbm);
  const std::vector<std::int64_t> coordinates = {2, 3};
  EXPECT(physical_index(tiled, coordinates).value() == 17);
  const ShapeId tuple = named(m, "start").shape_id();
  EXPECT(padded_bytes(m.shapes(), tuple) >= logical_bytes(m.shapes(), tuple));

  const InstructionView loop = named(m, "loop");
  EXPECT(infer_trip_count(loop).value == 5);
  CallOptions options;
  options.trip_counts["loop"] = 7;
  EXPECT(check_call_options(m, options).ok());
  EXPECT(analyze_calls(m, options).trip_count(loop.id())->value == 7);
  const CallGraph calls = analyze_calls(m);
  const ComputationView body = loop.computations(AttributeKey::kBody)[0];
  EXPECT(calls.executions(body.id()) == 5 && calls.executions(body.root()) == 5);
  EXPECT(calls.role(body.id()) == ComputationRole::kBody && calls.is_scheduled(body.id()));
  EXPECT(calls.callers(body.id())[0] == loop.id() && calls.scheduled()[0] == m.entry().id());
  const ComputationView condition = loop.computations(AttributeKey::kCondition)[0];
  EXPECT(calls.trips_read_off(condition.root().id()) && !calls.trips_follow_callers(m.entry().id()));
  EXPECT(calls.loops().size() == 1 && calls.scheduled_instructions().size() > 10);
  const InstructionView choice = m.entry().root();
  EXPECT(calls.branch_probabilities(choice.id()) == nullptr);
  const std::vector<double> executions = calls.executions_with({{choice.id().index, {0.25, 0.75}}});
  EXPECT(executions[choice.called_computations()[0].index] == 0.25);
  EXPECT(op_category(loop) == "while" && layer_key("jit(f)/layers_17/mlp") == "jit(f)/layers_*/mlp");

  const ModuleCounts counts = count_xla(m).value();
  EXPECT(counts.of(named(m, "w").id()).transcendentals == 15 && counts.of(body.id()).flops >= 1);
  EXPECT(counts.operand_bytes_of(named(m, "w")).size() == 1);
  MemoryBytes bytes;
  bytes.hbm = 3;
  bytes.vmem = 4;
  EXPECT(bytes.total() == 7);
}

void devices() {
  Device device = find_device("tpu_v5e").value();
  EXPECT(device_names().size() > 20 && device.cores() == 1);
  EXPECT(device.family() == DeviceFamily::kTpu && device.gpu() == nullptr);
  EXPECT(device.tpu()->vector.register_elements() == 1024);
  Fact<double> fact = device.network.efficiency;  // nobody published it
  EXPECT(fact.is_unknown() && !fact.is_none() && !fact.has_value() && !fact.optional());
  fact = 0.9;
  EXPECT(fact.has_value() && *fact == 0.9);
  fact.reset();
  EXPECT(fact.is_unknown() && Fact<double>::none().is_none());
  EXPECT(*device.matrix.rate(MatrixType::kBf16) > 1e14 && device.vector.weight("exponential").op == "exponential");
  EXPECT(!parameters(device).empty() && set_parameter(device, "hbm.bandwidth", 1.2e12).ok() &&
         device.hbm.bandwidth == 1.2e12);
  const Topology topology = parse_topology(device, "4x4*2").value();
  EXPECT(topology.device_count() == 32 && topology.chips_per_slice() == 16 && topology.devices_per_slice() == 16);
  EXPECT(topology.to_string() == "4x4*2");
  EXPECT(default_topology(device, 8)->device_count() == 8 && topology_for(device, 4)->device_count() >= 4);
  const Target target = find_target("tpu_v5e:4x4*2").value();
  EXPECT(target.device.name == "tpu_v5e" && target.topology->device_count() == 32);
  EXPECT(!check_device_file("{}", "mine.json").ok() && !load_device("no such file.json").ok());
}

void mesh(const Module& m, const Target& target) {
  const Device& device = target.device;
  const std::vector<Collective> collectives = find_collectives(m);
  EXPECT(!collectives.empty() && !collective_name(collectives[0].kind).empty());
  EXPECT(!group_mode_name(collectives[0].groups.mode).empty());
  const LogicalMesh found = infer_mesh(m);
  EXPECT(found.device_count == 8 && found.axes.size() == 2 && !found.to_string().empty());
  EXPECT(collective_roles(m, collectives).size() == collectives.size() && axis_role_name(AxisRole::kFsdp) == "FSDP");

  const LogicalMesh overridden = override_mesh(found, parse_mesh("data=4,model=2").value()).value();
  EXPECT(overridden.axes[0].name == "data");
  MeshOptions options;
  options.device_order = parse_device_order("[1,8]<=[2,4]T(1,0)").value();
  const Topology topology = topology_for(target, 8).value();
  EXPECT(map_mesh(found, device, topology, options).ok());
  const PhysicalMapping mapping = map_mesh(found, device, topology).value();
  EXPECT(!mapping.placement(0).empty() && !mapping.to_string(found).empty() && !explain_mesh(found, mapping).empty());

  for (const Collective& collective : collectives) {
    if (collective.kind != CollectiveKind::kAllGather) continue;
    EXPECT(!spanned_axes(found, collective.groups).empty());
    const CollectiveCost cost = collective_cost(collective, found, mapping, device);
    EXPECT(cost.seconds > 0 && cost.wire_bytes > 0);
    EXPECT(!explain_collective(m, collective, found, mapping, device).empty());
    EXPECT(crossover_tokens(collective, AxisRole::kFsdp, cost, device).value_or(1) > 0);
  }
}

void checks(const Module& m, const Target& target) {
  const absl::StatusOr<StepPrediction> step = predict_step_time(m, target);
  EXPECT(step_faster_than(step, 1) && no_slower_than(step, step) && mfu_above(step, 0.1) && bound_by(step, "mxu"));
  EXPECT(exposed_communication_below(step, 1) && exposed_communication_share_below(step, 0.9));
  EXPECT(fits_in_memory(step) && peak_memory_below(step, 16e9) && unknown_at_most(step));
  EXPECT(has_no_diagnostic(step, "unknown-trip-count"));
  const CheckResult warnings = has_no_warning(step);
  std::ostringstream out;
  out << warnings;
  EXPECT(!warnings.ok() && out.str() == warnings.message());
  const absl::StatusOr<StepPrediction> none = predict_step_time("no HLO", "tpu_v5e");
  EXPECT(Predicted(step).step() == &*step && Predicted(none).error() != nullptr);
}

int main() {
  sizes_and_calls();
  devices();
  const Module ffn = load_module(EXAMPLES_DIR "/ffn_block.v5e_2x4.hlo").value();
  const Target target = find_target("tpu_v5e:2x4").value();
  mesh(ffn, target);
  checks(ffn, target);
}

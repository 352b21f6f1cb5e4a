// Uses every function of the headers that decode attributes: attribute_values.h, backend_config.h, literal.h,
// replica_groups.h, sharding.h.
#include <string>
#include <vector>

#include "expect.h"
#include "hloroof/attribute_values.h"
#include "hloroof/backend_config.h"
#include "hloroof/literal.h"
#include "hloroof/parse.h"
#include "hloroof/replica_groups.h"
#include "hloroof/sharding.h"

using namespace hloroof;

using Integers = std::vector<std::int64_t>;

constexpr char kHlo[] = R"(
HloModule values, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, entry_computation_layout={(f32[8,16]{1,0}, f32[16,32]{1,0})->f32[8,16]{0,1}}, frontend_attributes={owner="me"}

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}
2 {file_name_id=2 function_name_id=1 line=9 end_line=9 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

cond {
  t = (s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT l = pred[] compare(i, n), direction=LT
}

body {
  t = (s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  o = s32[] constant(1)
  j = s32[] add(i, o)
  ROOT r = (s32[]) tuple(j)
}

fused {
  p = f32[8,16] parameter(0)
  ROOT e = f32[8,16] exponential(p)
}

ENTRY e {
  p0 = f32[8,16] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}, parameter_replication={true}, frontend_attributes={a="b",c="d"}
  p1 = f32[16,32] parameter(1), statistics={visualizing_index=0,stall=1.5}
  image = f32[1,14,14,8] constant({...})
  kernel = f32[3,3,8,16] constant({...})
  conv = f32[1,7,7,16] convolution(image, kernel), window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, backend_config={"convolution_algorithm_config":{"emitter":"EmitAllBatchInSublanes"}}
  dot = f32[8,32] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}, metadata={op_name="jit(f)/dot" stack_frame_id=2}
  ids = s32[4,1] constant({{0},{2},{4},{6}})
  rows = f32[4,16] gather(p0, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}
  zero = f32[] constant(0)
  padded = f32[10,17] pad(p0, zero), padding=1_1x0_1
  part = f32[4,16] slice(p0), slice={[0:8:2], [0:16]}
  row = f32[16] constant({...})
  stat = (f32[8,16], f32[16], f32[16]) batch-norm-training(p0, row, row), epsilon=0.001, feature_index=1
  fusion = f32[8,16] fusion(p0), kind=kLoop, calls=fused, output_to_operand_aliasing={{}: (0, {})}, backend_config={"window_config":{"kernel_window_bounds":[],"output_window_bounds":["1","1"],"input_window_bounds":[],"estimated_cycles":"100","iteration_bounds":["1"]},"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"4096"}],"aliasing_operands":{"lists":[{"indices":["0"]}]},"megacore_config":{"megacore_split_dim":"1"},"device_type":"DEVICE_TYPE_SPARSECORE"}
  tanh = f32[8,16] tanh(p0), result_accuracy={mode=highest}
  gathered = f32[16,16] all-gather(p0), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true, backend_config={"barrier_config":{"barrier_type":"CUSTOM","id":"3"},"collective_algorithm_config":{"emitter":"Ring","strategy":"UniDirection1DRingStrategy","debug":""}}
  moved = f32[8,16] collective-permute(p0), channel_id=2, source_target_pairs={{0,1},{1,0}}, backend_config={"collective_backend_config":{"is_sync":true}}
  first = s32[] constant(0)
  start = (s32[]) tuple(first)
  loop = (s32[]) while(start), condition=cond, body=body, backend_config={"known_trip_count":{"n":"5"},"known_init_step":{"init":"0","step":"1"},"known_induction_variable":{"tuple_index":"0"}}
  kernel_call = f32[8,16] custom-call(p0), custom_call_target="tpu_custom_call", backend_config={"custom_call_config":{"body":"","cost_estimate":{"flops":"1000","transcendentals":"0","bytes_accessed":"2048"}}}
  gemm = f32[8,32] custom-call(p0, p1), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"alpha_imag":0,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"epilogue":"DEFAULT"}}
  attended = f32[8,16] custom-call(p0, p0, p0), custom_call_target="__cudnn$fmhaSoftmax", backend_config={"cudnn_fmha_backend_config":{"intermediate_tensor_shape":{"dimensions":["1","2","8","8"]},"mask_type":"CAUSAL","sliding_window_length":0}}
  triton = f32[8,16] fusion(p0), kind=kCustom, calls=fused, backend_config={"fusion_backend_config":{"kind":"__triton"}}
  ROOT pair = (f32[8,16], f32[8,16]) tuple(p0, tanh)
}
)";

// The instruction `name` of the entry.
InstructionView named(const Module& module, std::string_view name) {
  for (InstructionView i : module.entry().instructions()) {
    if (i.name() == name) return i;
  }
  std::fprintf(stderr, "there is no %s\n", std::string(name).c_str());
  std::exit(1);
}

void attribute_values(const Module& m) {
  const InstructionView gather = named(m, "gathered");
  EXPECT(integer(gather, AttributeKey::kChannelId) == 1 &&
         integer_or(named(m, "dot"), AttributeKey::kChannelId, -1) == -1);
  EXPECT(flag(gather, AttributeKey::kUseGlobalDeviceIds) && integers(gather, AttributeKey::kDimensions) == Integers{0});
  EXPECT(number(named(m, "stat"), AttributeKey::kEpsilon) == 0.001);
  EXPECT(integer_lists(named(m, "moved"), AttributeKey::kSourceTargetPairs)[1] == (Integers{1, 0}));
  EXPECT(flags(named(m, "p0"), AttributeKey::kParameterReplication) == std::vector<bool>{true});
  EXPECT(word(named(m, "fusion"), AttributeKey::kKind) == "kLoop");
  EXPECT(string_value(named(m, "kernel_call"), AttributeKey::kCustomCallTarget) == "tpu_custom_call");
  EXPECT(operand_precision(named(m, "dot"))[0] == Precision::kHighest);

  EXPECT(window(named(m, "conv"))->dimensions[0].stride == 2 &&
         *window(named(m, "conv")) == *parse_window("{size=3x3 stride=2x2 pad=1_1x1_1}"));
  EXPECT(convolution_dimension_numbers(named(m, "conv"))->lhs_feature == 3);
  EXPECT(parse_convolution_dimension_numbers("bf_io->bf")->rhs_output_feature == 1);
  EXPECT(padding(named(m, "padded"))[1].high == 1 && parse_padding("1_2_3")->front().interior == 3);
  EXPECT(slice_ranges(named(m, "part"))[0].stride == 2 && parse_slice_ranges("{[0:4]}")->front().limit == 4);
  EXPECT(dot_dimensions(named(m, "dot")).lhs_contracting == Integers{1});
  EXPECT(gather_dimensions(named(m, "rows")).slice_sizes == (Integers{1, 16}));
  EXPECT(scatter_dimensions(named(m, "rows")).update_window_dims.empty());  // not empty for a scatter

  EXPECT(output_to_operand_aliasing(named(m, "fusion"))[0].operand == 0);
  EXPECT(input_output_alias(m)[0].parameter == 0 && buffer_donors(m)[0].parameter == 1);

  const InstructionView dot = named(m, "dot");
  EXPECT(metadata(dot)->stack_frame_id == 2 && op_name(dot) == "jit(f)/dot");
  EXPECT(parse_metadata("{op_name=\"x\" source_line=3}")->source_line == 3);
  const StackFrames frames(m);
  EXPECT(frames.size() == 2 && frames.location(2)->file == "b.py" && frames.parent(2) == 1);
  EXPECT(source_location(dot).line == 9 && source_location(dot, frames).function == "f");
  EXPECT(frontend_attributes(named(m, "p0")).size() == 2 && frontend_attributes(m)[0].second == "me");
  EXPECT(*frontend_attribute(named(m, "p0"), "c") == "d");
  EXPECT(statistics(named(m, "p1"))->values[0].second == 1.5);
  EXPECT(result_accuracy(named(m, "tanh"))->mode == ResultAccuracy::Mode::kHighest);
  ShapeTable table = m.shapes();
  EXPECT(entry_computation_layout(m, table)->parameters.size() == 2);
}

void backend_configs(const Module& m) {
  const InstructionView fusion = named(m, "fusion");
  EXPECT(backend_config(fusion).front() == '{' && window_config(fusion)->estimated_cycles == 100);
  EXPECT(estimated_cycles(fusion) == 100 && used_scoped_memory(fusion)[0].size == 4096);
  EXPECT(aliasing_operands(fusion).size() <= 1 && !cost_estimate(fusion));
  EXPECT(megacore_split_dimension(fusion).value_or(1) == 1 && runs_on_sparse_core(fusion));
  const InstructionView loop = named(m, "loop");
  EXPECT(known_trip_count(loop) == 5 && known_init_step(loop)->step == 1 && known_induction_variable(loop) == 0);
  const InstructionView gather = named(m, "gathered");
  EXPECT(collective_algorithm_config(gather)->strategy == "UniDirection1DRingStrategy" &&
         barrier_config(gather)->id == 3);
  EXPECT(convolution_emitter(named(m, "conv")) == "EmitAllBatchInSublanes");
  EXPECT(cost_estimate(named(m, "kernel_call"))->flops == 1000.0 && !memory_space_colors(named(m, "kernel_call")));
  EXPECT(gemm_backend_config(named(m, "gemm"))->epilogue == "DEFAULT");
  EXPECT(attention_backend_config(named(m, "attended"))->mask == "CAUSAL");
  EXPECT(fusion_backend_config(named(m, "triton"))->kind == "__triton");
  EXPECT(collective_backend_config(named(m, "moved"))->is_sync);
}

void literals(const Module& m) {
  const Literal ids = literal(named(m, "ids")).value();
  EXPECT(ids.size() == 4 && ids.integer(1) == 2 && ids.real(3) == 6.0 && ids.imaginary(0) == 0.0);
  EXPECT(literal_leaves(named(m, "ids"))->size() == 1 && literal(named(m, "image"))->elided);
  EXPECT(scalar_integer(named(m, "first")) == 0 && scalar_number(named(m, "zero")) == 0.0);
}

void groups_and_shardings(const Module& m) {
  const ReplicaGroups groups = *replica_groups(named(m, "gathered"));
  EXPECT(groups.group_count() == 2 && groups.group_size() == 2 && groups.uniform() && groups.id_count() == 4);
  EXPECT(!groups.all_participants() && groups.expand().value()[1] == (Integers{2, 3}));
  Integers group;
  groups.copy_group(1, group);
  EXPECT(group == (Integers{2, 3}));
  std::int64_t sum = 0;
  groups.for_each_group([&](Span<std::int64_t> ids) {
    for (std::int64_t id : ids) sum += id;
    return true;
  });
  EXPECT(sum == 6);
  EXPECT(parse_replica_groups("[2,2]<=[4]")->order.size() == 4 &&
         parse_replica_groups("[2,2]<=[2,2]T(1,0)")->order[1] == 2);
  const ReplicaGroups on_mesh = parse_replica_groups("mesh['x'=2,'y'=4] {'y'}").value();
  EXPECT(on_mesh.mesh.device_count() == 8 && on_mesh.mesh.device(3) == 3);
  EXPECT(source_target_pairs(named(m, "moved"))[0].second == 1);

  const Sharding one = sharding(named(m, "p0"))->elements[0];
  EXPECT(one.shards_of_dimension(0) == 2 && one.device_count() == 4 &&
         one.device_list().value() == (Integers{0, 1, 2, 3}));
  EXPECT(parse_sharding("{replicated}")->elements[0].kind == Sharding::Kind::kReplicated);
}

int main() {
  const absl::StatusOr<Module> module = parse_module(kHlo);
  if (!module.ok()) std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str());
  EXPECT(module.ok());
  attribute_values(*module);
  backend_configs(*module);
  literals(*module);
  groups_and_shardings(*module);
}

// Tests decoding of attributes of a parsed module.

#include "lib/values/attribute_values.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/values/backend_config.h"
#include "lib/values/decode.h"
#include "lib/values/scoped_memory.h"
#include "lib/values/values.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

// A module whose entry is `body`.
Module with_entry(const std::string& body, const std::string& before = "HloModule m\n") {
  return parsed(before + "ENTRY e {\n" + body + "\n}\n");
}

TEST_CASE("a value ends before the comments after it") {
  for (const char* behind : {"\n// c", "\n/* c */\n// c\n", " /* c */", "\n  // c\n  q = f32[2] copy(p)"}) {
    const std::string text =
        "ENTRY e {\n  p = f32[2,3] parameter(0)\n  ROOT t = f32[3,2] transpose(p), dimensions={1,0}" +
        std::string(behind) + "\n}\n";
    const absl::StatusOr<Module> module = parse_module(text);
    INFO(text << std::string(module.status().message()));
    REQUIRE(module.ok());
    for (InstructionView instruction : module->entry().instructions()) {
      if (instruction.opcode() != Opcode::kTranspose) continue;
      CHECK(integers(instruction, AttributeKey::kDimensions) == std::vector<std::int64_t>{1, 0});
    }
  }
}

TEST_CASE("a convolution's window and labels") {
  const Module m = with_entry(
      "p = f32[1,8,8,4] parameter(0)\n q = f32[3,3,4,4] parameter(1)\n"
      "ROOT c = f32[1,8,8,4] convolution(p, q), window={size=3x3 stride=2x1 pad=-1_1x0_2 lhs_dilate=1x2 rhs_dilate=2x1 "
      "rhs_reversal=1x0}, dim_labels=b01f_01io->f01b, feature_group_count=2, operand_precision={HIGH,highest}");
  const InstructionView root = m.entry().root();
  const std::optional<Window> w = window(root);
  REQUIRE(w.has_value());
  REQUIRE(w->dimensions.size() == 2);
  CHECK(w->dimensions[0] == WindowDimension{3, 2, -1, 1, 1, 2, true});
  CHECK(w->dimensions[1] == WindowDimension{3, 1, 0, 2, 2, 1, false});
  const auto labels = convolution_dimension_numbers(root);
  REQUIRE(labels.has_value());
  CHECK(labels->lhs_batch == 0);
  CHECK(labels->lhs_feature == 3);
  CHECK(labels->lhs_spatial == std::vector<std::int64_t>{1, 2});
  CHECK(labels->rhs_input_feature == 2);
  CHECK(labels->rhs_output_feature == 3);
  CHECK(labels->output_batch == 3);
  CHECK(labels->output_feature == 0);
  CHECK(integer_or(root, AttributeKey::kFeatureGroupCount, 1) == 2);
  CHECK(integer_or(root, AttributeKey::kBatchGroupCount, 1) == 1);
  CHECK(operand_precision(root) == std::vector<Precision>{Precision::kHigh, Precision::kHighest});
}

TEST_CASE("pad and slice") {
  const Module m = with_entry(
      "p = f32[4,4] parameter(0)\n z = f32[] parameter(1)\n d = f32[7,10] pad(p, z), padding=1_2x0_0_2\n"
      "ROOT s = f32[2,5] slice(d), slice={[1:3], [0:10:2]}");
  const InstructionView slice = m.entry().root();
  const std::vector<SliceRange> ranges = slice_ranges(slice);
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].stride == 1);
  CHECK(ranges[1].limit == 10);
  CHECK(ranges[1].stride == 2);
  const std::vector<PaddingDimension> pads = padding(slice.operand(0));
  REQUIRE(pads.size() == 2);
  CHECK(pads[0].low == 1);
  CHECK(pads[0].high == 2);
  CHECK(pads[0].interior == 0);
  CHECK(pads[1].interior == 2);
}

TEST_CASE("metadata, strings and source locations") {
  const std::string tables =
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
      "1 {file_name_id=2 function_name_id=1 line=7 end_line=8 column=3 end_column=4}\n"
      "2 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=1 end_column=2}\n\nStackFrames\n"
      "1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n";
  const Module m = with_entry(
      "p = f32[4] parameter(0), metadata={op_name=\"x\\303\\251\\\"\" stack_frame_id=2}\n"
      "q = f32[4] copy(p), metadata={op_type=\"t\", op_name=\"y\", source_file=\"c.py\", source_line=12, "
      "profile_type={1,2}, creation_pass_id=7}, frontend_attributes={a=\"b\\n\",j={\"k\":1}}, "
      "statistics={visualizing_index=0,v=1.5}\n"
      "ROOT r = f32[4] tanh(q), result_accuracy={tolerance={atol=1,rtol=0.5,ulps=3}}",
      tables);
  const InstructionView root = m.entry().root();
  const InstructionView q = root.operand(0);
  const InstructionView p = q.operand(0);
  CHECK(op_name(p) == "x\303\251\"");
  CHECK(op_name(q) == "y");
  CHECK(op_name(root).empty());
  CHECK(source_location(p).file == "a.py");
  CHECK(source_location(p).line == 9);
  CHECK(source_location(p).function == "f");
  CHECK(source_location(q).file == "c.py");
  CHECK(source_location(q).line == 12);
  CHECK(source_location(root).file.empty());
  CHECK(source_location(p, StackFrames(m)).line == 9);
  const std::optional<Metadata> data = metadata(q);
  REQUIRE(data.has_value());
  CHECK(data->op_type == "t");
  CHECK(data->profile_types == std::vector<std::int64_t>{1, 2});
  CHECK(frontend_attribute(q, "a") == "b\n");
  CHECK(frontend_attribute(q, "j") == "{\"k\":1}");
  CHECK_FALSE(frontend_attribute(q, "b").has_value());
  REQUIRE(statistics(q).has_value());
  CHECK(statistics(q)->values.at(0).second == 1.5);
  REQUIRE(result_accuracy(root).has_value());
  CHECK(result_accuracy(root)->mode == ResultAccuracy::Mode::kTolerance);
  CHECK(result_accuracy(root)->ulps == 3);
}

TEST_CASE("aliasing and the entry's layout") {
  const Module m = with_entry(
      "p = f32[4,4] parameter(0)\n q = f32[4] parameter(1)\n"
      "ROOT t = (f32[4,4], f32[4]) custom-call(p, q), custom_call_target=\"x\\ty\", "
      "output_to_operand_aliasing={{1}: (1, {}), {0}: (0, {})}",
      "HloModule m, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}) }, "
      "buffer_donor={ (1, {}) }, "
      "entry_computation_layout={(f32[4,4]{0,1}, f32[4]{0})->(f32[4,4]{1,0}, f32[4]{0})}\n");
  const InstructionView root = m.entry().root();
  CHECK(string_value(root, AttributeKey::kCustomCallTarget) == "x\ty");
  const auto aliases = output_to_operand_aliasing(root);
  REQUIRE(aliases.size() == 2);
  CHECK(aliases[0].output == ShapeIndex{1});
  CHECK(aliases[0].operand == 1);
  const auto header = input_output_alias(m);
  REQUIRE(header.size() == 2);
  CHECK(header[0].must_alias);
  CHECK_FALSE(header[1].must_alias);
  REQUIRE(buffer_donors(m).size() == 1);
  CHECK(buffer_donors(m)[0].parameter == 1);
  ShapeTable table;
  const std::optional<EntryLayout> layout = entry_computation_layout(m, table);
  REQUIRE(layout.has_value());
  REQUIRE(layout->parameters.size() == 2);
  CHECK(to_string(table, layout->parameters[0]) == "f32[4,4]{0,1}");
  CHECK(to_string(table, layout->result) == "(f32[4,4]{1,0}, f32[4]{0})");
}

TEST_CASE("the scoped VMEM that the compiler allows an op and a program") {
  const auto config = [](const std::string& configs) {
    return ", backend_config={\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"size\":\"9\"}]," +
           ("\"scoped_memory_configs\":[" + configs + "]}\n");
  };
  struct Case {
    const char* configs;
    std::optional<std::int64_t> limit;
  };
  const Case cases[] = {
      {R"({"memory_space":"1","offset":"0","size":"62914560"})", 62914560},
      {R"({"memory_space":1,"size":4096})", 4096},
      {R"({"memory_space":"5","size":"4096"},{"memory_space":"1","size":"7"})", 7},
      {"", std::nullopt},
      {R"({"memory_space":"1","size":"0"})", std::nullopt},
      {R"({"memory_space":"1","size":"-8"})", std::nullopt},
      {R"({"memory_space":"1","size":"much"})", std::nullopt},
      {R"({"memory_space":"1","size":"99999999999999999999"})", std::nullopt},
      {R"({"memory_space":"1"})", std::nullopt},
      {R"({"memory_space":"5","size":"4096"})", std::nullopt},
  };
  for (const Case& c : cases) {
    CAPTURE(c.configs);
    const Module m = with_entry("ROOT p = f32[] parameter(0)" + config(c.configs));
    CHECK(ScopedVmemLimits(m, std::nullopt).of(m.entry().root()) == c.limit);
    // What is given counts only where the text says nothing.
    CHECK(ScopedVmemLimits(m, 16).of(m.entry().root()) == c.limit.value_or(16384));
    CHECK(ScopedVmemLimits(m, std::numeric_limits<std::int64_t>::max()).of(m.entry().root()).value() > 0);
  }
  // The largest is the limit of the program; a kernel may be allowed more than the others.
  const auto size = [&config](int bytes) {
    return config(R"({"memory_space":"1","size":")" + std::to_string(bytes) + "\"}");
  };
  const Module m = with_entry("p = f32[] parameter(0)" + size(300) + "n = f32[] negate(p)" + size(200) +
                              "ROOT c = f32[] custom-call(n), custom_call_target=\"tpu_custom_call\"" + size(900));
  ScopedVmemLimits limits(m, std::nullopt);
  CHECK(limits.of(m.entry().root()) == 900);
  const Module other = with_entry("ROOT p = f32[] parameter(0)");
  CHECK(limits.of(other.entry().root()) == 300);
}

TEST_CASE("backend configs of the TPU compiler") {
  const std::string config =
      "{\"flag_configs\":[],\"window_config\":{\"kernel_window_bounds\":[\"3\",\"8\"],\"output_window_bounds\":[\"3\","
      "\"8\"],"
      "\"estimated_cycles\":\"1957\",\"cost_model_type\":\"COST_MODEL_TYPE_CLASSIC\"},"
      "\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":\"4096\"}],"
      "\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"2\"]},{\"indices\":[]}]},"
      "\"barrier_config\":{\"barrier_type\":\"CUSTOM\",\"id\":\"5\"},"
      "\"collective_algorithm_config\":{\"emitter\":\"E\",\"strategy\":\"S\",\"debug\":\"\\na = 4 \"},"
      "\"custom_call_config\":{\"body\":\"TU}{zv\\\\\\\"\",\"cost_estimate\":{\"flops\":\"138244259840\","
      "\"transcendentals\":268435456,\"bytes_accessed\":1.5e9},"
      "\"input_memory_space_colors\":[{\"operand_index\":\"1\",\"color\":\"1\"}],"
      "\"output_memory_space_colors\":[{\"shape_index\":[\"0\"],\"color\":\"0\"}]},"
      "\"megacore_config\":{\"megacore_split_dim\":\"1\"},\"device_type\":\"DEVICE_TYPE_SPARSECORE\"}";
  std::string quoted;
  for (char c : config) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  const std::string forms[] = {config, "\"" + quoted + "\""};
  for (const std::string& form : forms) {
    const Module m = with_entry("ROOT p = f32[] parameter(0), backend_config=" + form);
    const InstructionView root = m.entry().root();
    CHECK(backend_config(root) == config);
    const std::optional<WindowConfig> w = window_config(root);
    REQUIRE(w.has_value());
    CHECK(w->output_window_bounds == std::vector<std::int64_t>{3, 8});
    CHECK(w->estimated_cycles == 1957);
    CHECK(cost_estimate(root)->flops == 138244259840.0);
    CHECK(cost_estimate(root)->transcendentals == 268435456.0);
    CHECK(cost_estimate(root)->bytes_accessed == 1.5e9);
    CHECK(megacore_split_dimension(root) == 1);
    CHECK_FALSE(gemm_backend_config(root).has_value());
  }
}

TEST_CASE("the type in which the program states an operation that the compiler widened") {
  const auto stated = [](const std::string& config) {
    return original_type(with_entry("ROOT p = f32[] parameter(0), backend_config=" + config).entry().root());
  };
  CHECK(stated(R"({"float_type_correction_info":{"original_type":"BF16","original_shape":{"element_type":"BF16"}}})") ==
        ElementType::kBf16);
  for (const char* other : {R"({"flag_configs":[]})", R"({"float_type_correction_info":{"original_type":"NONE"}})",
                            R"({"float_type_correction_info":{"original_type":{}}})"}) {
    CHECK(stated(other) == ElementType::kInvalid);
  }
}

TEST_CASE("a cycle estimate of INT64_MAX means unknown") {
  const Module m = with_entry(
      "ROOT p = f32[] parameter(0), backend_config={\"window_config\":{\"estimated_cycles\":\"9223372036854775807\"}}");
  CHECK_FALSE(estimated_cycles(m.entry().root()).has_value());
  CHECK(window_config(m.entry().root()).has_value());
}

TEST_CASE("backend configs of the GPU and CPU compilers") {
  const Module m = with_entry(
      "p = f32[] parameter(0), backend_config={\"known_trip_count\":{\"n\":\"37\"},"
      "\"known_init_step\":{\"init\":\"0\",\"step\":\"2\"},\"known_induction_variable\":{\"tuple_index\":\"3\"}}\n"
      "g = f32[] copy(p), backend_config={\"operation_queue_id\":\"0\",\"gemm_backend_config\":{\"alpha_real\":0.5,"
      "\"alpha_imag\":0,\"beta\":1,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],"
      "\"rhs_contracting_dimensions\":[\"1\"],\"lhs_batch_dimensions\":[\"0\"],\"rhs_batch_dimensions\":[\"0\"]},"
      "\"precision_config\":{\"operand_precision\":[\"DEFAULT\",\"HIGHEST\"]},\"epilogue\":\"BIAS\",\"lhs_stride\":"
      "\"64\"}}\n"
      "ROOT f = f32[] copy(g), backend_config={\"fusion_backend_config\":{\"kind\":\"__triton_nested_gemm_fusion\","
      "\"block_level_fusion_config\":{\"num_warps\":\"4\",\"output_tiles\":[{\"sizes\":[\"64\",\"32\"]}],\"num_ctas\":"
      "1,"
      "\"num_stages\":3}},\"collective_backend_config\":{\"is_sync\":true,\"is_pipelined\":false,\"backend\":"
      "\"NVSHMEM\"}}");
  const InstructionView f = m.entry().root();
  const InstructionView g = f.operand(0);
  const std::optional<GemmBackendConfig> gemm = gemm_backend_config(g);
  REQUIRE(gemm.has_value());
  CHECK(gemm->dimensions.lhs_contracting == std::vector<std::int64_t>{2});
  CHECK(gemm->operand_precision == std::vector<std::string>{"DEFAULT", "HIGHEST"});
  const std::optional<FusionBackendConfig> fusion = fusion_backend_config(f);
  REQUIRE(fusion.has_value());
  REQUIRE(fusion->block_level.has_value());
  CHECK(fusion->block_level->output_tiles == std::vector<std::vector<std::int64_t>>{{64, 32}});
  CHECK(fusion->block_level->num_stages == 3);
  CHECK_FALSE(fusion->triton_gemm.has_value());
}

TEST_CASE("configs that are not JSON decode to nothing") {
  for (const char* text :
       {"{abc: 123}", "{uplo = 76 : ui8}", "\"\"", "\"{\"", "{\"window_config\"}", "{\"window_config\":}",
        "{\"window_config\":{\"estimated_cycles\":\"x\"}}", "\"{\\\"window_config\\\":[\""}) {
    CAPTURE(text);
    const Module m = with_entry(std::string("ROOT p = f32[] parameter(0), backend_config=") + text);
    CHECK_FALSE(estimated_cycles(m.entry().root()).has_value());
  }
}

TEST_CASE("a text outside of a module is read with the column of an error") {
  const absl::Status status = parse_text<Window>("{size=3x3 stride=2}", read_window).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(status.message()), ContainsSubstring("expects 'stride=' has the same size as 'size='"));
  CHECK_FALSE(parse_text<Window>("{size=3x3} x", read_window).ok());
  CHECK_FALSE(parse_text<Metadata>("", read_metadata).ok());
}

}  // namespace
}  // namespace hloroof::internal

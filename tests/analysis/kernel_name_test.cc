#include "lib/kernel/tpu/kernel_name.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// A module with one call, whose instruction is named `name` and whose body is `body`.
Module call(const std::string& name, const std::string& body) {
  return parsed("HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT " + name +
                " = f32[8] custom-call(p), custom_call_target=\"tpu_custom_call\", "
                "backend_config={\"custom_call_config\":{\"body\":\"" +
                absl::Base64Escape(body) + "\"}}\n}\n");
}

struct Case {
  std::string sample;
  std::string name;
};

TEST_CASE("the name of a kernel is in its body") {
  const Case cases[] = {
      // The main function has the name of the Python function.
      {"gmm.mlir23", "kernel"},
      {"flash_attention_backward.mlir24", "splash_mha_dkv_no_residuals"},
      // The main function is `main`, and the module has a name.
      {"splash_attention.mlir21",
       "splash_mha_fwd_segmented_residuals_block_kv_2048_block_kv_compute_2048_block_kv_dkv_2048_block_kv_dkv_compute_"
       "2048_block_kv_"
       "dq_None_block_q_2048_block_q_dkv_2048_block_q_dq_None_k_layout_1_q_layout_1_use_fused_bwd_kernel_True_v_layout_"
       "1"},
      // No operation within the module is a function.
      {"forms.version0", "inner"},
  };
  for (const Case& c : cases) {
    INFO(c.sample);
    const std::string body = source_text("tests/mlir/samples/" + c.sample + ".mlirbc");
    for (const char* instruction : {"tpu_custom_call.1", "mha"}) {
      const Module module = call(instruction, body);
      CHECK(kernel_name(module.entry().root()) == c.name);
    }
  }
}

TEST_CASE("a body that cannot be read has no name") {
  const std::string body = source_text("tests/mlir/samples/gmm.mlir23.mlirbc");
  CHECK(kernel_name(call("a", "").entry().root()).empty());
  CHECK(kernel_name(call("a", "module { func.func @main() { returns } }").entry().root()).empty());
  CHECK(kernel_name(call("a", body.substr(0, body.size() / 2)).entry().root()).empty());
  CHECK(kernel_name(parsed("HloModule m\nENTRY e {\n  ROOT p = f32[8] parameter(0)\n}\n").entry().root()).empty());
  CHECK(kernel_name(parsed("HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT c = f32[8] custom-call(p), "
                           "custom_call_target=\"tpu_custom_call\", "
                           "backend_config={\"custom_call_config\":{\"body\":\"*not base64*\"}}\n}\n")
                        .entry()
                        .root())
            .empty());
}

TEST_CASE("the kernels of the corpus have names") {
  if (!std::filesystem::exists(shared_path("corpus/pallas"))) HLOROOF_SKIP("the shared corpus is absent");
  std::size_t kernels = 0;
  for (const char* folder : {"corpus/pallas", "corpus/step"}) {
    for (const auto& entry : std::filesystem::directory_iterator(shared_path(folder))) {
      if (entry.path().extension() != ".hlo") continue;
      const absl::StatusOr<Module> module = load_module(entry.path().string());
      INFO(entry.path().string());
      REQUIRE(module.ok());
      for (ComputationView computation : module->computations()) {
        for (InstructionView instruction : computation.instructions()) {
          if (instruction.text(AttributeKey::kCustomCallTarget) != "\"tpu_custom_call\"") continue;
          INFO(instruction.name());
          const std::string name = kernel_name(instruction);
          CHECK_FALSE(name.empty());
          CHECK(name != "main");
          ++kernels;
        }
      }
    }
  }
  CHECK(kernels >= 300);
}

}  // namespace
}  // namespace hloroof::internal

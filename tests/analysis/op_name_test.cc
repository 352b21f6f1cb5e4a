#include "lib/analysis/op_name.h"

#include <string>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string scopes_of(const OpPath& path) {
  std::string text;
  for (std::size_t i = 0; i < path.scopes.size(); ++i) {
    if (i > 0) text += " > ";
    if (i == path.looped_scope) text += "loop ";
    text += path.scopes[i];
  }
  return text;
}

TEST_CASE("an op_name is scopes, an op and a phase") {
  struct Case {
    const char* op_name;
    const char* scopes;
    const char* op;
    Phase phase;
    int loops = 0;
  };
  constexpr Phase kForward = Phase::kForward;
  constexpr Phase kBackward = Phase::kBackward;
  constexpr Phase kRemat = Phase::kRemat;
  constexpr Phase kOther = Phase::kOther;
  const Case cases[] = {
      {"jit(train_step)/jit(main)/jvp(Model)/layer/attn/dot_general", "Model > layer > attn", "dot_general", kForward},
      {"jit(train_step)/jit(main)/transpose(jvp(Model))/while/body/closed_call/checkpoint/layer/attn/dot_general",
       "Model > loop layer > attn", "dot_general", kBackward, 1},
      {"jit(train_step)/transpose(jvp(M))/decoder/while/body/closed_call/checkpoint/rematted_computation/layers/mul",
       "M > decoder > loop layers", "mul", kRemat, 1},
      {"jit(train_step)/jit(main)/jvp(M)/decoder/while/body/layers/mlp/jit(silu)/mul",
       "M > decoder > loop layers > mlp > silu", "mul", kForward, 1},
      {"jit(train_step)/jit(main)/mul", "", "mul", kOther},
      {"jit(train_step)/jvp(M)/decoder/while/body/dynamic_slice", "M > decoder", "dynamic_slice", kForward, 1},
      {"jit(train_step)/jvp(M)/decoder/while/cond/lt", "M > decoder", "lt", kForward},
      {"jit(train_step)/jvp(M)/decoder/while", "M > decoder", "while", kForward},
      {"jit(train_step)/while/body/jvp(M)/while/body/layers/add", "M > loop layers", "add", kForward, 2},
      // The backward pass of a scan over chunks recomputes each chunk, then differentiates it.
      {"jit(train_step)/transpose(jvp())/while/body/closed_call/jvp(M)/head/rsqrt", "loop M > head", "rsqrt", kRemat,
       1},
      {"jit(train_step)/transpose(jvp())/while/body/closed_call/transpose(jvp(M))/head/mul", "loop M > head", "mul",
       kBackward, 1},
      // The op transpose is not the transformation of that name.
      {"jit(train_step)/jvp(M)/transpose", "M", "transpose", kForward},
      {"jit(train_step)/transpose(jvp(M))/transpose", "M", "transpose", kBackward},
      {"jit(train_step)/transpose(jvp(jit(log_softmax)))/reduce_sum", "log_softmax", "reduce_sum", kBackward},
      {"jit(train_step)/jvp(jit(silu))", "silu", "", kForward},
      {"jit(train_step)/jvp()/square", "", "square", kForward},
      {"jit(train_step)/layers/shard_map/vmap(jit(_splash_attention))/exp", "layers > _splash_attention", "exp",
       kOther},
      {"jit(train_step)/M/attention_op/jit(shmap_body)/vmap()/gt", "M > attention_op", "gt", kOther},
      {"jit(train_step)/cond/branch_1_fun/mlp/add", "mlp", "add", kOther},
      {"jit(train_step)/jit(main)/custom_vjp_call/mlp/custom_jvp_call/exp", "mlp", "exp", kOther},
      {"jit(train_step)/M/scan/pjit/layer/add", "M > layer", "add", kOther},
      {"jit(train_step)/M/BSM,BSEC -> EBCM/dot_general", "M > BSM,BSEC -> EBCM", "dot_general", kOther},
      {"jit(train_step)/M/rng_bit_generator;squeeze", "M", "rng_bit_generator", kOther},
      // Another function than the program.
      {"jit(silu)/exp", "silu", "exp", kOther},
      {"jit(other)/jit(main)/mlp/exp", "mlp", "exp", kOther},
      {"pmap(train_step)/mlp/exp", "train_step > mlp", "exp", kOther},
      // Without a prefix.
      {"dot_general", "", "dot_general", kOther},
      {"checkpoint/layers/vmap(jit(attend))/exp", "layers > attend", "exp", kOther},
      {"/add", "", "add", kOther},
      {"", "", "", kOther},
      // Arguments.
      {"state.params['params']['decoder']['a/b']", "", "state.params['params']['decoder']['a/b']", kOther},
      // TensorFlow and PyTorch/XLA.
      {"resnet/block_3/conv2d/Conv2D", "resnet > block_3 > conv2d", "Conv2D", kOther},
      {"LlamaModel/Linear[q_proj]/aten__mm", "LlamaModel > Linear[q_proj]", "aten__mm", kOther},
      {"model/cond/branch_a/Add", "model > cond > branch_a", "Add", kOther},
      // Not balanced.
      {"jit(f/mul", "jit(f", "mul", kOther},
      {"jvp(", "", "jvp(", kOther},
      {"f(x)/mul", "f(x)", "mul", kOther},
  };
  for (const Case& c : cases) {
    CAPTURE(c.op_name);
    const OpPath path = parse_op_name(c.op_name, "jit_train_step");
    CHECK(scopes_of(path) == c.scopes);
    CHECK(path.op == c.op);
    CHECK(path.phase == c.phase);
    CHECK(path.loops == c.loops);
  }
}

TEST_CASE("XLA writes other characters than letters and digits in a module's name as underscores") {
  CHECK(parse_op_name("jit(<lambda>)/mul", "jit__lambda_").scopes.empty());
  CHECK(parse_op_name("jit(step)/mul", "jit_step.17").scopes.empty());
  CHECK(parse_op_name("jit(step)/mul").scopes.size() == 1);
}

TEST_CASE("an op_name has the name of the module at its beginning") {
  CHECK(without_program("jit(step)/mlp/dot", "jit_step") == "mlp/dot");
  CHECK(without_program("jit(<lambda>)/mul", "jit__lambda_.3") == "mul");
  CHECK(without_program("jit(step)/mlp/dot", "jit_other") == "jit(step)/mlp/dot");
  CHECK(without_program("mlp/jit(step)/dot", "jit_step") == "mlp/jit(step)/dot");
  CHECK(without_program("jit(step)", "jit_step") == "jit(step)");
  CHECK(without_program("", "").empty());
}

TEST_CASE("folded numbers are counters and not types") {
  const std::pair<const char*, const char*> cases[] = {
      {"layers_17/mlp/dot_general", "layers_*/mlp/dot_general"},
      {"block12/attn.3/add", "block*/attn.*/add"},
      {"conv2d/bf16/f8e4m3/x", "conv2d/bf16/f8e4m3/x"},
      {"", ""},
      {"[0]/h7", "[*]/h*"},
  };
  for (const auto& [text, folded] : cases) CHECK(fold_numbers(text) == folded);
}

TEST_CASE("layer keys keep scopes and the op") {
  const std::pair<const char*, const char*> cases[] = {
      {"jit(f)/layers_17/mlp/dot_general", "layers_*/mlp/dot_general"},
      {"jit(f)/transpose(jvp(M))/while/body/block12/attn.3/add", "M/block*/attn.*/add"},
      {"jit(f)", "jit(f)"},
      {"add.3", "add.*"},
      {"", ""},
  };
  for (const auto& [name, key] : cases) CHECK(layer_key(name, "jit_f") == key);
}

}  // namespace
}  // namespace hloroof::internal

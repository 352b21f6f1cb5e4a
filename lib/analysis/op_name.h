// Reads an op_name, the path of an op in the traced program, as the names of scopes and the phase of a training step.
//
//   jit(train_step)/jit(main)/transpose(jvp(Model))/while/body/checkpoint/layers/mlp/dot_general
//
// has the scopes Model, layers and mlp, the op dot_general and the phase backward. The components that JAX adds for its
// transformations and its control flow are not scopes: they say the phase and where loops begin. Paths of other
// frameworks (`model/layer_1/MatMul`) have no such components and are read as they are.
//
// Source: the names that JAX 0.4 to 0.8 gives, in source_info_util.NameStack, jax/_src/ad_checkpoint.py and
// jax/_src/lax/control_flow.
#ifndef HLOROOF_LIB_ANALYSIS_OP_NAME_H_
#define HLOROOF_LIB_ANALYSIS_OP_NAME_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal::inline analysis {

// The part of a training step that an op belongs to.
enum class Phase : std::uint8_t {
  kForward,   // differentiated: jvp without transpose
  kBackward,  // transpose(jvp())
  kRemat,     // a part of the forward pass that the backward pass recomputes
  kOther,     // neither: the optimizer, or a program without gradients
};
inline constexpr std::size_t kPhaseCount = 4;

// The texts point into the op_name.
struct OpPath {
  std::vector<std::string_view> scopes;  // outermost first
  std::string_view op;                   // the last component; empty if that is a scope
  Phase phase = Phase::kOther;
  int loops = 0;  // the bodies of loops that the path passes
  // Index of the first scope inside the outermost and inside the innermost loop; scopes.size() if there is none.
  std::size_t outer_looped_scope = 0;
  std::size_t looped_scope = 0;
  bool is_complete = false;     // begins with the program; XLA cuts the names of some ops in functions that JAX caches
  std::size_t body_length = 0;  // of the text up to the innermost body of a loop; 0 without loops
};

// `module_name` identifies the traced function ("jit_train_step" for jit(train_step)), which is not a scope. If XLA
// merged several ops into one, the path is that of the first. Never fails; unbalanced text is one component.
OpPath parse_op_name(std::string_view op_name, std::string_view module_name = {});

// The op_name without the component that names the module: "dot_general" of "jit(f)/dot_general" in jit_f. Another
// op_name is returned as it is.
std::string_view without_program(std::string_view op_name, std::string_view module_name);

// `text` with the numbers of layers, steps and copies replaced by "*", so that the same op of 80 layers has one key:
// "layers_17/mlp/dot_general" becomes "layers_*/mlp/dot_general". Keeps the numbers of types, such as bf16.
std::string fold_numbers(std::string_view text);

// "async-collective-done.28 ×40", or the name alone for one op.
std::string folded_label(const std::string& name, std::size_t count);

// The scopes and the op of `op_name` as a path, with folded numbers. Empty for an empty op_name.
std::string layer_key(std::string_view op_name, std::string_view module_name = {});

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_OP_NAME_H_

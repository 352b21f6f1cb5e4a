// The time of a step as a tree of the scopes of the traced program: layers, the modules in them, and the ops at the
// leaves. Each op's time in the step is in exactly one leaf, so that the sum of the leaves is the step.
#ifndef HLOROOF_LIB_RESULTS_LAYERS_H_
#define HLOROOF_LIB_RESULTS_LAYERS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/analysis/op_name.h"

namespace hloroof::internal::inline results {

// Times in the step, with all iterations of loops. A further kind of time is one more member here, in add(), and in the
// columns of Described<Layer> and layers_view().
struct LayerTimes {
  double seconds = 0;
  double wait_seconds = 0;                        // the part of `seconds` that waits for transfers
  std::array<double, kPhaseCount> of_phase = {};  // by Phase; the sum is `seconds`

  double of(Phase phase) const { return of_phase[static_cast<std::size_t>(phase)]; }
  void add(const LayerTimes& more);
};

// A scope or an op of the tree, with everything in it.
struct Layer {
  std::string name;        // "layers", "layers_*" for several numbered scopes, "dot_general"
  std::string path;        // from the top: "Transformer/decoder/layers"
  std::int64_t depth = 0;  // 0: at the top
  bool is_op = false;      // a leaf: ops with the same path
  // How often the scope runs: the iterations of the loop that it is the body of, times the number of numbered scopes.
  // 1 if it is neither.
  double repeats = 1;
  LayerTimes times;
  double share = 0;  // of the step
  std::size_t parent = kNoParent;
  static constexpr std::size_t kNoParent = SIZE_MAX;
  std::vector<std::size_t> ops;  // of a leaf: indices in StepPrediction::ops
};

// The part of a training step that an op belongs to. A backward kernel may have the op_name of a forward kernel that is
// recomputed. `path` is that of its op_name.
Phase phase_of(const OpPath& path, const StepPrediction& prediction, const OpPrediction& op);

// Top-level rows for ops that have an op_name without scopes, and for those without op_name.
inline constexpr std::string_view kNoLayer = "[no layer]";
inline constexpr std::string_view kNoOpName = "[no op_name]";

// The tree in preorder: parents before their children, siblings with the most time first. Ops without time in the step
// are not in it. An op has the op_name of its own instruction; a fusion, that of the fusion. Numbered scopes are
// one if they contain further scopes, as layers do (layers_0/mlp and layers_1/mlp are layers_*/mlp). Parts of a layer
// (wi_0 and wi_1) are not.
std::vector<Layer> make_layers(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_LAYERS_H_

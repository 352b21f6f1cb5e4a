// The tree of layers: its rows, and that it adds up to the step.
#include "lib/results/layers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "lib/analysis/op_name.h"
#include "lib/report/views.h"
#include "lib/results/fold.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(const std::string& text, const std::string& device = "tpu_v5e") {
  absl::StatusOr<StepPrediction> step = predict_step_time(text, device);
  INFO(step.status());
  REQUIRE(step.ok());
  return *std::move(step);
}

StepPrediction scanned() { return predicted(source_text("tests/report/dumps/scanned_layers.v5e.hlo")); }

const Layer& at(const std::vector<Layer>& layers, const std::string& path) {
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.path == path; });
  INFO(path);
  REQUIRE(found != layers.end());
  return *found;
}

// The phases of each row add up to the row, the children to their parent, and the leaves to the step.
void check_sums(const StepPrediction& step) {
  const std::vector<Layer> layers = make_layers(step);
  const double margin = 1e-9 * step.step_seconds;
  std::vector<double> inside(layers.size(), 0);
  double leaves = 0;
  double waits = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    double phases = 0;
    for (double seconds : layer.times.of_phase) phases += seconds;
    CHECK(std::abs(phases - layer.times.seconds) <= margin);
    if (layer.parent != Layer::kNoParent) {
      CHECK(layer.parent < i);
      CHECK(layer.depth == layers[layer.parent].depth + 1);
      CHECK_FALSE(layers[layer.parent].is_op);
      inside[layer.parent] += layer.times.seconds;
    }
    CHECK(layer.times.wait_seconds <= layer.times.seconds + margin);
    if (layer.is_op) leaves += layer.times.seconds;
    if (layer.is_op) waits += layer.times.wait_seconds;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].is_op) CHECK(std::abs(inside[i] - layers[i].times.seconds) <= margin);
  }
  CHECK(std::abs(leaves - step.step_seconds) <= margin);
  for (const OpPrediction& op : step.ops) waits -= op.wait_seconds;
  CHECK(std::abs(waits) <= margin);

  double folded = 0;
  std::size_t count = 0;
  for (const FoldedRow& row : fold_rows(step)) {
    folded += row.seconds;
    count += row.count();
  }
  CHECK(std::abs(folded - step.step_seconds) <= margin);
  CHECK(count == static_cast<std::size_t>(std::count_if(step.ops.begin(), step.ops.end(), takes_time)));
}

TEST_CASE("a collective of several arrays belongs to none of their layers") {
  const StepPrediction step = predicted(R"(HloModule jit_f, is_scheduled=true, num_partitions=4

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  q = f32[1024,1024]{1,0:T(8,128)} parameter(1)
  ROOT r = (f32[1024,1024]{1,0:T(8,128)}, f32[1024,1024]{1,0:T(8,128)}) all-reduce(p, q), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, to_apply=sum, metadata={op_name="jit(f)/block3/mlp/dot_general"}
}
)");
  const std::vector<Layer> layers = make_layers(step);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].path == "all-reduce (2 arrays)");
  CHECK(layers[1].is_op);
  check_sums(step);
}

TEST_CASE("layers of a scanned model") {
  const StepPrediction step = scanned();
  const std::vector<Layer> layers = make_layers(step);
  const Layer& body = at(layers, "Model/decoder/layers");
  CHECK(body.repeats == 8);
  CHECK(at(layers, "Model/decoder").repeats == 1);
  CHECK(at(layers, "Model/decoder/layers/mlp").repeats == 1);
  const double once = at(layers, "Model/head_*/out/dot_general").times.seconds / 3;

  // Eight forward, eight recomputed, eight backward.
  const LayerTimes& wi = at(layers, "Model/decoder/layers/mlp/wi_0").times;
  CHECK(wi.of(Phase::kForward) == Approx(8 * once));
  CHECK(wi.of(Phase::kRemat) == Approx(8 * once));
  CHECK(wi.of(Phase::kBackward) == Approx(8 * once));
  CHECK(wi.of(Phase::kOther) == 0);

  // The op whose name has lost its beginning is in the body that the other ops of its computation name.
  CHECK(at(layers, "Model/decoder/layers/attn/softmax/exp").times.of(Phase::kForward) > 0);
  CHECK(at(layers, "[no layer]/sub").times.of(Phase::kOther) > 0);
  CHECK(at(layers, "[no op_name]").times.of(Phase::kOther) > 0);
  CHECK(at(layers, "Model/head_*").repeats == 3);
  check_sums(step);
}

TEST_CASE("numbered scopes are layers if they contain several scopes or there are many") {
  const auto paths = [](const std::vector<const char*>& op_names) {
    StepPrediction step;
    step.module_name = "jit_f";
    for (const char* name : op_names) {
      OpPrediction& op = step.ops.emplace_back();
      op.op_name = name;
      op.opcode = "dot";
      op.exposed_seconds = 1;
      step.step_seconds += 1;
    }
    std::vector<std::string> result;
    for (const Layer& layer : make_layers(step)) {
      if (!layer.is_op) result.push_back(layer.path + " " + std::to_string(static_cast<int>(layer.repeats)));
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  using Paths = std::vector<std::string>;
  CHECK(paths({"jit(f)/h_0/attn/a", "jit(f)/h_0/mlp/a", "jit(f)/h_1/attn/a", "jit(f)/h_1/mlp/a"}) ==
        Paths{"h_* 2", "h_*/attn 1", "h_*/mlp 1"});
  CHECK(paths({"jit(f)/wi_0/einsum/a", "jit(f)/wi_1/einsum/a"}) ==
        Paths{"wi_0 1", "wi_0/einsum 1", "wi_1 1", "wi_1/einsum 1"});
  CHECK(paths({"jit(f)/wi_0/a", "jit(f)/wi_1/a", "jit(f)/wi_2/a"}) == Paths{"wi_0 1", "wi_1 1", "wi_2 1"});
  CHECK(paths({"model/layer.0/mlp/a", "model/layer.1/mlp/a", "model/layer.2/mlp/a"}) ==
        Paths{"model 1", "model/layer.* 3", "model/layer.*/mlp 1"});
  // An op of a whole function, and an instruction's number at the end of a name.
  CHECK(paths({"jit(f)/jvp(jit(silu))", "jit(f)/add.3", ""}) == Paths{"[no layer] 1", "silu 1"});
}

TEST_CASE("the view keeps its width, its sums and its limit") {
  const StepPrediction step = scanned();
  ViewOptions options;
  for (std::size_t limit : {std::size_t{1}, std::size_t{3}, std::size_t{10}, std::size_t{0}}) {
    options.rows.limit = limit;
    const std::string text = layers_view(step, options);
    CAPTURE(limit, text);
    CHECK_THAT(text, ContainsSubstring("TOTAL"));
    // Ten lines and those instead of "1 more" are all of this tree.
    CHECK((limit == 1 || limit == 3) == (text.find(" more") != std::string::npos));
  }
  options.width = 0;
  CHECK_THAT(layers_view(step, options), ContainsSubstring("layers \u00d78"));
  CHECK_THAT(layers_view(StepPrediction(), ViewOptions()), ContainsSubstring("TOTAL"));
}

TEST_CASE("similar ops are one row, whatever their names") {
  const StepPrediction step = scanned();
  std::vector<std::string> labels;
  for (const FoldedRow& row : fold_rows(step)) {
    labels.push_back(folded_label(row.name, row.count()) + " " + step.ops[row.representative].opcode + " " +
                     std::to_string(static_cast<int>(row.executions)));
  }
  const auto has = [&](const std::string& label) { return std::count(labels.begin(), labels.end(), label) == 1; };
  CHECK((has("g \u00d74 dot 16") || has("h \u00d74 dot 16")));  // of equal shapes and times, in the loop and before it
  CHECK(has("head \u00d73 dot 3"));                             // head_0, head_1 and head_2
  CHECK(has("y \u00d72 copy 16"));                              // layouts do not matter
  CHECK(has("new subtract 1"));
}

TEST_CASE("layers and similar ops add up to the step: dumps of the repository") {
  const std::filesystem::path source(source_path(""));
  for (const char* folder : {"examples", "tests/predict/dumps", "tests/report/dumps"}) {
    for (const std::filesystem::path& dump : dumps_in(source / folder)) {
      CAPTURE(dump);
      check_sums(predicted(source_text(std::filesystem::relative(dump, source).string()), device_of(dump)));
    }
  }
}

TEST_CASE("layers and similar ops add up to the step: dumps of the large corpus") {
  const std::filesystem::path corpus = shared_path("corpus");
  if (!std::filesystem::exists(corpus)) HLOROOF_SKIP("the large corpus is not there");
  for (const auto& [folder, every] : {std::pair("tpu", 20), {"gpu", 8}, {"cpu", 4}, {"unoptimized", 20}, {"step", 1}}) {
    const std::vector<std::filesystem::path> dumps = dumps_in(corpus / folder);
    for (std::size_t i = 0; i < dumps.size(); i += static_cast<std::size_t>(every)) {
      CAPTURE(dumps[i]);
      const absl::StatusOr<Module> module = load_module(dumps[i].string());
      const absl::StatusOr<Target> target = find_target(device_of(dumps[i]));
      REQUIRE((module.ok() && target.ok()));
      const absl::StatusOr<StepPrediction> step = predict_step_time(*module, *target);
      if (step.ok()) check_sums(*step);
    }
  }
}

TEST_CASE("the view has a column of waits if the step waits") {
  const auto titles = [](const StepPrediction& step) {
    const std::string text = layers_view(step, ViewOptions());
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(titles(predicted(source_text("examples/ffn_block.v5e_2x4.hlo"))).find("wait") != std::string::npos);
  StepPrediction step;
  step.step_seconds = 1;
  step.ops.emplace_back().exposed_seconds = 1;
  CHECK(titles(step).find("wait") == std::string::npos);
}

}  // namespace
}  // namespace hloroof::internal

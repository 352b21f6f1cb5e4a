// Checkpoints of a Predictor: after a rollback, module and prediction are those of the checkpoint to the last bit.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/predict/compare.h"
#include "tests/predict/corpus.h"
#include "tests/predict/random_edits.h"

namespace hloroof::internal {
namespace {

#ifdef HLOROOF_SANITIZED
constexpr int kSlower = 5;
#else
constexpr int kSlower = 1;
#endif

// A state to return to.
struct State {
  Checkpoint checkpoint;
  std::string text;
  absl::StatusOr<StepSummary> summary;
};

void check_same(const absl::StatusOr<StepSummary>& a, const absl::StatusOr<StepSummary>& b) {
  REQUIRE(a.ok() == b.ok());
  if (a.ok()) REQUIRE(difference(*a, *b) == "");
}

// Edits, checkpoints, rollbacks and predictions in random order, each compared with a prediction from scratch.
void edit_and_return(const std::filesystem::path& path, int count, std::uint32_t seed,
                     const PredictOptions& options = {}) {
  INFO(path.string() << " " << seed);
  if (is_too_slow(path)) return;
  absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok()) return;
  const absl::StatusOr<Device> device = find_device(device_of(path));
  REQUIRE(device.ok());
  absl::StatusOr<Predictor> made = Predictor::create(*std::move(module), *device, options);
  if (!made.ok()) return;
  Predictor& predictor = *made;
  RandomEdits edits(predictor.edit(), seed);
  std::mt19937 random(seed + 1);
  std::vector<State> stack;
  std::string history;
  for (int i = 0; i < count / kSlower; ++i) {
    const std::size_t which = stack.empty() ? 0 : random() % stack.size();
    bool read = random() % 4 != 0;
    switch (random() % 10) {
      case 0:
        history += "checkpoint\n";
        stack.push_back({predictor.checkpoint(), print_module(predictor.module()), predictor.summary()});
        break;
      case 1:
      case 2: {
        if (stack.empty()) break;
        const bool by_editor = random() % 4 == 0;
        history += (by_editor ? "the editor rolls back to " : "roll back to ") + std::to_string(which) + "\n";
        INFO(history);
        const Checkpoint& to = stack[which].checkpoint;
        REQUIRE((by_editor ? predictor.edit().rollback(to) : predictor.rollback(to)).ok());
        stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(which) + 1, stack.end());
        REQUIRE(print_module(predictor.module()) == stack[which].text);
        if (random() % 2 == 0) check_same(predictor.summary(), stack[which].summary);
        break;
      }
      case 3:
        if (stack.empty() || random() % 3 != 0) break;
        history += "release " + std::to_string(which) + "\n";
        REQUIRE(predictor.release(stack[which].checkpoint).ok());
        stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(which), stack.end());
        break;
      case 4: {
        history += "predict\n";
        INFO(history);
        const absl::StatusOr<StepPrediction> all = predictor.predict();
        const absl::StatusOr<StepPrediction> scratch =
            predict_step_time(predictor.module(), *device, any_backend(options));
        REQUIRE(all.ok() == scratch.ok());
        if (all.ok()) REQUIRE(difference(*all, *scratch) == "");
        read = false;
        break;
      }
      case 5:
        history += "erase unused computations\n";
        predictor.edit().erase_unused_computations();
        break;
      default: {
        std::string what;
        for (int tries = 0; what.empty() && tries < 20; ++tries) what = edits.next();
        history += what + "\n";
      }
    }
    if (!read) continue;
    INFO(history);
    check_same(predictor.summary(), predict_step_time(predictor.module(), *device, any_backend(options)));
  }
}

TEST_CASE("after edits and rollbacks the answer is that from scratch") {
  for (const char* folder : {"examples", "tests/predict/dumps", "tests/corpus"}) {
    for (const std::filesystem::path& path : dumps_in(source_path(folder))) {
      for (std::uint32_t seed = 0; seed < 3; ++seed) edit_and_return(path, 60, seed);
    }
  }
  PredictOptions slices;
  slices.topology = "2x2";
  slices.slices = 2;
  edit_and_return(source_path("examples/ffn_block.v5e_2x4.hlo"), 60, 3, slices);
}

TEST_CASE("after edits and rollbacks of large dumps the answer is that from scratch") {
  const std::filesystem::path shared = shared_path("corpus");
  const std::pair<const char*, int> dumps[] = {
      {"tpu/llm_2d_16.v5e_4x4.hlo", 60},
      {"tpu/llm_fsdp_train.v4_2x2x2.hlo", 60},
      {"step/llama3.1-8b.v6e-32.hlo", 60},
      {"cpu/ring_attention.cpu_8.hlo", 100},
      {"cpu/while_dynamic.cpu_8.hlo", 100},
      {"tpu/llm_unrolled_fsdp.v5e_2x4.hlo", 30},
      {"unoptimized/moe_ep_train.v5e_2x4.hlo", 20},
      {"gpu/coll_ag_64mb.b200_1x1x8.hlo", 60},
  };
  for (const auto& [file, count] : dumps) {
    if (std::filesystem::exists(shared / file)) edit_and_return(shared / file, count, 5);
  }
}

// The recipe of the README: fuses each producer into its consumer and takes it back unless the step gets shorter.
// Returns the number of attempts.
int fuse_greedily(const std::filesystem::path& path, int limit) {
  INFO(path.string());
  if (is_too_slow(path)) return 0;
  absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok()) return 0;
  const absl::StatusOr<Device> device = find_device(device_of(path));
  REQUIRE(device.ok());
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), *device);
  if (!predictor.ok()) return 0;
  const std::string original_text = print_module(predictor->module());
  const absl::StatusOr<StepSummary> original = predictor->summary();
  if (!original.ok()) return 0;
  const Checkpoint start = predictor->checkpoint();
  std::vector<InstructionId> ids;
  for (InstructionView i : predictor->module().entry().instructions()) ids.push_back(i.id());
  ModuleEditor& edit = predictor->edit();
  StepSummary best = *original;
  int tried = 0;
  for (std::size_t k = 0; k < ids.size() && tried < limit; ++k) {
    if (!edit.is_alive(ids[k])) continue;
    const std::vector<InstructionId> users(edit.users(ids[k]).begin(), edit.users(ids[k]).end());
    for (InstructionId user : users) {
      const Checkpoint before = predictor->checkpoint();
      const absl::StatusOr<InstructionId> fusion = edit.fuse({ids[k], user});
      if (!fusion.ok()) continue;
      ++tried;
      edit.erase_unused_computations();
      const absl::StatusOr<StepSummary> summary = predictor->summary();
      if (summary.ok() && summary->step_seconds < best.step_seconds) {
        best = *summary;
        ids.push_back(*fusion);
        REQUIRE(predictor->release(before).ok());
        break;
      }
      REQUIRE(predictor->rollback(before).ok());
      const absl::StatusOr<StepSummary> back = predictor->summary();
      REQUIRE(back.ok());
      REQUIRE(difference(*back, best) == "");
      REQUIRE(predictor->release(before).ok());
    }
  }
  CHECK(best.step_seconds <= original->step_seconds);
  const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *device, any_backend());
  REQUIRE(scratch.ok());
  CHECK(difference(best, *scratch) == "");
  REQUIRE(predictor->rollback(start).ok());
  CHECK(print_module(predictor->module()) == original_text);
  CHECK(difference(*predictor->summary(), *original) == "");
  return tried;
}

TEST_CASE("fusing greedily never ends slower than it began") {
  int tried = 0;
  for (const char* folder : {"examples", "tests/predict/dumps", "tests/corpus"}) {
    for (const std::filesystem::path& path : dumps_in(source_path(folder))) tried += fuse_greedily(path, 200 / kSlower);
  }
  CHECK(tried > 50 / kSlower);
}

TEST_CASE("fusing real programs greedily never ends slower than it began") {
  const std::filesystem::path shared = shared_path("corpus");
  for (const char* folder : {"tpu", "step", "gpu"}) {
    const std::vector<std::filesystem::path> dumps = dumps_in(shared / folder);
    for (std::size_t i = 0; i < dumps.size(); ++i) {
      // A sample, and the two kinds of program that unfuse() once made slower.
      const std::string name = dumps[i].filename().string();
      const bool is_known = name.find("conv2d") == 0 || name.find("seed_vit") == 0;
      if (is_known || i % 8 == 0) (void)fuse_greedily(dumps[i], (is_known ? 40 : 20) / kSlower);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

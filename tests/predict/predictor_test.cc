// Predicting after edits against predicting from scratch: equal to the last bit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "lib/step/facts.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"
#include "tests/predict/compare.h"
#include "tests/predict/corpus.h"
#include "tests/predict/random_edits.h"

namespace hloroof::internal {
namespace {

// Predicting from scratch takes so much longer under sanitizers, which see no more in more edits.
#ifdef HLOROOF_SANITIZED
constexpr int kSlowness = 5;
#else
constexpr int kSlowness = 1;
#endif

// Edits a module `count` times and compares the summary after each edit, all of the prediction after every tenth.
void edit_and_compare(const std::filesystem::path& path, int count, std::uint32_t seed,
                      const PredictOptions& options = {}) {
  INFO(path.string());
  count /= kSlowness;
  absl::StatusOr<Module> module = load_module(path.string());
  REQUIRE(module.ok());
  const std::string name = device_of(path);
  const absl::StatusOr<Device> device = find_device(name);
  REQUIRE(device.ok());
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), *device, options);
  INFO((predictor.ok() ? "" : std::string(predictor.status().message())));
  REQUIRE(predictor.ok());
  RandomEdits edits(predictor->edit(), seed);
  std::string history;
  for (int made = 0, tried = 0; made < count && tried < 50 * count; ++tried) {
    const std::string what = edits.next();
    if (what.empty()) continue;
    history += what + "\n";
    ++made;
    const absl::StatusOr<StepSummary> quick = predictor->summary();
    const absl::StatusOr<StepPrediction> scratch =
        predict_step_time(predictor->module(), *device, any_backend(options));
    INFO(history);
    REQUIRE(quick.ok() == scratch.ok());
    if (!quick.ok()) {
      CHECK(quick.status().message() == scratch.status().message());
      continue;
    }
    REQUIRE(difference(*quick, *scratch) == "");
    if (made % 10 != 0) continue;
    const absl::StatusOr<StepPrediction> all = predictor->predict();
    REQUIRE(all.ok());
    REQUIRE(difference(*all, *scratch) == "");
    const absl::StatusOr<MemoryPrediction> memory = predictor->memory();
    REQUIRE(memory.ok());
    CHECK(same(memory->hbm_peak_bytes, scratch->memory.hbm_peak_bytes));
  }
}

TEST_CASE("after random edits of small programs the answer is that from scratch") {
  const std::filesystem::path examples = source_path("examples");
  for (const char* file : {"ffn_block.v5e_2x4.hlo", "decode_step.v5e.hlo", "narrow_heads.v5e.hlo"}) {
    for (std::uint32_t seed = 0; seed < 3; ++seed) edit_and_compare(examples / file, 60, seed);
  }
}

TEST_CASE("so it is of the small programs of the corpus") {
  constexpr std::uintmax_t kMostBytes = 400'000;
  int edited = 0;
  for (const char* folder : {"corpus/tpu", "corpus/gpu", "corpus/stories", "corpus/v6e_programs"}) {
    for (const std::filesystem::path& path : dumps_in(shared_path(folder))) {
      const absl::StatusOr<Device> device = find_device(device_of(path));
      if (std::filesystem::file_size(path) > kMostBytes || !device.ok()) continue;
      absl::StatusOr<Module> module = load_module(path.string());
      if (!module.ok() || !Predictor::create(*std::move(module), *device).ok()) continue;
      edit_and_compare(path, 40, 7);
      ++edited;
    }
  }
  if (edited == 0) HLOROOF_SKIP("no corpus in " + shared_path("corpus"));
}

TEST_CASE("so it is of programs without a schedule, with loops and with asynchronous parts") {
  const std::filesystem::path corpus = source_path("tests/corpus");
  for (const char* file : {"y_default_while.hlo", "y_default_async_sugar.hlo", "y_default_fusion_tiled.hlo"}) {
    edit_and_compare(corpus / file, 60, 3);
  }
}

TEST_CASE("the same with the compiler's own estimates") {
  PredictOptions options;
  options.estimates = EstimateSource::kCompiler;
  edit_and_compare(source_path("examples/ffn_block.v5e_2x4.hlo"), 60, 7, options);
}

TEST_CASE("the same on several slices") {
  PredictOptions options;
  options.topology = "2x2";
  options.slices = 2;
  edit_and_compare(source_path("examples/ffn_block.v5e_2x4.hlo"), 60, 11, options);
}

TEST_CASE("the same for a program that names its slices, and for copies of one that does not") {
  edit_and_compare(source_path("tests/predict/dumps/slices_train.v5e_2x2.hlo"), 40, 12);
  edit_and_compare(source_path("tests/predict/dumps/slices_permute.v5e_2x2.hlo"), 20, 13);
}

TEST_CASE("after random edits of dumps the answer is that from scratch") {
  const std::filesystem::path shared = shared_path("corpus");
  if (!std::filesystem::exists(shared)) {
    WARN("skipped: no corpus at " << shared);
    return;
  }
  const std::pair<const char*, int> dumps[] = {
      {"tpu/llm_2d_16.v5e_4x4.hlo", 60},
      {"tpu/llm_fsdp_train.v4_2x2x2.hlo", 60},
      {"step/llama3.1-8b.v6e-32.hlo", 60},
      {"cpu/ring_attention.cpu_8.hlo", 120},
      {"cpu/while_dynamic.cpu_8.hlo", 120},
      {"tpu/llm_unrolled_fsdp.v5e_2x4.hlo", 20},
      {"unoptimized/moe_ep_train.v5e_2x4.hlo", 20},
      {"tpu/coll_a2a_64mb.v5e_4x4.hlo", 60},
      {"gpu/coll_ag_64mb.b200_1x1x8.hlo", 60},
  };
  for (const auto& [file, count] : dumps) {
    if (std::filesystem::exists(shared / file)) edit_and_compare(shared / file, count, 1);
  }
}

Predictor predictor_of(const std::string& text, const Target& target) {
  absl::StatusOr<Predictor> predictor = Predictor::create(parsed(text), target);
  INFO(predictor.status().message());
  REQUIRE(predictor.ok());
  return *std::move(predictor);
}

// Compares the summary with one from scratch, and returns it.
StepSummary check_summary(Predictor& predictor, const Target& target) {
  const absl::StatusOr<StepSummary> now = predictor.summary();
  const absl::StatusOr<StepSummary> scratch = predict_step_time(predictor.module(), target, any_backend());
  REQUIRE((now.ok() && scratch.ok()));
  CHECK(difference(*now, *scratch) == "");
  return *now;
}

TEST_CASE("which send a receive belongs to may change") {
  const std::filesystem::path dumps = source_path("tests/predict/dumps");
  const std::filesystem::path path = dumps / "pipeline.v5e_2x2.hlo";
  for (std::uint32_t seed = 0; seed < 3; ++seed) edit_and_compare(path, 60, seed);

  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  absl::StatusOr<Module> module = load_module(path.string());
  REQUIRE(module.ok());
  const InstructionId send = named(*module, "send");
  const InstructionId receive = named(*module, "recv");
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), *device);
  REQUIRE(predictor.ok());
  std::vector<double> steps;
  const auto compare = [&](const absl::Status& edited) {
    INFO(steps.size());
    REQUIRE(edited.ok());
    const absl::StatusOr<StepSummary> quick = predictor->summary();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *device, any_backend());
    REQUIRE(quick.ok());
    REQUIRE(scratch.ok());
    REQUIRE(difference(*quick, *scratch) == "");
    steps.push_back(quick->step_seconds);
  };
  ModuleEditor& edit = predictor->edit();
  compare(absl::OkStatus());
  compare(edit.set_attribute(send, AttributeKey::kChannelId, "7"));  // apart: two transfers
  compare(edit.set_attribute(receive, AttributeKey::kChannelId, "7"));
  compare(edit.set_attribute(receive, AttributeKey::kIsHostTransfer, "true"));
  compare(edit.set_attribute(receive, AttributeKey::kIsHostTransfer, "false"));
  CHECK(steps[1] >= steps[0]);
  CHECK(steps[2] == steps[0]);
  CHECK(steps[3] != steps[0]);
  CHECK(steps[4] == steps[0]);
}

TEST_CASE("a collective inside two fusions that share a computation is read again for both") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());
  Module module = parsed(R"(HloModule shared, is_scheduled=true, num_partitions=8
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT sum = f32[] add(a, b) }
fused {
  p = f32[4096,1024]{1,0:T(8,128)} parameter(0)
  ROOT reduced = f32[4096,1024]{1,0:T(8,128)} all-reduce(p), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=add
}
ENTRY main {
  x = f32[4096,1024]{1,0:T(8,128)} parameter(0)
  one = f32[4096,1024]{1,0:T(8,128)} fusion(x), kind=kCustom, calls=fused
  ROOT two = f32[4096,1024]{1,0:T(8,128)} fusion(one), kind=kCustom, calls=fused
})");
  absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *target);
  REQUIRE(predictor.ok());
  InstructionId reduced;
  for (ComputationView computation : predictor->module().computations()) {
    if (computation.name() == "fused") reduced = computation.root().id();
  }
  REQUIRE(reduced.valid());
  for (const char* groups : {"[4,2]<=[8]", "[2,4]<=[4,2]T(1,0)", "[8,1]<=[8]", "[1,8]<=[8]"}) {
    INFO(groups);
    REQUIRE(predictor->edit().set_attribute(reduced, AttributeKey::kReplicaGroups, groups).ok());
    const absl::StatusOr<StepSummary> quick = predictor->summary();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *target, any_backend());
    REQUIRE(quick.ok());
    REQUIRE(scratch.ok());
    CHECK(difference(*quick, *scratch) == "");
  }
}

// Nothing says how many devices run the program, so that the cost of each all-reduce is unknown.
TEST_CASE("a new collective between an unknown number of devices is unknown") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(R"(HloModule m, is_scheduled=true

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  p = f32[4096,4096] parameter(0)
  first = f32[4096,4096] all-reduce(p), channel_id=1, use_global_device_ids=true, replica_groups={}, to_apply=add
  n = f32[4096,4096] negate(first)
  ROOT r = f32[4096,4096] add(n, first)
}
)",
                                     device);
  REQUIRE(predictor.summary().ok());
  const absl::StatusOr<InstructionId> copy = predictor.edit().clone(named(predictor.module(), "first"));
  REQUIRE(copy.ok());
  REQUIRE(predictor.edit().set_operand(named(predictor.module(), "n"), 0, *copy).ok());
  const absl::StatusOr<StepPrediction> all = predictor.predict();
  const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor.module(), device, any_backend());
  REQUIRE((all.ok() && scratch.ok()));
  CHECK(scratch->collectives.size() == 2);
  CHECK(difference(*all, *scratch) == "");
}

// The text states no counts: the groups of `a` imply that there are 8 devices.
constexpr std::string_view kUncounted = R"(HloModule m, is_scheduled=true

ENTRY e {
  p = bf16[1024,8192]{1,0:T(8,128)(2,1)} parameter(0)
  a = bf16[1024,8192]{1,0:T(8,128)(2,1)} all-to-all(p), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
  b = bf16[1024,8192]{1,0:T(8,128)(2,1)} all-to-all(a), channel_id=2, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
  ROOT n = bf16[1024,8192]{1,0:T(8,128)(2,1)} negate(b)
}
)";

// Compares the summary with one from scratch and with that of the printed text, and returns it.
StepSummary check_laws(Predictor& predictor, const Target& target) {
  StepSummary now = check_summary(predictor, target);
  const absl::StatusOr<StepPrediction> printed =
      predict_step_time(parsed(print_module(predictor.module())), target, any_backend());
  REQUIRE(printed.ok());
  CHECK(difference(now, *printed) == "");
  return now;
}

TEST_CASE("nothing waits once the last done is erased") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(R"(HloModule loops, is_scheduled=true

body {
  p = (s32[], f32[64,64]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[64,64]{1,0} get-tuple-element(p), index=1
  start = (f32[64,64]{1,0:S(1)}, f32[64,64]{1,0}, u32[]) copy-start(x)
  y = f32[64,64]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  done = f32[64,64]{1,0:S(1)} copy-done(start)
  ROOT t = (s32[], f32[64,64]{1,0}) tuple(next, y)
}

cond {
  p = (s32[], f32[64,64]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY e {
  x = f32[64,64]{1,0} parameter(0)
  zero = s32[] constant(0)
  state = (s32[], f32[64,64]{1,0}) tuple(zero, x)
  w = (s32[], f32[64,64]{1,0}) while(state), condition=cond, body=body
  ROOT y = f32[64,64]{1,0} get-tuple-element(w), index=1
}
)",
                                     device);
  REQUIRE(predictor.predict().ok());
  const Checkpoint before = predictor.checkpoint();
  REQUIRE(predictor.edit().erase(named(predictor.module(), "done")).ok());
  for (int round = 0; round < 2; ++round) {
    const absl::StatusOr<StepPrediction> all = predictor.predict();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor.module(), device, any_backend());
    REQUIRE((all.ok() && scratch.ok()));
    CHECK(difference(*all, *scratch) == "");
    REQUIRE(predictor.rollback(before).ok());
  }
}

// The waits as a prediction lists them, by op.
std::map<std::uint32_t, double> listed_waits(const StepPrediction& step) {
  std::map<std::uint32_t, double> waits;
  for (const OpPrediction& op : step.ops) {
    for (const TransferWait& wait : op.waits) waits[op.id.index] += wait.seconds;
  }
  return waits;
}

TEST_CASE("waits after an edit are those of a full prediction") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(R"(HloModule m, is_scheduled=true, num_partitions=8

ENTRY e {
  p = bf16[1024,8192]{1,0:T(8,128)(2,1)} parameter(0)
  one = (bf16[1024,8192]{1,0:T(8,128)(2,1)}, bf16[8192,8192]{1,0:T(8,128)(2,1)}) all-gather-start(p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  q = bf16[1024,8192]{1,0:T(8,128)(2,1)} negate(p)
  two = (bf16[1024,8192]{1,0:T(8,128)(2,1)}, bf16[8192,8192]{1,0:T(8,128)(2,1)}) all-gather-start(q), channel_id=2, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  first = bf16[8192,8192]{1,0:T(8,128)(2,1)} all-gather-done(one)
  second = bf16[8192,8192]{1,0:T(8,128)(2,1)} all-gather-done(two)
  ROOT n = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(first, second), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)",
                                     device);
  const auto check = [&] {
    const absl::StatusOr<std::vector<OpWait>> now = predictor.waits();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor.module(), device, any_backend());
    REQUIRE((now.ok() && scratch.ok()));
    std::map<std::uint32_t, double> seconds;
    for (std::size_t i = 0; i < now->size(); ++i) {
      seconds[(*now)[i].op.index] += (*now)[i].seconds;
      if (i > 0) CHECK((*now)[i - 1].seconds >= (*now)[i].seconds);
    }
    CHECK(seconds == listed_waits(*scratch));
    return *now;
  };
  CHECK(check().size() == 2);
  REQUIRE(predictor.edit().move_before(named(predictor.module(), "two"), named(predictor.module(), "second")).ok());
  const std::vector<OpWait> later = check();
  REQUIRE(later.size() == 2);
  CHECK(later[0].transfer ==
        named(predictor.module(), later[0].op == named(predictor.module(), "first") ? "one" : "two"));
  REQUIRE(predictor.edit()
              .set_attribute(named(predictor.module(), "one"), AttributeKey::kReplicaGroups, "[4,2]<=[8]")
              .ok());
  (void)check();
}

TEST_CASE("an edit that changes how many devices the program implies") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(std::string(kUncounted), device);
  ModuleEditor& edit = predictor.edit();
  const double with_groups = check_laws(predictor, device).step_seconds;
  const Checkpoint start = predictor.checkpoint();
  const InstructionId a = named(predictor.module(), "a");
  const InstructionId b = named(predictor.module(), "b");
  REQUIRE(edit.set_attribute(b, AttributeKey::kReplicaGroups, "{}").ok());
  // Without asking the predictor first, the counts in the module are those from before the edit.
  const double scratch = predict_step_time(predictor.module(), device, any_backend())->step_seconds;
  const double with_one_of_all = check_laws(predictor, device).step_seconds;
  CHECK(scratch == with_one_of_all);
  CHECK(with_one_of_all == with_groups);
  REQUIRE(edit.set_attribute(a, AttributeKey::kReplicaGroups, "{{0,1,2,3}}").ok());
  CHECK(check_laws(predictor, device).step_seconds < with_groups);
  REQUIRE(edit.set_attribute(a, AttributeKey::kReplicaGroups, "{}").ok());
  CHECK(check_laws(predictor, device).step_seconds < with_groups);
  const InstructionId p = named(predictor.module(), "p");
  REQUIRE(edit.set_attribute(p, AttributeKey::kSharding, "{devices=[16,1]<=[16]}").ok());
  (void)check_laws(predictor, device);
  CHECK(predictor.module().num_partitions() == 16);
  REQUIRE(edit.remove_attribute(p, AttributeKey::kSharding).ok());
  (void)check_laws(predictor, device);
  CHECK(predictor.module().num_partitions() == 1);
  REQUIRE(predictor.rollback(start).ok());
  CHECK(check_laws(predictor, device).step_seconds == with_groups);
  // A copy of the module carries the count, and is edited like the original.
  REQUIRE(edit.set_attribute(b, AttributeKey::kReplicaGroups, "{}").ok());
  REQUIRE(predictor.summary().ok());
  CHECK(predictor.module().num_partitions() == 8);
  absl::StatusOr<Predictor> copy = Predictor::create(predictor.module(), device);
  REQUIRE(copy.ok());
  REQUIRE(copy->edit().set_attribute(a, AttributeKey::kReplicaGroups, "{{0,1,2,3}}").ok());
  (void)check_laws(*copy, device);
}

TEST_CASE("random edits of programs that imply their devices") {
  const Device device = find_device("tpu_v5e").value();
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Predictor predictor = predictor_of(std::string(kUncounted), device);
    RandomEdits edits(predictor.edit(), seed);
    std::string history;
    for (int i = 0; i < 30; ++i) {
      history += edits.next(i % 2 == 0 ? "replica groups" : "sharding") + "\n" + edits.next() + "\n";
      INFO(history);
      const absl::StatusOr<StepSummary> quick = predictor.summary();
      const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor.module(), device, any_backend());
      const absl::StatusOr<StepPrediction> printed =
          predict_step_time(parsed(print_module(predictor.module())), device, any_backend());
      REQUIRE((quick.ok() && scratch.ok() && printed.ok()));
      REQUIRE(difference(*quick, *scratch) == "");
      REQUIRE(difference(*quick, *printed) == "");
    }
  }
}

// On GPUs a fusion computes some values several times; the TPU compiler works on tiles, which only its layouts have.
constexpr std::string_view kComputedTwice = R"(HloModule m, is_scheduled=true

fused {
  p = f32[1024,1024]{1,0} parameter(0)
  e = f32[1024,1024]{1,0} exponential(p)
  s = f32[1024,1024]{1,0} slice(e), slice={[0:1024], [0:1024]}
  t = f32[1024,1024]{0,1} transpose(e), dimensions={1,0}
  c = f32[2048,1024]{1,0} concatenate(s, t), dimensions={0}
  ROOT r = f32[2048,1024]{1,0} tanh(c)
}

ENTRY main {
  x = f32[1024,1024]{1,0} parameter(0)
  y = f32[1024,1024]{1,0} parameter(1)
  one = f32[2048,1024]{1,0} fusion(x), kind=kLoop, calls=fused
  two = f32[2048,1024]{1,0} fusion(y), kind=kLoop, calls=fused
  ROOT t = (f32[2048,1024]{1,0}, f32[2048,1024]{1,0}) tuple(one, two)
}
)";

// 14 products of 1.32 ms on H100 at the burst rate, before and in a loop, are too short for the power cap.
constexpr std::string_view kProducts = R"(HloModule m, is_scheduled=true

body {
  p = (s32[], bf16[8192,8192]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  step = s32[] constant(1)
  next = s32[] add(i, step)
  x = bf16[8192,8192]{1,0} get-tuple-element(p), index=1
  y = bf16[8192,8192]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], bf16[8192,8192]{1,0}) tuple(next, y)
}

condition {
  p = (s32[], bf16[8192,8192]{1,0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(13)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  a = bf16[8192,8192]{1,0} parameter(0)
  b = bf16[8192,8192]{1,0} dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = s32[] constant(0)
  start = (s32[], bf16[8192,8192]{1,0}) tuple(zero, b)
  ROOT loop = (s32[], bf16[8192,8192]{1,0}) while(start), condition=condition, body=body
}
)";

TEST_CASE("an edit may make the step so long that all products run at the sustained rate, and short again") {
  const Device device = find_device("h100_sxm").value();
  Predictor predictor = predictor_of(std::string(kProducts), device);
  const InstructionId b = named(predictor.module(), "b");
  const auto seconds_of_b = [&] {
    const StepPrediction prediction = predictor.predict().value();
    for (const OpPrediction& op : prediction.ops) {
      if (op.id == b) return op.seconds;
    }
    return 0.0;
  };
  const double before = check_laws(predictor, device).step_seconds;
  const double alone = seconds_of_b();
  CHECK(before < 0.02);
  const Checkpoint start = predictor.checkpoint();
  const absl::StatusOr<InstructionId> copy = predictor.edit().clone(b);
  REQUIRE(copy.ok());
  CHECK(check_laws(predictor, device).step_seconds == Approx(before + alone));
  CHECK(seconds_of_b() == alone);
  REQUIRE(predictor.edit().clone(b).ok());
  CHECK(check_laws(predictor, device).step_seconds > before + 2 * alone);
  CHECK(seconds_of_b() > alone);
  CHECK(seconds_of_b() < 1.05 * alone);
  for (int i = 0; i < 80; ++i) REQUIRE(predictor.edit().clone(b).ok());
  (void)check_laws(predictor, device);
  CHECK(seconds_of_b() > 1.15 * alone);
  CHECK(seconds_of_b() < 1.3 * alone);
  REQUIRE(predictor.edit().erase(*copy).ok());
  (void)check_laws(predictor, device);
  REQUIRE(predictor.rollback(start).ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
  CHECK(seconds_of_b() == alone);
}

// The text of a comparison says its result wrongly, which verify() refuses; the trip count is read off it all the same.
TEST_CASE("an edit of a comparison of any shape changes the trip count that was read off it") {
  std::string text(kProducts);
  text.replace(text.find("pred[] compare"), 6, "pred[2]");
  const Device device = find_device("h100_sxm").value();
  Predictor predictor = predictor_of(text, device);
  const InstructionId less = named(predictor.module(), "less");
  const double before = check_laws(predictor, device).step_seconds;
  REQUIRE(predictor.edit().set_attribute(less, AttributeKey::kDirection, "LE").ok());
  CHECK(check_laws(predictor, device).step_seconds > before);
}

// An operation on scalars waits for an element that lies in HBM, which it sees through a bitcast.
TEST_CASE("an edit of what a bitcast renames changes the operations that use the bitcast") {
  constexpr char kElements[] = R"(HloModule m, is_scheduled=true

ENTRY main {
  list = s32[128]{0:T(128)S(1)} parameter(0)
  at = s32[]{:T(128)S(6)} parameter(1)
  cut = s32[1]{0:T(128)} dynamic-slice(list, at), dynamic_slice_sizes={1}
  other = s32[1]{0:T(128)S(1)} dynamic-slice(list, at), dynamic_slice_sizes={1}
  group = s32[]{:T(128)} bitcast(cut)
  ROOT next = s32[]{:T(128)S(6)} add(group, at)
}
)";
  const Device device = find_device("tpu_v6e").value();
  Predictor predictor = predictor_of(kElements, device);
  const double before = check_laws(predictor, device).step_seconds;
  const Checkpoint start = predictor.checkpoint();
  REQUIRE(predictor.edit().set_shape(named(predictor.module(), "cut"), "s32[1]{0:T(128)S(1)}").ok());
  const double on_chip = check_laws(predictor, device).step_seconds;
  CHECK(on_chip < before - 1e-6);  // neither stored nor fetched
  REQUIRE(predictor.rollback(start).ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
  REQUIRE(predictor.edit().set_operand(named(predictor.module(), "group"), 0, named(predictor.module(), "other")).ok());
  CHECK(check_laws(predictor, device).step_seconds < before);
}

TEST_CASE("random edits where the rate of all products follows from how long they take") {
  Device device = find_device("h100_sxm").value();
  REQUIRE(set_parameter(device, "matrix.sustained.starts_after", 0).ok());
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    Predictor predictor = predictor_of(std::string(kProducts), device);
    RandomEdits edits(predictor.edit(), seed);
    std::string history;
    for (int i = 0; i < 30; ++i) {
      history += edits.next() + "\n";
      INFO(history);
      const absl::StatusOr<StepSummary> quick = predictor.summary();
      const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor.module(), device, any_backend());
      REQUIRE(quick.ok() == scratch.ok());
      if (!quick.ok()) continue;
      REQUIRE(difference(*quick, *scratch) == "");
      if (i % 10 == 9) REQUIRE(difference(*predictor.predict(), *scratch) == "");
    }
  }
}

TEST_CASE("a shape that no instruction has changes nothing") {
  const Device device = find_device("h100_sxm").value();
  Predictor predictor = predictor_of(std::string(kComputedTwice), device);
  const double before = check_laws(predictor, device).step_seconds;
  const InstructionId x = named(predictor.module(), "x");
  const InstructionId one = named(predictor.module(), "one");
  const Checkpoint start = predictor.checkpoint();
  REQUIRE(predictor.edit().shape("f32[8,128]{1,0:T(8,128)}").ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
  // The root of the module may not be a tuple of fewer elements than are taken out of it.
  CHECK_FALSE(predictor.edit().set_shape(named(predictor.module(), "t"), "(f32[8,128]{1,0:T(8,128)}").ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
  REQUIRE(predictor.edit().set_shape(x, "f32[1024,1024]{1,0:T(8,128)}").ok());
  const double tiled = check_laws(predictor, device).step_seconds;
  CHECK(tiled != before);
  REQUIRE(predictor.edit().set_shape(x, "f32[1024,1024]{1,0}").ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
  REQUIRE(predictor.edit().set_shape(one, "f32[2048,1024]{1,0:T(8,128)}").ok());
  (void)check_laws(predictor, device);
  REQUIRE(predictor.rollback(start).ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
}

TEST_CASE("the kind of one fusion counts for all that share its computation") {
  const Device device = find_device("h100_sxm").value();
  Predictor predictor = predictor_of(std::string(kComputedTwice), device);
  const double before = check_laws(predictor, device).step_seconds;
  ModuleEditor& edit = predictor.edit();
  const InstructionId one = named(predictor.module(), "one");
  const InstructionId two = named(predictor.module(), "two");
  const Checkpoint start = predictor.checkpoint();
  REQUIRE(edit.set_attribute(one, AttributeKey::kKind, "kCustom").ok());
  (void)check_laws(predictor, device);
  REQUIRE(edit.set_attribute(two, AttributeKey::kKind, "kCustom").ok());
  CHECK(check_laws(predictor, device).step_seconds != before);
  REQUIRE(edit.set_attribute(one, AttributeKey::kKind, "kLoop").ok());
  (void)check_laws(predictor, device);
  const absl::StatusOr<InstructionId> third = edit.clone(one);
  REQUIRE(third.ok());
  REQUIRE(edit.set_attribute(one, AttributeKey::kKind, "kCustom").ok());
  (void)check_laws(predictor, device);
  REQUIRE(edit.erase(*third).ok());
  (void)check_laws(predictor, device);
  REQUIRE(predictor.rollback(start).ok());
  CHECK(check_laws(predictor, device).step_seconds == before);
}

// The body of the loop is also fused, and its root says how often the loop runs.
constexpr char kSharedBody[] = R"(HloModule m, is_scheduled=true

body {
  p = (s32[], f32[512,512]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[512,512] get-tuple-element(p), index=1
  y = f32[512,512] tanh(x)
  t = (s32[], f32[512,512]) tuple(next, y)
  ROOT u = (s32[], f32[512,512]) tuple(next, x)
}

condition {
  p = (s32[], f32[512,512]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY e {
  x = f32[512,512] parameter(0)
  zero = s32[] constant(0)
  state = (s32[], f32[512,512]) tuple(zero, x)
  w = (s32[], f32[512,512]) while(state), condition=condition, body=body
  ROOT f = (s32[], f32[512,512]) fusion(w), kind=kLoop, calls=body
}
)";

TEST_CASE("another root changes the trips of a loop and the work of a fusion") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(kSharedBody, device);
  const ComputationId body = predictor.module().instruction(named(predictor.module(), "t")).computation().id();
  const double before = check_summary(predictor, device).step_seconds;
  const Checkpoint checkpoint = predictor.checkpoint();
  // The tuple with the new array, one array that is no counter, and back.
  for (const char* root : {"t", "y", "t", "p", "u", "next"}) {
    INFO(root);
    REQUIRE(predictor.edit().set_root(body, named(predictor.module(), root)).ok());
    CHECK(check_summary(predictor, device).step_seconds > 0);
  }
  REQUIRE(predictor.rollback(checkpoint).ok());
  CHECK(check_summary(predictor, device).step_seconds == before);
}

TEST_CASE("a loop that is fed by another one, and a loop inside it") {
  const std::filesystem::path path = source_path("tests/predict/dumps/fed_loops.v5e.hlo");
  for (std::uint32_t seed = 0; seed < 4; ++seed) edit_and_compare(path, 80, seed);

  const Device device = find_device("tpu_v5e").value();
  absl::StatusOr<Predictor> created = Predictor::create(load_module(path.string()).value(), device);
  REQUIRE(created.ok());
  Predictor& predictor = *created;
  const double before = check_summary(predictor, device).step_seconds;
  const Checkpoint checkpoint = predictor.checkpoint();
  std::map<std::string, InstructionId> constants;
  const auto set = [&](const char* constant, const char* value) {
    INFO(constant << " = " << value);
    const auto [at, is_first] = constants.try_emplace(constant);
    if (is_first) at->second = named(predictor.module(), constant);
    NewInstruction made;
    made.opcode = Opcode::kConstant;
    made.shape_id = predictor.module().instruction(at->second).shape_id();
    made.literal = value;
    const absl::StatusOr<InstructionId> other = predictor.edit().insert_before(at->second, made);
    REQUIRE(other.ok());
    REQUIRE(predictor.edit().replace_all_uses(at->second, *other).ok());
    at->second = *other;
    return check_summary(predictor, device).step_seconds;
  };
  // The first loop runs 3 times and ends with its counter at 6, which is how often the second runs.
  CHECK(set("bound", "12") > 1.5 * before);
  const double by_four = set("two", "4");
  CHECK(by_four < set("two", "2"));
  CHECK(set("length", "30") > 5 * before);
  CHECK(set("zero.3", "29") < 3 * before);
  CHECK(set("one.3", "6") < before);
  CHECK(set("bound", "7") > 0);
  // The second loop is no longer fed, and then is again.
  const InstructionId fed = named(predictor.module(), "fed");
  REQUIRE(predictor.edit().set_operand(fed, 1, named(predictor.module(), "length")).ok());
  CHECK(check_summary(predictor, device).step_seconds > 0);
  REQUIRE(predictor.edit().set_operand(fed, 1, named(predictor.module(), "counted")).ok());
  CHECK(check_summary(predictor, device).step_seconds > 0);
  REQUIRE(predictor.rollback(checkpoint).ok());
  CHECK(check_summary(predictor, device).step_seconds == before);
}

TEST_CASE("a start that wraps another computation carries its collectives") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(R"(HloModule m, is_scheduled=true, num_partitions=8

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

gather {
  p = f32[512,512] parameter(0)
  ROOT g = f32[4096,512] all-gather(p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
}

fill {
  p = f32[512,512] parameter(0)
  z = f32[] constant(0)
  ROOT b = f32[4096,512] broadcast(z), dimensions={}
}

ENTRY e {
  x = f32[512,512] parameter(0)
  start = ((f32[512,512]), f32[4096,512], u32[]) async-start(x), calls=gather
  ROOT done = f32[4096,512] async-done(start)
}
)",
                                     device);
  REQUIRE(predictor.summary().ok());
  const Module& now = predictor.module();
  for (const char* root : {"b", "g"}) {
    INFO(root);
    const ComputationId wrapped = now.instruction(named(now, root)).computation().id();
    REQUIRE(predictor.edit().set_computations(named(now, "start"), AttributeKey::kCalls, {wrapped}).ok());
    check_summary(predictor, device);
  }
}

// A GPU launches at once what a call of a command buffer runs. The first caller decides.
TEST_CASE("a body that is also called is launched in another way") {
  std::string text(kSharedBody);
  text.erase(text.find("  ROOT f = "));
  text += "  ROOT g = f32[512,512] get-tuple-element(w), index=1\n}\n";
  text.replace(text.find("body {"), 4, "command_buffer");
  text.replace(text.find("body=body"), 9, "body=command_buffer");
  const Device device = find_device("h100").value();
  Predictor predictor = predictor_of(text, device);
  REQUIRE(predictor.summary().ok());
  const Module& now = predictor.module();
  NewInstruction call;
  call.opcode = Opcode::kCall;
  call.operands = {named(now, "state")};
  call.shape_id = now.instruction(named(now, "state")).shape_id();
  call.attributes = {{AttributeKey::kToApply, "", {now.instruction(named(now, "t")).computation().id()}}};
  REQUIRE(predictor.edit().insert_before(named(now, "w"), call).ok());
  check_summary(predictor, device);
  const absl::StatusOr<StepPrediction> prediction = predictor.predict();
  REQUIRE(prediction.ok());
  const auto in_graph = [](const OpPrediction& op) { return op.time->launched_in_graph; };
  CHECK(std::any_of(prediction->ops.begin(), prediction->ops.end(), in_graph));
}

// The fifth kernel makes a command buffer of all of them, and without it the host launches them again.
TEST_CASE("a kernel more launches the others in another way") {
  const Device device = find_device("h100").value();
  Predictor predictor = predictor_of(R"(HloModule m, is_scheduled=true

ENTRY e {
  x = f32[512,512] parameter(0)
  a = f32[512,512] tanh(x)
  b = f32[512,512] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[512,512] tanh(b)
  ROOT d = f32[512,512] exponential(c)
}
)",
                                     device);
  REQUIRE(predictor.summary().ok());
  const Module& now = predictor.module();
  NewInstruction more;
  more.opcode = Opcode::kNegate;
  more.operands = {named(now, "a")};
  more.shape_id = now.instruction(named(now, "a")).shape_id();
  const absl::StatusOr<InstructionId> added = predictor.edit().insert_before(named(now, "b"), more);
  REQUIRE(added.ok());
  check_summary(predictor, device);
  const auto in_graph = [&] {
    const absl::StatusOr<StepPrediction> prediction = predictor.predict();
    REQUIRE(prediction.ok());
    return std::any_of(prediction->ops.begin(), prediction->ops.end(),
                       [](const OpPrediction& op) { return op.time->launched_in_graph; });
  };
  CHECK(in_graph());
  REQUIRE(predictor.edit().erase(*added).ok());
  check_summary(predictor, device);
  CHECK_FALSE(in_graph());
}

// Both callees run in the step before and after.
TEST_CASE("a call of another computation is replayed") {
  const Device device = find_device("tpu_v5e").value();
  Predictor predictor = predictor_of(R"(HloModule m, is_scheduled=true

long {
  x = f32[512,512] parameter(0)
  y = f32[512,512] tanh(x)
  ROOT z = f32[512,512] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

short {
  x = f32[512,512] parameter(0)
  ROOT n = f32[512,512] negate(x)
}

ENTRY e {
  x = f32[512,512] parameter(0)
  a = f32[512,512] call(x), to_apply=long
  b = f32[512,512] call(a), to_apply=short
  ROOT c = f32[512,512] call(b), to_apply=short
}
)",
                                     device);
  const double before = predictor.summary()->step_seconds;
  const Module& now = predictor.module();
  const ComputationId callee = now.instruction(named(now, "z")).computation().id();
  REQUIRE(predictor.edit().set_computations(named(now, "c"), AttributeKey::kToApply, {callee}).ok());
  CHECK(check_summary(predictor, device).step_seconds > before);
}

TEST_CASE("slices grow with the devices that the collectives name") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e*2");
  REQUIRE(target.ok());
  Module module = parsed(R"(HloModule named, is_scheduled=true
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT sum = f32[] add(a, b) }
ENTRY main {
  x = f32[4096,1024]{1,0:T(8,128)} parameter(0)
  ROOT reduced = f32[4096,1024]{1,0:T(8,128)} all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
})");
  absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *target);
  REQUIRE(predictor.ok());
  const InstructionId reduced = predictor->module().entry().root().id();
  CHECK(predictor->predict()->topology == "2x2");
  for (const auto& [groups, topology] : {std::pair("[1,16]<=[16]", "2x4"), std::pair("[1,8]<=[8]", "2x2")}) {
    INFO(groups);
    REQUIRE(predictor->edit().set_attribute(reduced, AttributeKey::kReplicaGroups, groups).ok());
    const absl::StatusOr<StepSummary> quick = predictor->summary();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *target, any_backend());
    REQUIRE(quick.ok());
    REQUIRE(scratch.ok());
    CHECK(scratch->topology == topology);
    CHECK(difference(*quick, *scratch) == "");
    CHECK(difference(*predictor->predict(), *scratch) == "");
  }
}

// Nested loops of known length around a conditional.
constexpr char kNested[] = R"(HloModule nested, is_scheduled=true
inner_body {
  p = (s32[], f32[512,512]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[512,512]{1,0:T(8,128)} get-tuple-element(p), index=1
  start = (f32[512,512]{1,0:T(8,128)S(1)}, f32[512,512]{1,0:T(8,128)}, u32[]) copy-start(x)
  y = f32[512,512]{1,0:T(8,128)} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  done = f32[512,512]{1,0:T(8,128)S(1)} copy-done(start)
  ROOT t = (s32[], f32[512,512]{1,0:T(8,128)}) tuple(next, y)
}
inner_condition {
  p = (s32[], f32[512,512]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  bound = s32[] constant(5)
  ROOT c = pred[] compare(i, bound), direction=LT
}
slow {
  x = f32[512,512]{1,0:T(8,128)} parameter(0)
  ROOT y = f32[512,512]{1,0:T(8,128)} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
fast { x = f32[512,512]{1,0:T(8,128)} parameter(0)  ROOT y = f32[512,512]{1,0:T(8,128)} negate(x) }
outer_body {
  p = (s32[], f32[512,512]{1,0:T(8,128)}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  which = s32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[512,512]{1,0:T(8,128)} get-tuple-element(p), index=1
  zero = s32[] constant(0)
  state = (s32[], f32[512,512]{1,0:T(8,128)}) tuple(zero, x)
  inner = (s32[], f32[512,512]{1,0:T(8,128)}) while(state), condition=inner_condition, body=inner_body
  y = f32[512,512]{1,0:T(8,128)} get-tuple-element(inner), index=1
  z = f32[512,512]{1,0:T(8,128)} conditional(which, y, y), branch_computations={slow, fast}
  ROOT t = (s32[], f32[512,512]{1,0:T(8,128)}, s32[]) tuple(next, z, which)
}
outer_condition {
  p = (s32[], f32[512,512]{1,0:T(8,128)}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  bound = s32[] constant(10)
  ROOT c = pred[] compare(i, bound), direction=LT
}
ENTRY main {
  x = f32[512,512]{1,0:T(8,128)} parameter(0)
  which = s32[] parameter(1)
  zero = s32[] constant(0)
  state = (s32[], f32[512,512]{1,0:T(8,128)}, s32[]) tuple(zero, x, which)
  outer = (s32[], f32[512,512]{1,0:T(8,128)}, s32[]) while(state), condition=outer_condition, body=outer_body
  ROOT r = f32[512,512]{1,0:T(8,128)} get-tuple-element(outer), index=1
})";

TEST_CASE("loops of another length are replayed, nested ones and branches too") {
  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  Module module = parsed(kNested);
  absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *device);
  REQUIRE(predictor.ok());
  double before = predictor->summary()->step_seconds;
  const auto compare = [&] {
    const absl::StatusOr<StepSummary> quick = predictor->summary();
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *device, any_backend());
    REQUIRE(quick.ok());
    REQUIRE(scratch.ok());
    CHECK(quick->step_seconds != before);
    CHECK(difference(*quick, *scratch) == "");
    before = quick->step_seconds;
  };
  InstructionId condition;
  std::map<std::string, InstructionId> loops;
  for (ComputationView computation : predictor->module().computations()) {
    if (computation.name() == "inner_condition") condition = computation.root().id();
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() == Opcode::kWhile) loops[std::string(instruction.name())] = instruction.id();
    }
  }
  NewInstruction bound;
  bound.opcode = Opcode::kConstant;
  bound.shape = "s32[]";
  bound.literal = "7";
  const absl::StatusOr<InstructionId> seven = predictor->edit().insert_before(condition, bound);
  REQUIRE(seven.ok());
  REQUIRE(predictor->edit().set_operand(condition, 1, *seven).ok());
  compare();
  for (const auto& [loop, trips] : {std::pair{"inner", 40}, {"outer", 3}, {"inner", 1}, {"outer", 100}, {"inner", 0}}) {
    INFO(loop << " " << trips);
    const std::string count = R"({"known_trip_count":{"n":")" + std::to_string(trips) + R"("}})";
    REQUIRE(predictor->edit().set_attribute(loops[loop], AttributeKey::kBackendConfig, count).ok());
    compare();
  }
}

// The slow branch exchanges fewer bytes than the permute of the body, unless it is taken every time.
TEST_CASE("what mesh axes are for does not depend on the branches that turned out slowest") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());
  Module module = parsed(R"(HloModule branches, is_scheduled=true, num_partitions=8
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT sum = f32[] add(a, b) }
slow {
  x = f32[24576]{0:T(1024)} parameter(0)
  ROOT y = f32[24576]{0:T(1024)} all-reduce(x), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=add
}
fast { x = f32[24576]{0:T(1024)} parameter(0)  ROOT y = f32[24576]{0:T(1024)} negate(x) }
body {
  p = (s32[], f32[24576]{0:T(1024)}, f32[16384]{0:T(1024)}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[24576]{0:T(1024)} get-tuple-element(p), index=1
  s = f32[16384]{0:T(1024)} get-tuple-element(p), index=2
  which = s32[] get-tuple-element(p), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  next_block = f32[16384]{0:T(1024)} collective-permute(s), channel_id=2, source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}, metadata={op_name="jit(f)/ppermute"}
  y = f32[24576]{0:T(1024)} conditional(which, x, x), branch_computations={slow, fast}
  ROOT t = (s32[], f32[24576]{0:T(1024)}, f32[16384]{0:T(1024)}, s32[]) tuple(next, y, next_block, which)
}
condition {
  p = (s32[], f32[24576]{0:T(1024)}, f32[16384]{0:T(1024)}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  bound = s32[] constant(10)
  ROOT c = pred[] compare(i, bound), direction=LT
}
ENTRY main {
  x = f32[24576]{0:T(1024)} parameter(0)
  s = f32[16384]{0:T(1024)} parameter(1)
  which = s32[] parameter(2)
  zero = s32[] constant(0)
  state = (s32[], f32[24576]{0:T(1024)}, f32[16384]{0:T(1024)}, s32[]) tuple(zero, x, s, which)
  loop = (s32[], f32[24576]{0:T(1024)}, f32[16384]{0:T(1024)}, s32[]) while(state), condition=condition, body=body
  ROOT y = f32[24576]{0:T(1024)} get-tuple-element(loop), index=1
})");
  absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *target);
  REQUIRE(predictor.ok());
  const absl::StatusOr<StepPrediction> all = predictor->predict();
  const absl::StatusOr<StepPrediction> scratch = predict_step_time(predictor->module(), *target, any_backend());
  REQUIRE(all.ok());
  REQUIRE(scratch.ok());
  REQUIRE(scratch->mesh.size() == 1);
  CHECK(scratch->mesh[0].roles.front() == "pipeline");
  CHECK(difference(*all, *scratch) == "");
}

TEST_CASE("the facts of a prediction do not change while the module does") {
  absl::StatusOr<Module> module = load_module(source_path("examples/ffn_block.v5e_2x4.hlo"));
  REQUIRE(module.ok());
  const absl::StatusOr<Target> target = find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), *target);
  REQUIRE(predictor.ok());
  const absl::StatusOr<StepPrediction> before = predictor->predict();
  REQUIRE(before.ok());
  CHECK(predictor->predict()->facts == before->facts);  // nothing was edited: nothing is worked out again
  RandomEdits edits(predictor->edit(), 1);
  double after = before->step_seconds;
  for (int tried = 0; tried < 1000 && after == before->step_seconds; ++tried) {
    if (edits.next("shape").empty()) continue;
    const absl::StatusOr<StepSummary> summary = predictor->summary();
    REQUIRE(summary.ok());
    after = summary->step_seconds;
  }
  REQUIRE(after != before->step_seconds);
  CHECK(before->facts->timeline.seconds == before->step_seconds);
  for (const OpPrediction& op : before->ops) {
    CHECK(before->facts->costs.work[op.id.index]->flops == op.work->flops);
  }
  const absl::StatusOr<StepPrediction> again = predictor->predict();
  REQUIRE(again.ok());
  CHECK(again->facts != before->facts);
  CHECK(again->facts->timeline.seconds == after);
}

TEST_CASE("an edit that makes the module impossible is an error until it is taken back") {
  const std::filesystem::path path = source_path("examples/ffn_block.v5e_2x4.hlo");
  absl::StatusOr<Module> module = load_module(path.string());
  REQUIRE(module.ok());
  const absl::StatusOr<Target> target = find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), *target);
  REQUIRE(predictor.ok());
  const absl::StatusOr<StepSummary> before = predictor->summary();
  REQUIRE(before.ok());
  InstructionId collective;
  for (ComputationView computation : predictor->module().computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.has(AttributeKey::kReplicaGroups)) collective = instruction.id();
    }
  }
  REQUIRE(collective.valid());
  const std::string groups(predictor->module().instruction(collective).text(AttributeKey::kReplicaGroups));
  REQUIRE(predictor->edit().set_attribute(collective, AttributeKey::kReplicaGroups, "{{0,4095}}").ok());
  CHECK(predictor->summary().status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(predictor->edit().set_attribute(collective, AttributeKey::kReplicaGroups, groups).ok());
  const absl::StatusOr<StepSummary> after = predictor->summary();
  REQUIRE(after.ok());
  CHECK(difference(*before, *after) == "");
}

}  // namespace
}  // namespace hloroof::internal

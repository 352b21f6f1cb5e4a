// Edits an arbitrary module at random and predicts it after each edit. The first four bytes choose the edits, and the
// rest is HLO text. Whatever the module:
//   - a Predictor gives the prediction from scratch, to the last bit;
//   - if verify() accepts the module, its text reads back as the same module;
//   - a rollback gives the text of the checkpoint.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/any_backend.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/predict/compare.h"
#include "tests/predict/random_edits.h"

namespace {

using hloroof::Module;
using hloroof::Predictor;

constexpr std::size_t kSeedBytes = 4;
constexpr std::size_t kMostInstructions = 400;
constexpr int kEdits = 8;

[[noreturn]] void fail(const char* what, std::string_view history, std::string_view detail = {}) {
  std::fprintf(stderr, "edit_fuzz: %s\n%.*s\n%.*s\n", what, static_cast<int>(history.size()), history.data(),
               static_cast<int>(std::min<std::size_t>(detail.size(), 20'000)), detail.data());
  std::abort();
}

const hloroof::Device& device() {
  static const hloroof::Device* const found = new hloroof::Device(hloroof::find_device("tpu_v5e").value());
  return *found;
}

void check_prediction(Predictor& predictor, const std::string& history) {
  const absl::StatusOr<hloroof::StepSummary> memo = predictor.summary();
  const absl::StatusOr<hloroof::StepPrediction> scratch =
      hloroof::predict_step_time(predictor.module(), device(), hloroof::any_backend());
  if (memo.ok() != scratch.ok()) fail("one of two predictions fails", history, print_module(predictor.module()));
  if (!memo.ok()) return;
  const std::string difference = hloroof::internal::difference(*memo, *scratch);
  if (!difference.empty()) fail("the predictions differ", history, difference);
}

void check_text(const Module& module, const std::string& history) {
  if (!hloroof::verify(module).ok()) return;
  const std::string text = print_module(module);
  const absl::StatusOr<Module> again = hloroof::parse_module(text);
  if (!again.ok())
    fail("verified, but its text does not parse", history, std::string(again.status().message()) + "\n" + text);
  std::string difference;
  if (!hloroof::equal(module, *again, &difference))
    fail("verified, but read back it differs", history, difference + "\n" + text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size <= kSeedBytes) return 0;
  std::uint32_t seed = 0;
  std::memcpy(&seed, data, kSeedBytes);
  hloroof::ParseOptions options;
  options.max_instructions = kMostInstructions;
  absl::StatusOr<Module> module = hloroof::parse_module(
      std::string_view(reinterpret_cast<const char*>(data) + kSeedBytes, size - kSeedBytes), options);
  if (!module.ok()) return 0;
  absl::StatusOr<Predictor> predictor = Predictor::create(*std::move(module), device());
  if (!predictor.ok()) return 0;
  hloroof::internal::RandomEdits edits(predictor->edit(), seed);
  const std::string before = print_module(predictor->module());
  const hloroof::Checkpoint start = predictor->checkpoint();
  std::string history;
  for (int i = 0; i < kEdits; ++i) {
    const std::string what = edits.next();
    if (what.empty()) continue;
    history += what + "\n";
    if ((seed >> i) % 2 == 0) check_prediction(*predictor, history);
  }
  check_text(predictor->module(), history);
  if (!predictor->rollback(start).ok()) fail("no rollback", history);
  if (print_module(predictor->module()) != before) fail("rolled back it differs", history, before);
  check_prediction(*predictor, history);
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  // Other edits of the same module, other bytes, or another module of nearly the same text.
  if (size <= kSeedBytes || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::uint32_t edits = seed * 2654435761U;
  std::memcpy(data, &edits, kSeedBytes);
  if (seed % 4 != 1) return size;
  hloroof::internal::TextMutator mutator(seed / 4);
  std::string text(reinterpret_cast<const char*>(data) + kSeedBytes, size - kSeedBytes);
  mutator.mutate(&text);
  const std::size_t kept = std::min(text.size(), max_size - kSeedBytes);
  std::copy_n(text.begin(), kept, reinterpret_cast<char*>(data) + kSeedBytes);
  return kept + kSeedBytes;
}

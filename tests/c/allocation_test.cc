// Every large allocation of a call fails once. Each failure must come back as a code, and free what was allocated
// before. Smaller ones do not fail here: moving a Module allocates some kilobytes in a function that is noexcept, and
// absl::StrFormat ends the process if there is no memory for its text.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "hloroof/c.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace {

std::atomic<long> allocations_left = -1;  // negative: no failures

constexpr std::size_t kLarge = 8192;

void* allocate(std::size_t size) {
  if (size >= kLarge && allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads): the others call these
void* operator new(std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-new-delete-overloads)

namespace hloroof::internal {
namespace {

const std::string& hlo() {
  static const auto* const kText = [] {
    std::ifstream in(source_path("examples/ffn_block.v5e_2x4.hlo"));
    std::ostringstream text;
    text << in.rdbuf();
    return new std::string(text.str());
  }();
  return *kText;
}

// Runs all functions. Returns the first code that is not OK.
int32_t run_all() {
  hloroof_module* module = nullptr;
  hloroof_prediction* prediction = nullptr;
  char* json = nullptr;
  char* text = nullptr;
  int32_t code = hloroof_parse(hlo().data(), hlo().size(), &module, nullptr);
  if (code == HLOROOF_OK) code = hloroof_predict(module, "tpu_v5e", nullptr, &prediction, nullptr);
  if (code == HLOROOF_OK) code = hloroof_prediction_json(prediction, &json, nullptr);
  if (code == HLOROOF_OK) code = hloroof_explain(prediction, "fusion.2", &text, nullptr);
  hloroof_free(json);
  hloroof_free(text);
  hloroof_free_prediction(prediction);
  hloroof_free_module(module);
  return code;
}

TEST_CASE("each large allocation that fails is an error") {
  REQUIRE(run_all() == HLOROOF_OK);  // also fills what is made once
  long failed = 0;
  int32_t code = HLOROOF_RESOURCE_EXHAUSTED;
  while (code != HLOROOF_OK) {
    allocations_left = failed++;
    code = run_all();
    const bool was_reached = allocations_left < 0;
    allocations_left = -1;
    CAPTURE(failed);
    REQUIRE((code == HLOROOF_RESOURCE_EXHAUSTED || code == HLOROOF_OK));
    if (!was_reached) break;
    if (code == HLOROOF_OK) code = HLOROOF_RESOURCE_EXHAUSTED;  // a part that does without the memory
  }
  CHECK(failed > 20);
  CHECK(run_all() == HLOROOF_OK);
}

}  // namespace
}  // namespace hloroof::internal

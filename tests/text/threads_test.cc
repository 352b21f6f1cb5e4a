// Several threads read one module, and several threads parse. All must get the same results as a single thread.
// ThreadSanitizer (preset tsan) finds races that do not change results.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 4;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> accepted_texts() {
  std::vector<std::string> texts;
  for (const fs::directory_entry& entry : fs::directory_iterator(source_path("tests/corpus"))) {
    if (entry.path().filename().string().rfind("y_", 0) == 0) texts.push_back(read_file(entry.path()));
  }
  return texts;
}

// Reads everything that is accessible without a copy, and combines it into one number and one text.
std::string facts(const Module& module) {
  std::size_t total = module.instruction_count() + module.shapes().size();
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      total += instruction.name().size() + to_string(module.shapes(), instruction.shape_id()).size();
      for (InstructionView operand : instruction.operands()) total += operand.id().index;
      for (const ComputationId called : instruction.called_computations()) total += called.index;
      const auto metadata = parse_text<Metadata>(instruction.text(AttributeKey::kMetadata), read_metadata);
      if (metadata.ok()) total += metadata->op_name.size();
    }
  }
  return std::to_string(total) + "\n" + print_module(module);
}

TEST_CASE("threads read one module") {
  for (const std::string& text : accepted_texts()) {
    const absl::StatusOr<Module> module = parse_module(text);
    REQUIRE(module.ok());
    std::vector<std::string> seen(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        // Half of the threads read a copy, which shares the text.
        seen[static_cast<std::size_t>(i)] = i % 2 == 0 ? facts(*module) : facts(Module(*module));
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& s : seen) CHECK(s == facts(*module));
  }
}

TEST_CASE("threads parse at the same time") {
  const std::vector<std::string> texts = accepted_texts();
  std::vector<std::string> expected;
  for (const std::string& text : texts) expected.push_back(facts(*parse_module(text)));
  std::vector<std::vector<std::string>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Parser parser;
      Module module;
      for (const std::string& text : texts) {
        const bool ok = parser.parse(text, module).ok();
        seen[static_cast<std::size_t>(i)].push_back(ok ? facts(module) : "refused");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::string>& s : seen) CHECK(s == expected);
}

}  // namespace
}  // namespace hloroof::internal

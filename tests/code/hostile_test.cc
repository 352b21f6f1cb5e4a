// Text that libtpu does not write must give an error or a count, and end.
#include <cmath>
#include <string>

#include "lib/base/source_text.h"
#include "lib/code/executor.h"
#include "lib/code/read_bundles.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

constexpr const char* kSeeds[] = {"copy", "descriptor", "loop", "slice"};

std::string seed(const std::string& name) {
  const auto text = SourceText::read(source_path("tests/fuzz/seeds/code/" + name), std::int64_t{1} << 20);
  REQUIRE(text.ok());
  return std::string((*text)->view());
}

CodeCore any_core() {
  CodeCore core;
  core.clock = 1e9;
  core.delay_slots = 4;
  core.granule_bytes = 32;
  core.hbm_rate = core.read_rate = core.write_rate = core.vmem_rate = 100;
  return core;
}

void follow(const std::string& text) {
  const absl::StatusOr<CodeProgram> program = read_bundles(text, "a.txt");
  if (!program.ok()) {
    CHECK(program.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(program.status().message().substr(0, 6) == "a.txt:");
    return;
  }
  const CodeRun run = run_code(*program, any_core(), 0, text, 500);
  double busy = 0;
  for (const std::int64_t runs : run.runs) busy += static_cast<double>(runs);
  CHECK(busy == run.busy);
  CHECK(std::isfinite(run.waiting));
}

TEST_CASE("the seeds of the fuzzer are followed to their ends") {
  for (const char* name : kSeeds) {
    CAPTURE(name);
    const std::string text = seed(name);
    const absl::StatusOr<CodeProgram> program = read_bundles(text, "a.txt");
    INFO(program.status().message());
    REQUIRE(program.ok());
    CHECK(run_code(*program, any_core(), 0, text).failure.empty());
  }
}

TEST_CASE("text may end anywhere") {
  for (const char* name : kSeeds) {
    const std::string text = seed(name);
    for (std::size_t size = 0; size < text.size(); size += name[0] == 's' ? 7 : 1) follow(text.substr(0, size));
  }
}

TEST_CASE("any byte may be another") {
  constexpr char kBytes[] = {'\0', ' ', '\n', '{', '}', '[', ']', '(', ')',
                             '/',  '*', ';',  '%', '_', '0', '9', 'x', ':'};
  std::size_t next = 0;
  for (const char* name : kSeeds) {
    std::string text = seed(name);
    for (std::size_t i = 0; i < text.size(); i += name[0] == 's' ? 5 : 1) {
      const char kept = text[i];
      text[i] = kBytes[next++ % std::size(kBytes)];
      follow(text);
      text[i] = kept;
    }
  }
}

TEST_CASE("a loop that keeps starting transfers is stopped") {
  const std::string text =
      "0 : { %1 = dma.hbm_to_vmem /*size_in_granules=*/1, /*dst_syncflagno=*/[#allocation5]  ;;"
      "  %2 = sbr.rel target bundleno = 0 (0x0) }\n"
      "0x1 : {}\n0x2 : {}\n0x3 : {}\n0x4 : {}\n";
  const absl::StatusOr<CodeProgram> program = read_bundles(text, "a.txt");
  REQUIRE(program.ok());
  CodeCore core = any_core();
  core.hbm_rate = core.read_rate = 0.001;
  CHECK(!run_code(*program, core, 0, text).failure.empty());
}

}  // namespace
}  // namespace hloroof::internal

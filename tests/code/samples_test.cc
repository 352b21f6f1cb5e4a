// Real code, from libtpu 0.0.52 with jax 0.10.2 for topologies that are not there. The bundles that run were counted by
// another program that follows the same code, written before this one.
#include <memory>

#include "lib/base/source_text.h"
#include "lib/code/code_folder.h"
#include "lib/code/executor.h"
#include "lib/code/read_bundles.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

struct Sample {
  const char* file;
  const char* device;
  std::size_t bundles;
  double busy;
  double bytes_read;
  double bytes_written;
  double bytes_either;
  int vector_spills;
  int vector_fills;
};

constexpr Sample kSamples[] = {
    {"matmul_v5e/1795705434269986549-matmul.1", "v5e", 2751, 1223154, 536870912, 33554432, 0, 87, 257},
    {"matmul_v6e/1795705443090866639-matmul.1", "v6e", 1180, 489115, 536870912, 33554432, 0, 0, 0},
    {"ops_v5e/1795704197751250973-copy.21", "v5e", 6, 6, 0, 2097152, 0, 0, 0},
    {"ops_v5e/1795704191666784768-gather_fusion", "v5e", 230, 230, 0, 131072, 0, 0, 0},
    {"ops_v5e/1795704191432675077-scatter_custom_fusion", "v5e", 1083, 2080, 0, 0, 0, 0, 0},
    {"ops_v5p/1795704221107223413-slice.2", "v5p", 55, 55, 8192, 8192, 0, 0, 0},
    {"ops_v5p/1795704228154695549-copy.21", "v5p", 529, 529, 0, 1048576, 0, 0, 0},
    {"ops_v3/1795704239840435043-copy.21", "v3", 308, 643, 0, 0, 4194304, 0, 0},
};

// The sample, compressed or not.
std::string sample_path(const Sample& sample) {
  const std::string path = source_path("tests/code/samples/") + sample.file + "-01-packed-bundles-post-ra.txt";
  return find_code(path).ok() ? path : path + ".gz";
}

TEST_CASE("the bundles of real code that run are counted") {
  for (const Sample& sample : kSamples) {
    CAPTURE(sample.file);
    const auto text = SourceText::read(sample_path(sample), std::int64_t{1} << 30);
    REQUIRE(text.ok());
    const absl::StatusOr<CodeProgram> program = read_bundles((*text)->view(), sample.file);
    INFO(program.status().message());
    REQUIRE(program.ok());
    CHECK(program->unread.empty());
    CHECK(program->bundles.size() == sample.bundles);
    const CodeRun run = run_code(*program, *code_core(*find_device(sample.device)), 0, (*text)->view());
    CHECK(run.failure.empty());
    CHECK(run.transfer_failure.empty());
    CHECK(run.busy == sample.busy);
    CHECK(run.totals.bytes_read == sample.bytes_read);
    CHECK(run.totals.bytes_written == sample.bytes_written);
    CHECK(run.totals.bytes_either == sample.bytes_either);
    double busy = 0;
    int spills = 0;
    int fills = 0;
    for (std::size_t i = 0; i < run.runs.size(); ++i) {
      busy += static_cast<double>(run.runs[i]);
      spills += program->bundles[i].vector_spills;
      fills += program->bundles[i].vector_fills;
    }
    CHECK(busy == run.busy);
    CHECK(spills == sample.vector_spills);
    CHECK(fills == sample.vector_fills);
  }
}

}  // namespace
}  // namespace hloroof::internal

// Reads arbitrary final code and follows it on two cores.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/code/code_folder.h"
#include "lib/code/executor.h"
#include "lib/code/read_bundles.h"

namespace {

hloroof::internal::CodeCore core_of(std::int64_t delay_slots, double granule) {
  hloroof::internal::CodeCore core;
  core.clock = 1e9;
  core.delay_slots = delay_slots;
  core.granule_bytes = granule;
  core.hbm_rate = core.read_rate = core.write_rate = 100;
  core.vmem_rate = 1000;
  core.latency = 500;
  return core;
}

void check_run(const hloroof::internal::CodeProgram& program, const hloroof::internal::CodeCore& core, std::uint32_t id,
               std::string_view text) {
  const hloroof::internal::CodeRun run = hloroof::internal::run_code(program, core, id, text, 3000);
  if (run.runs.size() != program.bundles.size()) std::abort();
  if (run.failure.size() > 1000 || run.transfer_failure.size() > 1000) std::abort();
  double busy = 0;
  for (const std::int64_t runs : run.runs) {
    if (runs < 0) std::abort();
    busy += static_cast<double>(runs);
  }
  if (busy != run.busy) std::abort();
  for (const double number :
       {run.waiting, run.draining, run.totals.bytes_read, run.totals.bytes_written, run.totals.bytes_either}) {
    if (!(number >= 0) || !std::isfinite(number)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)hloroof::internal::code_file(text.substr(0, 200));
  const auto program = hloroof::internal::read_bundles(text, "fuzzed.txt");
  if (!program.ok()) {
    const std::string_view message(program.status().message().data(), program.status().message().size());
    if (message.rfind("fuzzed.txt:", 0) != 0 || message.size() > 2000) std::abort();
    return 0;
  }
  std::size_t ops = 0;
  for (const hloroof::internal::Bundle& bundle : program->bundles) {
    if (bundle.first_op != ops) std::abort();
    ops += bundle.op_count;
  }
  if (ops != program->ops.size()) std::abort();
  check_run(*program, core_of(4, 32), 0, text);
  check_run(*program, core_of(1, 1024), 1, text);
  return 0;
}

// Prints a CSV row for every executed operation of the given dumps that has the compiler's estimate: the estimate, the
// model's time, the model's time on the premises of the estimate (`like_seconds`), and the work behind the time. The
// model never reads the estimate.
//
//   op_table DEVICE FILE...
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/analysis/names.h"
#include "lib/ir/rows.h"
#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "lib/values/backend_config.h"
#include "lib/work/inside.h"
#include "lib/work/work.h"
#include "tests/accuracy/premises.h"

namespace hloroof::internal {
namespace {

// The opcode that makes the result: of a fusion, that of its root.
std::string root_of(InstructionView op) {
  const ComputationId called = inlined_computation(op);
  if (!called.valid() || !row_of(op.module(), called).root.valid()) return std::string(to_string(op.opcode()));
  return std::string(to_string(op.module().computation(called).root().opcode()));
}

// The bounds of the compiler's loop over windows: 4x1x2.
std::string windows_of(InstructionView op) {
  const auto config = window_config(op);
  return config ? absl::StrJoin(config->iteration_bounds, "x") : "";
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: op_table DEVICE FILE...\n");
    return 1;
  }
  const auto device = find_device(argv[1]);
  if (!device.ok() || !device->clock) {
    std::fprintf(stderr, "%s\n", std::string(device.status().message()).c_str());
    return 1;
  }
  std::printf(
      "file,op,category,executions,cycles_seconds,seconds,like_seconds,placeholder,root,windows,k_windows,epilogue,"
      "bound,matrix,"
      "vector,"
      "hbm,vmem,flops,transcendentals,"
      "read_hbm,written_hbm,read_vmem,written_vmem,m,n,k,batch,lhs,passes,partial,vector_work\n");
  for (int i = 2; i < argc; ++i) {
    std::stringstream text;
    text << std::ifstream(argv[i]).rdbuf();
    const auto module = parse_module(text.str());
    const auto unplaced = parse_module(on_the_premises_of_the_estimate(text.str(), false));
    const auto widened = parse_module(on_the_premises_of_the_estimate(text.str(), true));
    if (!module.ok() || !unplaced.ok() || !widened.ok()) {
      std::fprintf(stderr, "%s: %s\n", argv[i], std::string(module.status().message()).c_str());
      continue;
    }
    std::string file = argv[i];
    file = file.substr(file.rfind('/') + 1);
    const CallGraph calls = analyze_calls(*module);
    const auto works = compute_work(*module, calls);
    const auto unplaced_works = compute_work(*unplaced, analyze_calls(*unplaced));
    const auto widened_works = compute_work(*widened, analyze_calls(*widened));
    for (InstructionId id : calls.scheduled_instructions()) {
      const InstructionView op = module->instruction(id);
      const auto cycles = estimated_cycles(op);
      if (!cycles || *cycles <= 0) continue;
      const Work& w = works[id.index];
      const OpTime t = op_time(w, *device);
      const double like =
          op_time(like_for_like(op, w, unplaced_works[id.index], widened_works[id.index]), *device).seconds;
      MatrixWork m;
      if (!w.matrix.empty()) {
        m = w.matrix[0];
        for (const MatrixWork& other : w.matrix) {
          if (other.flops > m.flops) m = other;
        }
      } else {
        m.m = m.n = m.k = m.batch = 0;
      }
      std::string vector;
      for (const VectorWork& v : w.vector) {
        vector += std::string(to_string(v.opcode)) + ":" + std::string(to_string(v.type)) +
                  (v.cross_lane ? ":x:" : "::") + std::to_string(static_cast<long long>(v.elements)) + ";";
      }
      std::printf(
          "%s,%s,%s,%g,%.6e,%.6e,%.6e,%d,%s,%s,%g,%.4e,%d,%.4e,%.4e,%.4e,%.4e,%.4e,%.4e,%.4e,%.4e,%.4e,%.4e,%g,%g,%g,%"
          "g,%s,%"
          "d,%"
          ".4e,%s\n",
          file.c_str(), std::string(op.name()).c_str(), op_category(op).c_str(), calls.executions(op),
          static_cast<double>(*cycles) / *device->clock, t.seconds, like, is_placeholder(op) ? 1 : 0,
          root_of(op).c_str(), windows_of(op).c_str(), w.product_steps, vector_time(w.epilogue, *device).seconds(),
          static_cast<int>(t.bound), t.resources[Resource::kMatrix], t.resources[Resource::kVector],
          t.resources[Resource::kHbm], t.resources[Resource::kVmem], w.flops, w.transcendentals, w.read.hbm,
          w.written.hbm, w.read.vmem, w.written.vmem, m.m, m.n, m.k, m.batch, std::string(to_string(m.lhs)).c_str(),
          m.passes, w.partial_tile_elements, vector.c_str());
    }
  }
  return 0;
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) { return hloroof::internal::run(argc, argv); }

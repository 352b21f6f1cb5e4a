// What each pass of a compile did to the predicted step: one row for each state of the module.
#ifndef HLOROOF_LIB_VERSIONS_PASSES_H_
#define HLOROOF_LIB_VERSIONS_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"

namespace hloroof::internal::inline versions {

// The files of a compile: what XLA writes with --xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*,
// one file for the module after each pass that changed it and at the start of each pipeline.
struct PassDump {
  static constexpr std::int64_t kBefore = -1;
  static constexpr std::int64_t kAfter = std::numeric_limits<std::int64_t>::max();

  std::string path;
  std::string module;       // "module_0001.jit_f"
  std::int64_t number = 0;  // of the file in the compile; kBefore, kAfter: before and after all passes
  std::string pipeline;     // empty before and after all passes
  std::string pass;         // empty at the start of a pipeline

  std::string name() const;  // "tpu_fusion"; "start" of a pipeline; "input" and "result" before and after all passes
};

// What the name of a file says; nullopt if it is none of such a dump. `path` has the name at its end.
std::optional<PassDump> pass_dump(std::string_view path);

// The dumps of one module in `folder`, in the order of the compile: of the module that `module` names in part, or else
// of the one with the most bytes. Errors: NotFound if there is no such folder, InvalidArgument if it has no such dump,
// which says how to make one.
absl::StatusOr<std::vector<PassDump>> find_pass_dumps(const std::string& folder, std::string_view module);

// The dumps in `folder` of the module that `like` is a dump of: the one of the same name without numbers, and of
// several the one with the most bytes. Errors: as above, and InvalidArgument with the names of the others if there is
// none.
absl::StatusOr<std::vector<PassDump>> find_same_dumps(const std::string& folder, const PassDump& like,
                                                      std::string_view module);

// The index of the first dump whose pass, pipeline or number is `pass`: "tpu_fusion", "Main_fusion", both with a colon
// between them, or "51". It has one before it. Errors: NotFound, which names the closest pass.
absl::StatusOr<std::size_t> find_pass(const std::vector<PassDump>& dumps, std::string_view pass);

// A number of one state, and by how much it differs from the state before; nullopt in the first.
struct PassCount {
  double value = 0;
  std::optional<double> change;
};

struct PassRow {
  std::string file;
  std::int64_t number = 0;    // of the file, as in PassDump
  std::uint64_t program = 0;  // program_hash() of the state
  std::string pipeline;
  std::string pass;   // the pass that the state follows; "start" at the start of a pipeline
  std::string state;  // why nothing would run this module as it is, such as "not fused"; empty if it might run
  bool is_changed = false;
  PassCount step;  // seconds
  PassCount peak;  // bytes of memory
  PassCount hbm;   // bytes that a step reads and writes
  PassCount collectives;
  PassCount copies;
  PassCount instructions;
  std::string error;  // why the numbers are missing: a file that cannot be read or predicted
};

struct PassReport {
  std::string folder;
  std::string module;   // as the names of the dumps have it
  std::string program;  // the name of the module in the dumps
  std::string device;
  std::string topology;
  Backend backend = Backend::kUnknown;  // that the last state was compiled for
  std::vector<PassRow> rows;
  std::vector<Diagnostic> diagnostics;  // of the last state
};

// Predicts each state of `dumps`, which are read with `parsing`, on several threads; 0 means one for each processor. A
// file that cannot be read or predicted is a row with an error. Errors: InvalidArgument if no file can be predicted.
absl::StatusOr<PassReport> pass_report(const std::string& folder, const std::vector<PassDump>& dumps,
                                       const Target& target, const PredictOptions& options,
                                       const ParseOptions& parsing = {}, std::size_t threads = 1);

// One line for each state that differs from the one before, or for all. The time of a module that nothing would run
// stands in brackets.
std::string passes_view(const PassReport& report, bool all, const TextLayout& layout);

std::string passes_csv(const PassReport& report);

// Schema "hloroof.passes/1". Has all rows.
std::string passes_json(const PassReport& report);

ResultTable passes_table();

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_PASSES_H_

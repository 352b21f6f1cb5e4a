// What the final code of an operation takes on a core: cycles by unit, spills, empty bundles, transfers and waits. Read
// by `hloroof bundles`.
#ifndef HLOROOF_LIB_CODE_CODE_ROWS_H_
#define HLOROOF_LIB_CODE_CODE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/code/code_folder.h"

namespace hloroof::internal::inline code {

// The instructions of one unit that ran.
struct CodeUnitRow {
  std::string_view unit;  // "MXU"
  double cycles = 0;      // bundles with at least one of them
  double instructions = 0;
};

// Numbers of one run. Those that depend on which bundles run are nullopt if that is not known; those that depend on
// transfers also if these are not known.
struct CodeRow {
  std::string op;
  std::string file;
  std::string opcode;  // this and the next three: empty or 0 if no module of the dump says it
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;
  std::int64_t core = 0;  // the one that takes longest
  std::int64_t bundles = 0;
  std::int64_t matrix_units = 0;  // that the code names: one more than the highest number
  bool joins_cores = false;       // written for several cores that run it together
  std::optional<double> seconds;
  std::optional<double> model_seconds;  // what a prediction without code takes for it; nullopt if there is none
  std::optional<double> cycles;         // busy, waiting and draining
  std::optional<double> busy_cycles;
  std::optional<double> empty_cycles;  // of those: bundles in which a result is awaited
  std::optional<double> waiting_cycles;
  std::optional<double> draining_cycles;
  std::int64_t vector_spills = 0;  // instructions in the code
  std::int64_t vector_fills = 0;
  std::int64_t scalar_spills = 0;
  std::int64_t scalar_fills = 0;
  std::optional<double> vector_spills_run;  // how many of them ran
  std::optional<double> vector_fills_run;
  std::optional<double> bytes_read;
  std::optional<double> bytes_written;
  std::optional<double> bytes_either;
  std::optional<double> hbm_cycles;  // of the transfers from and to HBM, if they follow one another
  std::optional<std::int64_t> transfers;
  std::optional<std::int64_t> waits;
  std::vector<CodeUnitRow> units;  // empty if it is not known which bundles run
  std::string failure;
  std::string transfer_failure;
  std::vector<std::string> unread;
};

// Reads a file and follows its code on a core of `device`. Errors: those of code_core() and read_bundles().
absl::StatusOr<CodeRow> code_row(const CodeFile& file, const Device& device, std::int64_t max_bytes);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_CODE_ROWS_H_

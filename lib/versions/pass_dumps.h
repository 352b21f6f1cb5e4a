// The files of a compile: what XLA writes with --xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*,
// one file for the module after each pass that changed it and at the start of each pipeline.
#ifndef HLOROOF_LIB_VERSIONS_PASS_DUMPS_H_
#define HLOROOF_LIB_VERSIONS_PASS_DUMPS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline versions {

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

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_PASS_DUMPS_H_

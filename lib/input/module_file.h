// Reads a module from a file of any kind: HLO text, a log with HLO text in it, or a proto.
#ifndef HLOROOF_LIB_INPUT_MODULE_FILE_H_
#define HLOROOF_LIB_INPUT_MODULE_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "lib/base/source_text.h"
#include "lib/input/parse_proto.h"

namespace hloroof::internal::inline input {

struct LoadedModule {
  Module module;
  std::string note;  // what was skipped, as one line: "skipped 12 lines before the module"; may be empty
};

// ResourceExhausted if `size` bytes exceed the limit.
absl::Status check_size(std::size_t size, const std::string& path, const ParseOptions& options);

// Like load_module, and returns a note.
absl::StatusOr<LoadedModule> load_module_file(const std::string& path, const ParseOptions& options,
                                              LargeConstants constants = LargeConstants::kModerate);

// The same for the bytes of a file. `choice` is the part of the path after #.
absl::StatusOr<LoadedModule> parse_module_file(std::shared_ptr<const SourceText> source, std::string_view choice,
                                               const ParseOptions& options,
                                               LargeConstants constants = LargeConstants::kModerate);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_MODULE_FILE_H_

// The files of final code in a folder of libtpu's dump.
#ifndef HLOROOF_LIB_CODE_CODE_FOLDER_H_
#define HLOROOF_LIB_CODE_CODE_FOLDER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline code {

// The code of one instruction: STAMP-INSTRUCTION-NN-packed-bundles-post-ra.txt, which may be compressed with gzip.
struct CodeFile {
  std::string path;
  std::string stamp;        // of the time at which it was written
  std::string instruction;  // without %
};

struct CodeFolder {
  std::vector<CodeFile> files;  // in the order in which they were written
  std::vector<std::string>
      modules;  // paths of STAMP-TLP-hlo.txt, the programs that the instructions belong to; in order

  // The module that `file` belongs to, an index of `modules`: the last that was written before it. Nullopt if there is
  // none.
  std::optional<std::size_t> module_of(const CodeFile& file) const;
};

// What the name of a file says; nullopt if it has no code of an instruction. The code around a program ("TLP",
// "<late-initialization>") is none.
std::optional<CodeFile> code_file(std::string_view path);

// The files in `folder`, or the one file that `folder` names. Errors: NotFound if there is none, which says how to make
// them.
absl::StatusOr<CodeFolder> find_code(const std::string& folder);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_CODE_FOLDER_H_

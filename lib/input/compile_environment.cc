#include "lib/input/compile_environment.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline input {
namespace {

// The file of libtpu 0.0.52 has 56 kB.
constexpr std::int64_t kMostBytes = 1 << 22;

}  // namespace

std::optional<std::int64_t> scoped_vmem_limit_kib(std::string_view environment) {
  for (absl::string_view line : absl::StrSplit(to_absl(environment), '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "xla_tpu_scoped_vmem_limit_kib:")) continue;
    std::int64_t kib = 0;
    if (!absl::SimpleAtoi(line, &kib) || kib <= 0) return std::nullopt;
    return kib;
  }
  return std::nullopt;
}

std::optional<std::int64_t> scoped_vmem_limit_kib_beside(const std::string& path) {
  const std::filesystem::path dump(path);
  // The program and the stage both may have dots in their names: the longest name that has such a file is the program.
  std::string program = dump.filename().string();
  while (!program.empty()) {
    const std::filesystem::path file = dump.parent_path() / (program + ".tpu_comp_env.txt");
    std::error_code error;
    // A link may lead out of the folder of a server, which reads nothing outside of it.
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) {
      const absl::StatusOr<std::shared_ptr<const SourceText>> text = SourceText::read(file.string(), kMostBytes);
      return text.ok() ? scoped_vmem_limit_kib((*text)->view()) : std::nullopt;
    }
    const std::size_t dot = program.rfind('.');
    program.resize(dot == std::string::npos ? 0 : dot);
  }
  return std::nullopt;
}

}  // namespace hloroof::internal::inline input

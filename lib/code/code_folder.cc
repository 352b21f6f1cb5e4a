#include "lib/code/code_folder.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "lib/base/strings.h"

namespace hloroof::internal::inline code {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCodeSuffix = "-packed-bundles-post-ra.txt";
constexpr std::string_view kModuleSuffix = "-TLP-hlo.txt";
constexpr std::size_t kMostCodeFiles = 100000;  // that are looked at

constexpr std::string_view kHowToDump =
    "\n  LIBTPU_INIT_ARGS=\"--xla_jf_dump_to=FOLDER --xla_jf_dump_llo_text=true"
    " --xla_jf_dump_llo_pass_label_regex=packed-bundles-post-ra\" writes them when a program is compiled";

// The name of a file, without the ending of a compressed one.
std::string_view plain_name(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.substr(path.rfind('/') + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Stamps have the same number of digits, unless they come from different clocks.
std::pair<std::size_t, std::string_view> stamp_order(std::string_view stamp) { return {stamp.size(), stamp}; }

std::string_view module_stamp(std::string_view path) {
  const std::string_view name = plain_name(path);
  return name.substr(0, name.size() - kModuleSuffix.size());
}

}  // namespace

std::optional<CodeFile> code_file(std::string_view path) {
  std::string_view name = plain_name(path);
  if (!name.ends_with(kCodeSuffix)) return std::nullopt;
  name.remove_suffix(kCodeSuffix.size());
  const std::size_t first = name.find('-');
  const std::size_t last = name.rfind('-');
  if (first == std::string_view::npos || last <= first) return std::nullopt;
  CodeFile file;
  file.path = path;
  file.stamp = name.substr(0, first);
  file.instruction = name.substr(first + 1, last - first - 1);
  if (!is_digits(file.stamp) || !is_digits(name.substr(last + 1))) return std::nullopt;
  if (file.instruction.empty() || file.instruction == "TLP" || file.instruction[0] == '<') return std::nullopt;
  return file;
}

absl::StatusOr<CodeFolder> find_code(const std::string& folder) {
  CodeFolder found;
  std::error_code error;
  if (fs::is_regular_file(folder, error)) {
    CodeFile file;
    if (const std::optional<CodeFile> named = code_file(folder)) {
      file = *named;
    } else {
      file.path = folder;
      file.instruction = fs::path(folder).stem().string();
    }
    found.files.push_back(std::move(file));
    return found;
  }
  std::size_t seen = 0;
  error.clear();
  for (fs::directory_iterator it(folder, error), end; !error && it != end && seen < kMostCodeFiles;
       it.increment(error), ++seen) {
    std::string path = it->path().string();
    if (plain_name(path).ends_with(kModuleSuffix)) found.modules.push_back(path);
    if (std::optional<CodeFile> file = code_file(path)) found.files.push_back(*std::move(file));
  }
  if (error) return not_found("cannot read the folder " + folder + ": " + error.message());
  if (found.files.empty()) {
    return not_found("no final code (*" + std::string(kCodeSuffix) + ") in the folder " + folder +
                     std::string(kHowToDump));
  }
  std::sort(found.files.begin(), found.files.end(), [](const CodeFile& a, const CodeFile& b) {
    return std::make_tuple(stamp_order(a.stamp), a.path) < std::make_tuple(stamp_order(b.stamp), b.path);
  });
  std::sort(found.modules.begin(), found.modules.end(), [](const std::string& a, const std::string& b) {
    return std::make_tuple(stamp_order(module_stamp(a)), a) < std::make_tuple(stamp_order(module_stamp(b)), b);
  });
  return found;
}

std::optional<std::size_t> CodeFolder::module_of(const CodeFile& file) const {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (stamp_order(module_stamp(modules[i])) <= stamp_order(file.stamp)) last = i;
  }
  return last;
}

}  // namespace hloroof::internal::inline code

#include "lib/profile/profile_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/profile/read_xspace.h"

namespace hloroof::internal::inline profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".xplane.pb";
constexpr int kDeepest = 8;                 // folders below the one that was given
constexpr std::size_t kMostFiles = 100000;  // that are looked at

// The name of the host in a file's name; empty if it is no xplane file.
std::string_view host_of(std::string_view file) {
  if (file.ends_with(".gz")) file.remove_suffix(3);
  if (!file.ends_with(kSuffix)) return "";
  file.remove_suffix(kSuffix.size());
  return file.substr(file.rfind('/') + 1);
}

absl::Status in_file(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<MeasuredProfile> read_hosts(const ProfileFiles& files, std::int64_t max_bytes) {
  // The events keep views of the files, which therefore all stay until take().
  std::vector<std::shared_ptr<const SourceText>> texts;
  texts.reserve(files.paths.size());
  XSpaceReader reader;
  for (const std::string& path : files.paths) {
    auto text = SourceText::read(path, max_bytes);
    if (!text.ok()) return text.status();
    texts.push_back(*std::move(text));
    if (absl::Status status = reader.add(texts.back()->view(), host_of(path)); !status.ok()) {
      return in_file(path, status);
    }
  }
  absl::StatusOr<MeasuredProfile> profile = reader.take();
  if (!profile.ok()) return in_file(files.paths.front(), profile.status());
  profile->run = files.run;
  return profile;
}

}  // namespace

absl::StatusOr<ProfileFiles> find_profile(const std::string& folder) {
  std::error_code error;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> runs;  // by name and folder
  std::size_t seen = 0;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end && seen < kMostFiles;
       it.increment(error), ++seen) {
    if (it.depth() >= kDeepest) it.disable_recursion_pending();
    const fs::path& path = it->path();
    if (host_of(path.filename().string()).empty()) continue;
    std::error_code unknown;
    if (!it->is_regular_file(unknown)) continue;
    const fs::path parent = path.parent_path();
    runs[{parent.filename().string(), parent.string()}].push_back(path.string());
  }
  if (error) return not_found("cannot read the folder " + folder + ": " + error.message());
  if (runs.empty()) {
    return not_found("no profile in the folder " + folder +
                     "\n  jax.profiler.trace(FOLDER) writes FOLDER/plugins/profile/RUN/HOST.xplane.pb");
  }
  auto& [key, paths] = *runs.rbegin();
  std::sort(paths.begin(), paths.end());
  return ProfileFiles{key.first, std::move(paths)};
}

bool is_profile_path(const std::string& path) {
  std::error_code error;
  return !host_of(path).empty() || fs::is_directory(path, error);
}

absl::StatusOr<MeasuredProfile> load_profile(const std::string& path, std::int64_t max_bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const absl::StatusOr<ProfileFiles> files = find_profile(path);
    if (!files.ok()) return files.status();
    return read_hosts(*files, max_bytes);
  }
  const auto text = SourceText::read(path, max_bytes);
  if (!text.ok()) return text.status();
  if (!host_of(path).empty() || is_xspace((*text)->view())) return read_hosts({"", {path}}, max_bytes);
  return read_profile((*text)->view(), (*text)->path());
}

}  // namespace hloroof::internal::inline profile

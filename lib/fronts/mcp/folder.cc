#include "lib/fronts/mcp/folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline mcp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 4096;

absl::Status outside(std::string_view path) {
  return absl::PermissionDeniedError(absl::StrCat(to_absl(path), " is outside of the folder of this server"));
}

// NAME.hlo, .txt or .pb, also compressed.
bool is_dump_name(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".hlo") || name.ends_with(".txt") || name.ends_with(".pb");
}

}  // namespace

absl::StatusOr<Folder> Folder::open(const std::string& path) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error || !fs::is_directory(real, error)) return not_found(path + " is not a folder");
  if (real == "/") return invalid_argument("the root of the file system cannot be served; name a folder below it");
  return Folder(real);
}

bool Folder::contains(std::string_view real_path) const {
  return real_path == root_ || (real_path.starts_with(root_) && real_path.substr(root_.size()).starts_with('/'));
}

absl::Status Folder::check_entries(const std::string& folder) const {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    if (!it->is_symlink(unknown) && !unknown) continue;
    const std::string real = fs::canonical(it->path(), unknown).string();
    if (!unknown && !contains(real)) return outside(relative(it->path().string()));
  }
  return error ? not_found(relative(folder) + ": " + error.message()) : absl::OkStatus();
}

absl::StatusOr<std::string> Folder::resolve(std::string_view path) const {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (path.empty() || path.size() > kLongestPath || std::any_of(path.begin(), path.end(), is_control)) {
    return invalid_argument("a path must have 1 to 4096 bytes and no control characters");
  }
  std::error_code error;
  const fs::path whole = fs::path(root_) / std::string(path);  // an absolute path replaces the root
  const std::string real = fs::canonical(whole, error).string();
  if (error) {
    // Whether a file outside exists is not told.
    const std::string known = fs::weakly_canonical(whole, error).string();
    if (error || !contains(known)) return outside(path);
    return not_found(absl::StrCat("there is no file ", to_absl(path), "; resources/list has the dumps"));
  }
  if (!contains(real)) return outside(path);
  const fs::file_type type = fs::status(real, error).type();
  if (type == fs::file_type::directory) {
    if (absl::Status status = check_entries(real); !status.ok()) return status;
  } else if (type != fs::file_type::regular) {  // reading a pipe would wait for a writer
    return invalid_argument(absl::StrCat(to_absl(path), " is neither a file nor a folder"));
  }
  return real;
}

std::vector<Folder::Entry> Folder::dumps() const {
  std::vector<Entry> entries;
  entries.reserve(64);
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(root_, options, error), end; !error && it != end; it.increment(error)) {
    if (entries.size() >= kMostEntries) break;
    std::error_code unknown;
    if (!is_dump_name(it->path().filename().string()) || !it->is_regular_file(unknown)) continue;
    if (it->is_symlink(unknown) && !contains(fs::canonical(it->path(), unknown).string())) continue;
    entries.push_back({it->path().string().substr(root_.size() + 1), it->file_size(unknown)});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

std::string Folder::relative(std::string text) const {
  const std::string prefix = root_ + "/";
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = text.find(prefix); found != std::string::npos; found = text.find(prefix, at)) {
    out.append(text, at, found - at);
    at = found + prefix.size();
  }
  if (at == 0) return text;
  return out.append(text, at);
}

}  // namespace hloroof::internal::inline mcp

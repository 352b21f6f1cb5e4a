// The folder that a client may read, and nothing outside it.
#ifndef HLOROOF_LIB_FRONTS_MCP_FOLDER_H_
#define HLOROOF_LIB_FRONTS_MCP_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline mcp {

class Folder {
 public:
  // Errors: NotFound if `path` is not a folder; InvalidArgument for the root of the file system.
  static absl::StatusOr<Folder> open(const std::string& path);

  // The real path of `path`, which is relative to the folder or absolute. Follows symbolic links and `..` before it
  // checks that the result is a file or folder below this one; for a folder that holds also for each of its entries.
  // Errors: PermissionDenied if it is not; NotFound; InvalidArgument for bytes that no path has.
  absl::StatusOr<std::string> resolve(std::string_view path) const;

  struct Entry {
    std::string path;  // relative to the folder, with slashes
    std::uintmax_t bytes = 0;
  };
  // The files below the folder whose names are those of dumps, sorted by path; at most `kMostEntries`. Does not follow
  // links to folders, and leaves out links to files elsewhere.
  std::vector<Entry> dumps() const;
  static constexpr std::size_t kMostEntries = 20000;

  const std::string& path() const { return root_; }
  // `text` with the paths of this folder relative to it.
  std::string relative(std::string text) const;

 private:
  explicit Folder(std::string root) : root_(std::move(root)) {}

  bool contains(std::string_view real_path) const;
  absl::Status check_entries(const std::string& folder) const;

  std::string root_;  // real, without a slash at the end
};

}  // namespace hloroof::internal::inline mcp

#endif  // HLOROOF_LIB_FRONTS_MCP_FOLDER_H_

// Finds the files of a profile and reads them.
#ifndef HLOROOF_LIB_PROFILE_PROFILE_FOLDER_H_
#define HLOROOF_LIB_PROFILE_PROFILE_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline profile {

struct ProfileFiles {
  std::string run;                 // the name of the folder they are in
  std::vector<std::string> paths;  // sorted: one from each host
};

// The newest run at or below `folder`, which is the folder of a run, one with the folders of several runs, or the one
// that jax.profiler.trace was given, where they lie at plugins/profile/RUN/HOST.xplane.pb. Runs are named by the time
// they began. Errors: NotFound if there is none.
absl::StatusOr<ProfileFiles> find_profile(const std::string& folder);

// Whether `path` is a folder, or a file that is named as an xplane file.
bool is_profile_path(const std::string& path);

// Reads the folder, or the file of any kind. Every file may be compressed with gzip and has at most `max_bytes`.
// Errors: those of find_profile(), read_profile() and SourceText::read().
absl::StatusOr<MeasuredProfile> load_profile(const std::string& path, std::int64_t max_bytes = std::int64_t{1} << 30);

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_PROFILE_FOLDER_H_

// The device files compiled into the library.
#ifndef HLOROOF_LIB_HARDWARE_REGISTRY_H_
#define HLOROOF_LIB_HARDWARE_REGISTRY_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// A file of data/hardware as of the build of the library.
struct EmbeddedFile {
  std::string_view name;  // "tpu_v5e.json"
  std::string_view text;
};

// Returns all embedded files, in the order of the CMake list. cmake/embed.cmake generates the table.
std::span<const EmbeddedFile> embedded_hardware_files();

// Returns the text of the embedded file of this name, with its ending; nullopt if there is none.
std::optional<std::string_view> embedded_hardware_text(std::string_view file);

// Returns the SHA-256 of the hashes of these files, computed when they were embedded. Two builds with the same have the
// same devices.
std::string_view embedded_hardware_sha256();

// Returns the titles by source key, from sources.json.
const std::map<std::string, std::string>& source_titles();

// Returns the text of cuda_targets.json: what a compiler asks of a CUDA GPU that no device file has.
std::string_view cuda_targets();

// Reads the text of a device file and the files that it extends, and builds the device. Errors: as for
// check_device_file().
absl::StatusOr<Device> device_from_text(std::string_view text, std::string_view path);

// Parses `digits`, the number of slices after the star in `text`. Errors: InvalidArgument if it is not a valid number.
absl::StatusOr<int64_t> parse_slices(const Device& device, std::string_view text, std::string_view digits);

// The standard slice of a TPU with this number of TensorCores. Errors: InvalidArgument, naming `text`, if there is
// none.
absl::StatusOr<Topology> topology_of_cores(const Device& device, std::string_view text, int64_t cores);

// Checks that `text` is a valid device file. Errors: InvalidArgument, naming `path`, the place in the file, the value
// found and the value expected; a JSON syntax error names the line and the column and shows the source line with a
// caret.
absl::Status check_device_file(std::string_view text, std::string_view path);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_REGISTRY_H_

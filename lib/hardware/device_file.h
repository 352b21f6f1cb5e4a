// A device file as it is written: values with their units, kinds and sources, before they are brought to one device.
#ifndef HLOROOF_LIB_HARDWARE_DEVICE_FILE_H_
#define HLOROOF_LIB_HARDWARE_DEVICE_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/base/json.h"

namespace hloroof::inline v0 {

// The "schema" member of every device file.
inline constexpr std::string_view kDeviceSchema = "hloroof.device/1";

// What a number of a device file is the number of.
enum class FieldPer { kDevice, kChip, kCore };

struct Quantity {
  std::optional<double> value;  // empty: null, "unknown", which also takes back a value of the file extended
  FieldPer per = FieldPer::kDevice;
  ParameterSource source;  // `source` is the key as written
};

struct TorusSpec {
  int64_t dims = 0;
  WrapRule wrap = WrapRule::kNone;
  std::vector<int64_t> pod_shape;
  std::vector<std::vector<int64_t>> slices;
};

struct DeviceFile {
  std::string name;
  std::string display_name;
  std::string vendor;
  std::string architecture;
  std::string extends;    // name of the built-in file it adds to; empty: none
  bool abstract = false;  // only there to be extended
  std::optional<DeviceFamily> family;
  std::vector<std::string> aliases;
  std::vector<std::string> notes;
  std::map<std::string, std::string> sources;       // titles of source keys beside those of data/hardware/sources.json
  std::vector<std::optional<Quantity>> quantities;  // by index of device_fields()
  std::vector<OpWeight> weights;
  std::optional<TorusSpec> torus;
};

// Reads the tree of a device file. Errors: InvalidArgument, one line a problem: "path: at hbm.bandwidth.unit: found
// "GB/s"; expected "B/s"". What depends on the file it extends is checked by build_device().
absl::StatusOr<DeviceFile> read_device_file(const JsonValue& root, std::string_view path);

// Lays `file` over `base`: what `file` has replaces what `base` has. Aliases and notes are not inherited.
DeviceFile extend_device_file(const DeviceFile& base, const DeviceFile& file);

// Brings all numbers to one device. `titles` are the titles of source keys. Errors: InvalidArgument for what a device
// of its family must have and this lacks, and for counts that do not divide.
absl::StatusOr<Device> build_device(const DeviceFile& file, const std::map<std::string, std::string>& titles,
                                    std::string_view path);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FILE_H_

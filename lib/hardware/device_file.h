// A device file as written: values with units, kinds and sources, before conversion to one device.
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

namespace hloroof::internal::inline hardware {

// The "schema" member of every device file.
inline constexpr std::string_view kDeviceSchema = "hloroof.device/1";

// The part of the hardware that a number of a device file describes.
enum class FieldPer { kDevice, kChip, kCore };

struct Quantity {
  Fact<double> value;  // unknown: null, which also removes a value inherited from the extended file
  FieldPer per = FieldPer::kDevice;
  ParameterSource source;  // ParameterSource::source is the key as written, not yet the title
};

struct TorusSpec {
  int64_t dims = 0;
  WrapRule wrap = WrapRule::kNone;
  std::vector<int64_t> pod_shape;
  int64_t cube_edge = 0;
  std::vector<std::vector<int64_t>> slices;
};

struct DeviceFile {
  std::string name;
  std::string display_name;
  std::string vendor;
  std::string architecture;
  std::string extends;                // name of the built-in file that this file extends; empty: none
  std::vector<std::string> extended;  // the files that are merged into this one
  bool abstract = false;              // not a device: other files extend it
  std::optional<DeviceFamily> family;
  std::vector<std::string> aliases;
  std::vector<std::string> notes;
  std::map<std::string, std::string> sources;       // titles by source key, in addition to data/hardware/sources.json
  std::vector<std::optional<Quantity>> quantities;  // by index of device_fields()
  std::vector<OpWeight> weights;
  std::map<std::string, std::string> measured_on;  // by path: the one device whose measurement the number is
  std::optional<TorusSpec> torus;
  std::vector<Accuracy> accuracy;  // in the order of Measured
  std::string measured_relative;   // the nearest extended file with `accuracy` if this one has none
};

// Reads the tree of a device file. build_device() checks the conditions that depend on the extended file. Errors:
// InvalidArgument, one line per problem: "path: at hbm.bandwidth.unit: found "GB/s"; expected "B/s"".
absl::StatusOr<DeviceFile> read_device_file(const OrderedJson& root, std::string_view path);

// Merges `file` into `base`: members of `file` override those of `base`. Aliases and notes are not inherited. Neither
// is `accuracy`, because measurements of one device say nothing of another; the merged file names the measured one. A
// number of `base` that has `measured_on` is assumed for devices that do not extend that one.
DeviceFile extend_device_file(const DeviceFile& base, const DeviceFile& file);

// Converts all numbers to one device. `titles` maps source keys to titles. Errors: InvalidArgument if a number that the
// family requires is missing, if the family does not have a number of the file, or if a converted number is out of
// range, such as a count that is not divisible among the devices.
absl::StatusOr<Device> build_device(const DeviceFile& file, const std::map<std::string, std::string>& titles,
                                    std::string_view path);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FILE_H_

// The format of device files as a JSON schema (draft 2020-12), generated from the table that the loader checks against.
#ifndef HLOROOF_TESTS_HARDWARE_DEVICE_SCHEMA_H_
#define HLOROOF_TESTS_HARDWARE_DEVICE_SCHEMA_H_

#include <string>

namespace hloroof::internal {

// Returns the text of data/hardware/device.schema.json.
std::string device_schema_json();

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_HARDWARE_DEVICE_SCHEMA_H_

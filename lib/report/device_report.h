// Devices as JSON, CSV and Markdown; lib/hardware/describe.h has the text.
#ifndef HLOROOF_LIB_REPORT_DEVICE_REPORT_H_
#define HLOROOF_LIB_REPORT_DEVICE_REPORT_H_

#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/describe/schema.h"

namespace hloroof::internal::inline report {

// The headline numbers of each device. Schema "hloroof.devices/1".
std::string device_list_json(const std::vector<Device>& devices);
std::string device_list_csv(const std::vector<Device>& devices);
std::string device_list_markdown(const std::vector<Device>& devices);

// All numbers of each device with their sources; one object for one device, otherwise an array. Schema
// "hloroof.device_numbers/1".
std::string devices_json(const std::vector<Device>& devices);
std::string devices_csv(const std::vector<Device>& devices);
std::string devices_markdown(const std::vector<Device>& devices);

// The fields of both results.
ResultTable device_list_table();
ResultTable device_table();

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_DEVICE_REPORT_H_

#include "lib/report/device_report.h"

#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/units.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/describe/table.h"
#include "lib/hardware/accuracy.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/names.h"
#include "lib/results/terms_fields.h"

namespace hloroof::internal::inline report {
namespace {

constexpr std::string_view kDeviceListSchema[] = {"hloroof.devices/1"};
constexpr std::string_view kDeviceSchema[] = {"hloroof.device_numbers/1"};

struct ListedDevice {
  const Device* device = nullptr;
};

struct DeviceListDocument {
  std::vector<ListedDevice> devices;
};

// A number of a device. Unknown numbers have no value.
struct DeviceNumber {
  const Device* device = nullptr;
  Parameter parameter;
};

struct DeviceDocument {
  const Device* device = nullptr;
  std::vector<DeviceNumber> parameters;
};

std::vector<ListedDevice> listed(const std::vector<Device>& devices) {
  std::vector<ListedDevice> rows;
  rows.reserve(devices.size());
  for (const Device& device : devices) rows.push_back({&device});
  return rows;
}

DeviceDocument document_of(const Device& device) {
  DeviceDocument document{&device, {}};
  for (Parameter& parameter : parameters(device)) document.parameters.push_back({&device, std::move(parameter)});
  return document;
}

std::optional<double> positive_number(double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; }

// A program for a device without bf16 units would use f16.
double matrix_peak(const Device& device) {
  return device.matrix.peak.bf16 ? *device.matrix.peak.bf16 : device.matrix.peak.f16;
}

std::optional<double> joined_devices(const Device& device) {
  if (device.ici.dims == 0) return positive_number(static_cast<double>(device.scale_up.domain));
  if (!device.ici.max_chips) return std::nullopt;
  return static_cast<double>(*device.ici.max_chips * device.devices_per_chip);
}

std::optional<double> ridge_point(const Device& device) {
  return device.hbm.bandwidth > 0 ? std::optional<double>(matrix_peak(device) / device.hbm.bandwidth) : std::nullopt;
}

}  // namespace

}  // namespace hloroof::internal::inline report

namespace hloroof::internal {

template <>
struct Described<ListedDevice> {
  using Row = ListedDevice;
  static constexpr RecordInfo kInfo = {"listed_device", "ListedDevice", "The headline numbers of one JAX device."};
  static constexpr auto kFields = fields(
      field("name", "Name that --device takes.", [](const Row& row) -> const std::string& { return row.device->name; }),
      field("display_name", "Name of the product.",
            [](const Row& row) -> const std::string& { return row.device->display_name; }),
      field("vendor", "Maker of the device.", [](const Row& row) -> const std::string& { return row.device->vendor; }),
      field("matrix_peak", Unit::kFlopsPerSecond, "Nominal peak in bf16, or in f16 without bf16 units.",
            [](const Row& row) { return positive_number(matrix_peak(*row.device)); }),
      field("memory_bytes", Unit::kBytes, "Capacity of the memory.",
            [](const Row& row) { return positive_number(row.device->hbm.capacity); }),
      field("memory_bandwidth", Unit::kBytesPerSecond, "Nominal bandwidth of the memory.",
            [](const Row& row) { return positive_number(row.device->hbm.bandwidth); }),
      field("ridge_point", "matrix_peak / memory_bandwidth, in flop/B.",
            [](const Row& row) { return ridge_point(*row.device); }),
      field("joined_devices", Unit::kCount, "Devices of one pod or scale-up domain.",
            [](const Row& row) { return joined_devices(*row.device); }),
      field("measured", "Median error on held-back measurements, in words.",
            [](const Row& row) { return trust_cell(*row.device); }));
};

template <>
struct Described<DeviceListDocument> {
  static constexpr RecordInfo kInfo = {"devices", "Devices", "The devices that are built in."};
  static constexpr auto kFields =
      fields(schema_field<kDeviceListSchema>(),
             field("devices", "The devices, sorted by name.", &DeviceListDocument::devices));
};

template <>
struct Described<DeviceNumber> {
  using Row = DeviceNumber;
  static constexpr RecordInfo kInfo = {"device_number", "DeviceNumber", "A number of a device, with its source."};
  static constexpr auto kFields = fields(
      field("device", "Name of the device.", [](const Row& row) -> const std::string& { return row.device->name; })
          .only_in(Formats::kCsvOnly),
      field("path", "Path in the device file, which --set takes.",
            [](const Row& row) -> const std::string& { return row.parameter.path; }),
      field("value", "Value in SI units; null if it is not known.",
            [](const Row& row) { return to_optional(row.parameter.value); })
          .may_be_negative(),
      field("unit", "Unit of the value.", [](const Row& row) -> const std::string& { return row.parameter.unit; }),
      field("meaning", "What the number is.",
            [](const Row& row) -> const std::string& { return row.parameter.meaning; }),
      field("kind", "Published, derived, fitted, assumed, or set by the user.",
            [](const Row& row) { return word_of(kProvenanceWords, row.parameter.source.kind); }),
      field("source", "Document or measurement that the value comes from.",
            [](const Row& row) -> const std::string& { return row.parameter.source.source; }),
      field("note", "Details.", [](const Row& row) -> const std::string& { return row.parameter.source.note; }));
};

template <>
struct Described<DeviceDocument> {
  using Document = DeviceDocument;
  static constexpr RecordInfo kInfo = {"device", "Device", "All numbers of one JAX device."};
  static constexpr auto kFields = fields(
      schema_field<kDeviceSchema>(),
      field("name", "Name that --device takes.",
            [](const Document& d) -> const std::string& { return d.device->name; }),
      field("display_name", "Name of the product.",
            [](const Document& d) -> const std::string& { return d.device->display_name; }),
      field("vendor", "Maker of the device.", [](const Document& d) -> const std::string& { return d.device->vendor; }),
      field("architecture", "Name of the architecture; null if it has none.",
            [](const Document& d) { return text_or_null(d.device->architecture); }),
      field("aliases", "Other names that --device takes.",
            [](const Document& d) -> const std::vector<std::string>& { return d.device->aliases; }),
      field("notes", "Remarks.", [](const Document& d) -> const std::vector<std::string>& { return d.device->notes; }),
      field("file_sha256", "SHA-256 of the device file.",
            [](const Document& d) -> const std::string& { return d.device->file_sha256; }),
      field("parameters", "All numbers.", &Document::parameters));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline report {

std::string device_list_json(const std::vector<Device>& devices) {
  return records_json<DeviceListDocument>({{listed(devices)}});
}

std::string device_list_csv(const std::vector<Device>& devices) { return records_csv(listed(devices)); }

std::string device_list_markdown(const std::vector<Device>& devices) {
  Table table({{"device"},
               {"is"},
               {"bf16", Align::kRight},
               {"memory", Align::kRight},
               {"bandwidth", Align::kRight},
               {"flop/B", Align::kRight},
               {"joins", Align::kRight},
               {"measured"}});
  for (const Device& device : devices) {
    const std::optional<double> ridge = ridge_point(device);
    const std::optional<double> joined = joined_devices(device);
    table.add({device.name, device.display_name,
               format_rate(matrix_peak(device), "flop/s") + (device.matrix.peak.bf16 ? "" : " (f16)"),
               format_bytes(device.hbm.capacity), format_rate(device.hbm.bandwidth, "B/s"),
               ridge ? format_count(*ridge) : "", joined ? format_count(*joined) : "", trust_cell(device)});
  }
  return table.to_string({.markdown = true}).substr(1);
}

std::string devices_json(const std::vector<Device>& devices) {
  std::vector<DeviceDocument> documents;
  documents.reserve(devices.size());
  for (const Device& device : devices) documents.push_back(document_of(device));
  return records_json(documents);
}

std::string devices_csv(const std::vector<Device>& devices) {
  std::vector<DeviceNumber> rows;
  for (const Device& device : devices) {
    for (DeviceNumber& number : document_of(device).parameters) rows.push_back(std::move(number));
  }
  return records_csv(rows);
}

std::string devices_markdown(const std::vector<Device>& devices) {
  std::string out;
  for (const Device& device : devices) {
    out += (out.empty() ? "### " : "\n### ") + device.name + ": " + device.display_name + "\n";
    Table table({{"number"}, {"value", Align::kRight}, {"kind"}, {"source"}});
    for (const Parameter& parameter : parameters(device)) {
      table.add({parameter.path, format_parameter(parameter),
                 std::string(word_of(kProvenanceWords, parameter.source.kind)), parameter.source.source});
    }
    out += table.to_string({.markdown = true});
  }
  return out;
}

ResultTable device_list_table() {
  return describe_result<DeviceListDocument>(kDeviceListSchema[0], "The devices: devices list --format json");
}

ResultTable device_table() {
  return describe_result<DeviceDocument>(kDeviceSchema[0], "One device: devices show --format json");
}

}  // namespace hloroof::internal::inline report

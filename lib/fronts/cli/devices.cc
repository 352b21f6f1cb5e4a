#include <memory>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/registry.h"
#include "lib/report/device_report.h"

namespace hloroof::internal {
namespace {

struct DevicesFlags {
  std::vector<std::string> names;
  std::string format = "text";
};

void list(const std::string& format, Context& context) {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) {
    absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) return context.fail(device.status());
    devices.push_back(*std::move(device));
  }
  context.out << (format == "json"       ? device_list_json(devices)
                  : format == "csv"      ? device_list_csv(devices)
                  : format == "markdown" ? device_list_markdown(devices)
                                         : describe_devices(devices));
}

std::string show_text(const std::vector<Device>& devices) {
  std::string out;
  for (const Device& device : devices) out += (out.empty() ? "" : "\n") + describe_device(device);
  return out;
}

void show(const DevicesFlags& given, Context& context) {
  Request flags;
  flags.devices = given.names;
  absl::StatusOr<std::vector<Target>> targets = find_targets(flags);
  if (!targets.ok()) return context.fail(targets.status());
  std::vector<Device> devices;
  for (Target& target : *targets) devices.push_back(std::move(target.device));
  context.out << (given.format == "json"       ? devices_json(devices)
                  : given.format == "csv"      ? devices_csv(devices)
                  : given.format == "markdown" ? devices_markdown(devices)
                                               : show_text(devices));
}

// Far more than any real device file has.
constexpr std::int64_t kMaxDeviceFile = std::int64_t{16} << 20;

void check(const std::vector<std::string>& files, Context& context) {
  for (const std::string& file : files) {
    const auto text = SourceText::read(file, kMaxDeviceFile);
    if (!text.ok()) {
      context.fail(text.status());
      continue;
    }
    const absl::Status status = check_device_file((*text)->view(), file);
    if (!status.ok()) {
      context.fail(status);
      continue;
    }
    // A file that matches the schema may still fail to load, for example if it extends a device that does not exist.
    const absl::StatusOr<Device> device = load_device(file);
    if (file != "-" && !device.ok()) {
      context.fail(device.status());
      continue;
    }
    context.out << file << ": ok" << '\n';
  }
}

}  // namespace

Command devices_command(Context& context) {
  const std::string formats = "text|json|csv|markdown";
  auto list_format = std::make_shared<std::string>("text");
  Command list_command{.name = "list", .text = "Prints one line per device"};
  list_command.options = {format_option(*list_format, formats)};
  list_command.run = [list_format, &context] { list(*list_format, context); };

  Command show_command{.name = "show", .text = "Prints every parameter of a device with its source"};
  auto flags = std::make_shared<DevicesFlags>();
  show_command.positionals = {{.names = {"DEVICE"},
                               .argument = "DEVICE",
                               .text = "Name of a device or path of a device file",
                               .target = &flags->names,
                               .required = true}};
  show_command.options = {format_option(flags->format, formats)};
  show_command.run = [flags, &context] { show(*flags, context); };

  Command check_command{.name = "check", .text = "Validates device files"};
  auto files = std::make_shared<std::vector<std::string>>();
  check_command.positionals = {
      {.names = {"FILE"}, .text = "Path of a device file", .target = files.get(), .required = true}};
  check_command.run = [files, &context] { check(*files, context); };

  Command command{.name = "devices", .text = "Lists, shows and validates device descriptions"};
  command.subcommands = {list_command, show_command, check_command};
  return command;
}

}  // namespace hloroof::internal

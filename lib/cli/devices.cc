#include <memory>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal {
namespace {

void list(Context& context) {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) {
    absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) return context.fail(device.status());
    devices.push_back(*std::move(device));
  }
  context.out << describe_devices(devices);
}

void show(const std::vector<std::string>& names, Context& context) {
  PredictFlags flags;
  flags.devices = names;
  const absl::StatusOr<std::vector<Target>> targets = find_targets(flags);
  if (!targets.ok()) return context.fail(targets.status());
  for (std::size_t i = 0; i < targets->size(); ++i) {
    if (i > 0) context.out << '\n';
    context.out << describe_device((*targets)[i].device);
  }
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
  Command list_command{.name = "list", .text = "Prints one line per device"};
  list_command.run = [&context] { list(context); };

  Command show_command{.name = "show", .text = "Prints every parameter of a device with its source"};
  auto names = std::make_shared<std::vector<std::string>>();
  show_command.positionals = {{.names = {"DEVICE"},
                               .argument = "DEVICE",
                               .text = "Name of a device or path of a device file",
                               .target = names.get(),
                               .required = true}};
  show_command.run = [names, &context] { show(*names, context); };

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

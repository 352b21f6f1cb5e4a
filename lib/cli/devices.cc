#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/hardware/describe.h"

namespace hloroof::inline v0 {
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
  const absl::StatusOr<std::vector<Device>> devices = load_devices(flags);
  if (!devices.ok()) return context.fail(devices.status());
  for (std::size_t i = 0; i < devices->size(); ++i) {
    if (i > 0) context.out << '\n';
    context.out << describe_device((*devices)[i]);
  }
}

// A device file may be larger than any real one by far before it is refused.
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
    // What the schema allows may still not make a device, e.g. when it extends one that is not there.
    const absl::StatusOr<Device> device = load_device(file);
    if (file != "-" && !device.ok()) {
      context.fail(device.status());
      continue;
    }
    context.out << file << ": ok" << '\n';
  }
}

}  // namespace

void add_devices(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("devices", "What is known about each device, with sources");
  command->require_subcommand(1);
  command->add_subcommand("list", "One line a device")->callback([&context] { list(context); });

  CLI::App* show_command = command->add_subcommand("show", "Every number of a device with its source");
  auto names = std::make_shared<std::vector<std::string>>();
  show_command->add_option("DEVICE", *names, "Device name or file")->required()->type_name("DEVICE");
  show_command->callback([names, &context] { show(*names, context); });

  CLI::App* check_command = command->add_subcommand("check", "Validates device files");
  auto files = std::make_shared<std::vector<std::string>>();
  check_command->add_option("FILE", *files, "Device file")->required();
  check_command->callback([files, &context] { check(*files, context); });
}

}  // namespace hloroof::inline v0

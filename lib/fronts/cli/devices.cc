#include <memory>

#include "lib/base/source_text.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal::inline cli {
namespace {

struct DevicesFlags {
  std::vector<std::string> names;
  AnswerFlags answer;
};

void list(const AnswerFlags& flags, Context& context) {
  std::vector<Device> devices;
  for (const std::string& name : device_names()) {
    absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) return context.fail(device.status());
    devices.push_back(*std::move(device));
  }
  write_answer(ListedDevices{&devices}, flags, context);
}

void show(const DevicesFlags& flags, Context& context) {
  Request request;
  request.devices = flags.names;
  absl::StatusOr<std::vector<Target>> targets = find_targets(request);
  if (!targets.ok()) return context.fail(targets.status());
  std::vector<Device> devices;
  for (Target& target : *targets) devices.push_back(std::move(target.device));
  write_answer(ShownDevices{&devices}, flags.answer, context);
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
  auto list_flags = std::make_shared<AnswerFlags>();
  Command list_command{.name = "list", .text = "Prints one line per device"};
  list_command.options = {answer_format_option(*list_flags, "devices")};
  list_command.run = [list_flags, &context] { list(*list_flags, context); };

  Command show_command{.name = "show", .text = "Prints every parameter of a device with its source"};
  auto flags = std::make_shared<DevicesFlags>();
  show_command.positionals = {{.names = {"DEVICE"},
                               .argument = "DEVICE",
                               .text = "Name of a device or path of a device file",
                               .target = &flags->names,
                               .required = true,
                               .reads = Reads::kDevices}};
  show_command.options = {answer_format_option(flags->answer, "device")};
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

}  // namespace hloroof::internal::inline cli

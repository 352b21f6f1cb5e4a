// Prints what is read from the folder of a profile: a line for each op with its program, occurrences and self time in
// picoseconds, one for each gap, device and step.
#include <cstdio>
#include <iostream>

#include "lib/profile/profile_folder.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: profile_tool FOLDER\n";
    return 2;
  }
  const auto profile = hloroof::internal::load_profile(argv[1]);
  if (!profile.ok()) {
    std::cerr << profile.status().message() << "\n";
    return 1;
  }
  for (const auto& program : profile->programs) {
    for (const auto& op : program.ops) {
      std::printf("op\t%s\t%s\t%.0f\t%.0f\n", program.name.c_str(), op.name.c_str(), op.occurrences, op.seconds * 1e12);
    }
    for (const auto& device : program.devices) {
      std::printf("device\t%s\t%s\t%s\t%.0f\t%.0f\n", program.name.c_str(), device.host.c_str(), device.name.c_str(),
                  device.runs, device.wall_seconds * 1e12);
    }
  }
  for (const double step : profile->step_seconds) std::printf("step\t%.0f\n", step * 1e12);
  return 0;
}

#include <string>
#include <vector>

#include "lib/fronts/cli/process.h"

int main(int argc, char** argv) {
  return hloroof::internal::run_process(std::vector<std::string>(argv + 1, argv + argc));
}

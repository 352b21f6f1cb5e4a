// Writes the descriptions of the results into a folder:  hloroof_write_descriptions FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "lib/fronts/cli/descriptions.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: hloroof_write_descriptions FOLDER\n");
    return 1;
  }
  for (const auto& [path, text] : hloroof::internal::description_files()) {
    const std::filesystem::path file = std::filesystem::path(argv[1]) / path;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::ofstream out(file, std::ios::binary);
    if (!(out << text).flush()) {
      std::fprintf(stderr, "cannot write %s\n", file.c_str());
      return 1;
    }
  }
  return 0;
}

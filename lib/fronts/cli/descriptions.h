// The files that describe the results to other programs: a JSON schema of each, and classes of those that are objects
// in the Python package. The build writes them (write_descriptions.cc); tests/describe has what they are to be.
#ifndef HLOROOF_LIB_FRONTS_CLI_DESCRIPTIONS_H_
#define HLOROOF_LIB_FRONTS_CLI_DESCRIPTIONS_H_

#include <string>
#include <vector>

namespace hloroof::internal::inline cli {

struct DescriptionFile {
  std::string path;  // schema/NAME.schema.json or python/NAME.py
  std::string text;
};

std::vector<DescriptionFile> description_files();

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_DESCRIPTIONS_H_

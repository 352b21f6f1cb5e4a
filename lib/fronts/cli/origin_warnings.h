// Warns that the device would run another module than the text.
#ifndef HLOROOF_LIB_FRONTS_CLI_ORIGIN_WARNINGS_H_
#define HLOROOF_LIB_FRONTS_CLI_ORIGIN_WARNINGS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/predict.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {

// For commands whose result does not begin with these warnings, as that of `predict` does.
class OriginWarnings {
 public:
  explicit OriginWarnings(Context& context) : context_(context) {}

  // Writes `hloroof: warning: FILE: message [code]` to err for each diagnostic about the origin of the module, once for
  // all predictions of a file.
  void add(std::string_view file, const std::vector<Diagnostic>& diagnostics);

 private:
  Context& context_;
  std::set<std::string> written_;
};

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_ORIGIN_WARNINGS_H_

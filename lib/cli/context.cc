#include "lib/cli/context.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace hloroof::internal {

void Context::fail(const absl::Status& status, int code) {
  const std::string message(status.message());
  const bool has_place = message.find(": error: ") != std::string::npos;
  err << (has_place ? "" : "hloroof: ") << message << (message.empty() || message.back() != '\n' ? "\n" : "");
  exit_code = code;
}

void Context::fail_prediction(const absl::Status& status) {
  fail(status, status.code() == absl::StatusCode::kFailedPrecondition ? kExitIncomplete : kExitBadInput);
}

absl::Status write_output(Context& context, const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    context.out << text << std::flush;
    return context.out ? absl::OkStatus() : absl::DataLossError("cannot write the result");
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::PermissionDeniedError("cannot write " + path + ": " + std::strerror(errno));
  return absl::OkStatus();
}

}  // namespace hloroof::internal

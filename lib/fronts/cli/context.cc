#include "lib/fronts/cli/context.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline cli {

namespace {

// Removes control bytes, which names in the input may have, from each line.
std::string without_control_bytes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    make_printable(line);
    out += line;
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::size_t Context::width(bool wide, const std::string& output) const {
  if (wide) return 0;
  const bool is_file = !output.empty() && output != "-";
  return is_file ? Terminal().width : terminal.width;
}

TextLayout Context::layout(std::string_view format, bool wide, const std::string& output) const {
  return {width(wide, output), format == "markdown"};
}

void Context::fail(const absl::Status& status, int code) {
  const std::string message = without_control_bytes(from_absl(status.message()));
  const bool has_place = message.find(": error: ") != std::string::npos;
  err << (has_place ? "" : "hloroof: ") << message << (message.empty() || message.back() != '\n' ? "\n" : "");
  if (exit_code == kExitOk) exit_code = code;
}

absl::Status Context::take_input(std::string_view file) {
  if (file != "-") return absl::OkStatus();
  if (took_standard_input) {
    return invalid_argument("- is standard input, which can be read once; save one of its inputs in a file");
  }
  took_standard_input = true;
  return absl::OkStatus();
}

void Context::note(std::string_view file, std::string_view text) {
  if (!text.empty()) err << "hloroof: note: " << (file == "-" ? "<stdin>" : file) << ": " << text << '\n';
}

void Context::fail_prediction(const absl::Status& status) {
  fail(status, status.code() == absl::StatusCode::kFailedPrecondition ? kExitIncomplete : kExitBadInput);
}

absl::Status write_output(Context& context, const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    context.out << text;
    return absl::OkStatus();
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::PermissionDeniedError("cannot write " + path + ": " + std::strerror(errno));
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline cli

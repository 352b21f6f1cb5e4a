// Answers requests of the scripts in this folder about a text.
//
// Standard input is a sequence of requests `WHAT SIZE\n` + SIZE bytes of text. The answer to each is `ok SIZE\n` or
// `error SIZE\n` + SIZE bytes. WHAT is `verdict` (parses with `strict`; the answer is empty or the message) or `print`
// (prints the default form) or `annotate` (the same with the predicted times on a device as comments; an error if no
// device runs the module).
#include <cstddef>
#include <iostream>
#include <string>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "lib/report/annotated_text.h"
#include "tests/any_backend.h"

namespace {

absl::StatusOr<std::string> annotate(const hloroof::Module& module) {
  absl::Status status;
  for (const char* device : {"tpu_v5e", "tpu_v5p", "h100_sxm"}) {
    const auto prediction = hloroof::predict_step_time(module, *hloroof::find_target(device), hloroof::any_backend());
    if (prediction.ok()) return hloroof::internal::annotated_text(module, *prediction, hloroof::PrintOptions(), 0);
    status = prediction.status();
  }
  return absl::FailedPreconditionError("not predicted: " + std::string(status.message()));
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string what;
  std::size_t size = 0;
  std::string text;
  hloroof::Module module;
  while (std::cin >> what >> size) {
    std::cin.get();
    text.resize(size);
    std::cin.read(text.data(), static_cast<std::streamsize>(size));
    hloroof::ParseOptions options;
    options.path = "f";
    options.strict = what == "verdict";
    absl::Status status = hloroof::Parser(options).parse(text, module);
    std::string answer;
    if (status.ok() && what == "print") {
      answer = print_module(module);
    } else if (status.ok() && what == "annotate") {
      const absl::StatusOr<std::string> annotated = annotate(module);
      status = annotated.status();
      if (annotated.ok()) answer = *annotated;
    }
    if (!status.ok()) answer = std::string(status.message());
    std::cout << (status.ok() ? "ok " : "error ") << answer.size() << '\n' << answer << std::flush;
  }
  return 0;
}

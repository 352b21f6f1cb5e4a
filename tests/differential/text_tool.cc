// Answers requests of the scripts in this folder about a text.
//
// Standard input is a sequence of requests `WHAT SIZE\n` + SIZE bytes of text. The answer to each is `ok SIZE\n` or
// `error SIZE\n` + SIZE bytes. WHAT is `verdict` (parses with `strict`; the answer is empty or the message) or `print`
// (prints the default form).
#include <cstddef>
#include <iostream>
#include <string>

#include "hloroof/parse.h"
#include "hloroof/print.h"

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
    const absl::Status status = hloroof::Parser(options).parse(text, module);
    std::string answer;
    if (!status.ok()) {
      answer = std::string(status.message());
    } else if (what == "print") {
      answer = print_module(module);
    }
    std::cout << (status.ok() ? "ok " : "error ") << answer.size() << '\n' << answer << std::flush;
  }
  return 0;
}

// Reads a module from an arbitrary file. The result must be a module or a message that a terminal can show, and a text
// that parses as one module must be read as that module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hloroof/parse.h"
#include "lib/base/source_text.h"
#include "lib/input/module_file.h"
#include "lib/input/module_sections.h"

namespace {

using hloroof::internal::LoadedModule;
using hloroof::internal::ModuleSection;
using hloroof::internal::SourceText;

// Sections are in order, do not overlap, and keep the lines of the file.
void check_sections(std::string_view text) {
  std::size_t last = 0;
  for (const ModuleSection& section : hloroof::internal::find_sections(text)) {
    if (section.begin < last || section.end < section.begin || section.end > text.size()) std::abort();
    last = section.end;
    const std::string part = hloroof::internal::section_text(text, section);
    if (hloroof::internal::line_column(part, part.size()).line > text.size() + 1) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  hloroof::ParseOptions options;
  options.max_bytes = 1 << 20;
  for (const std::string_view choice : {"", "1", "m"}) {
    const absl::StatusOr<LoadedModule> loaded =
        hloroof::internal::parse_module_file(SourceText::copy(bytes, "file"), choice, options);
    if (!loaded.ok()) {
      const std::string message(loaded.status().message());
      if (message.empty() || message.size() > 20'000) std::abort();
      for (const char c : message) {
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
      }
    }
    if (choice.empty() && bytes.substr(0, 10) == "HloModule ") {
      const absl::StatusOr<hloroof::Module> module = hloroof::parse_module(bytes, options);
      if (module.ok() && (!loaded.ok() || !hloroof::equal(*module, loaded->module))) std::abort();
    }
  }
  check_sections(bytes);
  return 0;
}

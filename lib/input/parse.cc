#include "hloroof/parse.h"

#include <string>
#include <utility>

#include "lib/base/source_text.h"
#include "lib/input/file_kind.h"
#include "lib/input/module_file.h"
#include "lib/text/module_parser.h"

namespace hloroof::inline v0 {
using namespace internal;

struct Parser::State {
  ParseOptions options;
  ModuleParser parser;
  std::shared_ptr<SourceText> source;  // the last text, shared with its module
};

Parser::Parser(ParseOptions options) : state_(new State{std::move(options), {}, {}}) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

absl::Status Parser::parse(std::string_view text, Module& module) {
  const ParseOptions& options = state_->options;
  if (absl::Status status = check_size(text.size(), options.path, options); !status.ok()) return status;
  const long holders = state_->source != nullptr && ModuleBuilder(module).has_source(state_->source.get()) ? 2 : 1;
  SourceText::reuse(&state_->source, holders, text, options.path, options.borrow);
  return state_->parser.parse(state_->source, options, module);
}

absl::StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options) {
  Module module;
  absl::Status status = Parser(options).parse(text, module);
  if (status.ok()) return module;
  const FileKind kind = text.empty() ? FileKind::kHlo : recognize_text(text);
  if (kind == FileKind::kHlo || kind == FileKind::kEmpty || kind == FileKind::kOtherText) return status;
  return refuse_file(kind, options.path);
}

absl::StatusOr<Module> load_module(const std::string& path, const ParseOptions& options) {
  absl::StatusOr<LoadedModule> loaded = load_module_file(path, options);
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->module);
}

}  // namespace hloroof::inline v0

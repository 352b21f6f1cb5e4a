
#include <string>
#include <utility>

#include "hloroof/parse.h"
#include "lib/base/source_text.h"
#include "lib/text/module_parser.h"
#include "lib/text/parse_proto.h"
#include "lib/text/proto.h"

namespace hloroof::internal {

namespace {

absl::Status check_size(std::size_t size, const ParseOptions& options) {
  // Offsets have 32 bits, and text that edits add needs some of the range.
  constexpr std::int64_t kLargest = 0xfffffff0;
  const std::int64_t limit = std::min(options.max_bytes, kLargest);
  if (static_cast<std::int64_t>(size) <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(options.path + ": " + std::to_string(size) +
                                      " bytes are larger than the limit of " + std::to_string(limit) + " bytes");
}

}  // namespace

absl::StatusOr<std::vector<Module>> parse_modules(std::string_view text, const ParseOptions& options) {
  constexpr std::string_view kSeparator = "// -----";
  if (absl::Status status = check_size(text.size(), options); !status.ok()) return status;
  std::vector<Module> modules;
  ModuleParser parser;
  std::size_t begin = 0;
  std::size_t lines_before = 0;
  while (true) {
    // The part before the next line that begins with the separator.
    std::size_t lines = 0;
    std::size_t line = begin;
    while (line < text.size() && text.substr(line, kSeparator.size()) != kSeparator) {
      const std::size_t end = text.find('\n', line);
      line = end == std::string_view::npos ? text.size() : end + 1;
      ++lines;
    }
    modules.emplace_back();
    absl::Status status = parser.parse(SourceText::copy(text.substr(begin, line - begin), options.path), options,
                                       modules.back(), lines_before);
    if (!status.ok()) return status;
    const std::size_t end = text.find('\n', line);
    if (line >= text.size() || end == std::string_view::npos) return modules;
    begin = end + 1;
    lines_before += lines + 1;
  }
}

}  // namespace hloroof::internal

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
  if (absl::Status status = check_size(text.size(), options); !status.ok()) return status;
  const long holders = state_->source != nullptr && ModuleBuilder(module).has_source(state_->source.get()) ? 2 : 1;
  SourceText::reuse(&state_->source, holders, text, options.path, options.borrow);
  return state_->parser.parse(state_->source, options, module);
}

absl::StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options) {
  Module module;
  absl::Status status = Parser(options).parse(text, module);
  if (!status.ok()) return status;
  return module;
}

absl::StatusOr<Module> load_module(const std::string& path, const ParseOptions& options) {
  if (const auto [file, name] = split_proto_path(path); !file.empty()) {
    const absl::StatusOr<std::shared_ptr<const SourceText>> bytes = SourceText::read(file, options.max_bytes);
    if (!bytes.ok()) return bytes.status();
    ParseOptions of_file = options;
    of_file.path = file;
    return parse_named_proto((*bytes)->view(), name, of_file);
  }
  absl::StatusOr<std::shared_ptr<const SourceText>> source = SourceText::read(path, options.max_bytes);
  if (!source.ok()) return source.status();
  if (absl::Status status = check_size((*source)->size(), options); !status.ok()) return status;
  Module module;
  ModuleParser parser;
  absl::Status status = parser.parse(*std::move(source), options, module);
  if (!status.ok()) return status;
  return module;
}

}  // namespace hloroof::inline v0

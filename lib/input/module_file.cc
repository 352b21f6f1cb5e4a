#include "lib/input/module_file.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/base/utf.h"
#include "lib/input/compile_environment.h"
#include "lib/input/file_kind.h"
#include "lib/input/module_choice.h"
#include "lib/input/module_sections.h"
#include "lib/ir/module_builder.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline input {
namespace {

absl::StatusOr<LoadedModule> parse_source(std::shared_ptr<const SourceText> source, const ParseOptions& options) {
  LoadedModule loaded;
  ModuleParser parser;
  absl::Status status = parser.parse(std::move(source), options, loaded.module);
  if (!status.ok()) return status;
  return loaded;
}

std::string count_of_lines(std::size_t count) { return absl::StrCat(count, count == 1 ? " line" : " lines"); }

std::string note_of(const SkippedLines& skipped) {
  if (skipped.before + skipped.after == 0) return "";
  if (skipped.after == 0) return absl::StrCat("skipped ", count_of_lines(skipped.before), " before the module");
  if (skipped.before == 0) return absl::StrCat("skipped ", count_of_lines(skipped.after), " after the module");
  return absl::StrCat("skipped ", count_of_lines(skipped.before), " before the module and ", skipped.after,
                      " after it");
}

// Returns the text as UTF-8 without a byte order mark, or `source` itself if that is what it is.
absl::StatusOr<std::shared_ptr<const SourceText>> as_utf8(std::shared_ptr<const SourceText> source, FileKind kind) {
  const std::string_view bytes = source->view();
  if (kind == FileKind::kUtf16) {
    const std::optional<std::string> text = utf16_to_utf8(bytes);
    if (!text) return refuse_file(kind, source->path());
    return SourceText::copy(*text, source->path());
  }
  if (bytes.substr(0, kUtf8Mark.size()) != kUtf8Mark) return source;
  return SourceText::copy(bytes.substr(kUtf8Mark.size()), source->path());
}

// Parses one of the modules among the lines of a text. `unsplit` is the error of parsing the text as one module.
absl::StatusOr<LoadedModule> parse_section(const SourceText& source, std::string_view choice,
                                           const ParseOptions& options, const absl::Status& unsplit) {
  const std::string_view text = source.view();
  std::vector<ModuleSection> sections = find_sections(text);
  std::vector<ModuleSection> parts = find_parts(text);
  if (parts.size() > 1 && parts.size() > sections.size()) sections = std::move(parts);
  if (sections.empty()) {
    const FileKind kind = recognize_text(text);
    if (kind != FileKind::kHlo) return refuse_file(kind, source.path());
    if (choice.empty()) return unsplit;
    return not_found(absl::StrCat(source.path(), ": no module ", to_absl(choice), "; no line begins with HloModule"));
  }
  std::vector<std::string_view> names;
  names.reserve(sections.size());
  for (const ModuleSection& section : sections) names.push_back(section.name);
  const absl::StatusOr<std::size_t> chosen = choose_module(names, choice, source.path());
  if (!chosen.ok()) return chosen.status();
  const ModuleSection& section = sections[*chosen];
  const SkippedLines skipped = lines_around(text, section);
  if (choice.empty() && section.prefix.empty() && skipped.before + skipped.after == 0) return unsplit;
  absl::StatusOr<LoadedModule> loaded =
      parse_source(SourceText::copy(section_text(text, section), source.path()), options);
  if (loaded.ok() && sections.size() == 1) loaded->note = note_of(skipped);
  return loaded;
}

bool is_named_proto(const std::string& path) { return absl::EndsWith(path, ".pb") || absl::EndsWith(path, ".pb.gz"); }

}  // namespace

absl::Status check_size(std::size_t size, const std::string& path, const ParseOptions& options) {
  // Offsets have 32 bits, and text that edits add needs some of the range.
  constexpr std::int64_t kLargest = 0xfffffff0;
  const std::int64_t limit = std::min(options.max_bytes, kLargest);
  if (static_cast<std::int64_t>(size) <= limit) return absl::OkStatus();
  return resource_exhausted(path + ": " + std::to_string(size) + " bytes are larger than the limit of " +
                            std::to_string(limit) + " bytes");
}

absl::StatusOr<LoadedModule> parse_module_file(std::shared_ptr<const SourceText> source, std::string_view choice,
                                               const ParseOptions& given, LargeConstants constants) {
  if (absl::Status status = check_size(source->size(), source->path(), given); !status.ok()) return status;
  ParseOptions options = given;
  options.path = source->path();
  options.borrow = false;
  const FileKind kind = recognize_bytes(source->view());
  // The name says that it is a proto, and neither does the content say otherwise.
  const bool is_named = is_named_proto(source->path()) && kind == FileKind::kHlo &&
                        recognize_text(source->view()) == FileKind::kOtherText;
  if (kind == FileKind::kBinary || is_named) {
    const auto text = chosen_proto_source(source->view(), choice, options, constants);
    if (text.ok()) return parse_source(*text, options);
    const bool is_proto = is_named_proto(source->path()) || holds_modules(source->view());
    return is_proto ? text.status() : refuse_file(FileKind::kBinary, source->path());
  }
  if (kind != FileKind::kHlo && kind != FileKind::kUtf16) return refuse_file(kind, source->path());
  absl::StatusOr<std::shared_ptr<const SourceText>> text = as_utf8(std::move(source), kind);
  if (!text.ok()) return text.status();
  absl::Status unsplit;
  if (choice.empty()) {
    absl::StatusOr<LoadedModule> loaded = parse_source(*text, options);
    if (loaded.ok()) return loaded;
    unsplit = loaded.status();
    if (unsplit.code() == absl::StatusCode::kResourceExhausted) return unsplit;
  }
  return parse_section(**text, choice, options, unsplit);
}

absl::StatusOr<LoadedModule> load_module_file(const std::string& path, const ParseOptions& options,
                                              LargeConstants constants) {
  const auto [file, choice] = split_module_path(path);
  absl::StatusOr<std::shared_ptr<const SourceText>> source = SourceText::read(file, options.max_bytes);
  if (!source.ok()) return source.status();
  absl::StatusOr<LoadedModule> loaded = parse_module_file(*std::move(source), choice, options, constants);
  if (loaded.ok()) {
    ModuleBuilder(loaded->module).set_scoped_vmem_limit_kib(scoped_vmem_limit_kib_beside(file).value_or(0));
  }
  return loaded;
}

}  // namespace hloroof::internal::inline input

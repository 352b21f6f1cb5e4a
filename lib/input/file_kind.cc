#include "lib/input/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/base/strings.h"
#include "lib/base/utf.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline input {
namespace {

using std::string_view_literals::operator""sv;

// The bytes at the start of a file that decide whether it is text.
constexpr std::size_t kHead = 4096;

struct Magic {
  std::string_view bytes;
  FileKind kind;
};

constexpr Magic kMagics[] = {
    {"\x28\xb5\x2f\xfd"sv, FileKind::kZstd},  // RFC 8878
    {"\xfd\x37zXZ\x00"sv, FileKind::kXz},     // The .xz File Format, section 2.1.1.1
    {"BZh"sv, FileKind::kBzip2},              // followed by the size of a block, 1 to 9
    {"\x04\x22\x4d\x18"sv, FileKind::kLz4},   // LZ4 Frame Format
    {"PK\x03\x04"sv, FileKind::kZip},         // APPNOTE.TXT, section 4.3.7
    {"ML\xefR"sv, FileKind::kMlirBytecode},   // MLIR Bytecode Format
    {"\xff\xfe"sv, FileKind::kUtf16},         // byte order marks
    {"\xfe\xff"sv, FileKind::kUtf16},         //
};

// What a file is and the remedy. FILE in the remedy becomes the path.
struct Refusal {
  FileKind kind;
  std::string_view what;
  std::string_view remedy;
};

#define HLOROOF_DECOMPRESS(program) "\n  " program " FILE |\n    hloroof predict - --device DEVICE"
#define HLOROOF_DUMP                                           \
  "\n  XLA writes HLO text to DIR with"                        \
  "\n    XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'" \
  "\n  and JAX prints it with"                                 \
  "\n    print(jax.jit(f).lower(*args).compile().as_text())"
#define HLOROOF_COMPILE                                             \
  "\n  JAX compiles a function to HLO with"                         \
  "\n    print(jax.jit(f).lower(*args).compile().as_text())"        \
  "\n  and XLA converts the file to HLO that is not optimized with" \
  "\n    xla-translate --stablehlo-to-hlo-text FILE"
#define HLOROOF_COMPARE "\n  hloroof compare MODULE --profile FILE --device DEVICE"

#define HLOROOF_ENCODE(message)               \
  "\n  In a checkout of XLA, convert it with" \
  "\n    protoc --encode=xla." message        \
  " xla/service/hlo.proto < FILE > module.pb" \
  "\n  or write HLO text instead with"        \
  "\n    XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'"

constexpr Refusal kRefusals[] = {
    {FileKind::kEmpty, "is empty", HLOROOF_DUMP},
    {FileKind::kBinary, "is neither HLO text nor a complete proto that holds a module", ""},
    {FileKind::kUtf16, "is UTF-16 text that is cut in the middle of a character",
     "\n  iconv -c -f UTF-16 -t UTF-8 FILE |\n    hloroof predict - --device DEVICE"},
    {FileKind::kZstd, "is compressed with zstd", HLOROOF_DECOMPRESS("zstd -dc")},
    {FileKind::kXz, "is compressed with xz", HLOROOF_DECOMPRESS("xz -dc")},
    {FileKind::kBzip2, "is compressed with bzip2", HLOROOF_DECOMPRESS("bzip2 -dc")},
    {FileKind::kLz4, "is compressed with lz4", HLOROOF_DECOMPRESS("lz4 -dc")},
    {FileKind::kZip, "is a zip archive", HLOROOF_DECOMPRESS("unzip -p")},
    {FileKind::kMlirBytecode, "is MLIR bytecode, such as StableHLO, not HLO", HLOROOF_COMPILE},
    {FileKind::kMlir, "is MLIR, such as StableHLO, not HLO", HLOROOF_COMPILE},
    {FileKind::kTextHloProto, "is an HloProto in text form, not HLO text", HLOROOF_ENCODE("HloProto")},
    {FileKind::kTextModuleProto, "is an HloModuleProto in text form, not HLO text", HLOROOF_ENCODE("HloModuleProto")},
    {FileKind::kTextSnapshot, "is an HloSnapshot in text form, not HLO text", HLOROOF_ENCODE("HloSnapshot")},
    {FileKind::kDot, "is a Graphviz graph, not HLO text", HLOROOF_DUMP},
    {FileKind::kBufferAssignment, "is the buffer assignment of a module, not its text",
     "\n  Pass *after_optimizations.txt of the same module, or the folder."},
    {FileKind::kReport, "is a page of hloroof, not HLO text", "\n  Pass the module that it was made from."},
    {FileKind::kHtml, "is an HTML page, not HLO text", HLOROOF_DUMP},
    {FileKind::kResult, "is JSON that hloroof wrote, not HLO text", "\n  Pass the module that it was made from."},
    {FileKind::kDevice, "is a device file, not HLO text", "\n  hloroof predict MODULE --device FILE"},
    {FileKind::kTrace, "is a Chrome trace, not HLO text", HLOROOF_COMPARE},
    {FileKind::kProfileTable, "is a table of measured ops, not HLO text", HLOROOF_COMPARE},
    {FileKind::kJson, "is JSON, not HLO text", HLOROOF_DUMP},
    {FileKind::kOtherText, "is text, but no line of it is HLO", HLOROOF_DUMP},
};
#undef HLOROOF_ENCODE
#undef HLOROOF_COMPARE
#undef HLOROOF_COMPILE
#undef HLOROOF_DUMP
#undef HLOROOF_DECOMPRESS

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Whether the text has control bytes that no text has, or is mostly not UTF-8.
bool is_binary(std::string_view head) {
  std::size_t invalid = 0;
  for (std::size_t i = 0; i < head.size();) {
    const auto c = static_cast<unsigned char>(head[i]);
    const bool is_escape = c == 0x1b;  // of a log with colours
    if (c < 0x09 || (c > 0x0d && c < 0x20 && !is_escape)) return true;
    const std::size_t length = utf8_length(head, i);
    if (length == 0) ++invalid;
    i += std::max<std::size_t>(length, 1);
  }
  return invalid > head.size() / 4;
}

// Whether `text` begins with an array type: f32[ or bf16[.
bool is_array_type(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && i < 16 && (is_digit(text[i]) || (text[i] >= 'a' && text[i] <= 'z'))) ++i;
  return i > 1 && i < text.size() && text[i] == '[';
}

// Whether a line without leading blanks begins MLIR: a module, a function, or an alias of an attribute.
bool is_mlir_line(std::string_view line) {
  for (std::string_view word : {"module @", "module {", "module attributes", "func.func ", "\"builtin.module\"", "#loc",
                                "#map", "#sdy.", "sdy.mesh "}) {
    if (line.starts_with(word)) return true;
  }
  return line.starts_with("%") && (contains(line, "= stablehlo.") || contains(line, "= mhlo.") ||
                                   contains(line, "= \"stablehlo.") || contains(line, "= \"mhlo."));
}

FileKind kind_of_json(std::string_view text) {
  if (contains(text, "\"traceEvents\"")) return FileKind::kTrace;
  if (contains(text, "\"hloroof.device/")) return FileKind::kDevice;
  if (contains(text, "\"hloroof.")) return FileKind::kResult;
  if (contains(text, "\"cols\"") && contains(text, "\"rows\"")) return FileKind::kProfileTable;
  return FileKind::kJson;
}

// The text of a proto after the lines that begin with #, such as # RUN of a test.
std::string_view skip_proto_comments(std::string_view text) {
  while (text.starts_with("#")) text = skip_blanks(text.substr(std::min(text.find('\n'), text.size())));
  return text;
}

// The kinds whose first words decide.
FileKind kind_of_start(std::string_view text) {
  const std::string_view head = text.substr(0, kHead);
  const std::string_view line = head.substr(0, head.find('\n'));
  if (absl::StartsWithIgnoreCase(to_absl(head), "<!doctype html") ||
      absl::StartsWithIgnoreCase(to_absl(head), "<html")) {
    return contains(head, "hloroof") ? FileKind::kReport : FileKind::kHtml;
  }
  if (head.starts_with("{") || head.starts_with("[")) return kind_of_json(text);
  if (head.starts_with("digraph ")) return FileKind::kDot;
  if (head.starts_with("BufferAssignment:")) return FileKind::kBufferAssignment;
  const struct {
    std::string_view field;
    FileKind kind;
  } protos[] = {{"hlo_module", FileKind::kTextHloProto},
                {"hlo", FileKind::kTextSnapshot},
                {"entry_computation_name:", FileKind::kTextModuleProto}};
  const std::string_view message = skip_proto_comments(head);
  for (const auto& [field, kind] : protos) {
    if (!message.starts_with(field)) continue;
    const std::string_view after = message.substr(field.size());
    if (field.back() == ':' || after.starts_with(" {") || after.starts_with(": {")) return kind;
  }
  if (message.starts_with("name: \"") && contains(message, "\nentry_computation_name:"))
    return FileKind::kTextModuleProto;
  if (contains(line, ",") && contains(absl::AsciiStrToLower(to_absl(line)), "hlo op")) return FileKind::kProfileTable;
  return FileKind::kHlo;
}

// The path as a shell reads it.
std::string quoted(std::string_view path) {
  const bool is_plain = std::all_of(path.begin(), path.end(), [](char c) {
    return is_word(c) || c == '/' || c == '+' || c == ',' || c == '=' || c == '@' || c == ':';
  });
  if (is_plain) return std::string(path);
  std::string out = "'";
  for (char c : path) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string_view skip_blanks(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_space(text[i])) ++i;
  return text.substr(i);
}

bool is_hlo_line(std::string_view line) {
  for (std::string_view word : {"HloModule ", "ENTRY ", "ROOT "}) {
    if (line.starts_with(word)) return true;
  }
  if (line.size() > 1 && line[0] == '%' && is_word_start(line[1])) {
    return contains(line, " = ") || contains(line, "{") || contains(line, "(");
  }
  std::size_t name = 0;
  while (name < line.size() && is_word(line[name])) ++name;
  if (name == 0) return false;
  std::string_view rest = line.substr(name);
  if (rest.starts_with(" = ")) {
    rest.remove_prefix(3);
    while (!rest.empty() && rest.front() == '(') rest.remove_prefix(1);
    return is_array_type(rest) || rest.starts_with("token[");
  }
  return skip_blanks(rest).starts_with("(") && contains(rest, ") -> ");
}

FileKind recognize_bytes(std::string_view bytes) {
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return magic.kind;
  }
  const std::string_view head = bytes.substr(0, kHead);
  const std::string_view text = skip_blanks(head);
  if (text.empty() && head.size() == bytes.size()) return FileKind::kEmpty;
  if (text.starts_with("HloModule ")) return FileKind::kHlo;
  return is_binary(head) ? FileKind::kBinary : FileKind::kHlo;
}

FileKind recognize_text(std::string_view text) {
  text = skip_blanks(text);
  if (text.empty()) return FileKind::kEmpty;
  if (const FileKind kind = kind_of_start(text); kind != FileKind::kHlo) return kind;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    // A line of MLIR may look like HLO, but not the other way round.
    if (is_mlir_line(line)) return FileKind::kMlir;
    if (is_hlo_line(line)) return FileKind::kHlo;
    text = skip_blanks(text.substr(end));
  }
  return FileKind::kOtherText;
}

absl::Status refuse_file(FileKind kind, std::string_view path) {
  std::string message(path);
  for (const Refusal& refusal : kRefusals) {
    if (refusal.kind != kind) continue;
    message += ": ";
    message += refusal.what;
    std::string_view remedy = refusal.remedy;
    constexpr std::string_view kFile = "FILE";
    const bool has_name = path.substr(0, 1) != "<";  // not <stdin> or <text>
    for (std::size_t at = remedy.find(kFile); has_name && at != std::string_view::npos; at = remedy.find(kFile)) {
      message += remedy.substr(0, at);
      message += quoted(path);
      remedy.remove_prefix(at + kFile.size());
    }
    message += remedy;
  }
  return invalid_argument(message);
}

}  // namespace hloroof::internal::inline input

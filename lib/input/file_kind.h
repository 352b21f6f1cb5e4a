// Recognizes files that are not HLO text, so that the message can say what such a file is and what to do with it.
#ifndef HLOROOF_LIB_INPUT_FILE_KIND_H_
#define HLOROOF_LIB_INPUT_FILE_KIND_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace hloroof::internal::inline input {

enum class FileKind : std::uint8_t {
  kHlo,    // has a line of HLO text
  kEmpty,  // no bytes, or only white space
  // Encodings and compressions, which the first bytes show.
  kBinary,  // may be a proto
  kUtf16,
  kZstd,
  kXz,
  kBzip2,
  kLz4,
  kZip,
  kMlirBytecode,
  // Texts.
  kMlir,          // StableHLO or another dialect
  kTextHloProto,  // these three in protobuf's text form
  kTextModuleProto,
  kTextSnapshot,
  kDot,               // a Graphviz graph
  kBufferAssignment,  // XLA's dump of a buffer assignment
  kReport,            // a page of `hloroof predict --format html`
  kHtml,
  kResult,        // JSON that hloroof wrote
  kDevice,        // a device file
  kTrace,         // a Chrome trace
  kProfileTable,  // XProf's hlo_stats as CSV or JSON
  kJson,
  kOtherText,
};

// The kind of a file by its first bytes: one of the encodings, kEmpty, or kHlo, which then only says that it is text.
FileKind recognize_bytes(std::string_view bytes);

// The kind of a text that did not parse. kHlo if a line of it looks like HLO, so that the parser's message applies.
FileKind recognize_text(std::string_view text);

// The text without the white space at its start.
std::string_view skip_blanks(std::string_view text);

// Whether a line without leading blanks begins a module, a computation or an instruction.
bool is_hlo_line(std::string_view line);

// InvalidArgument that says what the file at `path` is and gives the command that makes HLO text from it. Requires a
// kind other than kHlo.
absl::Status refuse_file(FileKind kind, std::string_view path);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_FILE_KIND_H_

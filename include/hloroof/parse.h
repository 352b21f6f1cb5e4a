// Parses HLO text, and protocol buffers that hold a module.
//
//   absl::StatusOr<hloroof::Module> module = hloroof::load_module("step.after_optimizations.txt");
//   if (!module.ok()) std::cerr << module.status().message();   // file:line:column: what is wrong, the line, a caret
//
// Accepts whole modules in every form that XLA prints, modules without a HloModule line, a single computation, and a
// single instruction pasted from a profile. Protos are HloModuleProto and HloProto (`*.pb`, `*.hlo.pb`) and XProf
// profiles that contain them (`*.xplane.pb`).
//
// A program that links XLA does not need protos. It can pass the text of an xla::HloModule:
//
//   xla::HloPrintOptions options = xla::HloPrintOptions::Default().set_print_large_constants(false);
//   absl::StatusOr<hloroof::Module> module = hloroof::parse_module(xla_module.ToString(options));
//
// Lifetime: the module owns a copy of the text unless ParseOptions::borrow is set.
//
// Threads: the functions keep no state and may run on any number of threads. A Parser serves one thread at a time.
#ifndef HLOROOF_PARSE_H_
#define HLOROOF_PARSE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

struct ParseOptions {
  // The path that messages name.
  std::string path = "<text>";
  // Reject unknown opcodes and attributes. The default keeps them as text and counts them (Module::unknowns()).
  bool strict = false;
  // Do not copy the text. The text must outlive the module and its copies, and text.data()[text.size()] must be
  // readable and NUL.
  bool borrow = false;
  // The maximum number of independent errors to report.
  int max_errors = 1;
  // Limits, which turn hostile text into an error.
  // Bytes of the text, after decompression. The largest possible value is 0xfffffff0, because offsets have 32 bits.
  std::int64_t max_bytes = std::int64_t{1} << 30;
  std::int64_t max_instructions = 1 << 30;
  int max_depth = 8192;  // of nested shapes, operands, literals and computations together, as in XLA
};

// Parses one module. Errors: InvalidArgument with one record per independent error, which has
// `path:line:column: error: message`, the source line, a caret, and a note that names the enclosing construct;
// ResourceExhausted, which names the limit that was exceeded.
absl::StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options = {});

// Parses the file at `path`, which is mapped into memory if possible. "-" is standard input. The file is HLO text, a
// log with HLO text among its lines, or a proto, and may be compressed with gzip. FILE#NAME selects one of several
// modules by its name, and FILE#2 the second. Ignores options.path. Errors: as parse_module; InvalidArgument that says
// what the file is, and how to get HLO text, if it is something else; NotFound or FailedPrecondition if it cannot be
// read.
absl::StatusOr<Module> load_module(const std::string& path, const ParseOptions& options = {});

// Where in its input an error is, for editors and annotations in CI.
struct ErrorPlace {
  std::string path;         // as ParseOptions::path or the file's name
  std::int64_t line = 0;    // from 1
  std::int64_t column = 0;  // from 1, in bytes
  // What kind of input it is: "syntax" of HLO text, "limit" that the text exceeds, "value" of one attribute or
  // constant, "json" of a device file or a profile, "csv" of a table of measurements.
  std::string code;
};

// The place of an error that any function of the library returned; nullopt for an error that has none, such as a
// missing file. Of several errors the first.
std::optional<ErrorPlace> error_place(const absl::Status& status);

// Parses many texts and reuses memory: parsing a text that is no larger than the previous one into the same module does
// not allocate. Not thread-safe; use one parser per thread.
class Parser {
 public:
  explicit Parser(ParseOptions options = {});
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Replaces the contents of `module`, which is empty after an error.
  absl::Status parse(std::string_view text, Module& module);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PARSE_H_

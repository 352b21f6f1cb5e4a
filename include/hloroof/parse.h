// Reading HLO text.
//
//   absl::StatusOr<hloroof::Module> module = hloroof::load_module("step.after_optimizations.txt");
//   if (!module.ok()) std::cerr << module.status().message();   // file:line:column: what is wrong, the line, a caret
//
// Accepted: whole modules in every form XLA prints, modules without a HloModule line, a single computation, and a
// single instruction as pasted from a profile.
#ifndef HLOROOF_PARSE_H_
#define HLOROOF_PARSE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

struct ParseOptions {
  // Named in messages.
  std::string path = "<text>";
  // Refuse opcodes and attributes that are not in the grammar, rather than keep them as text and count them.
  bool strict = false;
  // Do not copy the text. The caller keeps it alive as long as the module and its copies, and text.data()[text.size()]
  // must be readable and NUL.
  bool borrow = false;
  // How many independent errors to report before giving up.
  int max_errors = 1;
  // Limits, so that hostile text costs a clear error.
  std::int64_t max_bytes = 0xfffffff0;  // the text; 32-bit offsets allow no more
  std::int64_t max_instructions = 1 << 30;
  int max_depth = 8192;  // of nested shapes, operands, literals and computations together, as in XLA
};

// Parses one module. Errors: InvalidArgument with `path:line:column: error: message`, the source line and a caret, one
// record per independent error, and below each what it was part of; ResourceExhausted naming the limit that was passed.
absl::StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options = {});

// Parses the file at `path`, mapped rather than read where it can be; "-" is standard input; a name ending in .gz is
// decompressed. A name ending in .pb or .pb.gz is a proto (proto.h), and FILE#NAME the module of that name in one that
// holds several. options.path is not used. Errors: as parse_module; NotFound or FailedPrecondition if the file can not
// be read.
absl::StatusOr<Module> load_module(const std::string& path, const ParseOptions& options = {});

// Parses the modules of a text in which they are separated by lines `// -----`.
absl::StatusOr<std::vector<Module>> parse_modules(std::string_view text, const ParseOptions& options = {});

// Parses one after another into a module whose memory is used again, so that a text no larger than the last costs no
// allocation. Not thread-safe; use one per thread.
class Parser {
 public:
  explicit Parser(ParseOptions options = {});
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Replaces what `module` holds. On error it is left empty.
  absl::Status parse(std::string_view text, Module& module);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PARSE_H_

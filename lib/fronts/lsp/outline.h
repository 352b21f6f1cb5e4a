// Where the computations and instructions of a text are, also of one that does not parse. Relies on the lines that XLA
// prints: an instruction begins on a line of its own, and a computation ends with a line that begins with a brace.
#ifndef HLOROOF_LIB_FRONTS_LSP_OUTLINE_H_
#define HLOROOF_LIB_FRONTS_LSP_OUTLINE_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/fronts/lsp/lines.h"

namespace hloroof::internal::inline lsp {

struct OutlineInstruction {
  std::size_t name = 0;  // the offset of the name, without %
  std::size_t name_size = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  // the end of its last line
  std::size_t computation = 0;
};

struct OutlineComputation {
  std::size_t name = 0;
  std::size_t name_size = 0;
  std::size_t begin = 0;
  std::size_t head_end = 0;  // the end of its first line
  std::size_t end = 0;       // after its closing brace
  std::size_t first = 0;     // its instructions
  std::size_t last = 0;
  bool is_entry = false;
};

class Outline {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Outline() = default;
  // The outline refers to `text`.
  Outline(std::string_view text, const Lines& lines);

  // Follows an edit that replaced `removed` bytes at `offset` by `added` bytes; `text` and `lines` are those after it.
  // Returns the computation with the edit if only its instructions may have changed. Returns kNone for any other edit,
  // after which the outline must be made again. This takes the time to read the lines of one computation.
  std::size_t replace(std::string_view text, const Lines& lines, std::size_t offset, std::size_t removed,
                      std::size_t added);

  const std::vector<OutlineComputation>& computations() const { return computations_; }
  const std::vector<OutlineInstruction>& instructions() const { return instructions_; }
  std::string_view name(const OutlineComputation& c) const { return text_.substr(c.name, c.name_size); }
  std::string_view name(const OutlineInstruction& i) const { return text_.substr(i.name, i.name_size); }

  // The indices of what is at `offset`, or kNone.
  std::size_t instruction_at(std::size_t offset) const;
  std::size_t computation_at(std::size_t offset) const;  // including its first line

  // The first of that name, or kNone.
  std::size_t find_computation(std::string_view name) const;
  std::size_t find_instruction(std::size_t computation, std::string_view name) const;

  // The line that begins with HloModule: its begin and end, or two zeros.
  std::pair<std::size_t, std::size_t> header() const { return header_; }

 private:
  using Names = absl::flat_hash_map<std::string_view, std::size_t>;

  void read_lines(const Lines& lines, std::size_t first, std::size_t last);

  std::string_view text_;
  std::vector<OutlineComputation> computations_;
  std::vector<OutlineInstruction> instructions_;
  // Names of the present text, made when they are asked for: few computations are asked for after a keystroke.
  mutable Names computation_names_;
  mutable absl::flat_hash_map<std::size_t, Names> instruction_names_;  // by computation
  std::pair<std::size_t, std::size_t> header_{0, 0};
};

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_OUTLINE_H_

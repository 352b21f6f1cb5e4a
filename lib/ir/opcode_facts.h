// The columns of opcode.def that only the library reads. They are compile-time tables, so each query is one load.
#ifndef HLOROOF_LIB_IR_OPCODE_FACTS_H_
#define HLOROOF_LIB_IR_OPCODE_FACTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline ir {

// Returns the opcode spelled `text`, nullopt if there is none.
std::optional<Opcode> opcode_from_string(std::string_view text);

// The spellings of all opcodes, to find the nearest one.
std::vector<std::string> opcode_names();

inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kUnknown);

// The counting rule of an opcode. lib/work has one rule for each class.
enum class WorkClass : std::uint8_t {
  kFree,            // structural: no work
  kElementwise,     // one flop per output element
  kTranscendental,  // one transcendental per output element
  kDataMovement,
  kContraction,
  kReduction,
  kSort,
  kGatherScatter,
  kLinearAlgebra,
  kNormalization,
  kRandom,
  kCall,
  kCustomCall,
  kCollective,
  kAsync,      // async-start, -update, -done around a called computation
  kAsyncCopy,  // copy-start, copy-done
  kHostTransfer,
};

inline constexpr int kCollectiveKindCount = 9;

// How the result of an instruction depends on its operands. Passes use it to follow a value through the instruction.
enum class Flow : std::uint8_t {
  kOpaque,       // not described by the opcode alone, or not computed from operands
  kParameter,    // the argument that the caller passes
  kRenames,      // the memory of operand 0 under another name or with another shape
  kPacks,        // a tuple of all operands
  kPicks,        // one element of operand 0
  kCopies,       // the elements of operand 0 in new memory, possibly with another layout
  kReshapes,     // the elements of operand 0 in the same order, with other dimensions
  kConverts,     // the elements of operand 0 in the same order, of another type
  kReorders,     // the elements of operand 0 in another order
  kRepeats,      // the elements of operand 0, each once or more
  kSelects,      // a block of operand 0
  kUpdates,      // operand 0, partly overwritten; if there are several results, i comes from operand i
  kElementwise,  // element i is computed from element i of each operand
  kFuses,        // the result of the called computation, which runs as part of this instruction
  kCalls,        // the result of the called computation, whose instructions run separately
  kLoops,        // operand 0, or the result of the body
  kBranches,     // the result of one of the called computations
  // The start and the done of one asynchronous operation. The result of the done is in the start's result:
  kAsyncWhole,   // all of it
  kAsyncFirst,   // its element 0
  kAsyncSecond,  // its element 1, after the tuple of operands
};

enum class AsyncRole : std::uint8_t {
  kNone,
  kStart,
  kUpdate,  // between start and done; does not wait
  kDone,
};

// Operand counts that are neither fixed nor arbitrary.
enum Arity : std::int8_t {
  kOneOrMore = -2,
  kTwoOrMore = -3,
  kPairs = -4,
  kOddFromThree = -5,
};

// Rules in lib/text/checks.cc that apply only to some opcodes.
enum class Rule : std::uint8_t {
  kOneDimension = 1,  // `dimensions` names exactly one
  kGlobalIds = 2,     // use_global_device_ids needs a channel
  kComputation = 4,   // to_apply is required, and may be spelled `calls`
  kOwn = 8,           // a rule specific to the opcode
};

namespace opcode_columns {

inline constexpr std::size_t kRows = kOpcodeCount + 1;  // all opcodes and kUnknown, which has default values

template <typename T>
using Column = std::array<T, kRows>;

inline constexpr Column<std::string_view> kText = {
#define HLOROOF_OPCODE(enumerator, text, ...) text,
#include "hloroof/opcode.def"
    "unknown"};

inline constexpr Column<std::int8_t> kArity = {
#define HLOROOF_OPCODE(enumerator, text, arity, ...) arity,
#include "hloroof/opcode.def"
    -1};

inline constexpr Column<bool> kShapeInferable = {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, ...) shape_inferable,
#include "hloroof/opcode.def"
    false};

inline constexpr Column<WorkClass> kWorkClass = {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class, ...) WorkClass::work_class,
#include "hloroof/opcode.def"
    WorkClass::kCustomCall};

inline constexpr Column<Flow> kFlow = {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class, flow, ...) Flow::flow,
#include "hloroof/opcode.def"
    Flow::kOpaque};

inline constexpr Column<AsyncRole> kAsync = {
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class, flow, async, ...) AsyncRole::async,
#include "hloroof/opcode.def"
    AsyncRole::kNone};

inline constexpr Column<std::optional<CollectiveKind>> kCollective = [] {
  using enum CollectiveKind;
  constexpr std::optional<CollectiveKind> kNone;
  return Column<std::optional<CollectiveKind>>{
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class, flow, async, collective, rules) collective,
#include "hloroof/opcode.def"
      kNone};
}();

inline constexpr Column<std::uint8_t> kRules = [] {
  constexpr auto kNone = std::uint8_t{0};
  constexpr auto kOneDimension = static_cast<std::uint8_t>(Rule::kOneDimension);
  constexpr auto kGlobalIds = static_cast<std::uint8_t>(Rule::kGlobalIds);
  constexpr auto kComputation = static_cast<std::uint8_t>(Rule::kComputation);
  constexpr auto kOwn = static_cast<std::uint8_t>(Rule::kOwn);
  return Column<std::uint8_t>{
#define HLOROOF_OPCODE(enumerator, text, arity, shape_inferable, work_class, flow, async, collective, rules) rules,
#include "hloroof/opcode.def"
      kNone};
}();

inline constexpr Column<bool> kHasRules = [] {
  Column<bool> result{};
  for (std::size_t i = 0; i < kRows; ++i) result[i] = kRules[i] != 0 || kArity[i] < -1;
  return result;
}();

// True for the opcodes X that have an X-done. async-start does not wrap them.
inline constexpr Column<bool> kHasDone = [] {
  constexpr std::string_view kSuffix = "-done";
  Column<bool> result{};
  for (std::size_t done = 0; done < kRows; ++done) {
    if (kAsync[done] != AsyncRole::kDone) continue;
    const std::string_view stem = kText[done].substr(0, kText[done].size() - kSuffix.size());
    for (std::size_t i = 0; i < kRows; ++i) result[i] = result[i] || kText[i] == stem;
  }
  return result;
}();

}  // namespace opcode_columns

// Returns the number of operands, -1 if it varies.
constexpr int arity(Opcode opcode) {
  const std::int8_t rule = opcode_columns::kArity[static_cast<std::size_t>(opcode)];
  return rule < 0 ? -1 : rule;
}

// Returns whether HLO text may omit the result shape of this opcode.
constexpr bool shape_inferable(Opcode opcode) {
  return opcode_columns::kShapeInferable[static_cast<std::size_t>(opcode)];
}

constexpr WorkClass work_class(Opcode opcode) { return opcode_columns::kWorkClass[static_cast<std::size_t>(opcode)]; }
constexpr Flow flow(Opcode opcode) { return opcode_columns::kFlow[static_cast<std::size_t>(opcode)]; }
constexpr AsyncRole async_role(Opcode opcode) { return opcode_columns::kAsync[static_cast<std::size_t>(opcode)]; }

// ---- Sets of flows that several passes go through ------------------------------------------------------------------

// The result is the memory of operands under another name. The instruction writes nothing.
constexpr bool is_alias(Opcode opcode) {
  const Flow f = flow(opcode);
  return f == Flow::kRenames || f == Flow::kPacks || f == Flow::kPicks;
}

// The result has each element of operand 0 once, in the same order, so an update in place can go through it.
constexpr bool keeps_order(Opcode opcode) {
  const Flow f = flow(opcode);
  return f == Flow::kRenames || f == Flow::kCopies || f == Flow::kReshapes || f == Flow::kConverts;
}

// The result has each element of operand 0 once, in any order.
constexpr bool keeps_elements(Opcode opcode) { return keeps_order(opcode) || flow(opcode) == Flow::kReorders; }

// The called computation runs as part of the instruction, and only the instruction is timed: a fusion or an
// async-start.
constexpr bool wraps_computation(Opcode opcode) {
  return flow(opcode) == Flow::kFuses || opcode == Opcode::kAsyncStart;
}

// The instructions of the called computations are scheduled and timed one by one.
constexpr bool calls_schedules(Opcode opcode) {
  const Flow f = flow(opcode);
  return f == Flow::kCalls || f == Flow::kLoops || f == Flow::kBranches;
}

// ---- Asynchronous operations ---------------------------------------------------------------------------------------

// Returns the element of a start's result that its done returns. Returns nullopt if the done returns the whole result
// or nothing, and for opcodes that are neither start nor done.
constexpr std::optional<std::size_t> result_element(Opcode opcode) {
  switch (flow(opcode)) {
    case Flow::kAsyncFirst: return 0;
    case Flow::kAsyncSecond: return 1;
    default: return std::nullopt;
  }
}

// Returns true if this opcode X has an opcode X-done, so that async-start does not wrap X.
constexpr bool has_done(Opcode opcode) { return opcode_columns::kHasDone[static_cast<std::size_t>(opcode)]; }

// ---- Collectives ---------------------------------------------------------------------------------------------------

// Returns the kind of collective that the opcode performs, starts or ends. A send or recv may also be a transfer with
// the host, which an attribute indicates.
constexpr std::optional<CollectiveKind> collective_kind(Opcode opcode) {
  return opcode_columns::kCollective[static_cast<std::size_t>(opcode)];
}

// Returns true for a collective or its start.
constexpr bool is_collective(Opcode opcode) {
  return collective_kind(opcode).has_value() && async_role(opcode) != AsyncRole::kDone;
}

// Returns true for an update or done whose operation may be a collective, wrapped or not.
constexpr bool continues_collective(Opcode opcode) {
  const AsyncRole role = async_role(opcode);
  return role == AsyncRole::kUpdate || (role == AsyncRole::kDone && opcode != Opcode::kCopyDone);
}

// Returns true for a collective that is not split into start and done.
constexpr bool is_blocking_collective(Opcode opcode) {
  return collective_kind(opcode).has_value() && async_role(opcode) == AsyncRole::kNone;
}

// ---- Rules of the text ---------------------------------------------------------------------------------------------

constexpr bool has_rule(Opcode opcode, Rule rule) {
  return (opcode_columns::kRules[static_cast<std::size_t>(opcode)] & static_cast<std::uint8_t>(rule)) != 0;
}

// Returns the value in the table: an operand count, -1 for any count, or an Arity.
constexpr int operand_rule(Opcode opcode) { return opcode_columns::kArity[static_cast<std::size_t>(opcode)]; }

// Returns true if the opcode needs checks other than a fixed operand count and the set of allowed attributes.
constexpr bool has_rules(Opcode opcode) { return opcode_columns::kHasRules[static_cast<std::size_t>(opcode)]; }

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_OPCODE_FACTS_H_

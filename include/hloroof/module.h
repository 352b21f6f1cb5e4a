// An HLO module in memory. parse_module returns it, the analyses read it, and ModuleEditor edits it.
//
//   for (ComputationView computation : module.computations()) {
//     for (InstructionView instruction : computation.instructions()) {
//       if (instruction.opcode() == Opcode::kDot) use(instruction.operand(0).shape());
//     }
//   }
//
// A module is a few flat tables indexed by 32-bit ids. A view is an id and a pointer to the module; pass it by value.
// Attribute values remain text, which attributes.h decodes. The names of opcodes and attributes are generated from
// opcode.def and attribute.def.
//
// Invariants: operands precede their users and are in the same computation, and a computation precedes its callers.
//
// Lifetime: a module owns its source text or shares it with its copies, unless ParseOptions::borrow is set. Views,
// spans and string_views point into the module and are invalid after an edit. Ids remain valid. A Users table refers to
// its module and is stale after an edit.
//
// Threads: any number of threads may read one module. An edit needs exclusive access.
#ifndef HLOROOF_MODULE_H_
#define HLOROOF_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "hloroof/shape.h"

namespace hloroof {
namespace internal {
inline namespace base {
class SourceText;
}  // namespace base
inline namespace ir {
class ModuleBuilder;
struct ModuleRows;
}  // namespace ir
}  // namespace internal
inline namespace v0 {

enum class Opcode : std::uint8_t {
#define HLOROOF_OPCODE(enumerator, ...) enumerator,
#include "hloroof/opcode.def"
  kUnknown,  // an unsupported opcode; its text is kept, and its boundary bytes are charged
};

// The kinds of communication between devices. lib/ir/opcode_facts.h maps each opcode to the kind that it performs,
// begins or ends.
enum class CollectiveKind : std::uint8_t {
  kAllGather,
  kReduceScatter,
  kAllReduce,
  kAllToAll,
  kRaggedAllToAll,
  kCollectivePermute,
  kCollectiveBroadcast,
  kSend,
  kRecv,
};
std::string_view to_string(CollectiveKind kind);  // "all-gather"

// Returns the spelling in HLO text ("dynamic-update-slice"); "unknown" for kUnknown.
std::string_view to_string(Opcode opcode);

// Returns whether the opcode is elementwise in XLA's sense: output element i depends only on element i of each operand.
// Copy, broadcast, reshape and iota are not elementwise.
bool is_elementwise(Opcode opcode);

enum class AttributeKey : std::uint8_t {
#define HLOROOF_ATTRIBUTE(enumerator, text, value_form) enumerator,
#include "hloroof/attribute.def"
  kConstantLiteral,  // the operand text of constant(...); has no name in the text
  kUnknown,          // a name unknown to this version; kept as `name=value` and printed unchanged
};

// The spelling in HLO text ("lhs_contracting_dims"); empty for kConstantLiteral and kUnknown.
std::string_view to_string(AttributeKey key);

class Module;

class InstructionView;

class ComputationView;

// A range of the module's text. Offsets below the size of the source refer to the source, larger ones to text that
// edits added.
struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

// One `, name=value` of an instruction or of the HloModule line.
struct AttributeData {
  AttributeKey key = AttributeKey::kUnknown;
  std::uint8_t name_size = 0;  // kUnknown only: the length of the name in the text `name=value`
  std::uint16_t reference_count = 0;
  std::uint32_t reference_begin = 0;  // into the module's reference table: the computations that the value names, or
                                      // the instructions for control-predecessors
  TextRange value;                    // as written; edits may have renamed the references since
};

}  // namespace v0

// The rows of a module's tables, which the views read. Not part of the interface.
namespace internal {

// The row of one instruction.
struct InstructionData {
  enum Flag : std::uint8_t {
    kSugaredAsync = 1,        // written as X-start( instead of async-start(
    kCompactTupleAccess = 2,  // a get-tuple-element written as %t#1 in the operands of its user
    kImplicit = 4,            // not in the text: a placeholder parameter for an operand of a pasted instruction
    kErased = 8,
    kShapeInferred = 16,  // the text has no result shape
  };

  TextRange name;  // without %
  ShapeId shape;
  ComputationId computation;
  InstructionId next;  // in the order of the computation
  InstructionId previous;
  std::uint32_t operand_begin = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t attribute_begin = 0;
  std::uint16_t attribute_count = 0;
  Opcode opcode = Opcode::kUnknown;
  std::uint8_t flags = 0;
  // The number of a parameter, the index of a get-tuple-element, or the index into unknown_opcodes for kUnknown.
  std::uint32_t number = 0;
};

// The row of one computation.
struct ComputationData {
  enum Flag : std::uint8_t {
    kEntry = 1,
    kSynthesized = 2,    // not in the text: the async_wrapped computation of a sugared X-start
    kMissing = 4,        // named by a pasted instruction but not in its text: no instructions, unknown work
    kInline = 8,         // written inline, as in to_apply={ ... }
    kNoSignature = 16,   // written without (parameters) -> result
    kAssumedEntry = 32,  // the last of several computations, or of a text whose header states an entry: no ENTRY
  };

  TextRange name;
  TextRange execution_thread;  // empty means "main"
  InstructionId first;
  InstructionId last;
  InstructionId root;
  std::uint32_t instruction_count = 0;
  std::uint32_t parameter_count = 0;
  std::uint8_t flags = 0;
};

}  // namespace internal

inline namespace v0 {

// A range of views over a list of ids.
template <typename View, typename Id>
class ViewRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;  // views are made as they are read
    using value_type = View;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = View;

    Iterator() = default;
    Iterator(const Module* module, const Id* at) : module_(module), at_(at) {}
    View operator*() const { return View(module_, *at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }
    friend bool operator!=(Iterator a, Iterator b) { return a.at_ != b.at_; }

   private:
    const Module* module_ = nullptr;
    const Id* at_ = nullptr;
  };

  ViewRange(const Module* module, absl::Span<const Id> ids) : module_(module), ids_(ids) {}
  Iterator begin() const { return Iterator(module_, ids_.begin()); }
  Iterator end() const { return Iterator(module_, ids_.end()); }
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  View operator[](std::size_t i) const { return View(module_, ids_[i]); }

 private:
  const Module* module_;
  absl::Span<const Id> ids_;
};

// Read access to one instruction.
class InstructionView {
 public:
  InstructionView(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND, InstructionId id) : module_(module), id_(id) {}

  InstructionId id() const { return id_; }
  const Module& module() const { return *module_; }

  std::string_view name() const;  // without %
  Opcode opcode() const { return data().opcode; }
  std::string_view opcode_text() const;  // as written, also for an unknown opcode
  ShapeId shape_id() const { return data().shape; }
  const Shape& shape() const;
  ComputationView computation() const;
  bool is_root() const;

  std::size_t operand_count() const { return data().operand_count; }
  InstructionView operand(std::size_t i) const { return InstructionView(module_, operand_ids()[i]); }
  absl::Span<const InstructionId> operand_ids() const;
  ViewRange<InstructionView, InstructionId> operands() const { return {module_, operand_ids()}; }

  absl::Span<const AttributeData> attributes() const;
  const AttributeData* find(AttributeKey key) const;  // null if the instruction does not have it
  bool has(AttributeKey key) const { return find(key) != nullptr; }
  std::string_view text(AttributeKey key) const;  // the value as written; empty if the instruction does not have it

  // The computations that attribute `key` names, in order: one for calls=, several for branch_computations=.
  ViewRange<ComputationView, ComputationId> computations(AttributeKey key) const;
  // The computations that all attributes name, in the order of the text.
  std::vector<ComputationId> called_computations() const;
  ViewRange<InstructionView, InstructionId> control_predecessors() const;

  std::int64_t parameter_number() const { return data().number; }  // parameter only
  std::int64_t tuple_index() const { return data().number; }       // get-tuple-element only

  friend bool operator==(InstructionView a, InstructionView b) { return a.id_ == b.id_ && a.module_ == b.module_; }
  friend bool operator!=(InstructionView a, InstructionView b) { return !(a == b); }

 private:
  const internal::InstructionData& data() const;

  const Module* module_;
  InstructionId id_;
};

// The instructions of a computation in order. Follows the links, because edits reorder instructions but keep their ids.
class InstructionRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;  // views are made as they are read
    using value_type = InstructionView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = InstructionView;

    Iterator() = default;
    Iterator(const Module* module, InstructionId at) : module_(module), at_(at) {}
    InstructionView operator*() const { return InstructionView(module_, at_); }
    Iterator& operator++();
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }
    friend bool operator!=(Iterator a, Iterator b) { return a.at_ != b.at_; }

   private:
    const Module* module_ = nullptr;
    InstructionId at_;
  };

  InstructionRange(const Module* module, InstructionId first) : module_(module), first_(first) {}
  Iterator begin() const { return Iterator(module_, first_); }
  Iterator end() const { return Iterator(module_, InstructionId()); }

 private:
  const Module* module_;
  InstructionId first_;
};

// Read access to one computation.
class ComputationView {
 public:
  ComputationView(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND, ComputationId id) : module_(module), id_(id) {}

  ComputationId id() const { return id_; }
  const Module& module() const { return *module_; }

  std::string_view name() const;
  bool is_entry() const { return (data().flags & internal::ComputationData::kEntry) != 0; }
  bool is_missing() const { return (data().flags & internal::ComputationData::kMissing) != 0; }
  InstructionView root() const { return InstructionView(module_, data().root); }
  InstructionRange instructions() const { return InstructionRange(module_, data().first); }
  std::size_t instruction_count() const { return data().instruction_count; }
  // The parameters by number. The id is invalid if a number is missing.
  std::vector<InstructionId> parameters() const;

  friend bool operator==(ComputationView a, ComputationView b) { return a.id_ == b.id_ && a.module_ == b.module_; }

 private:
  const internal::ComputationData& data() const;

  const Module* module_;
  ComputationId id_;
};

class Module {
 public:
  Module();
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  Module(const Module&);  // shares the source text
  Module& operator=(const Module&);

  std::string_view name() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return text(name_); }

  ComputationView entry() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return ComputationView(this, entry_); }
  bool has_entry() const { return entry_.valid(); }
  ViewRange<ComputationView, ComputationId> computations() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return {this, computation_order_};
  }
  ComputationView computation(ComputationId id) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return ComputationView(this, id);
  }
  InstructionView instruction(InstructionId id) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return InstructionView(this, id);
  }
  // One past the largest index of any id. Use these as the sizes of side tables.
  std::size_t instruction_limit() const { return instructions_.size(); }
  std::size_t computation_limit() const { return computations_.size(); }
  // The number of instructions, without erased ones and those of synthesized computations.
  std::size_t instruction_count() const;

  const ShapeTable& shapes() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return shapes_; }
  const Shape& shape(ShapeId id) const ABSL_ATTRIBUTE_LIFETIME_BOUND { return shapes_[id]; }

  // Facts of the HloModule line. Counts are 1 if the line does not have them.
  bool is_scheduled() const { return is_scheduled_; }
  std::int64_t replica_count() const { return replica_count_; }
  std::int64_t num_partitions() const { return num_partitions_; }

  // The number of places where the parser found something unknown or missing.
  struct Unknowns {
    std::uint32_t opcodes = 0;
    std::uint32_t attributes = 0;
    std::uint32_t missing_operands = 0;  // placeholders for the operands of a pasted instruction
    std::uint32_t missing_computations = 0;
    std::uint32_t missing_predecessors = 0;  // control predecessors whose names compact tuple access elides
  };
  const Unknowns& unknowns() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return unknowns_; }

  std::string_view text(TextRange range) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return range.begin < source_size_ || range.size == 0
               ? std::string_view(source_begin_ + range.begin, range.size)
               : std::string_view(added_text_).substr(range.begin - source_size_, range.size);
  }

 private:
  friend internal::ModuleBuilder;  // write access for the parser and the editor, lib/ir/module_builder.h
  friend internal::ModuleRows;     // read access for the library, lib/ir/rows.h
  friend class InstructionView;
  friend class InstructionRange::Iterator;
  friend class ComputationView;

  const internal::InstructionData& row(InstructionId id) const { return instructions_[id.index]; }
  const internal::ComputationData& row(ComputationId id) const { return computations_[id.index]; }

  std::shared_ptr<const internal::SourceText> source_;
  const char* source_begin_ = "";
  std::uint32_t source_size_ = 0;
  std::string added_text_;

  TextRange name_;
  TextRange tables_;
  ShapeTable shapes_;
  std::vector<internal::InstructionData> instructions_;
  std::vector<internal::ComputationData> computations_;
  std::vector<ComputationId> computation_order_;
  std::vector<InstructionId> operands_;
  std::vector<AttributeData> attributes_;
  std::vector<AttributeData> header_attributes_;
  std::vector<std::uint32_t> references_;
  std::vector<TextRange> unknown_opcodes_;
  ComputationId entry_;
  std::int64_t replica_count_ = 1;
  std::int64_t num_partitions_ = 1;
  bool counts_are_implied_ = false;         // a Predictor inferred the two: the text says nothing of them
  std::int64_t scoped_vmem_limit_kib_ = 0;  // by a file that lies beside the dump; 0: nothing says
  bool is_scheduled_ = false;
  bool has_header_ = false;
  bool is_single_instruction_ = false;
  Unknowns unknowns_;
};

// Whether two modules are equal: the header, and the computations and instructions in order with their names, opcodes,
// shapes, operands and attributes. Ignores paths, ids, white space outside attribute values, and the places of what the
// text only implies: an element %t#0, and the computation around X in X-start. If the modules differ
// and `difference` is not null, sets it to one line that describes the first difference.
bool equal(const Module& a, const Module& b, std::string* difference = nullptr);

inline const internal::InstructionData& InstructionView::data() const { return module_->row(id_); }
inline std::string_view InstructionView::name() const { return module_->text(data().name); }
inline const Shape& InstructionView::shape() const { return module_->shape(data().shape); }
inline ComputationView InstructionView::computation() const { return ComputationView(module_, data().computation); }
inline bool InstructionView::is_root() const { return module_->row(data().computation).root == id_; }
inline absl::Span<const InstructionId> InstructionView::operand_ids() const {
  return {module_->operands_.data() + data().operand_begin, data().operand_count};
}
inline absl::Span<const AttributeData> InstructionView::attributes() const {
  return {module_->attributes_.data() + data().attribute_begin, data().attribute_count};
}

inline InstructionRange::Iterator& InstructionRange::Iterator::operator++() {
  at_ = module_->row(at_).next;
  return *this;
}

inline const internal::ComputationData& ComputationView::data() const { return module_->row(id_); }
inline std::string_view ComputationView::name() const { return module_->text(data().name); }

// Calls visit(InstructionView) for each instruction of the module: callees before callers, and operands before users.
// `visit` must not edit the module.
template <typename Visit>
void walk(const Module& module, Visit&& visit) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) visit(instruction);
  }
}

// The instructions that `root` depends on and `root` itself, each once and after its operands. All are in the
// computation of `root`; control predecessors do not count. Takes time linear in their number and that of their
// operands, and one bit for each instruction of the module.
std::vector<InstructionId> post_order(InstructionView root);

// The computations that `computation` calls directly or indirectly, each once and before its callers. Takes time linear
// in the number of computations of the module and of the instructions in the called ones.
std::vector<ComputationId> called_by(ComputationView computation);

// The users of each instruction. The constructor takes time linear in the size of the module.
class Users {
 public:
  explicit Users(const Module& module);

  // The users of an instruction, in the order of their computation. A user that has it as two operands appears once.
  absl::Span<const InstructionId> of(InstructionId id) const {
    return {users_.data() + begin_[id.index], end_[id.index] - begin_[id.index]};
  }
  ViewRange<InstructionView, InstructionId> of(InstructionView instruction) const {
    return {&instruction.module(), of(instruction.id())};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> end_;
  std::vector<InstructionId> users_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_MODULE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"

namespace hloroof::inline v0 {
using namespace internal;

namespace {

// Compares two modules and keeps the first difference.
class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b), matched_(a.shapes().size()) {}

  bool modules() {
    if (a_.name() != b_.name()) return differ("module names", a_.name(), b_.name());
    if (!attributes("header", ModuleRows::header_attributes(a_), ModuleRows::header_attributes(b_))) return false;
    if (ModuleRows::stack_frame_tables(a_) != ModuleRows::stack_frame_tables(b_))
      return differ("stack frame tables", "", "");
    const std::vector<ComputationView> left = written(a_);
    const std::vector<ComputationView> right = written(b_);
    if (left.size() != right.size()) {
      return differ("number of computations", std::to_string(left.size()), std::to_string(right.size()));
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!computations(left[i], right[i])) return false;
    }
    for (std::size_t i = 0; i < wrapped_.size(); ++i) {
      if (!computations(wrapped_[i].first, wrapped_[i].second)) return false;
    }
    if (a_.has_entry() != b_.has_entry()) return differ("entry", "", "");
    if (a_.has_entry() && a_.entry().name() != b_.entry().name()) {
      return differ("entry", a_.entry().name(), b_.entry().name());
    }
    return true;
  }

  const std::string& difference() const { return difference_; }

 private:
  bool differ(std::string_view what, std::string_view a, std::string_view b) {
    difference_ = std::string(what) + " differ: '" + std::string(a) + "' and '" + std::string(b) + "'";
    return false;
  }

  // A computation that X-start implies is not in the text. Its name and its place are arbitrary, so they are not
  // compared.
  static bool is_implied(ComputationView computation) {
    return (row_of(computation).flags & ComputationData::kSynthesized) != 0;
  }
  static std::string_view name_of(ComputationView computation) {
    return is_implied(computation) ? "(wrapped)" : computation.name();
  }
  static std::vector<ComputationView> written(const Module& module) {
    std::vector<ComputationView> result;
    result.reserve(module.computations().size());
    for (ComputationView computation : module.computations()) {
      if (!is_implied(computation)) result.push_back(computation);
    }
    return result;
  }

  // Nor has an element that is written as %t#0 a place in the text.
  static bool is_path(InstructionView instruction) {
    return (row_of(instruction).flags & InstructionData::kCompactTupleAccess) != 0;
  }

  bool attributes(std::string_view where, absl::Span<const AttributeData> a, absl::Span<const AttributeData> b) {
    if (a.size() != b.size()) {
      return differ("numbers of attributes of " + std::string(where), std::to_string(a.size()),
                    std::to_string(b.size()));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string what = "attributes of " + std::string(where);
      if (a[i].key != b[i].key) return differ(what, to_string(a[i].key), to_string(b[i].key));
      if (a[i].reference_count != b[i].reference_count) return differ(what, a_.text(a[i].value), b_.text(b[i].value));
      if (a[i].reference_count == 0) {
        if (a_.text(a[i].value) != b_.text(b[i].value)) return differ(what, a_.text(a[i].value), b_.text(b[i].value));
        continue;
      }
      const bool instructions = a[i].key == AttributeKey::kControlPredecessors;
      for (std::size_t k = 0; k < a[i].reference_count; ++k) {
        const std::uint32_t x = ModuleRows::references(a_, a[i])[k];
        const std::uint32_t y = ModuleRows::references(b_, b[i])[k];
        const std::string_view p =
            instructions ? a_.instruction(InstructionId(x)).name() : name_of(a_.computation(ComputationId(x)));
        const std::string_view q =
            instructions ? b_.instruction(InstructionId(y)).name() : name_of(b_.computation(ComputationId(y)));
        if (p != q) return differ(what, p, q);
        if (instructions || !is_implied(a_.computation(ComputationId(x)))) continue;
        wrapped_.emplace_back(a_.computation(ComputationId(x)), b_.computation(ComputationId(y)));
      }
    }
    return true;
  }

  bool computations(ComputationView a, ComputationView b) {
    if (name_of(a) != name_of(b)) return differ("computation names", name_of(a), name_of(b));
    if (ModuleRows::execution_thread(a) != ModuleRows::execution_thread(b)) {
      return differ("execution threads of " + std::string(a.name()), ModuleRows::execution_thread(a),
                    ModuleRows::execution_thread(b));
    }
    if (a.instruction_count() != b.instruction_count()) {
      return differ("instruction counts of " + std::string(a.name()), std::to_string(a.instruction_count()),
                    std::to_string(b.instruction_count()));
    }
    std::map<std::string_view, InstructionView> paths;
    for (InstructionView y : b.instructions()) {
      if (is_path(y)) paths.emplace(y.name(), y);
    }
    auto right = b.instructions().begin();
    const auto end = b.instructions().end();
    for (InstructionView x : a.instructions()) {
      if (is_path(x)) {
        const auto found = paths.find(x.name());
        if (found == paths.end()) return differ("instruction names", x.name(), "");
        if (!instructions(x, found->second)) return false;
        continue;
      }
      while (right != end && is_path(*right)) ++right;
      if (right == end) return differ("instruction names", x.name(), "");
      if (!instructions(x, *right)) return false;
      ++right;
    }
    if (row_of(a).root.valid() && a.root().name() != b.root().name()) {
      return differ("roots of " + std::string(a.name()), a.root().name(), b.root().name());
    }
    return true;
  }

  static bool same_dimensions(const Shape& a, const Shape& b) {
    if (a.dimensions != b.dimensions) return false;
    for (int i = 0; i < a.rank(); ++i) {
      const bool is_unbounded = a.dimensions[static_cast<std::size_t>(i)] == Shape::kUnboundedSize;
      if (!is_unbounded && is_dynamic(a, i) != is_dynamic(b, i)) return false;
    }
    return true;
  }

  // Compares the fields and not the texts, because the text of a shape does not say everything that a layout can hold.
  // Each table has a shape once, so a shape that was found equal to one of the other table is equal to no other.
  bool shapes(ShapeId a, ShapeId b) {
    std::vector<std::pair<ShapeId, ShapeId>> open = {{a, b}};
    while (!open.empty()) {
      const auto [x_id, y_id] = open.back();
      open.pop_back();
      ShapeId& matched = matched_[x_id.index];
      if (matched == y_id) continue;
      const Shape& x = a_.shape(x_id);
      const Shape& y = b_.shape(y_id);
      if (x.element_type != y.element_type || !same_dimensions(x, y) || x.layout != y.layout ||
          x.elements.size() != y.elements.size()) {
        return false;
      }
      matched = y_id;
      for (std::size_t i = 0; i < x.elements.size(); ++i) open.emplace_back(x.elements[i], y.elements[i]);
    }
    return true;
  }

  bool instructions(InstructionView a, InstructionView b) {
    const std::string where(a.name());
    if (a.name() != b.name()) return differ("instruction names", a.name(), b.name());
    if (a.opcode_text() != b.opcode_text()) return differ("opcodes of " + where, a.opcode_text(), b.opcode_text());
    if (!shapes(a.shape_id(), b.shape_id())) {
      const std::string p = to_string(a_.shapes(), a.shape_id());
      const std::string q = to_string(b_.shapes(), b.shape_id());
      return differ((p == q ? "layouts of " : "shapes of ") + where, p, q);
    }
    if (a.operand_count() != b.operand_count()) return differ("operand counts of " + where, "", "");
    for (std::size_t i = 0; i < a.operand_count(); ++i) {
      if (a.operand(i).name() != b.operand(i).name()) {
        return differ("operands of " + where, a.operand(i).name(), b.operand(i).name());
      }
    }
    if (row_of(a).number != row_of(b).number && a.opcode() != Opcode::kUnknown) {
      return differ("numbers of " + where, std::to_string(row_of(a).number), std::to_string(row_of(b).number));
    }
    return attributes(where, a.attributes(), b.attributes());
  }

  const Module& a_;
  const Module& b_;
  std::vector<std::pair<ComputationView, ComputationView>> wrapped_;  // still to be compared
  std::vector<ShapeId> matched_;  // by ShapeId of a: the shape of b that it was compared with
  std::string difference_;
};

}  // namespace

bool equal(const Module& a, const Module& b, std::string* difference) {
  Comparison comparison(a, b);
  const bool same = comparison.modules();
  if (!same && difference != nullptr) *difference = comparison.difference();
  return same;
}

}  // namespace hloroof::inline v0

#include "lib/scale/rewrite.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/scale/constants.h"
#include "lib/scale/kernels.h"
#include "lib/scale/placed_error.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/literal.h"

namespace hloroof::internal::inline scale {
namespace {

// n * (to / from)^exponent; nullopt if that is no integer or too large.
std::optional<std::int64_t> grown(std::int64_t n, Ratio ratio, int exponent) {
  if (exponent < 0) std::swap(ratio.to, ratio.from);
  for (int i = 0; i < std::abs(exponent); ++i) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(n, ratio.to, &product) || product % ratio.from != 0) return std::nullopt;
    n = product / ratio.from;
  }
  return n;
}

class Rewriter {
 public:
  Rewriter(Module& module, const Dimensions& dimensions, const std::vector<int>& exponents, Ratio ratio,
           const ScaledAxis* axis)
      : module_(module), dimensions_(dimensions), exponents_(exponents), ratio_(ratio), axis_(axis) {}

  absl::StatusOr<Rewritten> run() {
    std::vector<std::pair<InstructionId, ShapeId>> shapes;
    absl::Status status;
    std::vector<InstructionId> all;
    walk(module_, [&](InstructionView i) { all.push_back(i.id()); });
    for (InstructionId id : all) {
      const InstructionView i = module_.instruction(id);
      Node node = dimensions_.first(id);
      const ShapeId before = i.shape_id();
      const std::optional<ShapeId> shape = resized(before, node, &i, 0);
      if (!shape) return error_;
      if (*shape != before) shapes.emplace_back(id, *shape);
      status = attributes(module_.instruction(id));
      if (!status.ok()) return status;
    }
    status = header();
    if (!status.ok()) return status;
    ModuleBuilder builder(module_);
    for (const auto& [id, shape] : shapes) builder.instructions()[id.index].shape = shape;
    result_.instructions = static_cast<std::int64_t>(shapes.size());
    ModuleEditor edit(module_);
    for (const Change& change : changes_) {
      status = change.remove ? edit.remove_attribute(change.instruction, change.key)
                             : edit.set_attribute(change.instruction, change.key, change.value);
      if (!status.ok()) return status;
    }
    for (const auto& [constant, value] : constants_) {
      status = replace_constant(edit, constant, value);
      if (!status.ok()) return status;
    }
    for (const Offset& offset : offsets_) {
      NewInstruction constant;
      constant.opcode = Opcode::kConstant;
      constant.shape_id = module_.instruction(offset.constant).shape_id();
      constant.literal = offset.value;
      const absl::StatusOr<InstructionId> made = edit.insert_before(offset.user, constant);
      if (!made.ok()) return made.status();
      status = edit.set_operand(offset.user, offset.operand, *made);
      if (!status.ok()) return status;
      if (edit.users(offset.constant).empty()) status = edit.erase(offset.constant);
      if (!status.ok()) return status;
    }
    return result_;
  }

 private:
  static constexpr int kMostDepth = 16;  // of nested tuples

  struct Change {
    InstructionId instruction;
    AttributeKey key = AttributeKey::kUnknown;
    std::string value;
    bool remove = false;
  };
  // A scalar by which the number of the device is multiplied.
  struct Offset {
    InstructionId user;
    std::size_t operand = 0;
    InstructionId constant;
    std::string value;
  };

  std::int64_t size(InstructionView i, std::size_t d, std::size_t leaf = 0) const {
    const std::size_t node = dimensions_.first(i.id(), leaf) + d;
    return grown(dimensions_.array(i.id(), leaf).dimensions[d], ratio_, exponents_[node]).value_or(0);
  }
  bool grows(InstructionView i, std::size_t d) const { return exponents_[dimensions_.first(i.id()) + d] != 0; }

  void set(InstructionView i, AttributeKey key, std::string value) {
    changes_.push_back({i.id(), key, std::move(value), false});
  }

  // The shape with its sizes after growth, whose dimensions begin at `node`. nullopt and `error_` if one does not
  // divide. `at` is null for a shape of the header, whose dimensions are not counted.
  std::optional<ShapeId> resized(ShapeId id, Node& node, const InstructionView* at, int depth) {
    Shape shape = module_.shape(id);
    if (!shape.elements.empty()) {
      if (depth == kMostDepth) {
        error_ = invalid_argument("tuples nest too deeply to be scaled");
        return std::nullopt;
      }
      bool changed = false;
      for (ShapeId& element : shape.elements) {
        const std::optional<ShapeId> other = resized(element, node, at, depth + 1);
        if (!other) return std::nullopt;
        changed = changed || *other != element;
        element = *other;
      }
      return changed ? ModuleBuilder(module_).shapes().intern(shape) : id;
    }
    bool changed = false;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d, ++node) {
      const int exponent = exponents_[node];
      if (exponent == 0) continue;
      const std::int64_t before = shape.dimensions[d];
      const std::optional<std::int64_t> after = grown(before, ratio_, exponent);
      if (!after || *after < 1) {
        const std::string why =
            absl::StrCat("dimension ", d, " of ", to_absl(to_string(module_.shapes(), id, ShapeText::kWithoutLayout)),
                         " would have ", before, " x ", exponent < 0 ? ratio_.from : ratio_.to, "/",
                         exponent < 0 ? ratio_.to : ratio_.from, " elements, which is no integer");
        error_ = at == nullptr ? invalid_argument(why) : placed_error(*at, why);
        return std::nullopt;
      }
      shape.dimensions[d] = *after;
      changed = true;
      if (at != nullptr) ++result_.sizes[{before, *after}];
      if (!split(shape, d, exponent)) {
        error_ = at == nullptr ? invalid_argument("a split does not divide")
                               : placed_error(*at, "its split between memories does not divide");
        return std::nullopt;
      }
    }
    return changed ? ModuleBuilder(module_).shapes().intern(shape) : id;
  }

  // The places at which dimension `d` is split between memories grow with it.
  bool split(Shape& shape, std::size_t d, int exponent) const {
    for (SplitConfig& split : shape.layout.split_configs) {
      const std::vector<std::int64_t>& order = shape.layout.minor_to_major;
      const auto from_major = static_cast<std::size_t>(split.dimension);
      if (from_major >= order.size() || order[order.size() - 1 - from_major] != static_cast<std::int64_t>(d)) continue;
      for (std::int64_t& index : split.indices) {
        const std::optional<std::int64_t> after = grown(index, ratio_, exponent);
        if (!after) return false;
        index = *after;
      }
    }
    return true;
  }

  // What the compiler estimated for other sizes is no estimate of these; XLA writes this number where it has none.
  void forget_cycles(InstructionView i) {
    bool changed = has_growth(i);
    for (InstructionView operand : i.operands()) changed = changed || has_growth(operand);
    const std::string_view config = i.text(AttributeKey::kBackendConfig);
    constexpr std::string_view kKey = "\"estimated_cycles\":\"";
    const std::size_t key = config.find(kKey);
    if (!changed || key == std::string_view::npos) return;
    const std::size_t begin = key + kKey.size();
    const std::size_t end = config.find('"', begin);
    if (end == std::string_view::npos) return;
    set(i, AttributeKey::kBackendConfig,
        std::string(config.substr(0, begin)) + std::to_string(std::numeric_limits<std::int64_t>::max()) +
            std::string(config.substr(end)));
  }

  bool has_growth(InstructionView i) const {
    std::size_t node = dimensions_.first(i.id());
    for (std::size_t leaf = 0; leaf < dimensions_.arrays(i.id()); ++leaf) {
      for (std::size_t d = 0; d < dimensions_.array(i.id(), leaf).dimensions.size(); ++d, ++node) {
        if (exponents_[node] != 0) return true;
      }
    }
    return false;
  }

  absl::Status attributes(InstructionView i) {
    forget_cycles(i);
    switch (i.opcode()) {
      case Opcode::kSlice: return slice(i);
      case Opcode::kDynamicSlice: dynamic_slice(i); break;
      case Opcode::kGather: gather(i); break;
      case Opcode::kConvolution: convolution(i); break;
      case Opcode::kCustomCall: return custom_call(i);
      case Opcode::kConstant: return constant(i);
      default: break;
    }
    if (axis_ == nullptr) return absl::OkStatus();
    if (i.has(AttributeKey::kReplicaGroups)) {
      const std::optional<ReplicaGroups> groups = replica_groups(i);
      if (groups && groups->group_count() > 0) {
        const absl::StatusOr<std::string> text = axis_->new_groups(i);
        if (!text.ok()) return text.status();
        set(i, AttributeKey::kReplicaGroups, *text);
        ++result_.collectives;
      }
    }
    if (i.has(AttributeKey::kSourceTargetPairs)) {
      const absl::StatusOr<std::string> text = axis_->new_pairs(i);
      if (!text.ok()) return text.status();
      set(i, AttributeKey::kSourceTargetPairs, *text);
      ++result_.collectives;
    }
    if (i.has(AttributeKey::kSharding)) sharding_of(i);
    return absl::OkStatus();
  }

  void sharding_of(InstructionView i) {
    const std::optional<ShardingAttribute> attribute = sharding(i);
    if (attribute && !attribute->is_tuple && attribute->elements.size() == 1 && i.shape().is_array()) {
      const auto text = axis_->new_sharding(attribute->elements[0], i.shape().dimensions.size());
      if (text) return set(i, AttributeKey::kSharding, *text);
    }
    changes_.push_back({i.id(), AttributeKey::kSharding, "", true});
  }

  absl::Status slice(InstructionView i) {
    std::vector<std::string> texts;
    bool changed = false;
    const std::vector<SliceRange> ranges = slice_ranges(i);
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      SliceRange range = ranges[d];
      const int exponent = exponents_[dimensions_.first(i.operand_ids()[0]) + d];
      // Of stacked layers, the first or the last one is taken.
      const bool is_last = exponent != 0 && !grows(i, d);
      if (is_last && range.start > 0) {
        range.limit = size(i.operand(0), d);
        range.start = range.limit - 1;
        changed = true;
      } else if (exponent != 0 && !is_last) {
        const std::optional<std::int64_t> start = grown(range.start, ratio_, exponent);
        const std::optional<std::int64_t> limit = grown(range.limit, ratio_, exponent);
        if (!start || !limit) {
          return placed_error(i, absl::StrCat("[", range.start, ":", range.limit, "] of dimension ", d,
                                              " is no part of as many parts at the other size"));
        }
        range.start = *start;
        range.limit = *limit;
        changed = true;
      }
      texts.push_back(absl::StrCat("[", range.start, ":", range.limit,
                                   range.stride == 1 ? std::string() : absl::StrCat(":", range.stride), "]"));
    }
    if (changed) set(i, AttributeKey::kSlice, absl::StrCat("{", absl::StrJoin(texts, ", "), "}"));
    return absl::OkStatus();
  }

  void dynamic_slice(InstructionView i) {
    std::vector<std::int64_t> sizes;
    bool changed = false;
    for (std::size_t d = 0; d < i.shape().dimensions.size(); ++d) {
      sizes.push_back(size(i, d));
      changed = changed || grows(i, d);
    }
    if (changed) set(i, AttributeKey::kDynamicSliceSizes, absl::StrCat("{", absl::StrJoin(sizes, ","), "}"));
    for (std::size_t d = 0; axis_ != nullptr && d < sizes.size() && d + 1 < i.operand_count(); ++d) {
      if (grows(i, d) && !grows(i.operand(0), d)) offset(i.operand(d + 1), i.shape().dimensions[d], sizes[d]);
    }
  }

  // A start of the form partition-id x shard. Any other keeps its value, on which no time depends.
  void offset(InstructionView start, std::int64_t before, std::int64_t after) {
    const auto is_number = [](InstructionView at) {
      return origin(at, [](InstructionView v) {
               return v.opcode() == Opcode::kConvert || v.opcode() == Opcode::kBitcast;
             }).opcode() == Opcode::kPartitionId;
    };
    if (axis_->is_only_axis() && start.opcode() == Opcode::kMultiply && start.shape().dimensions.empty()) {
      for (std::size_t n = 0; n < 2; ++n) {
        const InstructionView constant = start.operand(n);
        if (constant.opcode() != Opcode::kConstant || !is_number(start.operand(1 - n))) continue;
        std::int64_t value = 0;
        if (!absl::SimpleAtoi(to_absl(constant.text(AttributeKey::kConstantLiteral)), &value) || value != before)
          continue;
        const bool is_known = std::any_of(offsets_.begin(), offsets_.end(),
                                          [&](const Offset& offset) { return offset.user == start.id(); });
        if (!is_known) offsets_.push_back({start.id(), n, constant.id(), std::to_string(after)});
        return;
      }
    }
    ++result_.kept_offsets;
  }

  static InstructionView origin(InstructionView at, bool (*passes)(InstructionView)) {
    for (int step = 0; step < 16 && at.operand_count() > 0 && passes(at); ++step) at = at.operand(0);
    return at;
  }

  // A table with a number for each device grows with their number. It must be a sum of steps along the axes, so that it
  // goes on beyond the devices that it has.
  absl::Status constant(InstructionView i) {
    if (i.shape().dimensions.size() != 1 || !grows(i, 0) || axis_ == nullptr) return absl::OkStatus();
    const absl::StatusOr<Literal> value = literal(i);
    if (!value.ok() || i.text(AttributeKey::kConstantLiteral).find('{') == std::string_view::npos) {
      return absl::OkStatus();
    }
    if (value->elided) return absl::OkStatus();
    std::vector<std::int64_t> numbers;
    for (std::size_t n = 0; n < value->size(); ++n) numbers.push_back(value->integer(n));
    const std::optional<std::vector<std::int64_t>> longer = axis_->new_table(numbers);
    if (!longer) return placed_error(i, "its numbers for the devices are no steps along the axes of the mesh");
    constants_.emplace_back(i.id(), absl::StrCat("{", absl::StrJoin(*longer, ", "), "}"));
    return absl::OkStatus();
  }

  // A kernel gets another bound of its grid, and what the text repeats of its operands follows them.
  absl::Status custom_call(InstructionView i) {
    bool changed = false;
    for (InstructionView operand : i.operands()) {
      for (std::size_t d = 0; operand.shape().is_array() && d < operand.shape().dimensions.size(); ++d) {
        changed = changed || grows(operand, d);
      }
    }
    if (changed && i.has(AttributeKey::kOperandLayoutConstraints)) {
      std::vector<std::string> shapes;
      for (InstructionView operand : i.operands()) {
        Node node = dimensions_.first(operand.id());
        const std::optional<ShapeId> shape = resized(operand.shape_id(), node, nullptr, 0);
        if (!shape) return error_;
        shapes.push_back(to_string(module_.shapes(), *shape));
      }
      set(i, AttributeKey::kOperandLayoutConstraints, absl::StrCat("{", absl::StrJoin(shapes, ", "), "}"));
    }
    int rewritten = 0;
    for (const BatchOfGrid& batch : batches_of_grid(i)) {
      const BatchOfGrid::Place& place = batch.places.front();
      const bool is_operand = place.array < i.operand_count();
      const InstructionView value = is_operand ? i.operand(place.array) : i;
      const std::size_t leaf = is_operand ? 0 : place.array - i.operand_count();
      const std::size_t node = dimensions_.first(value.id(), leaf) + place.dimension;
      if (exponents_[node] == 0) continue;
      if (++rewritten > 1) return placed_error(i, "two dimensions of the grid of its kernel would change");
      const absl::StatusOr<std::string> config = with_bound(i, batch, size(value, place.dimension, leaf));
      if (!config.ok()) return config.status();
      set(i, AttributeKey::kBackendConfig, *config);
      ++result_.kernels;
    }
    return absl::OkStatus();
  }

  void gather(InstructionView i) {
    const GatherDimensions n = gather_dimensions(i);
    std::vector<std::int64_t> sizes = n.slice_sizes;
    bool changed = false;
    for (std::size_t d = 0; d < sizes.size() && d < i.operand(0).shape().dimensions.size(); ++d) {
      if (!grows(i.operand(0), d) || sizes[d] != i.operand(0).shape().dimensions[d] || sizes[d] == 1) continue;
      sizes[d] = size(i.operand(0), d);
      changed = true;
    }
    if (changed) set(i, AttributeKey::kSliceSizes, absl::StrCat("{", absl::StrJoin(sizes, ","), "}"));
  }

  // The window of a spatial dimension that is a batch, free or contracted dimension follows its size.
  void convolution(InstructionView i) {
    const std::optional<ConvolutionDimensionNumbers> n = convolution_dimension_numbers(i);
    std::optional<Window> w = window(i);
    if (!n || !w || w->dimensions.empty()) return;
    bool changed = false;
    for (std::size_t s = 0; s < w->dimensions.size() && s < n->rhs_spatial.size(); ++s) {
      const auto kernel = static_cast<std::size_t>(n->rhs_spatial[s]);
      WindowDimension& d = w->dimensions[s];
      if (!grows(i.operand(1), kernel)) continue;
      const std::int64_t after = size(i.operand(1), kernel);
      // Of size n, a batch has the stride n - 1 and the dilation n, or the other way round; see Rules::convolution().
      if (d.size > 1 && d.stride == d.size && d.pad_low == d.size - 1) {
        d.stride = after;
        d.base_dilation = std::max<std::int64_t>(1, after - 1);
      } else if (d.size > 1 && d.base_dilation == d.size) {
        d.base_dilation = after;
        d.stride = std::max<std::int64_t>(1, after - 1);
      }
      if (d.pad_low == d.size - 1 && d.pad_low > 0) d.pad_low = d.pad_high = after - 1;
      d.size = after;
      changed = true;
    }
    if (changed) set(i, AttributeKey::kWindow, window_text(*w));
  }

  static std::string window_text(const Window& w) {
    std::string text = "{";
    const auto add = [&](const char* name, auto value, const std::string& usual) {
      std::vector<std::string> values;
      bool is_usual = true;
      for (const WindowDimension& d : w.dimensions) {
        values.push_back(value(d));
        is_usual = is_usual && values.back() == usual;
      }
      if (is_usual) return;
      absl::StrAppend(&text, text.size() > 1 ? " " : "", name, "=", absl::StrJoin(values, "x"));
    };
    add(
        "size", [](const WindowDimension& d) { return std::to_string(d.size); }, "");
    add(
        "stride", [](const WindowDimension& d) { return std::to_string(d.stride); }, "1");
    add(
        "pad", [](const WindowDimension& d) { return absl::StrCat(d.pad_low, "_", d.pad_high); }, "0_0");
    add(
        "lhs_dilate", [](const WindowDimension& d) { return std::to_string(d.base_dilation); }, "1");
    add(
        "rhs_dilate", [](const WindowDimension& d) { return std::to_string(d.window_dilation); }, "1");
    add(
        "rhs_reversal", [](const WindowDimension& d) { return std::string(d.reversal ? "1" : "0"); }, "0");
    return text + "}";
  }

  absl::Status header() {
    ModuleBuilder builder(module_);
    const auto write = [&](AttributeKey key, const std::string& value) {
      for (AttributeData& attribute : builder.header_attributes()) {
        if (attribute.key == key) attribute.value = builder.add_text(value);
      }
    };
    if (axis_ != nullptr) {
      if (module_.num_partitions() > 1) {
        builder.set_num_partitions(axis_->new_devices());
        write(AttributeKey::kNumPartitions, std::to_string(axis_->new_devices()));
      } else {
        builder.set_replica_count(axis_->new_devices());
        write(AttributeKey::kReplicaCount, std::to_string(axis_->new_devices()));
      }
    }
    std::optional<EntryLayout> layout = entry_computation_layout(module_, builder.shapes());
    if (!layout) return absl::OkStatus();
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    std::string text = "{(";
    for (std::size_t p = 0; p < layout->parameters.size(); ++p) {
      std::optional<ShapeId> shape = layout->parameters[p];
      if (p < parameters.size() && parameters[p].valid()) {
        Node node = dimensions_.first(parameters[p]);
        shape = resized(*shape, node, nullptr, 0);
        if (!shape) return error_;
      }
      if (p > 0) absl::StrAppend(&text, ", ");
      if (p > 0 && p % 5 == 0) absl::StrAppend(&text, "/*index=", p, "*/");
      absl::StrAppend(&text, to_string(module_.shapes(), *shape));
    }
    Node node = dimensions_.first(module_.entry().root().id());
    const std::optional<ShapeId> root = resized(layout->result, node, nullptr, 0);
    if (!root) return error_;
    write(AttributeKey::kEntryComputationLayout, absl::StrCat(text, ")->", to_string(module_.shapes(), *root), "}"));
    return absl::OkStatus();
  }

  Module& module_;
  const Dimensions& dimensions_;
  const std::vector<int>& exponents_;
  Ratio ratio_;
  const ScaledAxis* axis_;
  std::vector<Change> changes_;
  std::vector<Offset> offsets_;
  std::vector<std::pair<InstructionId, std::string>> constants_;  // with other values
  Rewritten result_;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<Rewritten> rewrite(Module& module, const Dimensions& dimensions, const std::vector<int>& exponents,
                                  Ratio ratio, const ScaledAxis* axis) {
  return Rewriter(module, dimensions, exponents, ratio, axis).run();
}

}  // namespace hloroof::internal::inline scale

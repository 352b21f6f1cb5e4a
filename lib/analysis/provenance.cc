#include "lib/analysis/provenance.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/gradients.h"
#include "lib/analysis/product_sides.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline analysis {
namespace {

// Limits on the values that a walk visits. Beyond them the answer is that nothing is known.
constexpr int kMostOfOrigin = 256;
constexpr int kMostOfOutput = 1 << 12;
constexpr int kMostOfOutputs = 1 << 18;  // all outputs together
constexpr int kMostOfPieces = 8;         // between a product and the sum of its pieces
constexpr int kMostOfRouting = 1 << 10;
constexpr int kMostOfDimensions = 1 << 12;

bool is_large(const Shape& shape) {
  return shape.is_array() && is_floating(shape.element_type) && element_count(shape) > kSmallArray;
}

// Whether the elements may be those of an array of the model or the batch. Large ones of 8 bits may be the bytes of
// one: the TPU compiler copies arrays to VMEM in pieces of bytes and joins them there.
bool may_be_of_an_array(const Shape& shape) {
  const bool is_bytes = shape.element_type == ElementType::kS8 || shape.element_type == ElementType::kU8;
  return is_floating(shape.element_type) ? element_count(shape) > 1 : is_bytes && element_count(shape) > kSmallArray;
}

// The dimensions that are longer than one, sorted. Transposes and reshapes that add or remove ones keep them.
std::vector<std::int64_t> extents_of(const Shape& shape) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t d : shape.dimensions) {
    if (d != 1) extents.push_back(d);
  }
  std::sort(extents.begin(), extents.end());
  return extents;
}

// Custom calls of the TPU compiler that hand on their operands: joined in memory, or around a collective in steps.
bool hands_on(InstructionView call) {
  const std::string target = string_value(call, AttributeKey::kCustomCallTarget);
  return target == "AsyncCollectiveStart" || target == "AsyncCollectiveDone" || moves_elements(call);
}

// Whether the elements of the result are elements of the operands.
bool passes_elements(InstructionView at) {
  if (at.opcode() == Opcode::kCustomCall) return hands_on(at);
  return at.opcode() == Opcode::kCollectiveBroadcast || moves_elements(at);
}

// The entry's parameters that a value consists of.
struct Origin {
  bool computed = false;              // or not known
  std::vector<std::uint32_t> inputs;  // by InstructionId

  std::optional<std::uint32_t> only_input() const {
    return computed || inputs.size() != 1 ? std::nullopt : std::optional<std::uint32_t>(inputs[0]);
  }
};

struct Product {
  InstructionId id;
  std::optional<std::uint32_t> input[2];  // of each side, if it is an input as it came
  bool computed[2] = {false, false};
  bool batched = false;  // both sides have a dimension that the result has once
};

// An array that the entry returns.
struct Output {
  std::vector<std::int64_t> extents;
  std::set<std::size_t> collectives;  // that it is computed from by arithmetic on elements
  std::set<std::uint32_t> inputs;
  std::vector<std::uint32_t> products;
  std::optional<std::uint32_t> replaces;  // the input whose memory it takes
};

class SentFinder {
 public:
  SentFinder(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives)
      : module_(module), calls_(calls), collectives_(collectives), walk_(module) {
    for (std::size_t c = 0; c < collectives.size(); ++c) {
      for (const InstructionId id : {collectives[c].instruction, collectives[c].carrier, collectives[c].done}) {
        if (id.valid()) at_[id.index].push_back(c);
      }
    }
  }

  std::vector<Sent> run(const std::vector<InstructionId>& operands) {
    std::vector<Sent> sent(collectives_.size(), Sent::kUnknown);
    if (!module_.has_entry()) return sent;
    find_products();
    find_outputs();
    find_inputs();
    const std::set<std::size_t> updates = find_updates();
    for (std::size_t c = 0; c < collectives_.size() && c < operands.size(); ++c) {
      sent[c] = sent_by(collectives_[c], operands[c], updates.count(c) != 0);
    }
    return sent;
  }

  // After run().
  std::vector<InstructionId> of_batch() const {
    std::vector<InstructionId> result;
    for (const std::uint32_t input : of_batch_) result.push_back(InstructionId{input});
    return result;
  }

 private:
  auto callers() {
    return [this](ComputationId id) -> absl::Span<const InstructionId> { return CallFacts::callers(calls_, id); };
  }

  static bool is_entry_parameter(InstructionView at) {
    return flow(at.opcode()) == Flow::kParameter && at.computation().is_entry();
  }

  // Follows a value back through instructions that keep its elements, and through arithmetic with numbers.
  const Origin& origin_of(InstructionId id) {
    const auto known = origins_.find(id.index);
    if (known != origins_.end()) return known->second;
    Origin origin;
    int visits = 0;
    walk_.begin();
    walk_.add(id, {});
    walk_.back(kMostOfOrigin, callers(), [&](InstructionView at) {
      const auto computed = [&] {
        origin.computed = true;
        return Go::kEnd;
      };
      if (++visits >= kMostOfOrigin) return computed();
      const Shape& shape = at.shape();
      if (shape.is_array() && !may_be_of_an_array(shape) && !is_entry_parameter(at)) {
        return at.id() == id ? computed() : Go::kStop;  // an index, a predicate or a factor
      }
      if (is_entry_parameter(at)) {
        if (!shape.is_array()) return computed();
        origin.inputs.push_back(at.id().index);
        return Go::kStop;
      }
      if (passes_elements(at)) return Go::kOperands;
      switch (flow(at.opcode())) {
        case Flow::kElementwise:
        case Flow::kUpdates: return Go::kOperands;
        case Flow::kRepeats:
          return at.operand_count() > 0 && element_count(at.operand(0).shape()) <= 1 ? Go::kStop : computed();
        case Flow::kOpaque:
          if (at.opcode() == Opcode::kConstant || at.opcode() == Opcode::kIota) return Go::kStop;
          if (at.opcode() == Opcode::kCustomCall && at.operand_count() == 0) return Go::kStop;  // a buffer
          return computed();
        default: return Go::kOn;
      }
    });
    std::sort(origin.inputs.begin(), origin.inputs.end());
    origin.inputs.erase(std::unique(origin.inputs.begin(), origin.inputs.end()), origin.inputs.end());
    if (origin.inputs.empty()) origin.computed = true;
    return origins_.emplace(id.index, std::move(origin)).first->second;
  }

  void find_products() {
    for (ComputationView computation : module_.computations()) {
      for (InstructionView at : computation.instructions()) {
        if (at.opcode() == Opcode::kGather && at.operand_count() > 0) {
          const Origin& table = origin_of(at.operand(0).id());
          if (const auto input = table.only_input()) tables_.insert(*input);
        }
        if (!is_product(at)) continue;
        Product product;
        product.id = at.id();
        for (int side = 0; side < 2; ++side) {
          const Origin& origin = origin_of(at.operand(static_cast<std::size_t>(side)).id());
          product.input[side] = origin.only_input();
          product.computed[side] = origin.computed;
        }
        product.batched = sides_of(at).batched;
        index_[at.id().index] = products_.size();
        products_.push_back(product);
      }
    }
    find_split_products();
  }

  // The GPU compiler splits a long K: the pieces become a batch of products, whose results are added up.
  void find_split_products() {
    const bool any = std::any_of(products_.begin(), products_.end(), [](const Product& p) { return p.batched; });
    if (!any) return;
    for (ComputationView computation : module_.computations()) {
      for (InstructionView at : computation.instructions()) {
        if (at.opcode() != Opcode::kReduce || !at.shape().is_array() || at.operand_count() != 2) continue;
        walk_.begin();
        walk_.add(at.operand(0).id(), {});
        walk_.back(kMostOfPieces, callers(), [&](InstructionView from) {
          const auto product = index_.find(from.id().index);
          if (product != index_.end()) {
            if (adds_pieces(at, from)) products_[product->second].batched = false;
            return Go::kEnd;
          }
          switch (from.opcode()) {
            case Opcode::kConvert: return Go::kOperands;
            case Opcode::kParameter:
            case Opcode::kFusion:
            case Opcode::kTuple:
            case Opcode::kGetTupleElement: return Go::kOn;
            default: return Go::kEnd;
          }
        });
      }
    }
  }

  // Whether `reduce`, which reads the results of `dot`, reduces just the dimensions of its batch.
  static bool adds_pieces(InstructionView reduce, InstructionView dot) {
    if (dot.opcode() != Opcode::kDot || dot.shape().rank() != reduce.operand(0).shape().rank()) return false;
    const std::vector<std::int64_t> added = integers(reduce, AttributeKey::kDimensions);
    const std::size_t batch = integers(dot, AttributeKey::kLhsBatchDims).size();
    return added.size() == batch && std::all_of(added.begin(), added.end(),
                                                [&](std::int64_t d) { return d < static_cast<std::int64_t>(batch); });
  }

  // Follows each large array that the entry returns back by arithmetic on elements.
  void find_outputs() {
    std::map<Path, std::uint32_t> replaced;
    const std::vector<InstructionId> parameters = module_.entry().parameters();
    for (const ParameterAlias& alias : input_output_alias(module_)) {
      if (!alias.parameter_index.empty() || alias.parameter < 0 ||
          alias.parameter >= static_cast<std::int64_t>(parameters.size())) {
        continue;
      }
      const InstructionId parameter = parameters[static_cast<std::size_t>(alias.parameter)];
      if (parameter.valid()) replaced[Path(alias.output.begin(), alias.output.end())] = parameter.index;
    }
    const InstructionView root = module_.entry().root();
    std::vector<std::pair<Path, ShapeId>> leaves;
    if (root.shape().is_tuple()) {
      for (std::size_t i = 0; i < root.shape().elements.size(); ++i) {
        leaves.emplace_back(Path{static_cast<std::int64_t>(i)}, root.shape().elements[i]);
      }
    } else {
      leaves.emplace_back(Path{}, root.shape_id());
    }
    for (const auto& [path, shape] : leaves) {
      if (!is_large(module_.shape(shape))) continue;
      Output output;
      output.extents = extents_of(module_.shape(shape));
      const auto replaces = replaced.find(path);
      if (replaces != replaced.end()) output.replaces = replaces->second;
      follow(root.id(), path, output);
      outputs_.push_back(std::move(output));
    }
  }

  void follow(InstructionId root, const Path& path, Output& output) {
    walk_.begin();
    walk_.add(root, path);
    walk_.back(std::min(kMostOfOutput, kMostOfOutputs - visits_of_outputs_), callers(), [&](InstructionView at) {
      ++visits_of_outputs_;
      const auto collectives = at_.find(at.id().index);
      if (collectives != at_.end()) output.collectives.insert(collectives->second.begin(), collectives->second.end());
      if (index_.count(at.id().index) != 0) {
        output.products.push_back(at.id().index);
        return Go::kStop;
      }
      if (at.shape().is_array() && !may_be_of_an_array(at.shape())) {
        return Go::kStop;  // a predicate, an index or a factor such as the learning rate
      }
      if (is_entry_parameter(at)) {
        output.inputs.insert(at.id().index);
        return Go::kStop;
      }
      if (passes_elements(at)) return Go::kOperands;
      const std::optional<CollectiveKind> kind = collective_kind(at.opcode());
      if (kind && is_collective(at.opcode())) {
        const bool sums = *kind == CollectiveKind::kAllReduce || *kind == CollectiveKind::kReduceScatter;
        return sums ? Go::kOperands : Go::kStop;
      }
      switch (flow(at.opcode())) {
        case Flow::kElementwise:
        case Flow::kUpdates: return Go::kOperands;
        case Flow::kRepeats:
        case Flow::kOpaque: return Go::kStop;
        default: return Go::kOn;
      }
    });
  }

  const std::vector<std::int64_t>& extents_of_input(std::uint32_t input) {
    const auto [at, is_new] = extents_.try_emplace(input);
    if (is_new) at->second = extents_of(module_.instruction(InstructionId(input)).shape());
    return at->second;
  }

  // Decides which inputs are weights, and which are of the batch.
  void find_inputs() {
    std::map<std::uint32_t, std::set<std::uint32_t>> partners;
    for (const Product& product : products_) {
      const auto& [lhs, rhs] = product.input;
      if (!lhs || !rhs || *lhs == *rhs || product.batched) continue;
      partners[*lhs].insert(*rhs);
      partners[*rhs].insert(*lhs);
    }
    for (const Output& output : outputs_) {
      for (const std::uint32_t at : output.products) {
        const Product& product = products_[index_.at(at)];
        for (int side = 0; side < 2; ++side) {
          if (!product.input[side] || !product.computed[1 - side]) continue;
          const auto found = partners.find(*product.input[side]);
          if (found == partners.end()) continue;
          for (const std::uint32_t partner : found->second) {
            if (extents_of_input(partner) != output.extents) continue;
            of_batch_.insert(*product.input[side]);
            weights_.insert(partner);
          }
        }
      }
    }
    for (const Product& product : products_) {
      for (int side = 0; side < 2; ++side) {
        if (product.batched || !product.input[side] || !product.computed[1 - side]) continue;
        // An input that is also multiplied with another input may be of the batch: tokens are multiplied with a mask
        // that sends them to experts.
        if (partners.count(*product.input[side]) == 0) weights_.insert(*product.input[side]);
      }
    }
    weights_.insert(tables_.begin(), tables_.end());
    for (const Output& output : outputs_) {
      if (is_update(output)) weights_.insert(*output.replaces);
    }
    decide_partners(partners);
  }

  // Whether the output is the new value of an input: it takes its memory, and is that input plus a change that no
  // product with a weight makes. A layer's output that is added to its input is none.
  bool is_update(const Output& output) const {
    return output.replaces && output.inputs.count(*output.replaces) != 0 && of_batch_.count(*output.replaces) == 0 &&
           !has_product_with_weight(output);
  }

  bool has_product_with_weight(const Output& output) const {
    return std::any_of(output.products.begin(), output.products.end(), [&](std::uint32_t at) {
      const Product& product = products_[index_.at(at)];
      return (product.input[0] && weights_.count(*product.input[0]) != 0) ||
             (product.input[1] && weights_.count(*product.input[1]) != 0);
    });
  }

  void decide_partners(const std::map<std::uint32_t, std::set<std::uint32_t>>& partners) {
    std::vector<std::uint32_t> open;
    open.reserve(partners.size());
    for (const auto& [input, others] : partners) open.push_back(input);
    const auto is_known = [&](std::uint32_t input) {
      return weights_.count(input) != 0 || of_batch_.count(input) != 0;
    };
    const auto hand_on = [&](bool from_weights) {
      std::vector<std::uint32_t> pending(from_weights ? std::vector<std::uint32_t>(weights_.begin(), weights_.end())
                                                      : std::vector<std::uint32_t>(of_batch_.begin(), of_batch_.end()));
      for (const std::uint32_t input : pending) {
        const auto others = partners.find(input);
        if (others == partners.end()) continue;
        for (const std::uint32_t other : others->second) {
          if (!is_known(other)) (from_weights ? of_batch_ : weights_).insert(other);
        }
      }
    };
    hand_on(false);
    if (std::any_of(open.begin(), open.end(), [&](std::uint32_t input) { return !is_known(input); })) {
      const std::set<std::uint32_t> features = find_features();
      for (const auto& [input, others] : partners) {
        for (const std::uint32_t other : others) {
          if (is_known(input) || is_known(other) || features.count(input) == 0 || features.count(other) != 0) continue;
          weights_.insert(input);
          of_batch_.insert(other);
        }
      }
      hand_on(false);
    }
    hand_on(true);
    hand_on(false);
  }

  // The inputs with a dimension that a product with another input keeps and a weight is contracted with later.
  std::set<std::uint32_t> find_features() {
    struct Place {
      InstructionId id;
      Path path;
      DimensionMask mask;
    };
    std::vector<Place> pending;
    std::set<std::pair<std::uint32_t, DimensionMask>> seen;
    std::set<std::uint32_t> features;
    const auto add = [&](InstructionId id, Path path, DimensionMask mask) {
      if (!id.valid() || mask == 0) return;
      if (path.empty() && !seen.insert({id.index, mask}).second) return;
      pending.push_back({id, std::move(path), mask});
    };
    for (const Product& product : products_) {
      for (int side = 0; side < 2; ++side) {
        if (!product.input[side] || weights_.count(*product.input[side]) == 0 || !product.computed[1 - side]) continue;
        const InstructionView at = module_.instruction(product.id);
        add(at.operand(static_cast<std::size_t>(1 - side)).id(), {}, sides_of(at).contracted[1 - side]);
      }
    }
    for (int visits = 0; !pending.empty() && visits < kMostOfDimensions; ++visits) {
      const Place place = std::move(pending.back());
      pending.pop_back();
      const InstructionView at = module_.instruction(place.id);
      if (at.operand_count() > 0 && index_.count(place.id.index) != 0) {
        const Sides sides = sides_of(at);
        const Product& product = products_[index_.at(place.id.index)];
        for (int side = 0; side < 2; ++side) {
          if (product.input[side]) {
            if (product.input[1 - side] && (sides.kept[side] & place.mask) != 0) features.insert(*product.input[side]);
            continue;
          }
          DimensionMask mask = 0;
          for (std::size_t i = 0; i < sides.dimension[side].size(); ++i) {
            if ((place.mask & dimension_bit(static_cast<std::int64_t>(i))) != 0)
              mask |= dimension_bit(sides.dimension[side][i]);
          }
          add(at.operand(static_cast<std::size_t>(side)).id(), {}, mask);
        }
        continue;
      }
      if (at.shape().is_array() && element_count(at.shape()) <= 1) continue;
      const bool sums = collective_kind(at.opcode()) && is_collective(at.opcode());
      const Flow f = flow(at.opcode());
      if (passes_elements(at) || sums || f == Flow::kElementwise || f == Flow::kUpdates ||
          at.opcode() == Opcode::kReduce) {
        for (const InstructionView operand : at.operands())
          add(operand.id(), {}, dimensions_through(at, operand, place.mask));
        continue;
      }
      if (f == Flow::kOpaque || is_entry_parameter(at)) continue;
      const bool has_operand = at.operand_count() > 0 && f != Flow::kLoops && f != Flow::kPacks && f != Flow::kPicks &&
                               f != Flow::kFuses && f != Flow::kCalls && f != Flow::kBranches;
      const DimensionMask mask = has_operand ? dimensions_through(at, at.operand(0), place.mask) : place.mask;
      walk_.begin();
      walk_.add(place.id, place.path);
      walk_.back(1, callers(), [](InstructionView) { return Go::kOn; });
      walk_.take_pending([&](InstructionId id, Path path) {
        // Paths of loops' states repeat; the whole values inside bound the walk.
        if (path.empty() || paths_.insert({{id.index, path}, mask}).second) add(id, std::move(path), mask);
      });
    }
    return features;
  }

  // The collectives that an update of a weight, or its gradient, is computed from.
  std::set<std::size_t> find_updates() {
    std::set<std::vector<std::int64_t>> extents;
    for (const std::uint32_t weight : weights_) extents.insert(extents_of_input(weight));
    std::set<std::size_t> updates;
    for (const Output& output : outputs_) {
      const bool has_shape = extents.count(output.extents) != 0 && !has_product_with_weight(output);
      const bool of_batch = std::any_of(output.inputs.begin(), output.inputs.end(),
                                        [&](std::uint32_t input) { return of_batch_.count(input) != 0; });
      if (is_update(output) || (has_shape && !of_batch)) {
        updates.insert(output.collectives.begin(), output.collectives.end());
      }
    }
    return updates;
  }

  // Whether the order of a value's rows was computed: sorted, scattered, picked by an index that is the place of a
  // maximum.
  bool is_routed(InstructionId id) {
    bool routed = false;
    walk_.begin();
    walk_.add(id, {});
    walk_.back(kMostOfRouting, callers(), [&](InstructionView at) {
      const auto found = [&] {
        routed = true;
        return Go::kEnd;
      };
      switch (at.opcode()) {
        case Opcode::kSort:
        case Opcode::kTopk:
        case Opcode::kScatter: return found();
        case Opcode::kCustomCall:
          if (string_value(at, AttributeKey::kCustomCallTarget) == "TopK") return found();
          return hands_on(at) ? Go::kOperands : Go::kStop;
        case Opcode::kGather: return origin_of_known(at.operand(0).id()) ? Go::kStop : found();
        case Opcode::kReduce: return at.shape().is_tuple() ? found() : Go::kOperands;
        case Opcode::kConstant:
        case Opcode::kIota: return Go::kStop;
        default: break;
      }
      const auto product = index_.find(at.id().index);
      if (product != index_.end()) {
        for (const auto& input : products_[product->second].input) {
          if (input && weights_.count(*input) != 0) return Go::kStop;
        }
        return Go::kOperands;
      }
      if (is_entry_parameter(at)) return Go::kStop;
      if (collective_kind(at.opcode()) == CollectiveKind::kAllToAll) return Go::kStop;
      switch (flow(at.opcode())) {
        case Flow::kElementwise:
        case Flow::kUpdates:
        case Flow::kOpaque: return Go::kOperands;
        default: return passes_elements(at) ? Go::kOperands : Go::kOn;
      }
    });
    return routed;
  }

  // Whether a value is an input, as found before. Walks do not nest.
  bool origin_of_known(InstructionId id) const {
    const auto known = origins_.find(id.index);
    return known != origins_.end() && !known->second.computed;
  }

  Sent sent_by(const Collective& collective, InstructionId operand, bool updates) {
    if (updates) {
      switch (collective.kind) {
        case CollectiveKind::kAllGather:
        case CollectiveKind::kAllToAll:
        case CollectiveKind::kCollectiveBroadcast: return Sent::kWeight;
        default: return Sent::kGradient;
      }
    }
    if (!operand.valid()) return Sent::kUnknown;
    const Shape& shape = module_.instruction(operand).shape();
    if (!shape.is_array()) return Sent::kUnknown;
    const Origin& origin = origin_of(operand);
    if (!origin.computed) {
      const auto all_in = [&](const std::set<std::uint32_t>& set) {
        return std::all_of(origin.inputs.begin(), origin.inputs.end(),
                           [&](std::uint32_t input) { return set.count(input) != 0; });
      };
      return all_in(weights_) ? Sent::kWeight : all_in(of_batch_) ? Sent::kInput : Sent::kUnknown;
    }
    if (element_count(shape) <= 1) return Sent::kScalar;
    const bool exchanges =
        collective.kind == CollectiveKind::kAllToAll || collective.kind == CollectiveKind::kRaggedAllToAll;
    if (exchanges && is_routed(operand)) return Sent::kTokens;
    return is_large(shape) ? Sent::kActivation : Sent::kUnknown;
  }

  const Module& module_;
  const CallGraph& calls_;
  const std::vector<Collective>& collectives_;
  ValueWalk walk_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> at_;  // collectives, by their instructions
  std::unordered_map<std::uint32_t, Origin> origins_;               // by InstructionId
  std::vector<Product> products_;
  std::unordered_map<std::uint32_t, std::size_t> index_;  // of products_, by InstructionId
  std::vector<Output> outputs_;
  int visits_of_outputs_ = 0;
  std::map<std::uint32_t, std::vector<std::int64_t>> extents_;  // of inputs
  std::set<std::uint32_t> tables_;                              // inputs that are looked up by index
  std::set<std::uint32_t> weights_;                             // inputs
  std::set<std::uint32_t> of_batch_;                            // inputs
  std::set<std::pair<std::pair<std::uint32_t, Path>, DimensionMask>> paths_;
};

}  // namespace

std::vector<Sent> find_sent(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives,
                            const std::vector<InstructionId>& operands) {
  return SentFinder(module, calls, collectives).run(operands);
}

std::vector<InstructionId> batch_inputs(const Module& module, const CallGraph& calls,
                                        const std::vector<Collective>& collectives) {
  SentFinder finder(module, calls, collectives);
  finder.run({});
  return finder.of_batch();
}

}  // namespace hloroof::internal::inline analysis

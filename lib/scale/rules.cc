#include "lib/scale/rules.h"

#include <algorithm>
#include <utility>

#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline scale {
namespace {

// The dimensions of an array, major first: as in memory if `physical`, or else as in the shape.
std::vector<std::size_t> major_first(const Shape& shape, bool physical) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < shape.dimensions.size(); ++d) order.push_back(d);
  if (!physical || !shape.layout.present) return order;
  order.clear();
  for (auto d = shape.layout.minor_to_major.rbegin(); d != shape.layout.minor_to_major.rend(); ++d) {
    order.push_back(static_cast<std::size_t>(*d));
  }
  return order;
}

// A batch dimension of both operands as a spatial one: in each window, one element meets one that is no hole.
bool is_batch(const WindowDimension& d) {
  const bool is_forward = d.pad_low == 0 && d.pad_high == 0 && d.base_dilation == d.size &&
                          d.stride == std::max<std::int64_t>(1, d.size - 1);
  const bool is_backward = d.pad_low == d.size - 1 && d.pad_high == d.size - 1 && d.stride == d.size &&
                           d.base_dilation == std::max<std::int64_t>(1, d.size - 1);
  return d.size > 1 && (is_forward || is_backward);
}

}  // namespace

Rules::Rules(const Module& module, const Dimensions& dimensions, const ScaledAxis* axis, std::int64_t layers,
             Constraints& out)
    : module_(module),
      dimensions_(dimensions),
      axis_(axis),
      layers_(layers),
      out_(out),
      callers_(module.computation_limit()) {
  walk(module, [&](InstructionView i) {
    for (ComputationId called : i.called_computations()) callers_[called.index].push_back(i.id());
  });
}

void Rules::link_or_stay(InstructionView at, std::size_t dimension, bool is_linked) {
  if (is_linked) return link(at, node(at.operand(0), dimension), node(at, dimension));
  stay(at, node(at.operand(0), dimension));
  stay(at, node(at, dimension));
}

void Rules::alike(InstructionView at, InstructionView a, std::size_t leaf_a, InstructionView b, std::size_t leaf_b) {
  const std::size_t rank_a = rank(a, leaf_a);
  const std::size_t rank_b = rank(b, leaf_b);
  for (std::size_t d = 0; d < std::max(rank_a, rank_b); ++d) {
    if (rank_a == rank_b) {
      link(at, node(a, d, leaf_a), node(b, d, leaf_b));
      continue;
    }
    if (d < rank_a) stay(at, node(a, d, leaf_a));
    if (d < rank_b) stay(at, node(b, d, leaf_b));
  }
}

void Rules::all_alike(InstructionView at, InstructionView a, std::size_t leaf_a, InstructionView b, std::size_t leaf_b,
                      std::size_t count) {
  for (std::size_t i = 0; i < count && leaf_a + i < arrays(a) && leaf_b + i < arrays(b); ++i) {
    alike(at, a, leaf_a + i, b, leaf_b + i);
  }
}

void Rules::nothing_grows(InstructionView at, InstructionView value, std::string_view why) {
  for (std::size_t leaf = 0; leaf < arrays(value); ++leaf) {
    for (std::size_t d = 0; d < rank(value, leaf); ++d) stay(at, node(value, d, leaf), why);
  }
}

void Rules::neither_grows(InstructionView at, std::string_view why) {
  nothing_grows(at, at, why);
  for (InstructionView operand : at.operands()) nothing_grows(at, operand, why);
}

absl::Status Rules::add(InstructionView i) {
  switch (i.opcode()) {
    case Opcode::kParameter:
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kAfterAll:
    case Opcode::kRngGetAndUpdateState: break;
    case Opcode::kConstant: constant(i); break;
    case Opcode::kRng:
      for (InstructionView operand : i.operands()) nothing_grows(i, operand);
      break;
    case Opcode::kRngBitGenerator: nothing_grows(i, i.operand(0)); break;
    case Opcode::kCopy:
    case Opcode::kConvert:
    case Opcode::kReducePrecision:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kReverse:
    case Opcode::kCholesky:
    case Opcode::kAllReduceDone: all_alike(i, i.operand(0), 0, i, 0, arrays(i)); break;
    case Opcode::kAsyncUpdate: async_update(i); break;
    case Opcode::kBitcastConvert: alike(i, i.operand(0), 0, i, 0); break;
    case Opcode::kCopyStart:
      alike(i, i.operand(0), 0, i, 0);
      alike(i, i.operand(0), 0, i, 1);
      break;
    case Opcode::kCopyDone: alike(i, i.operand(0), 0, i, 0); break;
    case Opcode::kTuple: {
      std::size_t leaf = 0;
      for (InstructionView operand : i.operands()) {
        all_alike(i, operand, 0, i, leaf, arrays(operand));
        leaf += arrays(operand);
      }
      break;
    }
    case Opcode::kGetTupleElement: {
      std::size_t leaf = 0;
      const Shape& tuple = i.operand(0).shape();
      for (std::int64_t e = 0; e < i.tuple_index(); ++e) {
        leaf += module_.shapes().leaves(tuple.elements[static_cast<std::size_t>(e)]).size();
      }
      all_alike(i, i.operand(0), leaf, i, 0, arrays(i));
      break;
    }
    case Opcode::kBroadcast: broadcast(i); break;
    case Opcode::kTranspose: transpose(i); break;
    case Opcode::kReshape: regroup(i, false); break;
    case Opcode::kBitcast: regroup(i, true); break;
    case Opcode::kReduce: reduce(i); break;
    case Opcode::kReduceWindow: reduce_window(i); break;
    case Opcode::kSort:
      for (std::size_t n = 0; n < i.operand_count(); ++n) alike(i, i.operand(n), 0, i, n);
      break;
    case Opcode::kDot: dot(i); break;
    case Opcode::kConvolution: convolution(i); break;
    case Opcode::kSlice: slice(i); break;
    case Opcode::kDynamicSlice: dynamic_slice(i); break;
    case Opcode::kDynamicUpdateSlice: dynamic_update_slice(i); break;
    case Opcode::kPad: pad(i); break;
    case Opcode::kConcatenate: concatenate(i); break;
    case Opcode::kGather: gather(i); break;
    case Opcode::kScatter: scatter(i); break;
    case Opcode::kFusion:
    case Opcode::kCall: {
      const auto called = i.called_computations();
      if (called.size() == 1) {
        call(i, called[0], 0);
      } else {
        neither_grows(i);
      }
      break;
    }
    case Opcode::kWhile: loop(i); break;
    case Opcode::kConditional: conditional(i); break;
    case Opcode::kAsyncStart:
    case Opcode::kAsyncDone: async(i); break;
    case Opcode::kCustomCall: custom_call(i); break;
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kReduceScatter:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectiveBroadcast: return collective(i);
    default:
      if (is_elementwise(i.opcode())) {
        elementwise(i);
      } else {
        neither_grows(i);
      }
  }
  return absl::OkStatus();
}

void Rules::elementwise(InstructionView i) {
  for (InstructionView operand : i.operands()) {
    if (rank(operand) > 0) alike(i, operand, 0, i, 0);
  }
}

// A scalar that fills an array has any size. Other values are written out for one size.
void Rules::constant(InstructionView i) {
  if (rank(i) == 0) return;
  const std::string_view literal = i.text(AttributeKey::kConstantLiteral);
  if (literal.find('{') == std::string_view::npos) return;
  // A number for each device, such as which shard it has: what selects from it says whether it is that.
  if (axis_ != nullptr && rank(i) == 1 && array(i).dimensions[0] == axis_->devices() &&
      is_integral(array(i).element_type)) {
    return;
  }
  nothing_grows(i, i, "its values are written out for this size");
}

void Rules::broadcast(InstructionView i) {
  const std::vector<std::int64_t> dimensions = integers(i, AttributeKey::kDimensions);
  for (std::size_t d = 0; d < dimensions.size() && d < rank(i.operand(0)); ++d) {
    link(i, node(i.operand(0), d), node(i, static_cast<std::size_t>(dimensions[d])));
  }
}

void Rules::transpose(InstructionView i) {
  const std::vector<std::int64_t> permutation = integers(i, AttributeKey::kDimensions);
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    link(i, node(i.operand(0), static_cast<std::size_t>(permutation[d])), node(i, d));
  }
}

// Splits the dimensions of operand and result, without those of size 1, into the shortest runs with equal products.
void Rules::regroup(InstructionView i, bool physical) {
  if (!i.operand(0).shape().is_array() || !i.shape().is_array())
    return nothing_grows(i, i), nothing_grows(i, i.operand(0));
  struct Side {
    std::vector<Node> nodes;
    std::vector<std::int64_t> sizes;
  };
  const auto side = [&](InstructionView value) {
    Side result;
    for (std::size_t d : major_first(array(value), physical)) {
      if (array(value).dimensions[d] == 1) continue;
      result.nodes.push_back(node(value, d));
      result.sizes.push_back(array(value).dimensions[d]);
    }
    return result;
  };
  const Side from = side(i.operand(0));
  const Side to = side(i);
  std::vector<Product> runs;
  std::size_t a = 0;
  std::size_t b = 0;
  bool matches = true;
  while (matches && a < from.nodes.size() && b < to.nodes.size()) {
    Product run{{from.nodes[a]}, {to.nodes[b]}, i.id()};
    std::int64_t product_a = from.sizes[a++];
    std::int64_t product_b = to.sizes[b++];
    while (product_a != product_b) {
      if (product_a < product_b && a < from.nodes.size()) {
        product_a *= from.sizes[a];
        run.left.push_back(from.nodes[a++]);
      } else if (product_b < product_a && b < to.nodes.size()) {
        product_b *= to.sizes[b];
        run.right.push_back(to.nodes[b++]);
      } else {
        matches = false;
        break;
      }
    }
    runs.push_back(std::move(run));
  }
  if (!matches || a < from.nodes.size() || b < to.nodes.size()) {
    // The elements have another type, so that the sizes differ: only the totals grow alike.
    out_.products.push_back({from.nodes, to.nodes, i.id()});
    return;
  }
  for (Product& run : runs) {
    if (run.left.size() == 1 && run.right.size() == 1) {
      link(i, run.left[0], run.right[0]);
    } else {
      out_.products.push_back(std::move(run));
    }
  }
}

void Rules::reduce(InstructionView i) {
  const std::vector<std::int64_t> reduced = integers(i, AttributeKey::kDimensions);
  const std::size_t inputs = i.operand_count() / 2;
  for (std::size_t n = 0; n < inputs; ++n) {
    const InstructionView input = i.operand(n);
    if (n > 0) alike(i, i.operand(0), 0, input, 0);
    std::size_t kept = 0;
    for (std::size_t d = 0; d < rank(input); ++d) {
      if (lists(reduced, d)) continue;
      if (n < arrays(i) && kept < rank(i, n)) link(i, node(input, d), node(i, kept, n));
      ++kept;
    }
  }
}

void Rules::reduce_window(InstructionView i) {
  const std::optional<Window> w = window(i);
  if (!w || !i.shape().is_array() || w->dimensions.size() != rank(i)) return neither_grows(i);
  for (std::size_t d = 0; d < rank(i); ++d) link_or_stay(i, d, w->dimensions[d] == WindowDimension());
}

void Rules::dot(InstructionView i) {
  const DotDimensions n = dot_dimensions(i);
  const InstructionView lhs = i.operand(0);
  const InstructionView rhs = i.operand(1);
  for (std::size_t d = 0; d < n.lhs_contracting.size(); ++d) {
    link(i, node(lhs, static_cast<std::size_t>(n.lhs_contracting[d])),
         node(rhs, static_cast<std::size_t>(n.rhs_contracting[d])));
  }
  std::size_t out = 0;
  for (std::size_t d = 0; d < n.lhs_batch.size(); ++d, ++out) {
    link(i, node(lhs, static_cast<std::size_t>(n.lhs_batch[d])), node(i, out));
    link(i, node(rhs, static_cast<std::size_t>(n.rhs_batch[d])), node(i, out));
  }
  Multiplied product{{}, i.id()};
  const auto add_free = [&](std::size_t side, const std::vector<std::int64_t>& batch,
                            const std::vector<std::int64_t>& contracting) {
    const InstructionView operand = i.operand(side);
    for (std::size_t d = 0; d < rank(operand); ++d) {
      if (lists(batch, d) || lists(contracting, d) || out >= rank(i)) continue;
      link(i, node(operand, d), node(i, out++));
      product.free[side].push_back(node(operand, d));
    }
  };
  add_free(0, n.lhs_batch, n.lhs_contracting);
  add_free(1, n.rhs_batch, n.rhs_contracting);
  out_.multiplied.push_back(std::move(product));
}

void Rules::convolution(InstructionView i) {
  const std::optional<ConvolutionDimensionNumbers> n = convolution_dimension_numbers(i);
  const std::optional<Window> w = window(i);
  const bool is_plain =
      integer_or(i, AttributeKey::kFeatureGroupCount, 1) == 1 && integer_or(i, AttributeKey::kBatchGroupCount, 1) == 1;
  const std::size_t spatial = n ? n->lhs_spatial.size() : 0;
  if (!n || !is_plain || (spatial > 0 && (!w || w->dimensions.size() != spatial))) return neither_grows(i);
  const InstructionView lhs = i.operand(0);
  const InstructionView rhs = i.operand(1);
  const auto at = [this](InstructionView value, std::int64_t d) { return node(value, static_cast<std::size_t>(d)); };
  const auto size = [this](InstructionView value, std::int64_t d) {
    return array(value).dimensions[static_cast<std::size_t>(d)];
  };
  Multiplied product{{{{at(lhs, n->lhs_batch)}, {at(rhs, n->rhs_output_feature)}}}, i.id()};
  link(i, at(lhs, n->lhs_batch), at(i, n->output_batch));
  link(i, at(lhs, n->lhs_feature), at(rhs, n->rhs_input_feature));
  link(i, at(rhs, n->rhs_output_feature), at(i, n->output_feature));
  for (std::size_t s = 0; s < spatial; ++s) {
    const Node input = at(lhs, n->lhs_spatial[s]);
    const Node kernel = at(rhs, n->rhs_spatial[s]);
    const Node output = at(i, n->output_spatial[s]);
    const std::int64_t input_size = size(lhs, n->lhs_spatial[s]);
    const std::int64_t output_size = size(i, n->output_spatial[s]);
    const WindowDimension& d = w->dimensions[s];
    const bool is_padded = d.pad_low != 0 || d.pad_high != 0;
    const bool is_dense = d.stride == 1 && d.base_dilation == 1 && d.window_dilation == 1;
    if (d.size == 1 && is_dense && !is_padded) {  // a batch dimension of the lhs
      link(i, input, output);
      product.free[0].push_back(input);
      stay(i, kernel);
    } else if (is_dense && !is_padded && input_size == d.size && output_size == 1) {  // contracted
      link(i, input, kernel);
      stay(i, output);
    } else if (is_dense && input_size == 1 && output_size == d.size && d.pad_low == d.size - 1 &&
               d.pad_high == d.size - 1) {  // a free dimension of the rhs
      link(i, kernel, output);
      product.free[1].push_back(kernel);
      stay(i, input);
    } else if (d.window_dilation == 1 && input_size == d.size && output_size == d.size && is_batch(d)) {
      link(i, input, kernel);
      link(i, input, output);
    } else {
      for (Node moving : {input, kernel, output}) stay(i, moving);
    }
  }
  out_.multiplied.push_back(std::move(product));
}

}  // namespace hloroof::internal::inline scale

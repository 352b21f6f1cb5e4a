#include "lib/proto/attribute_writer.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"
#include "lib/proto/precision_words.h"

namespace hloroof::internal::inline proto {

namespace f = fields::instruction;

void AttributeWriter::name(const char* text) { absl::StrAppend(&out_, ", ", text, "="); }

void AttributeWriter::word(const char* text, std::string_view value) {
  absl::StrAppend(&out_, ", ", text, "=", to_absl(value));
}

void AttributeWriter::integer(const char* text, std::int64_t value) { absl::StrAppend(&out_, ", ", text, "=", value); }

void AttributeWriter::flag(const char* text, bool value) {
  if (value) word(text, "true");
}

void AttributeWriter::list(const char* text, const std::vector<std::int64_t>& values) {
  absl::StrAppend(&out_, ", ", text, "={");
  append_list(values, out_);
  out_ += '}';
}

void AttributeWriter::list_unless_empty(const char* text, const std::vector<std::int64_t>& values) {
  if (!values.empty()) list(text, values);
}

void AttributeWriter::quoted(const char* text, std::string_view value) {
  name(text);
  append_quoted(value, out_);
}

void AttributeWriter::dimensions() { list("dimensions", i_.integers(f::kDimensions)); }

bool AttributeWriter::shape(const char* text, std::string_view shape_proto) {
  name(text);
  return append_shape(shape_proto, true, out_);
}

// window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=… rhs_reversal=…}
void AttributeWriter::window() {
  std::vector<WireMessage> dimensions;
  for (std::string_view bytes : i_.message(f::kWindow).all(fields::window::kDimensions)) dimensions.emplace_back(bytes);
  if (dimensions.empty()) return;
  const auto of_each = [&](const char* text, auto value) {
    absl::StrAppend(&out_, text, "=");
    for (std::size_t d = 0; d < dimensions.size(); ++d) absl::StrAppend(&out_, d > 0 ? "x" : "", value(dimensions[d]));
  };
  const auto differs = [&](std::uint32_t field, std::int64_t usual) {
    for (const WireMessage& d : dimensions) {
      if (d.integer(field) != usual) return true;
    }
    return false;
  };
  const auto integer = [](std::uint32_t field) { return [field](const WireMessage& d) { return d.integer(field); }; };
  out_ += ", window={";
  of_each("size", integer(fields::window::kSize));
  if (differs(fields::window::kStride, 1)) of_each(" stride", integer(fields::window::kStride));
  if (differs(fields::window::kLow, 0) || differs(fields::window::kHigh, 0)) {
    of_each(" pad", [](const WireMessage& d) {
      return absl::StrCat(d.integer(fields::window::kLow), "_", d.integer(fields::window::kHigh));
    });
  }
  if (differs(fields::window::kBaseDilation, 1)) of_each(" lhs_dilate", integer(fields::window::kBaseDilation));
  if (differs(fields::window::kDilation, 1)) of_each(" rhs_dilate", integer(fields::window::kDilation));
  if (differs(fields::window::kReversal, 0)) of_each(" rhs_reversal", integer(fields::window::kReversal));
  out_ += '}';
}

// dim_labels=b01f_01io->b01f: the positions of the batch, feature and spatial dimensions in input, kernel and output.
void AttributeWriter::dim_labels() {
  if (!i_.has(f::kConvolution)) return;
  namespace c = fields::convolution;
  const WireMessage numbers = i_.message(f::kConvolution);
  const auto labels = [&](std::uint32_t first, char first_label, std::uint32_t second, char second_label,
                          std::uint32_t spatial) {
    const std::vector<std::int64_t> positions = numbers.integers(spatial);
    std::string text(positions.size() + 2, '?');
    const auto put = [&](std::int64_t at, char label) {
      if (at >= 0 && at < static_cast<std::int64_t>(text.size())) text[static_cast<std::size_t>(at)] = label;
    };
    put(numbers.integer(first), first_label);
    put(numbers.integer(second), second_label);
    for (std::size_t d = 0; d < positions.size(); ++d) put(positions[d], static_cast<char>('0' + d));
    return text;
  };
  absl::StrAppend(&out_, ", dim_labels=", labels(c::kInputBatch, 'b', c::kInputFeature, 'f', c::kInputSpatial), "_",
                  labels(c::kKernelInput, 'i', c::kKernelOutput, 'o', c::kKernelSpatial), "->",
                  labels(c::kOutputBatch, 'b', c::kOutputFeature, 'f', c::kOutputSpatial));
}

void AttributeWriter::group_counts() {
  const std::int64_t feature_groups = i_.integer(f::kFeatureGroups, 1);
  const std::int64_t batch_groups = i_.integer(f::kBatchGroups, 1);
  if (feature_groups > 1) integer("feature_group_count", feature_groups);
  if (batch_groups > 1) integer("batch_group_count", batch_groups);
}

// operand_precision={highest,default} unless all are default, algorithm=dot_bf16_bf16_f32 unless unset
void AttributeWriter::precision() {
  constexpr const char* kWords[] = {"default", "high", "highest"};
  const WireMessage config = i_.message(f::kPrecision);
  const std::vector<std::int64_t> operands = config.integers(fields::precision::kOperands);
  bool any = false;
  for (std::int64_t p : operands) any = any || (p > 0 && p <= 2);
  if (any) {
    const char* separator = ", operand_precision={";
    for (std::int64_t p : operands) {
      absl::StrAppend(&out_, separator, kWords[p > 0 && p <= 2 ? p : 0]);
      separator = ",";
    }
    out_ += '}';
  }
  const std::int64_t algorithm = config.integer(fields::precision::kAlgorithm);
  if (algorithm > 0 && algorithm < static_cast<std::int64_t>(dot_algorithm_words().size())) {
    word("algorithm", dot_algorithm_words()[static_cast<std::size_t>(algorithm)]);
  }
}

void AttributeWriter::dot_numbers(const WireMessage& numbers) {
  list_unless_empty("lhs_batch_dims", numbers.integers(fields::dot::kLhsBatch));
  list("lhs_contracting_dims", numbers.integers(fields::dot::kLhsContracting));
  list_unless_empty("rhs_batch_dims", numbers.integers(fields::dot::kRhsBatch));
  list("rhs_contracting_dims", numbers.integers(fields::dot::kRhsContracting));
}

void AttributeWriter::channel() {
  const std::int64_t id = i_.integer(f::kChannel);
  if (id > 0) integer("channel_id", id);
}

// [groups,size]<=[r0,r1]T(p0,p1)
void AttributeWriter::append_grid(const WireMessage& iota) {
  const std::vector<std::int64_t> reshape = iota.integers(fields::replica_groups::kReshape);
  absl::StrAppend(&out_, "[", iota.integer(fields::replica_groups::kGroupCount), ",",
                  iota.integer(fields::replica_groups::kGroupSize), "]<=[");
  append_list(reshape, out_);
  out_ += ']';
  if (reshape.size() > 1) {
    out_ += "T(";
    append_list(iota.integers(fields::replica_groups::kPermutation), out_);
    out_ += ')';
  }
}

bool AttributeWriter::replica_groups() {
  name("replica_groups");
  const WireMessage list = i_.message(f::kDeviceList);
  if (i_.has(f::kMeshGroups)) return append_mesh_groups(i_.message(f::kMeshGroups), out_);
  if (i_.has(f::kIotaGroups)) {
    append_grid(i_.message(f::kIotaGroups));
    return true;
  }
  if (list.has(fields::replica_groups::kOldIota)) {
    append_grid(list.message(fields::replica_groups::kOldIota));
    return true;
  }
  std::vector<std::string_view> groups = list.all(fields::replica_groups::kGroups);
  if (groups.empty()) groups = i_.all(f::kReplicaGroups);
  out_ += '{';
  for (std::size_t g = 0; g < groups.size(); ++g) {
    absl::StrAppend(&out_, g > 0 ? ",{" : "{");
    append_list(WireMessage(groups[g]).integers(fields::replica_groups::kIds), out_);
    out_ += '}';
  }
  out_ += '}';
  return true;
}

// source_target_pairs={{0,1},{1,0}}
void AttributeWriter::source_target_pairs() {
  name("source_target_pairs");
  const std::vector<std::string_view> pairs = i_.all(f::kSourceTargets);
  out_ += '{';
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const WireMessage pair(pairs[p]);
    absl::StrAppend(&out_, p > 0 ? ",{" : "{", pair.integer(fields::pair::kSource), ",",
                    pair.integer(fields::pair::kTarget), "}");
  }
  out_ += '}';
}

// padding=1_2x0_0_1: low_high, and _interior unless it is 0
void AttributeWriter::padding() {
  const std::vector<std::string_view> dimensions = i_.message(f::kPadding).all(fields::padding::kDimensions);
  bool has_interior = false;
  for (std::string_view bytes : dimensions) {
    has_interior = has_interior || WireMessage(bytes).integer(fields::padding::kInterior) != 0;
  }
  name("padding");
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const WireMessage dimension(dimensions[d]);
    absl::StrAppend(&out_, d > 0 ? "x" : "", dimension.integer(fields::padding::kLow), "_",
                    dimension.integer(fields::padding::kHigh));
    if (has_interior) absl::StrAppend(&out_, "_", dimension.integer(fields::padding::kInterior));
  }
}

// slice={[0:4], [0:8:2]}
void AttributeWriter::slices() {
  std::vector<WireMessage> dimensions;
  bool has_stride = false;
  for (std::string_view bytes : i_.all(f::kSlices)) {
    dimensions.emplace_back(bytes);
    has_stride = has_stride || dimensions.back().integer(fields::slice::kStride) != 1;
  }
  name("slice");
  out_ += '{';
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    absl::StrAppend(&out_, d > 0 ? ", [" : "[", dimensions[d].integer(fields::slice::kStart), ":",
                    dimensions[d].integer(fields::slice::kLimit));
    if (has_stride) absl::StrAppend(&out_, ":", dimensions[d].integer(fields::slice::kStride));
    out_ += ']';
  }
  out_ += '}';
}

void AttributeWriter::gather_numbers() {
  const WireMessage numbers = i_.message(f::kGather);
  list("offset_dims", numbers.integers(fields::gather::kOffsetDims));
  list("collapsed_slice_dims", numbers.integers(fields::gather::kCollapsed));
  list("start_index_map", numbers.integers(fields::gather::kStartIndexMap));
  list_unless_empty("operand_batching_dims", numbers.integers(fields::gather::kOperandBatching));
  list_unless_empty("start_indices_batching_dims", numbers.integers(fields::gather::kIndicesBatching));
  integer("index_vector_dim", numbers.integer(fields::gather::kIndexVectorDim));
  list("slice_sizes", i_.integers(f::kGatherSizes));
  flag("indices_are_sorted", i_.flag(f::kIndicesSorted));
}

void AttributeWriter::scatter_numbers() {
  const WireMessage numbers = i_.message(f::kScatter);  // the same field numbers as for gather
  list("update_window_dims", numbers.integers(fields::gather::kOffsetDims));
  list("inserted_window_dims", numbers.integers(fields::gather::kCollapsed));
  list("scatter_dims_to_operand_dims", numbers.integers(fields::gather::kStartIndexMap));
  list_unless_empty("input_batching_dims", numbers.integers(fields::gather::kOperandBatching));
  list_unless_empty("scatter_indices_batching_dims", numbers.integers(fields::gather::kIndicesBatching));
  integer("index_vector_dim", numbers.integer(fields::gather::kIndexVectorDim));
  flag("indices_are_sorted", i_.flag(f::kIndicesSorted));
  flag("unique_indices", i_.flag(f::kUniqueIndices));
}

// output_to_operand_aliasing={{0}: (1, {}), {1}: (2, {})}
void AttributeWriter::output_aliasing() {
  const std::vector<std::string_view> entries = i_.all(f::kOutputAliasing);
  if (entries.empty()) return;
  const char* separator = ", output_to_operand_aliasing={";
  for (std::string_view bytes : entries) {
    const WireMessage entry(bytes);
    absl::StrAppend(&out_, separator, "{");
    append_list(entry.integers(fields::output_aliasing::kOutputIndex), out_, ", ");
    absl::StrAppend(&out_, "}: (", entry.integer(fields::output_aliasing::kOperand), ", {");
    append_list(entry.integers(fields::output_aliasing::kOperandIndex), out_, ", ");
    out_ += "})";
    separator = ", ";
  }
  out_ += '}';
}

// parameter_replication={true,false}: one value for each leaf
void AttributeWriter::parameter_replication() {
  const std::vector<std::int64_t> replicated = i_.message(f::kParameterReplication).integers(1);
  if (replicated.empty()) return;
  const char* separator = ", parameter_replication={";
  for (std::int64_t leaf : replicated) {
    absl::StrAppend(&out_, separator, leaf != 0 ? "true" : "false");
    separator = ",";
  }
  out_ += '}';
}

// operand_layout_constraints={f32[8]{0}, ...}. Returns false if a shape is malformed.
bool AttributeWriter::operand_layout_constraints() {
  const std::vector<std::string_view> shapes = i_.all(f::kOperandShapes);
  name("operand_layout_constraints");
  out_ += '{';
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (s > 0) out_ += ", ";
    if (!append_shape(shapes[s], true, out_)) return false;
  }
  out_ += '}';
  return true;
}

bool AttributeWriter::literal() {
  name("literal");
  const WireMessage value = i_.message(f::kLiteral);
  if (!append_shape(value.bytes(fields::literal::kShape), true, out_)) return false;
  out_ += ' ';
  return append_literal(i_.bytes(f::kLiteral), std::numeric_limits<std::int64_t>::max(), out_);
}

bool AttributeWriter::domain() {
  out_ += ", domain={kind=\"sharding\", entry=";
  if (!append_sharding(i_.bytes(f::kDomainEntry), out_)) return false;
  out_ += ", exit=";
  if (!append_sharding(i_.bytes(f::kDomainExit), out_)) return false;
  out_ += '}';
  return true;
}

}  // namespace hloroof::internal::inline proto

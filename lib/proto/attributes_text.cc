// Prints the attributes of each opcode in XLA's order.
//
// Source: the PrintExtraAttributesImpl functions of openxla/xla xla/hlo/ir/hlo_instructions.cc, 2026-08.
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal {
namespace {

namespace f = proto::instruction;

// Writes `, name=value` pairs of one instruction.
class Attributes {
 public:
  Attributes(const WireMessage& instruction, std::string& out) : i_(instruction), out_(out) {}

  void name(const char* text) { absl::StrAppend(&out_, ", ", text, "="); }
  void word(const char* text, std::string_view value) { absl::StrAppend(&out_, ", ", text, "=", to_absl(value)); }
  void integer(const char* text, std::int64_t value) { absl::StrAppend(&out_, ", ", text, "=", value); }
  void flag(const char* text, bool value) {
    if (value) word(text, "true");
  }
  void list(const char* text, const std::vector<std::int64_t>& values) {
    absl::StrAppend(&out_, ", ", text, "={");
    append_list(values, out_);
    out_ += '}';
  }
  void list_unless_empty(const char* text, const std::vector<std::int64_t>& values) {
    if (!values.empty()) list(text, values);
  }
  void quoted(const char* text, std::string_view value) {
    name(text);
    append_quoted(value, out_);
  }

  void window();
  void dim_labels();
  void precision();
  void dot(const WireMessage& numbers);
  void channel();
  bool replica_groups();
  void padding();
  void slices();
  void gather();
  void scatter();
  void output_aliasing();
  void triangular();
  bool custom_call();
  bool domain();

 private:
  void append_grid(const WireMessage& iota);

  const WireMessage& i_;
  std::string& out_;
};

// window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=… rhs_reversal=…}
void Attributes::window() {
  std::vector<WireMessage> dimensions;
  for (std::string_view bytes : i_.message(f::kWindow).all(proto::window::kDimensions)) dimensions.emplace_back(bytes);
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
  of_each("size", integer(proto::window::kSize));
  if (differs(proto::window::kStride, 1)) of_each(" stride", integer(proto::window::kStride));
  if (differs(proto::window::kLow, 0) || differs(proto::window::kHigh, 0)) {
    of_each(" pad", [](const WireMessage& d) {
      return absl::StrCat(d.integer(proto::window::kLow), "_", d.integer(proto::window::kHigh));
    });
  }
  if (differs(proto::window::kBaseDilation, 1)) of_each(" lhs_dilate", integer(proto::window::kBaseDilation));
  if (differs(proto::window::kDilation, 1)) of_each(" rhs_dilate", integer(proto::window::kDilation));
  if (differs(proto::window::kReversal, 0)) of_each(" rhs_reversal", integer(proto::window::kReversal));
  out_ += '}';
}

// dim_labels=b01f_01io->b01f: the positions of the batch, feature and spatial dimensions in input, kernel and output.
void Attributes::dim_labels() {
  if (!i_.has(f::kConvolution)) return;
  namespace c = proto::convolution;
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

// operand_precision={highest,default} unless all are default, algorithm=dot_bf16_bf16_f32 unless unset
void Attributes::precision() {
  constexpr const char* kWords[] = {"default", "high", "highest"};
  constexpr const char* kAlgorithms[] = {
      "",
      "dot_any_f8_any_f8_f32",
      "dot_any_f8_any_f8_f32_fast_accum",
      "dot_f16_f16_f16",
      "dot_f16_f16_f32",
      "dot_bf16_bf16_bf16",
      "dot_bf16_bf16_f32",
      "dot_bf16_bf16_f32_x3",
      "dot_bf16_bf16_f32_x6",
      "dot_tf32_tf32_f32",
      "dot_tf32_tf32_f32_x3",
      "dot_f32_f32_f32",
      "dot_f64_f64_f64",
      "dot_bf16_bf16_f32_x9",
  };
  const WireMessage config = i_.message(f::kPrecision);
  const std::vector<std::int64_t> operands = config.integers(proto::precision::kOperands);
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
  const std::int64_t algorithm = config.integer(proto::precision::kAlgorithm);
  if (algorithm > 0 && algorithm < static_cast<std::int64_t>(std::size(kAlgorithms))) {
    word("algorithm", kAlgorithms[algorithm]);
  }
}

void Attributes::dot(const WireMessage& numbers) {
  list_unless_empty("lhs_batch_dims", numbers.integers(proto::dot::kLhsBatch));
  list("lhs_contracting_dims", numbers.integers(proto::dot::kLhsContracting));
  list_unless_empty("rhs_batch_dims", numbers.integers(proto::dot::kRhsBatch));
  list("rhs_contracting_dims", numbers.integers(proto::dot::kRhsContracting));
}

void Attributes::channel() {
  const std::int64_t id = i_.integer(f::kChannel);
  if (id > 0) integer("channel_id", id);
}

// [groups,size]<=[r0,r1]T(p0,p1)
void Attributes::append_grid(const WireMessage& iota) {
  const std::vector<std::int64_t> reshape = iota.integers(proto::replica_groups::kReshape);
  absl::StrAppend(&out_, "[", iota.integer(proto::replica_groups::kGroupCount), ",",
                  iota.integer(proto::replica_groups::kGroupSize), "]<=[");
  append_list(reshape, out_);
  out_ += ']';
  if (reshape.size() > 1) {
    out_ += "T(";
    append_list(iota.integers(proto::replica_groups::kPermutation), out_);
    out_ += ')';
  }
}

bool Attributes::replica_groups() {
  name("replica_groups");
  const WireMessage list = i_.message(f::kDeviceList);
  if (i_.has(f::kMeshGroups)) return append_mesh_groups(i_.message(f::kMeshGroups), out_);
  if (i_.has(f::kIotaGroups)) {
    append_grid(i_.message(f::kIotaGroups));
    return true;
  }
  if (list.has(proto::replica_groups::kOldIota)) {
    append_grid(list.message(proto::replica_groups::kOldIota));
    return true;
  }
  std::vector<std::string_view> groups = list.all(proto::replica_groups::kGroups);
  if (groups.empty()) groups = i_.all(f::kReplicaGroups);
  out_ += '{';
  for (std::size_t g = 0; g < groups.size(); ++g) {
    absl::StrAppend(&out_, g > 0 ? ",{" : "{");
    append_list(WireMessage(groups[g]).integers(proto::replica_groups::kIds), out_);
    out_ += '}';
  }
  out_ += '}';
  return true;
}

// padding=1_2x0_0_1: low_high, and _interior unless it is 0
void Attributes::padding() {
  const std::vector<std::string_view> dimensions = i_.message(f::kPadding).all(proto::padding::kDimensions);
  bool has_interior = false;
  for (std::string_view bytes : dimensions) {
    has_interior = has_interior || WireMessage(bytes).integer(proto::padding::kInterior) != 0;
  }
  name("padding");
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const WireMessage dimension(dimensions[d]);
    absl::StrAppend(&out_, d > 0 ? "x" : "", dimension.integer(proto::padding::kLow), "_",
                    dimension.integer(proto::padding::kHigh));
    if (has_interior) absl::StrAppend(&out_, "_", dimension.integer(proto::padding::kInterior));
  }
}

// slice={[0:4], [0:8:2]}
void Attributes::slices() {
  std::vector<WireMessage> dimensions;
  bool has_stride = false;
  for (std::string_view bytes : i_.all(f::kSlices)) {
    dimensions.emplace_back(bytes);
    has_stride = has_stride || dimensions.back().integer(proto::slice::kStride) != 1;
  }
  name("slice");
  out_ += '{';
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    absl::StrAppend(&out_, d > 0 ? ", [" : "[", dimensions[d].integer(proto::slice::kStart), ":",
                    dimensions[d].integer(proto::slice::kLimit));
    if (has_stride) absl::StrAppend(&out_, ":", dimensions[d].integer(proto::slice::kStride));
    out_ += ']';
  }
  out_ += '}';
}

void Attributes::gather() {
  const WireMessage numbers = i_.message(f::kGather);
  list("offset_dims", numbers.integers(proto::gather::kOffsetDims));
  list("collapsed_slice_dims", numbers.integers(proto::gather::kCollapsed));
  list("start_index_map", numbers.integers(proto::gather::kStartIndexMap));
  list_unless_empty("operand_batching_dims", numbers.integers(proto::gather::kOperandBatching));
  list_unless_empty("start_indices_batching_dims", numbers.integers(proto::gather::kIndicesBatching));
  integer("index_vector_dim", numbers.integer(proto::gather::kIndexVectorDim));
  list("slice_sizes", i_.integers(f::kGatherSizes));
  flag("indices_are_sorted", i_.flag(f::kIndicesSorted));
}

void Attributes::scatter() {
  const WireMessage numbers = i_.message(f::kScatter);  // the same field numbers as for gather
  list("update_window_dims", numbers.integers(proto::gather::kOffsetDims));
  list("inserted_window_dims", numbers.integers(proto::gather::kCollapsed));
  list("scatter_dims_to_operand_dims", numbers.integers(proto::gather::kStartIndexMap));
  list_unless_empty("input_batching_dims", numbers.integers(proto::gather::kOperandBatching));
  list_unless_empty("scatter_indices_batching_dims", numbers.integers(proto::gather::kIndicesBatching));
  integer("index_vector_dim", numbers.integer(proto::gather::kIndexVectorDim));
  flag("indices_are_sorted", i_.flag(f::kIndicesSorted));
  flag("unique_indices", i_.flag(f::kUniqueIndices));
}

// output_to_operand_aliasing={{0}: (1, {}), {1}: (2, {})}
void Attributes::output_aliasing() {
  const std::vector<std::string_view> entries = i_.all(f::kOutputAliasing);
  if (entries.empty()) return;
  const char* separator = ", output_to_operand_aliasing={";
  for (std::string_view bytes : entries) {
    const WireMessage entry(bytes);
    absl::StrAppend(&out_, separator, "{");
    append_list(entry.integers(proto::output_aliasing::kOutputIndex), out_, ", ");
    absl::StrAppend(&out_, "}: (", entry.integer(proto::output_aliasing::kOperand), ", {");
    append_list(entry.integers(proto::output_aliasing::kOperandIndex), out_, ", ");
    out_ += "})";
    separator = ", ";
  }
  out_ += '}';
}

void Attributes::triangular() {
  constexpr const char* kTranspose[] = {nullptr, "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const WireMessage options = i_.message(f::kTriangularSolve);
  flag("left_side", options.flag(proto::triangular::kLeft));
  flag("lower", options.flag(proto::triangular::kLower));
  flag("unit_diagonal", options.flag(proto::triangular::kUnit));
  const std::int64_t transpose = options.integer(proto::triangular::kTranspose);
  if (transpose > 0 && transpose < 4) word("transpose_a", kTranspose[transpose]);
}

bool Attributes::custom_call() {
  window();
  dim_labels();
  const std::int64_t feature_groups = i_.integer(f::kFeatureGroups, 1);
  const std::int64_t batch_groups = i_.integer(f::kBatchGroups, 1);
  if (feature_groups > 1) integer("feature_group_count", feature_groups);
  if (batch_groups > 1) integer("batch_group_count", batch_groups);
  precision();
  if (i_.integer(f::kPaddingType) == 1) word("padding_type", "PADDING_VALID");
  if (i_.integer(f::kPaddingType) == 2) word("padding_type", "PADDING_SAME");
  quoted("custom_call_target", i_.bytes(f::kTarget));
  if (i_.flag(f::kConstrainLayout)) {
    const std::vector<std::string_view> shapes = i_.all(f::kOperandShapes);
    name("operand_layout_constraints");
    out_ += '{';
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      if (s > 0) out_ += ", ";
      if (!append_shape(shapes[s], true, out_)) return false;
    }
    out_ += '}';
  }
  flag("custom_call_has_side_effect", i_.flag(f::kHasSideEffect));
  if (i_.has(f::kLiteral)) {
    name("literal");
    const WireMessage literal = i_.message(f::kLiteral);
    if (!append_shape(literal.bytes(proto::literal::kShape), true, out_)) return false;
    out_ += ' ';
    if (!append_literal(i_.bytes(f::kLiteral), out_)) return false;
  }
  output_aliasing();
  constexpr const char* kSchedules[] = {nullptr, "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
  const std::int64_t schedule = i_.integer(f::kSchedule);
  if (schedule > 0 && schedule < 3) word("schedule", kSchedules[schedule]);
  constexpr const char* kVersions[] = {nullptr, nullptr, "API_VERSION_STATUS_RETURNING",
                                       "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  const std::int64_t version = i_.integer(f::kApiVersion);
  if (version > 1 && version < 5) word("api_version", kVersions[version]);
  return true;
}

bool Attributes::domain() {
  out_ += ", domain={kind=\"sharding\", entry=";
  if (!append_sharding(i_.bytes(f::kDomainEntry), out_)) return false;
  out_ += ", exit=";
  if (!append_sharding(i_.bytes(f::kDomainExit), out_)) return false;
  out_ += '}';
  return true;
}

// XLA's default comparison type for the element type of the first operand.
std::string_view usual_comparison(const WireMessage* operand) {
  if (operand == nullptr) return {};
  const auto type = element_type_of(operand->message(f::kShape).integer(proto::shape::kElementType));
  if (!type) return {};
  switch (kind(*type)) {
    case ElementKind::kSigned: return "SIGNED";
    case ElementKind::kUnsigned:
    case ElementKind::kPredicate: return "UNSIGNED";
    default: return "FLOAT";
  }
}

}  // namespace

bool append_opcode_attributes(const WireMessage& i, std::string_view opcode,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out) {
  Attributes a(i, out);
  const std::optional<Opcode> known = opcode_from_string(opcode);
  if (!known) return true;  // an unknown opcode has only the common attributes
  switch (*known) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad: {
      const std::uint32_t bits = static_cast<std::uint32_t>(i.integer(f::kEpsilon));
      float epsilon = 0;
      static_assert(sizeof epsilon == sizeof bits);
      __builtin_memcpy(&epsilon, &bits, sizeof epsilon);
      a.word("epsilon", absl::StrFormat("%.6g", epsilon));
      a.integer("feature_index", i.integer(f::kFeatureIndex));
      return true;
    }
    case Opcode::kFft: {
      constexpr const char* kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
      const std::int64_t type = i.integer(f::kFftType);
      if (type < 0 || type > 3) return false;
      a.word("fft_type", kTypes[type]);
      a.list("fft_length", i.integers(f::kFftLength));
      return true;
    }
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: a.output_aliasing(); return true;
    case Opcode::kCopyStart:
      if (i.has(f::kPrefetchIndex)) {
        a.integer("cross_program_prefetch_index", i.integer(f::kPrefetchIndex));
      }
      return true;
    case Opcode::kCompare: {
      a.word("direction", i.bytes(f::kDirection));
      const std::vector<std::int64_t> operands = i.integers(f::kOperands);
      const auto operand = operands.empty() ? by_id.end() : by_id.find(operands[0]);
      const std::string_view type = i.bytes(f::kComparisonType);
      if (!type.empty() && type != usual_comparison(operand == by_id.end() ? nullptr : operand->second)) {
        a.word("type", type);
      }
      return true;
    }
    case Opcode::kTriangularSolve: a.triangular(); return true;
    case Opcode::kCholesky: a.flag("lower", i.message(f::kCholesky).flag(1)); return true;
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
      a.channel();
      a.flag("is_host_transfer", i.flag(f::kIsHostTransfer));
      return true;
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      a.channel();
      if (!a.replica_groups()) return false;
      a.flag("constrain_layout", i.flag(f::kConstrainLayout));
      a.list("dimensions", i.integers(f::kDimensions));
      a.flag("use_global_device_ids", i.flag(f::kGlobalIds));
      return true;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      a.channel();
      if (!a.replica_groups()) return false;
      a.flag("constrain_layout", i.flag(f::kConstrainLayout));
      a.flag("use_global_device_ids", i.flag(f::kGlobalIds));
      if (*known == Opcode::kReduceScatter) a.list("dimensions", i.integers(f::kDimensions));
      return true;
    case Opcode::kAllToAll:
      a.channel();
      if (!a.replica_groups()) return false;
      a.flag("constrain_layout", i.flag(f::kConstrainLayout));
      a.list_unless_empty("dimensions", i.integers(f::kDimensions));
      return true;
    case Opcode::kRaggedAllToAll:
      a.channel();
      if (!a.replica_groups()) return false;
      return true;
    case Opcode::kCollectiveBroadcast:
      a.channel();
      if (!a.replica_groups()) return false;
      return true;
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart: {
      a.channel();
      a.name("source_target_pairs");
      const std::vector<std::string_view> pairs = i.all(f::kSourceTargets);
      out += '{';
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        const WireMessage pair(pairs[p]);
        absl::StrAppend(&out, p > 0 ? ",{" : "{", pair.integer(proto::pair::kSource), ",",
                        pair.integer(proto::pair::kTarget), "}");
      }
      out += '}';
      return true;
    }
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kTranspose:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize: a.list("dimensions", i.integers(f::kDimensions)); return true;
    case Opcode::kMap: a.list("dimensions", i.integers(f::kDimensions)); return true;
    case Opcode::kSort:
      a.list("dimensions", i.integers(f::kDimensions));
      a.flag("is_stable", i.flag(f::kIsStable));
      return true;
    case Opcode::kTopk:
      a.integer("k", i.integer(f::kK));
      a.word("largest", i.flag(f::kLargest) ? "true" : "false");
      return true;
    case Opcode::kScan:
      a.list("dimensions", i.integers(f::kDimensions));
      a.integer("num_carries", i.integer(f::kCarries));
      a.flag("is_reverse", i.flag(f::kIsReverse));
      if (i.integer(f::kIsAssociative) != 0)
        a.word("is_associative", i.integer(f::kIsAssociative) == 1 ? "true" : "false");
      return true;
    case Opcode::kFusion:
      a.word("kind", i.bytes(f::kFusionKind));
      a.output_aliasing();
      return true;
    case Opcode::kRng:
      a.word("distribution", i.integer(f::kDistribution) == 2 ? "rng_normal" : "rng_uniform");
      return true;
    case Opcode::kRngBitGenerator: {
      constexpr const char* kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
      const std::int64_t algorithm = i.integer(f::kRngAlgorithm);
      if (algorithm < 0 || algorithm > 2) return false;
      a.word("algorithm", kAlgorithms[algorithm]);
      return true;
    }
    case Opcode::kRngGetAndUpdateState: a.integer("delta", i.integer(f::kDelta)); return true;
    case Opcode::kParameter: {
      const std::vector<std::int64_t> replicated = i.message(f::kParameterReplication).integers(1);
      if (replicated.empty()) return true;
      const char* separator = ", parameter_replication={";
      for (std::int64_t leaf : replicated) {
        absl::StrAppend(&out, separator, leaf != 0 ? "true" : "false");
        separator = ",";
      }
      out += '}';
      return true;
    }
    case Opcode::kGetTupleElement: a.integer("index", i.integer(f::kTupleIndex)); return true;
    case Opcode::kReducePrecision:
      a.integer("exponent_bits", i.integer(f::kExponentBits));
      a.integer("mantissa_bits", i.integer(f::kMantissaBits));
      return true;
    case Opcode::kInfeed:
      if (!i.bytes(f::kInfeedConfig).empty()) a.quoted("infeed_config", i.bytes(f::kInfeedConfig));
      return true;
    case Opcode::kOutfeed:
      a.name("outfeed_shape");
      if (!append_shape(i.bytes(f::kOutfeedShape), true, out)) return false;
      if (!i.bytes(f::kOutfeedConfig).empty()) a.quoted("outfeed_config", i.bytes(f::kOutfeedConfig));
      return true;
    case Opcode::kConvolution: {
      a.window();
      a.dim_labels();
      const std::int64_t feature_groups = i.integer(f::kFeatureGroups, 1);
      const std::int64_t batch_groups = i.integer(f::kBatchGroups, 1);
      if (feature_groups > 1) a.integer("feature_group_count", feature_groups);
      if (batch_groups > 1) a.integer("batch_group_count", batch_groups);
      a.precision();
      return true;
    }
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: a.window(); return true;
    case Opcode::kCustomCall: return a.custom_call();
    case Opcode::kPad: a.padding(); return true;
    case Opcode::kSlice: a.slices(); return true;
    case Opcode::kDynamicSlice: a.list("dynamic_slice_sizes", i.integers(f::kDynamicSliceSizes)); return true;
    case Opcode::kGather: a.gather(); return true;
    case Opcode::kScatter: a.scatter(); return true;
    case Opcode::kIota:
      a.integer("iota_dimension", i.integers(f::kDimensions).empty() ? 0 : i.integers(f::kDimensions)[0]);
      return true;
    case Opcode::kDot:
    case Opcode::kScaledDot:
      a.dot(i.message(f::kDot));
      a.precision();
      return true;
    case Opcode::kRaggedDot: {
      const WireMessage ragged = i.message(f::kRaggedDot);
      a.dot(ragged.message(proto::ragged_dot::kDot));
      a.list("lhs_ragged_dims", ragged.integers(proto::ragged_dot::kLhsRagged));
      a.list_unless_empty("rhs_group_dims", ragged.integers(proto::ragged_dot::kRhsGroup));
      a.precision();
      return true;
    }
    case Opcode::kDomain: return a.domain();
    default: return true;
  }
}

}  // namespace hloroof::internal

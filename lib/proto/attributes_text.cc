// Prints the attributes of each opcode in XLA's order.
//
// Source: the PrintExtraAttributesImpl functions of openxla/xla xla/hlo/ir/hlo_instructions.cc, 2026-08.
#include <iterator>
#include <optional>

#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/attribute_writer.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_text.h"
#include "lib/proto/proto_words.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

void append_batch_norm(const WireMessage& i, AttributeWriter& a) {
  const std::uint32_t bits = static_cast<std::uint32_t>(i.integer(f::kEpsilon));
  float epsilon = 0;
  static_assert(sizeof epsilon == sizeof bits);
  __builtin_memcpy(&epsilon, &bits, sizeof epsilon);
  a.word("epsilon", absl::StrFormat("%.6g", epsilon));
  a.integer("feature_index", i.integer(f::kFeatureIndex));
}

bool append_fft(const WireMessage& i, AttributeWriter& a) {
  constexpr const char* kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const std::int64_t type = i.integer(f::kFftType);
  if (type < 0 || type > 3) return false;
  a.word("fft_type", kTypes[type]);
  a.list("fft_length", i.integers(f::kFftLength));
  return true;
}

// XLA's default comparison type for the element type of the first operand.
std::string_view usual_comparison(const WireMessage* operand) {
  if (operand == nullptr) return {};
  const auto type = element_type_of(operand->message(f::kShape).integer(fields::shape::kElementType));
  if (!type) return {};
  switch (kind(*type)) {
    case ElementKind::kSigned: return "SIGNED";
    case ElementKind::kUnsigned:
    case ElementKind::kPredicate: return "UNSIGNED";
    default: return "FLOAT";
  }
}

// `operand` is the first operand, or null if it is missing.
void append_compare(const WireMessage& i, const WireMessage* operand, AttributeWriter& a) {
  a.word("direction", i.bytes(f::kDirection));
  const std::string_view type = i.bytes(f::kComparisonType);
  const std::string_view usual = usual_comparison(operand);
  if (!type.empty() && type != usual) a.word("type", type);
  // Newer XLA writes the order in place of the type. Only floating-point comparisons are partial by default.
  const std::string_view order = i.bytes(f::kComparisonOrder);
  if (type.empty() && !order.empty() && order != (usual == "FLOAT" ? "PARTIAL" : "TOTAL")) a.word("order", order);
}

void append_triangular_solve(const WireMessage& i, AttributeWriter& a) {
  constexpr const char* kTranspose[] = {nullptr, "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const WireMessage options = i.message(f::kTriangularSolve);
  a.flag("left_side", options.flag(fields::triangular::kLeft));
  a.flag("lower", options.flag(fields::triangular::kLower));
  a.flag("unit_diagonal", options.flag(fields::triangular::kUnit));
  const std::int64_t transpose = options.integer(fields::triangular::kTranspose);
  if (transpose > 0 && transpose < 4) a.word("transpose_a", kTranspose[transpose]);
}

// dot, scaled-dot, ragged-dot and convolution
void append_contraction(const WireMessage& i, Opcode opcode, AttributeWriter& a) {
  if (opcode == Opcode::kConvolution) {
    a.window();
    a.dim_labels();
    a.group_counts();
    const auto kind = static_cast<std::size_t>(i.integer(f::kConvolutionKind));
    if (kind > 0 && kind < std::size(kConvolutionKindWords)) a.word("convolution_kind", kConvolutionKindWords[kind]);
  } else if (opcode == Opcode::kRaggedDot) {
    const WireMessage ragged = i.message(f::kRaggedDot);
    a.dot_numbers(ragged.message(fields::ragged_dot::kDot));
    a.list("lhs_ragged_dims", ragged.integers(fields::ragged_dot::kLhsRagged));
    a.list_unless_empty("rhs_group_dims", ragged.integers(fields::ragged_dot::kRhsGroup));
  } else {
    a.dot_numbers(i.message(f::kDot));
  }
  a.precision();
}

// Collectives, send and recv. A done has attributes only if it ends a send or recv.
bool append_communication(const WireMessage& i, Opcode opcode, CollectiveKind kind, AttributeWriter& a) {
  if (kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv) {
    a.channel();
    a.flag("is_host_transfer", i.flag(f::kIsHostTransfer));
    return true;
  }
  if (async_role(opcode) == AsyncRole::kDone) return true;
  a.channel();
  if (kind == CollectiveKind::kCollectivePermute) {
    a.source_target_pairs();
    return true;
  }
  if (!a.replica_groups()) return false;
  if (kind == CollectiveKind::kCollectiveBroadcast) a.flag("has_dynamic_root", i.flag(f::kHasDynamicRoot));
  if (kind == CollectiveKind::kRaggedAllToAll || kind == CollectiveKind::kCollectiveBroadcast) return true;
  a.flag("constrain_layout", i.flag(f::kConstrainLayout));
  if (kind == CollectiveKind::kAllToAll) {
    a.list_unless_empty("dimensions", i.integers(f::kDimensions));
    return true;
  }
  if (kind == CollectiveKind::kAllGather) a.dimensions();
  a.flag("use_global_device_ids", i.flag(f::kGlobalIds));
  if (kind == CollectiveKind::kReduceScatter) a.dimensions();
  return true;
}

void append_scan(const WireMessage& i, AttributeWriter& a) {
  a.dimensions();
  a.integer("num_carries", i.integer(f::kCarries));
  a.flag("is_reverse", i.flag(f::kIsReverse));
  const std::int64_t is_associative = i.integer(f::kIsAssociative);
  if (is_associative != 0) a.word("is_associative", is_associative == 1 ? "true" : "false");
}

bool append_random(const WireMessage& i, Opcode opcode, AttributeWriter& a) {
  if (opcode == Opcode::kRng) {
    a.word("distribution", i.integer(f::kDistribution) == 2 ? "rng_normal" : "rng_uniform");
    return true;
  }
  if (opcode == Opcode::kRngGetAndUpdateState) {
    a.integer("delta", i.integer(f::kDelta));
    return true;
  }
  constexpr const char* kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
  const std::int64_t algorithm = i.integer(f::kRngAlgorithm);
  if (algorithm < 0 || algorithm > 2) return false;
  a.word("algorithm", kAlgorithms[algorithm]);
  return true;
}

bool append_outfeed(const WireMessage& i, AttributeWriter& a) {
  if (!a.shape("outfeed_shape", i.bytes(f::kOutfeedShape))) return false;
  if (!i.bytes(f::kOutfeedConfig).empty()) a.quoted("outfeed_config", i.bytes(f::kOutfeedConfig));
  return true;
}

bool append_custom_call(const WireMessage& i, AttributeWriter& a) {
  a.window();
  a.dim_labels();
  a.group_counts();
  a.precision();
  if (i.integer(f::kPaddingType) == 1) a.word("padding_type", "PADDING_VALID");
  if (i.integer(f::kPaddingType) == 2) a.word("padding_type", "PADDING_SAME");
  a.quoted("custom_call_target", i.bytes(f::kTarget));
  if (i.flag(f::kConstrainLayout) && !a.operand_layout_constraints()) return false;
  a.flag("custom_call_has_side_effect", i.flag(f::kHasSideEffect));
  if (i.has(f::kLiteral) && !a.literal()) return false;
  a.output_aliasing();
  constexpr const char* kSchedules[] = {nullptr, "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
  const std::int64_t schedule = i.integer(f::kSchedule);
  if (schedule > 0 && schedule < 3) a.word("schedule", kSchedules[schedule]);
  constexpr const char* kVersions[] = {nullptr, nullptr, "API_VERSION_STATUS_RETURNING",
                                       "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  const std::int64_t version = i.integer(f::kApiVersion);
  if (version > 1 && version < 5) a.word("api_version", kVersions[version]);
  return true;
}

}  // namespace

bool append_opcode_attributes(const WireMessage& i, std::string_view opcode,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out) {
  AttributeWriter a(i, out);
  const std::optional<Opcode> known = opcode_from_string(opcode);
  if (!known) return true;  // an unknown opcode has only the common attributes
  if (const auto kind = collective_kind(*known)) return append_communication(i, *known, *kind, a);
  switch (*known) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad: append_batch_norm(i, a); return true;
    case Opcode::kFft: return append_fft(i, a);
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: a.output_aliasing(); return true;
    case Opcode::kCopyStart:
      if (i.has(f::kPrefetchIndex)) a.integer("cross_program_prefetch_index", i.integer(f::kPrefetchIndex));
      return true;
    case Opcode::kCompare: {
      const std::vector<std::int64_t> operands = i.integers(f::kOperands);
      const auto operand = operands.empty() ? by_id.end() : by_id.find(operands[0]);
      append_compare(i, operand == by_id.end() ? nullptr : operand->second, a);
      return true;
    }
    case Opcode::kTriangularSolve: append_triangular_solve(i, a); return true;
    case Opcode::kCholesky: a.flag("lower", i.message(f::kCholesky).flag(1)); return true;
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kTranspose:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
    case Opcode::kMap: a.dimensions(); return true;
    case Opcode::kSort:
      a.dimensions();
      a.flag("is_stable", i.flag(f::kIsStable));
      return true;
    case Opcode::kTopk:
      a.integer("k", i.integer(f::kK));
      a.word("largest", i.flag(f::kLargest) ? "true" : "false");
      // Without the field, the proto is of a version that has no such attribute, or the op is not stable.
      a.flag("is_stable", i.flag(f::kIsStable));
      return true;
    case Opcode::kScan: append_scan(i, a); return true;
    case Opcode::kFusion:
      a.word("kind", i.bytes(f::kFusionKind));
      a.output_aliasing();
      return true;
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState: return append_random(i, *known, a);
    case Opcode::kParameter: a.parameter_replication(); return true;
    case Opcode::kGetTupleElement: a.integer("index", i.integer(f::kTupleIndex)); return true;
    case Opcode::kReducePrecision:
      a.integer("exponent_bits", i.integer(f::kExponentBits));
      a.integer("mantissa_bits", i.integer(f::kMantissaBits));
      return true;
    case Opcode::kInfeed:
      if (!i.bytes(f::kInfeedConfig).empty()) a.quoted("infeed_config", i.bytes(f::kInfeedConfig));
      return true;
    case Opcode::kOutfeed: return append_outfeed(i, a);
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot: append_contraction(i, *known, a); return true;
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: a.window(); return true;
    case Opcode::kCustomCall: return append_custom_call(i, a);
    case Opcode::kPad: a.padding(); return true;
    case Opcode::kSlice: a.slices(); return true;
    case Opcode::kDynamicSlice: a.list("dynamic_slice_sizes", i.integers(f::kDynamicSliceSizes)); return true;
    case Opcode::kGather: a.gather_numbers(); return true;
    case Opcode::kScatter: a.scatter_numbers(); return true;
    case Opcode::kIota:
      a.integer("iota_dimension", i.integers(f::kDimensions).empty() ? 0 : i.integers(f::kDimensions)[0]);
      return true;
    case Opcode::kDomain: return a.domain();
    default: return true;
  }
}

}  // namespace hloroof::internal::inline proto

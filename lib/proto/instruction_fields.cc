// Source: the PrintExtraAttributesImpl functions of openxla/xla xla/hlo/ir/hlo_instructions.cc, and the CreateFromProto
// functions of xla/hlo/ir/hlo_instruction.cc, 2026-08.
#include "lib/proto/instruction_fields.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/values/opcode_attributes.h"

namespace hloroof::internal::inline proto {
namespace {
namespace rows {

namespace f = fields::instruction;
using enum AttributeKey;

// The fields of an instruction that are messages with a field for each attribute.
constexpr std::uint32_t kDot = 30;
constexpr std::uint32_t kGather = 33;
constexpr std::uint32_t kScatterNumbers = 48;
constexpr std::uint32_t kPrecision = 51;
constexpr std::uint32_t kTriangularSolve = 59;
constexpr std::uint32_t kCholesky = 62;
constexpr std::uint32_t kRaggedDot = 90;

// The words of enums, in the order of their numbers in the proto.
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPaddingTypes[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kConvolutionKinds[] = {"unset", "fprop", "dgrad", "wgrad"};
constexpr std::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kTruths[] = {"unset", "true", "false"};
constexpr std::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                             "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                             "API_VERSION_TYPED_FFI"};
constexpr std::string_view kDotAlgorithms[] = {
    "unset",
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

// An attribute of the opcodes that may have it (opcode_attributes.def).
struct Row {
  constexpr Row(AttributeKey key, const ProtoForm& form, std::uint32_t number) { field = {key, &form, number}; }

  constexpr Row in(std::uint32_t message, std::uint32_t inner = 0) const {
    Row row = *this;
    row.field.message = message;
    row.field.inner = inner;
    return row;
  }
  // The words in the order of their numbers.
  constexpr Row words(absl::Span<const std::string_view> words, std::int64_t lowest = 0,
                      std::int64_t missing = 0) const {
    Row row = *this;
    row.field.words = words;
    row.field.lowest = lowest;
    row.field.missing = missing;
    return row;
  }
  constexpr Row unprinted() const {
    Row row = *this;
    row.field.is_in_text = false;
    return row;
  }
  // Only of these opcodes, which then do not have another row of the key.
  constexpr Row of(Opcode opcode, Opcode other = Opcode::kUnknown) const {
    Row row = also(opcode, other);
    row.is_only = true;
    return row;
  }
  // Also of these, whose text has the attribute although the parser of XLA refuses it.
  constexpr Row also(Opcode opcode, Opcode other = Opcode::kUnknown) const {
    Row row = *this;
    row.opcodes[0] = opcode;
    row.opcodes[1] = other;
    return row;
  }
  constexpr bool names(Opcode opcode) const { return opcodes[0] == opcode || opcodes[1] == opcode; }

  AttributeField field;
  Opcode opcodes[2] = {Opcode::kUnknown, Opcode::kUnknown};
  bool is_only = false;
};

// In the order of XLA's text.
constexpr Row kRows[] = {
    // Communication
    Row(kChannelId, forms::kPositive, 26),
    Row(kIsHostTransfer, forms::kFlag, 47),
    Row(kReplicaGroups, forms::kReplicaGroups, f::kDeviceList),
    Row(kSourceTargetPairs, forms::kPairs, 52),
    Row(kSliceSizes, forms::kList, 20).unprinted().of(Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart),
    Row(kHasDynamicRoot, forms::kFlag, 100),
    Row(kConstrainLayout, forms::kFlag, f::kConstrainLayout),

    Row(kDimensions, forms::kListUnlessEmpty, 14).of(Opcode::kAllToAll),
    Row(kDimensions, forms::kList, 14).unprinted().of(Opcode::kRaggedAllToAll),
    Row(kDimensions, forms::kList, 14),
    Row(kUseGlobalDeviceIds, forms::kGlobalIds, 71),
    Row(kDimensions, forms::kList, 14).of(Opcode::kReduceScatter),

    // Computation
    Row(kInferredDimension, forms::kFirst, 14).unprinted(),
    Row(kIotaDimension, forms::kFirst, 14),
    Row(kEpsilon, forms::kFloat, 24),
    Row(kFeatureIndex, forms::kInteger, 25),
    Row(kFftType, forms::kNumber, 31).words(kFftTypes),
    Row(kFftLength, forms::kList, 32),
    Row(kCrossProgramPrefetchIndex, forms::kPresent, 80),
    Row(kDirection, forms::kWord, 63),
    Row(kType, forms::kComparisonType, f::kComparisonType),
    Row(kOrder, forms::kComparisonOrder, 102),
    Row(kLeftSide, forms::kFlag, 1).in(kTriangularSolve),
    Row(kLower, forms::kFlag, 2).in(kTriangularSolve),
    Row(kLower, forms::kFlag, 1).in(kCholesky).of(Opcode::kCholesky),
    Row(kUnitDiagonal, forms::kFlag, 3).in(kTriangularSolve),
    Row(kTransposeA, forms::kNumber, 4).in(kTriangularSolve).words(kTransposes, 1),
    Row(kK, forms::kInteger, 81),
    Row(kLargest, forms::kTruth, 85),
    // Without is_stable, the proto is of a version that has no such attribute, or the op is not stable.
    Row(kIsStable, forms::kFlag, 60),
    Row(kNumCarries, forms::kInteger, 95),
    Row(kIsReverse, forms::kFlag, 94),
    Row(kIsAssociative, forms::kNumber, 96).words(kTruths, 1),
    Row(kIsComposite, forms::kFlag, f::kIsComposite).unprinted(),
    Row(kDistribution, forms::kDistribution, 23).words(kDistributions),
    Row(kDelta, forms::kInteger, 66),
    Row(kParameterReplication, forms::kReplication, 61).of(Opcode::kParameter),
    Row(kConstantLiteral, forms::kLiteral, f::kLiteral).unprinted().of(Opcode::kConstant),
    Row(kIndex, forms::kTupleIndex, f::kTupleIndex),
    Row(kExponentBits, forms::kInteger, 18),
    Row(kMantissaBits, forms::kInteger, 19),
    Row(kInfeedConfig, forms::kStringUnlessEmpty, 27),
    Row(kOutfeedShape, forms::kShape, 29),
    Row(kOutfeedConfig, forms::kStringUnlessEmpty, 22),
    Row(kPadding, forms::kPadding, 21),
    Row(kSlice, forms::kSlices, 17),
    Row(kDynamicSliceSizes, forms::kList, 20),
    Row(kDomain, forms::kDomain, f::kDomainEntry),

    // Dot and convolution
    Row(kWindow, forms::kWindow, 15),
    Row(kDimLabels, forms::kDimLabels, 16),
    Row(kFeatureGroupCount, forms::kCount, 50),
    Row(kBatchGroupCount, forms::kCount, 58),
    Row(kConvolutionKind, forms::kNumber, 97).words(kConvolutionKinds, 1),
    Row(kLhsBatchDims, forms::kListUnlessEmpty, 3).in(kDot),
    Row(kLhsBatchDims, forms::kListUnlessEmpty, 3).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kLhsContractingDims, forms::kList, 1).in(kDot),
    Row(kLhsContractingDims, forms::kList, 1).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kRhsBatchDims, forms::kListUnlessEmpty, 4).in(kDot),
    Row(kRhsBatchDims, forms::kListUnlessEmpty, 4).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kRhsContractingDims, forms::kList, 2).in(kDot),
    Row(kRhsContractingDims, forms::kList, 2).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kLhsRaggedDims, forms::kList, 2).in(kRaggedDot),
    Row(kRhsGroupDims, forms::kListUnlessEmpty, 3).in(kRaggedDot),
    Row(kOperandPrecision, forms::kPrecision, 1).in(kPrecision),
    Row(kAlgorithm, forms::kNumber, 2)
        .in(kPrecision)
        .words(kDotAlgorithms, 1)
        .also(Opcode::kCustomCall, Opcode::kRaggedDot),
    Row(kAlgorithm, forms::kNumber, 70).words(kRandomAlgorithms).of(Opcode::kRngBitGenerator),

    // Calls
    Row(kAsyncExecutionThread, forms::kThread, f::kExecutionThread),
    Row(kAsyncExecutionThread, forms::kThread, f::kExecutionThread)
        .unprinted()
        .of(Opcode::kAsyncUpdate, Opcode::kAsyncDone),
    Row(kKind, forms::kWord, 11),
    Row(kPaddingType, forms::kNumber, 75).words(kPaddingTypes, 1),
    Row(kCustomCallTarget, forms::kString, 28),
    Row(kOperandLayoutConstraints, forms::kLayoutConstraints, 57),
    Row(kCustomCallHasSideEffect, forms::kFlag, 65),
    Row(kLiteral, forms::kLiteral, f::kLiteral),
    Row(kOutputToOperandAliasing, forms::kAliasing, 74).also(Opcode::kAsyncDone),
    Row(kSchedule, forms::kNumber, 76).words(kSchedules, 1),
    Row(kApiVersion, forms::kNumber, 77).words(kApiVersions, 2, 1),

    // Gather and scatter
    Row(kOffsetDims, forms::kList, 1).in(kGather),
    Row(kCollapsedSliceDims, forms::kList, 2).in(kGather),
    Row(kStartIndexMap, forms::kList, 3).in(kGather),
    Row(kOperandBatchingDims, forms::kListUnlessEmpty, 5).in(kGather),
    Row(kStartIndicesBatchingDims, forms::kListUnlessEmpty, 6).in(kGather),
    Row(kUpdateWindowDims, forms::kList, 1).in(kScatterNumbers),
    Row(kInsertedWindowDims, forms::kList, 2).in(kScatterNumbers),
    Row(kScatterDimsToOperandDims, forms::kList, 3).in(kScatterNumbers),
    Row(kInputBatchingDims, forms::kListUnlessEmpty, 5).in(kScatterNumbers),
    Row(kScatterIndicesBatchingDims, forms::kListUnlessEmpty, 6).in(kScatterNumbers),
    Row(kIndexVectorDim, forms::kInteger, 4).in(kGather),
    Row(kIndexVectorDim, forms::kInteger, 4).in(kScatterNumbers).of(Opcode::kScatter),
    Row(kSliceSizes, forms::kList, 34),
    Row(kIndicesAreSorted, forms::kFlag, 67),
    Row(kUniqueIndices, forms::kFlag, 69),
};

// The attributes of every opcode. Only a parameter has its replication in the text of a proto.
constexpr AttributeField kCommon[] = {
    {kSharding, &forms::kSharding, 40},
    {kFrontendAttributes, &forms::kFrontendAttributes, 68},
    {kStatistics, &forms::kStatistics, 82},
    {kResultAccuracy, &forms::kResultAccuracy, 91},
    {kOrigin, &forms::kOrigin, 88},
    {kMetadata, &forms::kMetadata, 7},
    {kBackendConfig, &forms::kBackendConfig, f::kBackendConfig},
    {kParameterReplication, &forms::kReplication, 61},
};

bool is_of(const Row& row, Opcode opcode) {
  if (row.names(opcode)) return true;
  if (row.is_only || !opcode_attributes(opcode).allowed.contains(row.field.key)) return false;
  return std::none_of(std::begin(kRows), std::end(kRows), [&](const Row& other) {
    return other.field.key == row.field.key && other.is_only && other.names(opcode);
  });
}

using Table = std::array<std::vector<AttributeField>, kOpcodeCount>;

Table make_table() {
  Table table;
  for (std::size_t opcode = 0; opcode < kOpcodeCount; ++opcode) {
    for (const Row& row : kRows) {
      if (is_of(row, static_cast<Opcode>(opcode))) table[opcode].push_back(row.field);
    }
  }
  return table;
}

}  // namespace rows
}  // namespace

absl::Span<const AttributeField> attribute_fields(Opcode opcode) {
  static const rows::Table table = rows::make_table();
  if (opcode == Opcode::kUnknown) return {};
  return table[static_cast<std::size_t>(opcode)];
}

CommonFields common_fields() {
  const absl::Span<const AttributeField> all = rows::kCommon;
  return {all.subspan(0, 2), all.subspan(2, 3), all.subspan(5, 2), all};
}

}  // namespace hloroof::internal::inline proto

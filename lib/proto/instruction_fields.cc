// Source: the PrintExtraAttributesImpl functions of openxla/xla xla/hlo/ir/hlo_instructions.cc, and the CreateFromProto
// functions of xla/hlo/ir/hlo_instruction.cc, 2026-08.
#include "lib/proto/instruction_fields.h"

#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"

namespace hloroof::internal::inline proto {
namespace {
namespace rows {

namespace f = fields::instruction;
namespace d = fields::dot;
namespace g = fields::gather;
namespace p = fields::precision;
namespace t = fields::triangular;
using enum AttributeKey;
using Form = FieldForm;

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

constexpr AttributeField unprinted(AttributeField field) {
  field.is_in_text = false;
  return field;
}

// The rows that several opcodes have.
constexpr AttributeField kDimensionsRow{kDimensions, Form::kList, f::kDimensions};
constexpr AttributeField kWindowRow{kWindow, Form::kWindow, f::kWindow};
constexpr AttributeField kDimLabelsRow{kDimLabels, Form::kDimLabels, f::kConvolution};
constexpr AttributeField kFeatureGroupsRow{kFeatureGroupCount, Form::kCount, f::kFeatureGroups};
constexpr AttributeField kBatchGroupsRow{kBatchGroupCount, Form::kCount, f::kBatchGroups};
constexpr AttributeField kPrecisionRow{kOperandPrecision, Form::kPrecision, p::kOperands, f::kPrecision};
constexpr AttributeField kAlgorithmRow{kAlgorithm, Form::kNumber, p::kAlgorithm, f::kPrecision, 0, kDotAlgorithms, 1};
constexpr AttributeField kAliasingRow{kOutputToOperandAliasing, Form::kAliasing, f::kOutputAliasing};
constexpr AttributeField kThreadRow{kAsyncExecutionThread, Form::kThread, f::kExecutionThread};
constexpr AttributeField kStableRow{kIsStable, Form::kFlag, f::kIsStable};
constexpr AttributeField kSortedRow{kIndicesAreSorted, Form::kFlag, f::kIndicesSorted};
constexpr AttributeField kChannelRow{kChannelId, Form::kPositive, f::kChannel};
constexpr AttributeField kGroupsRow{kReplicaGroups, Form::kReplicaGroups, f::kDeviceList};
constexpr AttributeField kConstrainRow{kConstrainLayout, Form::kFlag, f::kConstrainLayout};
constexpr AttributeField kGlobalIdsRow{kUseGlobalDeviceIds, Form::kFlag, f::kGlobalIds};

// Communication
constexpr AttributeField kTransfer[] = {kChannelRow, {kIsHostTransfer, Form::kFlag, f::kIsHostTransfer}};
constexpr AttributeField kPermute[] = {
    kChannelRow,
    {kSourceTargetPairs, Form::kPairs, f::kSourceTargets},
    unprinted({kSliceSizes, Form::kList, f::kDynamicSliceSizes}),
};
constexpr AttributeField kBroadcastTo[] = {kChannelRow, kGroupsRow, {kHasDynamicRoot, Form::kFlag, f::kHasDynamicRoot}};
constexpr AttributeField kRaggedExchange[] = {kChannelRow, kGroupsRow, unprinted(kDimensionsRow)};
constexpr AttributeField kExchange[] = {
    kChannelRow, kGroupsRow, kConstrainRow, {kDimensions, Form::kListUnlessEmpty, f::kDimensions}};
constexpr AttributeField kAllGatherRows[] = {kChannelRow, kGroupsRow, kConstrainRow, kDimensionsRow, kGlobalIdsRow};
constexpr AttributeField kReduceScatterRows[] = {kChannelRow, kGroupsRow, kConstrainRow, kGlobalIdsRow, kDimensionsRow};
constexpr AttributeField kAllReduceRows[] = {kChannelRow, kGroupsRow, kConstrainRow, kGlobalIdsRow};

// Computation
constexpr AttributeField kBatchNorm[] = {{kEpsilon, Form::kFloat, f::kEpsilon},
                                         {kFeatureIndex, Form::kInteger, f::kFeatureIndex}};
constexpr AttributeField kFft[] = {{kFftType, Form::kNumber, f::kFftType, 0, 0, kFftTypes},
                                   {kFftLength, Form::kList, f::kFftLength}};
constexpr AttributeField kAsync[] = {kThreadRow, kAliasingRow};
constexpr AttributeField kAsyncLater[] = {unprinted(kThreadRow), kAliasingRow};
constexpr AttributeField kCopyStart[] = {{kCrossProgramPrefetchIndex, Form::kPresent, f::kPrefetchIndex}};
constexpr AttributeField kCompare[] = {
    {kDirection, Form::kWord, f::kDirection},
    {kType, Form::kComparisonType, f::kComparisonType},
    {kOrder, Form::kComparisonOrder, f::kComparisonOrder},
};
constexpr AttributeField kTriangularSolve[] = {
    {kLeftSide, Form::kFlag, t::kLeft, f::kTriangularSolve},
    {kLower, Form::kFlag, t::kLower, f::kTriangularSolve},
    {kUnitDiagonal, Form::kFlag, t::kUnit, f::kTriangularSolve},
    {kTransposeA, Form::kNumber, t::kTranspose, f::kTriangularSolve, 0, kTransposes, 1},
};
constexpr AttributeField kCholesky[] = {{kLower, Form::kFlag, 1, f::kCholesky}};
constexpr AttributeField kOfDimensions[] = {kDimensionsRow};
constexpr AttributeField kReshape[] = {unprinted({kInferredDimension, Form::kFirst, f::kDimensions})};
constexpr AttributeField kSort[] = {kDimensionsRow, kStableRow};
// Without is_stable, the proto is of a version that has no such attribute, or the op is not stable.
constexpr AttributeField kTopk[] = {{kK, Form::kInteger, f::kK}, {kLargest, Form::kTruth, f::kLargest}, kStableRow};
constexpr AttributeField kScan[] = {
    kDimensionsRow,
    {kNumCarries, Form::kInteger, f::kCarries},
    {kIsReverse, Form::kFlag, f::kIsReverse},
    {kIsAssociative, Form::kNumber, f::kIsAssociative, 0, 0, kTruths, 1},
};
constexpr AttributeField kCall[] = {unprinted({kIsComposite, Form::kFlag, f::kIsComposite})};
constexpr AttributeField kFusion[] = {{kKind, Form::kWord, f::kFusionKind}, kAliasingRow};
constexpr AttributeField kRng[] = {{kDistribution, Form::kDistribution, f::kDistribution, 0, 0, kDistributions}};
constexpr AttributeField kRngState[] = {{kDelta, Form::kInteger, f::kDelta}};
constexpr AttributeField kRngBits[] = {{kAlgorithm, Form::kNumber, f::kRngAlgorithm, 0, 0, kRandomAlgorithms}};
constexpr AttributeField kParameter[] = {{kParameterReplication, Form::kReplication, f::kParameterReplication}};
constexpr AttributeField kGetTupleElement[] = {{kIndex, Form::kTupleIndex, f::kTupleIndex}};
constexpr AttributeField kReducePrecision[] = {{kExponentBits, Form::kInteger, f::kExponentBits},
                                               {kMantissaBits, Form::kInteger, f::kMantissaBits}};
constexpr AttributeField kInfeed[] = {{kInfeedConfig, Form::kStringUnlessEmpty, f::kInfeedConfig}};
constexpr AttributeField kOutfeed[] = {{kOutfeedShape, Form::kShape, f::kOutfeedShape},
                                       {kOutfeedConfig, Form::kStringUnlessEmpty, f::kOutfeedConfig}};
constexpr AttributeField kConvolutionRows[] = {
    kWindowRow,
    kDimLabelsRow,
    kFeatureGroupsRow,
    kBatchGroupsRow,
    {kConvolutionKind, Form::kNumber, f::kConvolutionKind, 0, 0, kConvolutionKinds, 1},
    kPrecisionRow,
    kAlgorithmRow,
};
constexpr AttributeField kDot[] = {
    {kLhsBatchDims, Form::kListUnlessEmpty, d::kLhsBatch, f::kDot},
    {kLhsContractingDims, Form::kList, d::kLhsContracting, f::kDot},
    {kRhsBatchDims, Form::kListUnlessEmpty, d::kRhsBatch, f::kDot},
    {kRhsContractingDims, Form::kList, d::kRhsContracting, f::kDot},
    kPrecisionRow,
    kAlgorithmRow,
};
constexpr AttributeField kRaggedDot[] = {
    {kLhsBatchDims, Form::kListUnlessEmpty, d::kLhsBatch, f::kRaggedDot, fields::ragged_dot::kDot},
    {kLhsContractingDims, Form::kList, d::kLhsContracting, f::kRaggedDot, fields::ragged_dot::kDot},
    {kRhsBatchDims, Form::kListUnlessEmpty, d::kRhsBatch, f::kRaggedDot, fields::ragged_dot::kDot},
    {kRhsContractingDims, Form::kList, d::kRhsContracting, f::kRaggedDot, fields::ragged_dot::kDot},
    {kLhsRaggedDims, Form::kList, fields::ragged_dot::kLhsRagged, f::kRaggedDot},
    {kRhsGroupDims, Form::kListUnlessEmpty, fields::ragged_dot::kRhsGroup, f::kRaggedDot},
    kPrecisionRow,
    kAlgorithmRow,
};
constexpr AttributeField kWindowed[] = {kWindowRow};
constexpr AttributeField kCustomCall[] = {
    kWindowRow,
    kDimLabelsRow,
    kFeatureGroupsRow,
    kBatchGroupsRow,
    kPrecisionRow,
    kAlgorithmRow,
    {kPaddingType, Form::kNumber, f::kPaddingType, 0, 0, kPaddingTypes, 1},
    {kCustomCallTarget, Form::kString, f::kTarget},
    {kOperandLayoutConstraints, Form::kLayoutConstraints, f::kOperandShapes},
    {kCustomCallHasSideEffect, Form::kFlag, f::kHasSideEffect},
    {kLiteral, Form::kLiteral, f::kLiteral},
    kAliasingRow,
    {kSchedule, Form::kNumber, f::kSchedule, 0, 0, kSchedules, 1},
    {kApiVersion, Form::kNumber, f::kApiVersion, 0, 0, kApiVersions, 2, 1},
};
constexpr AttributeField kPad[] = {{kPadding, Form::kPadding, f::kPadding}};
constexpr AttributeField kSliceRows[] = {{kSlice, Form::kSlices, f::kSlices}};
constexpr AttributeField kDynamicSlice[] = {{kDynamicSliceSizes, Form::kList, f::kDynamicSliceSizes}};
constexpr AttributeField kGather[] = {
    {kOffsetDims, Form::kList, g::kOffsetDims, f::kGather},
    {kCollapsedSliceDims, Form::kList, g::kCollapsed, f::kGather},
    {kStartIndexMap, Form::kList, g::kStartIndexMap, f::kGather},
    {kOperandBatchingDims, Form::kListUnlessEmpty, g::kOperandBatching, f::kGather},
    {kStartIndicesBatchingDims, Form::kListUnlessEmpty, g::kIndicesBatching, f::kGather},
    {kIndexVectorDim, Form::kInteger, g::kIndexVectorDim, f::kGather},
    {kSliceSizes, Form::kList, f::kGatherSizes},
    kSortedRow,
};
constexpr AttributeField kScatterRows[] = {
    // the same field numbers as for gather
    {kUpdateWindowDims, Form::kList, g::kOffsetDims, f::kScatter},
    {kInsertedWindowDims, Form::kList, g::kCollapsed, f::kScatter},
    {kScatterDimsToOperandDims, Form::kList, g::kStartIndexMap, f::kScatter},
    {kInputBatchingDims, Form::kListUnlessEmpty, g::kOperandBatching, f::kScatter},
    {kScatterIndicesBatchingDims, Form::kListUnlessEmpty, g::kIndicesBatching, f::kScatter},
    {kIndexVectorDim, Form::kInteger, g::kIndexVectorDim, f::kScatter},
    kSortedRow,
    {kUniqueIndices, Form::kFlag, f::kUniqueIndices},
};
constexpr AttributeField kIota[] = {{kIotaDimension, Form::kFirst, f::kDimensions}};
constexpr AttributeField kDomainRows[] = {{kDomain, Form::kDomain, f::kDomainEntry}};

// Collectives, send and recv. A done has attributes only if it ends a send or recv.
absl::Span<const AttributeField> communication_fields(Opcode opcode, CollectiveKind kind) {
  if (kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv) return kTransfer;
  if (async_role(opcode) == AsyncRole::kDone) return {};
  switch (kind) {
    case CollectiveKind::kCollectivePermute: return kPermute;
    case CollectiveKind::kCollectiveBroadcast: return kBroadcastTo;
    case CollectiveKind::kRaggedAllToAll: return kRaggedExchange;
    case CollectiveKind::kAllToAll: return kExchange;
    case CollectiveKind::kAllGather: return kAllGatherRows;
    case CollectiveKind::kReduceScatter: return kReduceScatterRows;
    default: return kAllReduceRows;
  }
}

absl::Span<const AttributeField> of_opcode(Opcode opcode) {
  if (const auto kind = collective_kind(opcode)) return communication_fields(opcode, *kind);
  switch (opcode) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad: return kBatchNorm;
    case Opcode::kFft: return kFft;
    case Opcode::kAsyncStart: return kAsync;
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: return kAsyncLater;
    case Opcode::kCopyStart: return kCopyStart;
    case Opcode::kCompare: return kCompare;
    case Opcode::kTriangularSolve: return kTriangularSolve;
    case Opcode::kCholesky: return kCholesky;
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kTranspose:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
    case Opcode::kMap: return kOfDimensions;
    case Opcode::kReshape: return kReshape;
    case Opcode::kSort: return kSort;
    case Opcode::kTopk: return kTopk;
    case Opcode::kScan: return kScan;
    case Opcode::kCall: return kCall;
    case Opcode::kFusion: return kFusion;
    case Opcode::kRng: return kRng;
    case Opcode::kRngBitGenerator: return kRngBits;
    case Opcode::kRngGetAndUpdateState: return kRngState;
    case Opcode::kParameter: return kParameter;
    case Opcode::kGetTupleElement: return kGetTupleElement;
    case Opcode::kReducePrecision: return kReducePrecision;
    case Opcode::kInfeed: return kInfeed;
    case Opcode::kOutfeed: return kOutfeed;
    case Opcode::kConvolution: return kConvolutionRows;
    case Opcode::kDot:
    case Opcode::kScaledDot: return kDot;
    case Opcode::kRaggedDot: return kRaggedDot;
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: return kWindowed;
    case Opcode::kCustomCall: return kCustomCall;
    case Opcode::kPad: return kPad;
    case Opcode::kSlice: return kSliceRows;
    case Opcode::kDynamicSlice: return kDynamicSlice;
    case Opcode::kGather: return kGather;
    case Opcode::kScatter: return kScatterRows;
    case Opcode::kIota: return kIota;
    case Opcode::kDomain: return kDomainRows;
    default: return {};
  }
}

}  // namespace rows
}  // namespace

absl::Span<const AttributeField> attribute_fields(Opcode opcode) { return rows::of_opcode(opcode); }

std::string_view usual_comparison(ElementType type) {
  switch (kind(type)) {
    case ElementKind::kSigned: return "SIGNED";
    case ElementKind::kUnsigned:
    case ElementKind::kPredicate: return "UNSIGNED";
    default: return "FLOAT";
  }
}

}  // namespace hloroof::internal::inline proto

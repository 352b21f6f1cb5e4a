// Source: the PrintExtraAttributesImpl functions of openxla/xla xla/hlo/ir/hlo_instructions.cc, and the CreateFromProto
// functions of xla/hlo/ir/hlo_instruction.cc, 2026-08.
#include "lib/proto/instruction_fields.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/values/opcode_attributes.h"

namespace hloroof::internal::inline proto {
namespace {
namespace rows {

namespace f = fields::instruction;
using enum AttributeKey;
using Form = FieldForm;

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
  constexpr Row(AttributeKey key, Form form, std::uint32_t number) { field = {key, form, number}; }

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
    Row(kChannelId, Form::kPositive, 26),
    Row(kIsHostTransfer, Form::kFlag, 47),
    Row(kReplicaGroups, Form::kReplicaGroups, f::kDeviceList),
    Row(kSourceTargetPairs, Form::kPairs, 52),
    Row(kSliceSizes, Form::kList, 20).unprinted().of(Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart),
    Row(kHasDynamicRoot, Form::kFlag, 100),
    Row(kConstrainLayout, Form::kFlag, f::kConstrainLayout),

    Row(kDimensions, Form::kListUnlessEmpty, 14).of(Opcode::kAllToAll),
    Row(kDimensions, Form::kList, 14).unprinted().of(Opcode::kRaggedAllToAll),
    Row(kDimensions, Form::kList, 14),
    Row(kUseGlobalDeviceIds, Form::kFlag, 71),
    Row(kDimensions, Form::kList, 14).of(Opcode::kReduceScatter),

    // Computation
    Row(kInferredDimension, Form::kFirst, 14).unprinted(),
    Row(kIotaDimension, Form::kFirst, 14),
    Row(kEpsilon, Form::kFloat, 24),
    Row(kFeatureIndex, Form::kInteger, 25),
    Row(kFftType, Form::kNumber, 31).words(kFftTypes),
    Row(kFftLength, Form::kList, 32),
    Row(kCrossProgramPrefetchIndex, Form::kPresent, 80),
    Row(kDirection, Form::kWord, 63),
    Row(kType, Form::kComparisonType, f::kComparisonType),
    Row(kOrder, Form::kComparisonOrder, 102),
    Row(kLeftSide, Form::kFlag, 1).in(kTriangularSolve),
    Row(kLower, Form::kFlag, 2).in(kTriangularSolve),
    Row(kLower, Form::kFlag, 1).in(kCholesky).of(Opcode::kCholesky),
    Row(kUnitDiagonal, Form::kFlag, 3).in(kTriangularSolve),
    Row(kTransposeA, Form::kNumber, 4).in(kTriangularSolve).words(kTransposes, 1),
    Row(kK, Form::kInteger, 81),
    Row(kLargest, Form::kTruth, 85),
    // Without is_stable, the proto is of a version that has no such attribute, or the op is not stable.
    Row(kIsStable, Form::kFlag, 60),
    Row(kNumCarries, Form::kInteger, 95),
    Row(kIsReverse, Form::kFlag, 94),
    Row(kIsAssociative, Form::kNumber, 96).words(kTruths, 1),
    Row(kIsComposite, Form::kFlag, f::kIsComposite).unprinted(),
    Row(kDistribution, Form::kDistribution, 23).words(kDistributions),
    Row(kDelta, Form::kInteger, 66),
    Row(kParameterReplication, Form::kReplication, 61).of(Opcode::kParameter),
    Row(kIndex, Form::kTupleIndex, f::kTupleIndex),
    Row(kExponentBits, Form::kInteger, 18),
    Row(kMantissaBits, Form::kInteger, 19),
    Row(kInfeedConfig, Form::kStringUnlessEmpty, 27),
    Row(kOutfeedShape, Form::kShape, 29),
    Row(kOutfeedConfig, Form::kStringUnlessEmpty, 22),
    Row(kPadding, Form::kPadding, 21),
    Row(kSlice, Form::kSlices, 17),
    Row(kDynamicSliceSizes, Form::kList, 20),
    Row(kDomain, Form::kDomain, f::kDomainEntry),

    // Dot and convolution
    Row(kWindow, Form::kWindow, 15),
    Row(kDimLabels, Form::kDimLabels, 16),
    Row(kFeatureGroupCount, Form::kCount, 50),
    Row(kBatchGroupCount, Form::kCount, 58),
    Row(kConvolutionKind, Form::kNumber, 97).words(kConvolutionKinds, 1),
    Row(kLhsBatchDims, Form::kListUnlessEmpty, 3).in(kDot),
    Row(kLhsBatchDims, Form::kListUnlessEmpty, 3).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kLhsContractingDims, Form::kList, 1).in(kDot),
    Row(kLhsContractingDims, Form::kList, 1).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kRhsBatchDims, Form::kListUnlessEmpty, 4).in(kDot),
    Row(kRhsBatchDims, Form::kListUnlessEmpty, 4).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kRhsContractingDims, Form::kList, 2).in(kDot),
    Row(kRhsContractingDims, Form::kList, 2).in(kRaggedDot, 1).of(Opcode::kRaggedDot),
    Row(kLhsRaggedDims, Form::kList, 2).in(kRaggedDot),
    Row(kRhsGroupDims, Form::kListUnlessEmpty, 3).in(kRaggedDot),
    Row(kOperandPrecision, Form::kPrecision, 1).in(kPrecision),
    Row(kAlgorithm, Form::kNumber, 2)
        .in(kPrecision)
        .words(kDotAlgorithms, 1)
        .also(Opcode::kCustomCall, Opcode::kRaggedDot),
    Row(kAlgorithm, Form::kNumber, 70).words(kRandomAlgorithms).of(Opcode::kRngBitGenerator),

    // Calls
    Row(kAsyncExecutionThread, Form::kThread, f::kExecutionThread),
    Row(kAsyncExecutionThread, Form::kThread, f::kExecutionThread)
        .unprinted()
        .of(Opcode::kAsyncUpdate, Opcode::kAsyncDone),
    Row(kKind, Form::kWord, 11),
    Row(kPaddingType, Form::kNumber, 75).words(kPaddingTypes, 1),
    Row(kCustomCallTarget, Form::kString, 28),
    Row(kOperandLayoutConstraints, Form::kLayoutConstraints, 57),
    Row(kCustomCallHasSideEffect, Form::kFlag, 65),
    Row(kLiteral, Form::kLiteral, f::kLiteral),
    Row(kOutputToOperandAliasing, Form::kAliasing, 74).also(Opcode::kAsyncDone),
    Row(kSchedule, Form::kNumber, 76).words(kSchedules, 1),
    Row(kApiVersion, Form::kNumber, 77).words(kApiVersions, 2, 1),

    // Gather and scatter
    Row(kOffsetDims, Form::kList, 1).in(kGather),
    Row(kCollapsedSliceDims, Form::kList, 2).in(kGather),
    Row(kStartIndexMap, Form::kList, 3).in(kGather),
    Row(kOperandBatchingDims, Form::kListUnlessEmpty, 5).in(kGather),
    Row(kStartIndicesBatchingDims, Form::kListUnlessEmpty, 6).in(kGather),
    Row(kUpdateWindowDims, Form::kList, 1).in(kScatterNumbers),
    Row(kInsertedWindowDims, Form::kList, 2).in(kScatterNumbers),
    Row(kScatterDimsToOperandDims, Form::kList, 3).in(kScatterNumbers),
    Row(kInputBatchingDims, Form::kListUnlessEmpty, 5).in(kScatterNumbers),
    Row(kScatterIndicesBatchingDims, Form::kListUnlessEmpty, 6).in(kScatterNumbers),
    Row(kIndexVectorDim, Form::kInteger, 4).in(kGather),
    Row(kIndexVectorDim, Form::kInteger, 4).in(kScatterNumbers).of(Opcode::kScatter),
    Row(kSliceSizes, Form::kList, 34),
    Row(kIndicesAreSorted, Form::kFlag, 67),
    Row(kUniqueIndices, Form::kFlag, 69),
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

std::string_view usual_comparison(ElementType type) {
  switch (kind(type)) {
    case ElementKind::kSigned: return "SIGNED";
    case ElementKind::kUnsigned:
    case ElementKind::kPredicate: return "UNSIGNED";
    default: return "FLOAT";
  }
}

}  // namespace hloroof::internal::inline proto

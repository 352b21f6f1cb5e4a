// Field numbers by message. Those of attributes are in instruction_fields.cc, and the members of structs are rows of
// message_rows.h.
//
// Source: openxla/xla xla/service/hlo.proto and xla/xla_data.proto, and xplane.proto of its profiler, 2026-08.
#ifndef HLOROOF_LIB_PROTO_FIELDS_H_
#define HLOROOF_LIB_PROTO_FIELDS_H_

#include <cstdint>

namespace hloroof::internal::inline proto::fields {

namespace hlo {  // HloProto
enum : std::uint32_t { kModule = 1 };
}
namespace xspace {
enum : std::uint32_t { kPlanes = 1, kHosts = 4 };
}
namespace xplane {
enum : std::uint32_t { kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6 };
}
namespace xline {
enum : std::uint32_t { kName = 2, kTimestampNs = 3, kEvents = 4 };
}
namespace xevent {
enum : std::uint32_t { kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4, kOccurrences = 5 };
}
namespace map_entry {
enum : std::uint32_t { kKey = 1, kValue = 2 };
}
namespace event_metadata {
enum : std::uint32_t { kName = 2, kDisplayName = 4, kStats = 5 };
}
namespace stat_metadata {
enum : std::uint32_t { kName = 2 };
}
namespace stat {
enum : std::uint32_t { kMetadataId = 1, kUnsigned = 3, kInteger = 4, kText = 5, kBytes = 6, kReference = 7 };
}
namespace module {
enum : std::uint32_t {
  kName = 1,
  kEntryName = 2,
  kComputations = 3,
  kHostProgramShape = 4,
  kEntryId = 6,
  kSchedule = 7,
  kInputOutputAlias = 8,
  kDeviceAssignment = 15,
  kStackFrames = 17,
  kBufferDonor = 18,
  kFrontendAttributes = 19,
  kPayloads = 22,
};
}
namespace schedule {
enum : std::uint32_t { kSequences = 1, kIds = 1 };
}
namespace alias {
enum : std::uint32_t { kEntries = 1, kKind = 4 };
}
namespace donor {
enum : std::uint32_t { kEntries = 1 };
}
namespace device_assignment {
enum : std::uint32_t { kReplicas = 1, kComputations = 2, kDevices = 3, kReplicaDevices = 1 };
}
namespace stack {
enum : std::uint32_t { kFiles = 1, kFunctions = 2, kLocations = 3, kFrames = 4 };
}
namespace computation {
enum : std::uint32_t {
  kName = 1,
  kInstructions = 2,
  kShape = 4,
  kId = 5,
  kRoot = 6,
  kIsFusion = 7,
  kExecutionThread = 8,
};
}
namespace program_shape {
enum : std::uint32_t { kParameters = 1, kResult = 2, kNames = 3 };
}
namespace shape {
enum : std::uint32_t { kElementType = 2, kDimensions = 3, kTupleShapes = 4, kLayout = 5, kIsDynamic = 6 };
// PrimitiveType beyond those of element_type.def
enum : std::int64_t { kTuple = 13, kOpaque = 14, kToken = 17, kBuffer = 34 };
}  // namespace shape
namespace layout {
enum : std::uint32_t { kMinorToMajor = 1 };
}
namespace literal {
enum : std::uint32_t { kShape = 1, kPreds = 2, kTuple = 10 };
}
namespace mesh {
// MeshProto; AxisRefProto and the part of an axis
enum : std::uint32_t { kAxes = 1, kDeviceIds = 2, kIota = 3 };
enum : std::uint32_t { kAxisIndex = 1, kSubAxis = 2, kPreSize = 1, kSubSize = 2 };
}  // namespace mesh
namespace named_sharding {
enum : std::uint32_t { kMesh = 2, kDimensions = 3, kReplicated = 4, kUnreduced = 5, kManual = 7, kReduction = 8 };
enum : std::uint32_t { kDimensionAxes = 1, kIsClosed = 2 };
}  // namespace named_sharding
namespace sharding {
// OpSharding.Type
enum : std::int64_t {
  kReplicated = 0,
  kMaximal = 1,
  kIsTuple = 2,
  kOther = 3,
  kManual = 4,
  kUnknown = 5,
  kUnreduced = 6,
};
enum : std::uint32_t {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kTuple = 5,
  kReplicateLast = 6,
  kMetadata = 7,
  kLastDims = 8,
  kIotaDimensions = 9,
  kIotaPermutation = 10,
  kIsGroup = 11,
  kGroupId = 12,
  kGroupType = 13,
  kNamed = 14,
};
}
namespace payload {
enum : std::uint32_t { kValue = 1, kId = 2 };
}
namespace result_accuracy {
enum : std::uint32_t { kMode = 1, kTolerance = 2 };
}
namespace original_value {
enum : std::uint32_t { kElements = 1, kIsSyntheticCall = 2, kPlace = 1, kArray = 2, kInstruction = 1, kIndex = 2 };
}
namespace instruction {  // those of an attribute alone are in instruction_fields.cc
enum : std::uint32_t {
  kName = 1,
  kOpcode = 2,
  kShape = 3,
  kLiteral = 8,
  kParameter = 9,
  kTupleIndex = 13,
  kId = 35,
  kOperands = 36,
  kControlPredecessors = 37,
  kCalled = 38,
  kBackendConfig = 43,
  kReplicaGroups = 49,
  kDomainEntry = 54,
  kDomainExit = 55,
  kConstrainLayout = 56,
  kComparisonType = 72,
  kExecutionThread = 79,
  kDeviceList = 87,
  kIsComposite = 89,
  kIotaGroups = 92,
  kMeshGroups = 93,
  kBackendConfigPayload = 99,
};
}  // namespace instruction
namespace replica_groups {
enum : std::uint32_t { kIds = 1, kGroups = 1, kOldIota = 2, kMesh = 1, kMeshAxes = 2 };
enum : std::uint32_t { kGroupCount = 1, kGroupSize = 2, kReshape = 3, kPermutation = 4 };
}  // namespace replica_groups

}  // namespace hloroof::internal::inline proto::fields

#endif  // HLOROOF_LIB_PROTO_FIELDS_H_

#include "lib/values/opcode_attributes.h"

#include <array>

#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline values {

namespace {

constexpr KeySet kCommon = {AttributeKey::kSharding,
                            AttributeKey::kFrontendAttributes,
                            AttributeKey::kStatistics,
                            AttributeKey::kParameterReplication,
                            AttributeKey::kControlPredecessors,
                            AttributeKey::kOrigin,
                            AttributeKey::kMetadata,
                            AttributeKey::kBackendConfig};

constexpr std::array<OpcodeAttributes, kOpcodeCount + 1> make_table() {
  std::array<OpcodeAttributes, kOpcodeCount + 1> table{};
  for (OpcodeAttributes& row : table) row.allowed = kCommon;
#define HLOROOF_OPCODE(enumerator, text, arity, ...) \
  table[static_cast<std::size_t>(Opcode::enumerator)].operands = arity;
#include "hloroof/opcode.def"
  using enum AttributeKey;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (work_class(opcode) == WorkClass::kTranscendental && arity(opcode) == 1) {
      table[static_cast<std::size_t>(i)].allowed.insert(kResultAccuracy);
    }
  }
  const auto set = [&table](Opcode opcode, KeySet required, KeySet optional) {
    OpcodeAttributes& row = table[static_cast<std::size_t>(opcode)];
    row.required = required;
    row.allowed = kCommon | required | optional;
  };
#define HLOROOF_KEYS(...) KeySet({__VA_ARGS__})
#define HLOROOF_OPCODE_ATTRIBUTES(opcode, required, optional) \
  set(Opcode::opcode, HLOROOF_KEYS required, HLOROOF_KEYS optional);
#include "lib/values/opcode_attributes.def"
#undef HLOROOF_KEYS
  // An unknown opcode may have any attribute.
  for (std::uint64_t& bits : table[static_cast<std::size_t>(Opcode::kUnknown)].allowed.bits) bits = ~std::uint64_t{0};
  return table;
}

constexpr std::array<OpcodeAttributes, kOpcodeCount + 1> kTable = make_table();

constexpr KeySet kHeader = {
    AttributeKey::kIsScheduled,
    AttributeKey::kInputOutputAlias,
    AttributeKey::kBufferDonor,
    AttributeKey::kAliasPassthroughParams,
    AttributeKey::kEntryComputationLayout,
    AttributeKey::kAllowSpmdShardingPropagationToParameters,
    AttributeKey::kAllowSpmdShardingPropagationToOutput,
    AttributeKey::kReplicaCount,
    AttributeKey::kNumPartitions,
    AttributeKey::kFrontendAttributes,
    AttributeKey::kOriginRecoveryTable,
    AttributeKey::kDebugAttributes,
};

}  // namespace

const OpcodeAttributes& opcode_attributes(Opcode opcode) { return kTable[static_cast<std::size_t>(opcode)]; }

const KeySet& common_attribute_keys() { return kCommon; }

const KeySet& header_attribute_keys() { return kHeader; }

std::string to_string(const KeySet& keys) {
  std::string out;
  for (unsigned i = 0; i < static_cast<unsigned>(AttributeKey::kConstantLiteral); ++i) {
    if (!keys.contains(static_cast<AttributeKey>(i))) continue;
    if (!out.empty()) out += ", ";
    out += to_string(static_cast<AttributeKey>(i));
  }
  return out;
}

}  // namespace hloroof::internal::inline values

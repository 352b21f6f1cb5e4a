#include "lib/analysis/axis_roles.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/grid.h"
#include "lib/analysis/megascale.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/provenance.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr double kShareOfARole = 0.1;  // the share of an axis' bytes above which a secondary role is listed

// Whether the permutation comes from the user's program (jax.lax.ppermute) and not from the partitioning of a matmul.
bool is_user_permute(InstructionView instruction) {
  const std::string name = op_name(instruction);
  static constexpr std::string_view kPrimitive = "ppermute";
  return name.size() >= kPrimitive.size() &&
         name.compare(name.size() - kPrimitive.size(), kPrimitive.size(), kPrimitive) == 0;
}

struct Use {
  AxisRole role = AxisRole::kUnknown;
  std::string_view why;
};

class RoleReader {
 public:
  RoleReader(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives)
      : module_(module), calls_(calls), collectives_(collectives) {
    for (const CallGraph::Loop& loop : calls_.loops()) {
      for (const ComputationId body : module.instruction(loop.instruction).called_computations()) {
        trips_[body.index] = loop.trips.value;
      }
    }
    std::vector<InstructionId> operands;
    operands.reserve(collectives.size());
    for (const Collective& collective : collectives) operands.push_back(operand_of(collective));
    sent_ = find_sent(module, calls, collectives, operands);
    for (std::size_t c = 0; c < collectives.size(); ++c) {
      const bool is_ragged = collectives[c].kind == CollectiveKind::kRaggedAllToAll;
      if (sent_[c] == Sent::kTokens || is_ragged) with_experts_.push_back(collectives[c].groups.within);
    }
  }

  double executions(const Collective& collective) const {
    return std::max(1.0, calls_.executions(module_.instruction(collective.carrier)));
  }

  // The role that collective `c` implies for its axes.
  Use use_of(std::size_t c) const {
    const Collective& collective = collectives_[c];
    switch (collective.kind) {
      case CollectiveKind::kSend:
      case CollectiveKind::kRecv: return {AxisRole::kPipeline, "sent and received"};
      case CollectiveKind::kCollectivePermute:
        if (is_user_permute(module_.instruction(collective.instruction))) return use_of_permute(collective);
        break;
      default: break;
    }
    const bool exchanges =
        collective.kind == CollectiveKind::kAllToAll || collective.kind == CollectiveKind::kRaggedAllToAll;
    switch (sent_[c]) {
      case Sent::kUnknown:
      case Sent::kInput: return {};  // moves the batch to where it is needed, which any layout may ask for
      case Sent::kWeight:
        switch (collective.kind) {
          case CollectiveKind::kAllGather: return {AxisRole::kFsdp, "weights gathered"};
          case CollectiveKind::kAllToAll: return {AxisRole::kFsdp, "weights exchanged"};
          case CollectiveKind::kCollectivePermute: return {AxisRole::kFsdp, "weights passed round"};
          case CollectiveKind::kCollectiveBroadcast: return {AxisRole::kData, "weights broadcast"};
          default: return {};
        }
      case Sent::kGradient:
        switch (collective.kind) {
          case CollectiveKind::kReduceScatter: return {AxisRole::kFsdp, "gradients scattered"};
          case CollectiveKind::kCollectivePermute: return {AxisRole::kFsdp, "gradients passed round"};
          default: return {AxisRole::kData, "gradients reduced"};
        }
      case Sent::kScalar:
        return collective.kind == CollectiveKind::kAllReduce ? Use{AxisRole::kData, "scalars reduced"} : Use{};
      case Sent::kTokens:
      case Sent::kActivation: break;
    }
    if (exchanges && goes_to_experts(collective)) return {AxisRole::kExpert, "tokens exchanged"};
    switch (collective.kind) {
      case CollectiveKind::kAllGather: return {AxisRole::kTensor, "activations gathered"};
      case CollectiveKind::kReduceScatter: return {AxisRole::kTensor, "activations scattered"};
      case CollectiveKind::kAllReduce: return {AxisRole::kTensor, "activations reduced"};
      case CollectiveKind::kCollectivePermute: return {AxisRole::kTensor, "partial results passed round"};
      default: return {};  // an exchange moves from one sharding to another, and says of neither what it is for
    }
  }

 private:
  // The largest array that a collective sends.
  InstructionId operand_of(const Collective& collective) const {
    if (collective.slices > 0) return sent_between_slices(collective);
    const InstructionView instruction = module_.instruction(collective.instruction);
    InstructionId largest;
    std::int64_t most = -1;
    for (std::size_t i = 0; i < instruction.operand_count() && static_cast<std::int64_t>(i) < collective.arrays; ++i) {
      const InstructionView operand = instruction.operand(i);
      if (!operand.shape().is_array() || element_count(operand.shape()) <= most) continue;
      most = element_count(operand.shape());
      largest = operand.id();
    }
    return largest;
  }

  // The array that a slice sends, before the compiler flattened it for the transfer.
  InstructionId sent_between_slices(const Collective& collective) const {
    const InstructionView recv = module_.instruction(collective.instruction);
    const auto [found, is_new] = sends_.try_emplace(recv.computation().id().index);
    if (is_new) found->second = megascale_sends(recv.computation());
    const auto send = found->second.find(megascale_rendezvous(recv));
    if (send == found->second.end() || module_.instruction(send->second).operand_count() == 0) return {};
    return module_.instruction(send->second).operand(0).id();
  }

  // The exchange back from the experts has the groups of the exchange to them.
  bool goes_to_experts(const Collective& collective) const {
    return std::find(with_experts_.begin(), with_experts_.end(), collective.groups.within) != with_experts_.end();
  }

  Use use_of_permute(const Collective& collective) const {
    std::set<std::int64_t> sources;
    std::set<std::int64_t> targets;
    for (const auto& [source, target] : collective.pairs) {
      sources.insert(source);
      targets.insert(target);
    }
    if (sources != targets) return {AxisRole::kPipeline, "passed along a chain"};
    const auto loop = trips_.find(module_.instruction(collective.carrier).computation().id().index);
    if (loop == trips_.end()) return {AxisRole::kSequence, "blocks passed to neighbours"};
    return loop->second <= collective.groups.group_size ? Use{AxisRole::kSequence, "blocks passed round a ring"}
                                                        : Use{AxisRole::kPipeline, "passed round for many rounds"};
  }

  const Module& module_;
  const CallGraph& calls_;
  const std::vector<Collective>& collectives_;
  std::vector<Sent> sent_;                                                       // by index of the collective
  std::vector<Grid> with_experts_;                                               // groups that tokens are exchanged in
  std::map<std::uint32_t, std::int64_t> trips_;                                  // by loop body
  mutable std::map<std::uint32_t, std::map<std::string, InstructionId>> sends_;  // by computation, once needed
};

struct RoleEvidence {
  double bytes = 0;
  std::set<std::string_view> why;
};

}  // namespace

std::vector<AxisRole> assign_roles(const Module& module, const CallGraph& calls,
                                   const std::vector<Collective>& collectives, LogicalMesh& mesh) {
  std::vector<AxisRole> of_collective;
  for (MeshAxis& axis : mesh.axes) {
    axis.roles.clear();
    axis.why.clear();
    axis.bytes = 0;
  }
  if (collectives.empty()) return of_collective;
  const RoleReader reader(module, calls, collectives);
  std::vector<std::map<AxisRole, RoleEvidence>> evidence(mesh.axes.size());
  for (std::size_t c = 0; c < collectives.size(); ++c) {
    const Collective& collective = collectives[c];
    const Use use = reader.use_of(c);
    of_collective.push_back(use.role);
    const double bytes = collective.bytes * reader.executions(collective);
    for (const int i : spanned_axes(mesh, collective.groups)) {
      RoleEvidence& of_role = evidence[i][use.role];
      of_role.bytes += bytes;
      of_role.why.insert(use.why);
      mesh.axes[i].bytes += bytes;
    }
  }
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    MeshAxis& axis = mesh.axes[i];
    std::map<AxisRole, RoleEvidence>& roles = evidence[i];
    roles.erase(AxisRole::kUnknown);
    // FSDP includes data parallelism.
    if (roles.count(AxisRole::kFsdp) != 0) roles.erase(AxisRole::kData);
    std::vector<std::pair<AxisRole, RoleEvidence>> sorted(roles.begin(), roles.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    // On an expert axis, the other collectives move tokens to the experts and back.
    std::stable_partition(sorted.begin(), sorted.end(), [&](const auto& r) {
      return r.first == AxisRole::kExpert && r.second.bytes >= kShareOfARole * axis.bytes;
    });
    for (const auto& [role, found] : sorted) {
      if (!axis.roles.empty() && found.bytes < kShareOfARole * axis.bytes) continue;
      axis.roles.push_back(role);
      for (const std::string_view why : found.why) {
        absl::StrAppend(&axis.why, axis.why.empty() ? "" : ", ", std::string(why));
      }
    }
  }
  return of_collective;
}

}  // namespace hloroof::internal::inline analysis

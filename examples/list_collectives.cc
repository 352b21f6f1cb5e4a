// Lists what a partitioned program exchanges: its collectives with their groups, and the shardings of its parameters.
//
//   list_collectives examples/ffn_block.v5e_2x4.hlo
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/parse.h"

namespace {

std::string text(std::string_view view) { return std::string(view); }

void print_axes(const hloroof::LogicalMesh& mesh, const hloroof::Collective& collective) {
  std::printf("%s", text(hloroof::to_string(collective.kind)).c_str());
  for (const int axis : hloroof::spanned_axes(mesh, collective.groups)) {
    const hloroof::MeshAxis& a = mesh.axes[static_cast<std::size_t>(axis)];
    std::printf(" over %s, devices %lld apart", a.name.c_str(), static_cast<long long>(a.stride));
  }
  std::printf("\n");
}

void print_groups(hloroof::InstructionView instruction) {
  const std::optional<hloroof::ReplicaGroups> groups = hloroof::replica_groups(instruction);
  if (!groups) return;
  std::printf("    %-36s %lld groups of %lld devices", text(instruction.name()).c_str(),
              static_cast<long long>(groups->group_count()), static_cast<long long>(groups->group_size()));
  groups->for_each_group([](absl::Span<const std::int64_t> ids) {
    std::printf("; the first has devices");
    for (const std::int64_t id : ids) std::printf(" %lld", static_cast<long long>(id));
    return false;  // one is enough
  });
  std::printf("\n    %s\n", hloroof::op_name(instruction).c_str());
}

void print_pairs(hloroof::InstructionView instruction) {
  const auto pairs = hloroof::source_target_pairs(instruction);
  if (pairs.empty()) return;
  std::printf("    %-36s %zu pairs, the first from device %lld to %lld\n", text(instruction.name()).c_str(),
              pairs.size(), static_cast<long long>(pairs[0].first), static_cast<long long>(pairs[0].second));
}

void print_sharding(hloroof::InstructionView parameter) {
  const std::optional<hloroof::ShardingAttribute> sharding = hloroof::sharding(parameter);
  if (!sharding || sharding->is_tuple) return;
  std::printf("parameter %lld %s:", static_cast<long long>(parameter.parameter_number()),
              text(parameter.name()).c_str());
  for (std::size_t d = 0; d < parameter.shape().dimensions.size(); ++d) {
    std::printf(" dimension %zu in %lld shards", d,
                static_cast<long long>(sharding->elements[0].shards_of_dimension(d)));
  }
  const absl::StatusOr<std::vector<std::int64_t>> devices = sharding->elements[0].device_list();
  if (devices.ok() && !devices->empty()) {
    std::printf(", the first on device %lld of %lld", static_cast<long long>(devices->front()),
                static_cast<long long>(sharding->elements[0].device_count()));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: list_collectives FILE\n"), 1;
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return std::fprintf(stderr, "%s\n", std::string(module.status().message()).c_str()), 1;
  std::printf("%lld partitions, %lld replicas\n", static_cast<long long>(module->num_partitions()),
              static_cast<long long>(module->replica_count()));
  const std::vector<hloroof::Collective> collectives = hloroof::find_collectives(*module);
  const hloroof::LogicalMesh mesh = hloroof::infer_mesh(*module, collectives);
  std::printf("mesh: %s\n", mesh.to_string().c_str());
  for (const hloroof::Collective& collective : collectives) {
    print_axes(mesh, collective);
    print_groups(module->instruction(collective.instruction));
    print_pairs(module->instruction(collective.instruction));
  }
  if (!module->has_entry()) return 0;
  for (const hloroof::InstructionId id : module->entry().parameters()) {
    if (id.valid()) print_sharding(module->instruction(id));
  }
  return 0;
}

#include "lib/analysis/megascale.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "hloroof/attributes.h"
#include "lib/analysis/device_groups.h"
#include "lib/analysis/grid.h"
#include "lib/analysis/saturating.h"
#include "lib/base/strings.h"
#include "lib/ir/shapes.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr std::int64_t kDevicesOfASlice = 100'000;  // the factor of the slice in the id of a device
constexpr std::size_t kMaxListed = 1 << 20;         // limit on the devices that a target lists
constexpr std::int64_t kMaxMegascaleSlices = 1 << 20;
constexpr std::int64_t kMaxProductDevices = 1 << 16;  // above it, irregular groups are not listed

class TargetParser {
 public:
  explicit TargetParser(std::string_view text) : text_(text) {}

  // Target  = Product | Groups | Pairs .
  // Product = "{" Slice { "," Slice } "}" "x" "{" Range { "," Range } "}" .
  // Range   = Device [ ":" Device ] .
  // Groups  = "{" Group { "," Group } "}" .    Group = "{" Id { "," Id } "}" .
  // Pairs   = "{" Pair { "," Pair } "}" .      Pair  = "{" Id "->" Id "}" .
  // Slice, Device, Id = digit { digit } .      Id    = 100000 * Slice + Device
  absl::StatusOr<MegascaleTarget> parse() {
    if (!expect("{")) return error();
    if (text_.substr(at_, 1) == "{") {
      do {
        if (!group()) return error();
      } while (accept(","));
      if (!expect("}")) return error();
    } else if (!product()) {
      return error();
    }
    if (at_ != text_.size()) {
      expected_ = "the end";
      return error();
    }
    return std::move(target_);
  }

 private:
  bool product() {
    do {
      std::int64_t slice = 0;
      if (!number(slice, 1, kMaxMegascaleSlices, "the number of a slice, from 1")) return false;
      target_.slices.push_back(slice);
    } while (accept(","));
    if (!expect("}") || !expect("x") || !expect("{")) return false;
    do {
      std::int64_t first = 0;
      if (!number(first, 0, kDevicesOfASlice - 1, "the number of a device")) return false;
      std::int64_t last = first;
      if (accept(":") && !number(last, first, kDevicesOfASlice - 1, "the last device of the range")) return false;
      target_.devices.emplace_back(first, last);
    } while (accept(","));
    return expect("}");
  }

  bool group() {
    SliceDevice first;
    if (!expect("{") || !device(first)) return false;
    if (accept("->")) {
      if (!target_.groups.empty()) return fails("a group of devices, as before");
      SliceDevice second;
      if (!device(second)) return false;
      target_.pairs.emplace_back(first, second);
      return expect("}");
    }
    if (!target_.pairs.empty()) return fails("-> and a device");
    std::vector<SliceDevice> members = {first};
    while (accept(",")) {
      SliceDevice member;
      if (!device(member)) return false;
      members.push_back(member);
    }
    target_.groups.push_back(std::move(members));
    return expect("}");
  }

  bool device(SliceDevice& device) {
    std::int64_t id = 0;
    if (++listed_ > kMaxListed) return fails("fewer devices");
    constexpr std::int64_t kLast = kDevicesOfASlice * kMaxMegascaleSlices;
    if (!number(id, kDevicesOfASlice, kLast, "100000 times a slice from 1, plus a device")) return false;
    device = {id / kDevicesOfASlice, id % kDevicesOfASlice};
    return true;
  }

  bool number(std::int64_t& value, std::int64_t least, std::int64_t most, std::string_view what) {
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc() || value < least || value > most) return fails(what);
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  bool expect(std::string_view token) { return accept(token) || fails(token); }

  bool fails(std::string_view expected) {
    expected_ = expected;
    return false;
  }

  absl::Status error() const {
    return invalid_argument(absl::StrCat("_xla_megascale_target=\"", to_absl(text_.substr(0, 60)),
                                         text_.size() > 60 ? "..." : "", "\": column ", at_ + 1, ": expected ",
                                         to_absl(expected_)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t listed_ = 0;
  std::string_view expected_;
  MegascaleTarget target_;
};

std::optional<CollectiveKind> kind_of_transfer(std::string_view type) {
  if (type == "ALL_REDUCE") return CollectiveKind::kAllReduce;
  if (type == "ALL_GATHER") return CollectiveKind::kAllGather;
  if (type == "REDUCE_SCATTER") return CollectiveKind::kReduceScatter;
  if (type == "ALL_TO_ALL") return CollectiveKind::kAllToAll;
  if (type == "ONE_TO_ONE") return CollectiveKind::kCollectivePermute;
  return std::nullopt;
}

std::int64_t devices_per_slice(const Module& module) {
  return saturating_multiply(std::max<std::int64_t>(module.replica_count(), 1),
                             std::max<std::int64_t>(module.num_partitions(), 1));
}

// The id of a device among those of all slices, of `devices` devices each.
std::int64_t id_of(SliceDevice device, std::int64_t devices) {
  return saturating_add(saturating_multiply(device.slice - 1, devices), device.device);
}

std::int64_t last_device(const MegascaleTarget& target) {
  std::int64_t last = 0;
  for (const auto& [first, end] : target.devices) last = std::max(last, end);
  for (const std::vector<SliceDevice>& group : target.groups) {
    for (const SliceDevice member : group) last = std::max(last, member.device);
  }
  for (const auto& [source, end] : target.pairs) last = std::max({last, source.device, end.device});
  return last;
}

// The groups of "{slices}x{devices}": as grids, if slices and devices are regularly spaced, or else as lists, if they
// are short.
DeviceGroups product_groups(const MegascaleTarget& target, std::int64_t devices) {
  std::vector<std::int64_t> slices = target.slices;
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  const std::optional<Grid> within = grid_of(slices);
  if (within && target.devices.size() == 1) {
    DeviceGroups groups;
    groups.within = *within;
    for (GridAxis& axis : groups.within) axis.stride = saturating_multiply(axis.stride, devices);
    const auto [first, last] = target.devices.front();
    if (last > first) groups.across = {{last - first + 1, 1}};
    groups.group_size = static_cast<std::int64_t>(slices.size());
    groups.group_count = last - first + 1;
    return groups;
  }
  std::int64_t count = 0;
  for (const auto& [first, last] : target.devices) count = saturating_add(count, last - first + 1);
  if (saturating_multiply(count, static_cast<std::int64_t>(slices.size())) > kMaxProductDevices) {
    DeviceGroups groups;
    groups.regular = false;
    groups.group_size = static_cast<std::int64_t>(slices.size());
    groups.group_count = count;
    return groups;
  }
  WrittenGroups written;
  for (const auto& [first, last] : target.devices) {
    for (std::int64_t device = first; device <= last; ++device) {
      std::vector<std::int64_t>& members = written.lists.emplace_back();
      members.reserve(slices.size());
      for (const std::int64_t slice : slices) members.push_back(id_of({slice, device}, devices));
    }
  }
  return resolve_groups(written, GroupMode::kFlattenedId, 1, 1);
}

DeviceGroups listed_groups(const MegascaleTarget& target, std::int64_t devices) {
  WrittenGroups written;
  written.lists.reserve(target.groups.size());
  for (const std::vector<SliceDevice>& group : target.groups) {
    std::vector<std::int64_t>& members = written.lists.emplace_back();
    members.reserve(group.size());
    for (const SliceDevice member : group) members.push_back(id_of(member, devices));
  }
  return resolve_groups(written, GroupMode::kFlattenedId, 1, 1);
}

std::int64_t slices_of(const MegascaleTarget& target) {
  std::int64_t slices = 1;
  for (const std::int64_t slice : target.slices) slices = std::max(slices, slice);
  for (const std::vector<SliceDevice>& group : target.groups) {
    for (const SliceDevice member : group) slices = std::max(slices, member.slice);
  }
  for (const auto& [source, end] : target.pairs) slices = std::max({slices, source.slice, end.slice});
  return slices;
}

}  // namespace

absl::StatusOr<MegascaleTarget> parse_megascale_target(std::string_view text) { return TargetParser(text).parse(); }

bool is_megascale(InstructionView instruction) {
  if (instruction.opcode() != Opcode::kSend && instruction.opcode() != Opcode::kRecv) return false;
  return flag(instruction, AttributeKey::kIsHostTransfer) &&
         frontend_attribute(instruction, "_xla_host_transfer_handler_name") == "xla_megascale_runtime";
}

std::string megascale_rendezvous(InstructionView instruction) {
  return frontend_attribute(instruction, "_xla_host_transfer_rendezvous").value_or("");
}

std::map<std::string, InstructionId> megascale_sends(ComputationView computation) {
  std::map<std::string, InstructionId> sends;
  for (InstructionView instruction : computation.instructions()) {
    if (instruction.opcode() != Opcode::kSend || !is_megascale(instruction)) continue;
    sends.emplace(megascale_rendezvous(instruction), instruction.id());
  }
  return sends;
}

absl::Status read_slice_transfer(InstructionView recv, Collective& collective) {
  const std::optional<std::string> type = frontend_attribute(recv, "_xla_megascale_transfer_type");
  const std::optional<std::string> text = frontend_attribute(recv, "_xla_megascale_target");
  if (!type || !text) {
    return invalid_argument(absl::StrCat("a transfer between slices without ",
                                         type ? "_xla_megascale_target" : "_xla_megascale_transfer_type"));
  }
  const std::optional<CollectiveKind> kind = kind_of_transfer(*type);
  if (!kind) {
    return invalid_argument(absl::StrCat("_xla_megascale_transfer_type=\"", type->substr(0, 60),
                                         "\": expected ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL or "
                                         "ONE_TO_ONE"));
  }
  const absl::StatusOr<MegascaleTarget> target = parse_megascale_target(*text);
  if (!target.ok()) return target.status();
  const std::int64_t devices = devices_per_slice(recv.module());
  if (last_device(*target) >= devices) {
    return invalid_argument(absl::StrCat("_xla_megascale_target=\"", text->substr(0, 60), "\": device ",
                                         last_device(*target), ", but a slice has ", devices,
                                         " devices (replica_count x num_partitions)"));
  }
  const bool is_pairs = *kind == CollectiveKind::kCollectivePermute;
  if (is_pairs && target->pairs.empty()) {
    return invalid_argument(absl::StrCat("_xla_megascale_target=\"", text->substr(0, 60),
                                         "\": ONE_TO_ONE needs pairs, such as {{100000->200000}}"));
  }
  if (!is_pairs && !target->pairs.empty()) {
    return invalid_argument(
        absl::StrCat("_xla_megascale_target=\"", text->substr(0, 60), "\": ", *type, " needs groups, not pairs"));
  }
  collective.kind = *kind;
  collective.slices = slices_of(*target);
  collective.pairs.clear();
  if (is_pairs) {
    collective.pairs.reserve(target->pairs.size());
    for (const auto& [source, end] : target->pairs) {
      collective.pairs.emplace_back(id_of(source, devices), id_of(end, devices));
    }
    collective.groups = permutation_groups(collective.pairs, saturating_multiply(collective.slices, devices));
  } else {
    collective.groups = target->slices.empty() ? listed_groups(*target, devices) : product_groups(*target, devices);
  }
  // The result is the gathered array, the own part of a scattered one, or as large as what is sent.
  const Shape& result = recv.shape();
  if (result.is_tuple() && !result.elements.empty()) {
    collective.shard_shape = result.elements[0];
    const Shape& array = recv.module().shape(result.elements[0]);
    if (array.is_array() && element_count(array) > 0) {
      collective.element_bytes = static_cast<double>(logical_bytes(array)) / static_cast<double>(element_count(array));
    }
    collective.bytes = static_cast<double>(padded_bytes(recv.module().shapes(), result.elements[0]));
  }
  if (*kind == CollectiveKind::kReduceScatter) collective.bytes *= static_cast<double>(collective.groups.group_size);
  collective.arrays = 1;
  return absl::OkStatus();
}

std::optional<std::string> megascale_fault(InstructionView instruction) {
  if (!is_megascale(instruction)) return std::nullopt;
  Collective unused;
  const absl::Status status = read_slice_transfer(instruction, unused);
  if (status.ok()) return std::nullopt;
  return std::string(status.message());
}

}  // namespace hloroof::internal::inline analysis

#include "lib/profile/xspace.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline profile {
namespace {

constexpr std::pair<std::string_view, StatName> kStatNames[] = {
#define HLOROOF_STAT(enumerator, name) {name, StatName::enumerator},
#include "lib/profile/stat_names.def"
#undef HLOROOF_STAT
};

// Times are clamped to this range by errors, so that sums of two of them do not overflow.
constexpr std::int64_t kFarthest = 2'000'000'000'000'000'000;  // ps, 23 days

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

absl::Status malformed(std::string_view what) {
  return invalid_argument("the profile has " + std::string(what) + " that is malformed or truncated");
}

std::int64_t as_signed(const WireField& field) { return static_cast<std::int64_t>(field.value); }

bool in_range(std::int64_t time) { return time >= -kFarthest && time <= kFarthest; }

// Sets `begin` to the time of an event after the first line of its plane. Returns false if it is out of range.
bool begin_of_event(std::int64_t line_ns, std::int64_t first_ns, std::int64_t offset_ps, std::int64_t& begin) {
  std::int64_t delta = 0;
  if (__builtin_sub_overflow(line_ns, first_ns, &delta)) return false;
  if (__builtin_mul_overflow(delta, kPicosecondsPerNanosecond, &delta)) return false;
  return !__builtin_add_overflow(delta, offset_ps, &begin) && in_range(begin);
}

}  // namespace

absl::StatusOr<XPlane> XPlane::read(std::string_view bytes) {
  namespace f = fields::xplane;
  XPlane plane;
  std::vector<std::string_view> stats;
  WireField field;
  while (!bytes.empty()) {
    if (!read_field(bytes, field)) return malformed("a plane");
    if (field.type != WireType::kBytes) continue;
    switch (field.number) {
      case f::kName: plane.name_ = field.bytes; break;
      case f::kLines:
        if (!plane.read_line(field.bytes)) return malformed("a line");
        break;
      case f::kEventMetadata:
        if (!plane.read_event_metadata(field.bytes)) return malformed("the description of an event");
        break;
      case f::kStatMetadata:
        if (!plane.read_stat_metadata(field.bytes)) return malformed("the description of a stat");
        break;
      case f::kStats: stats.push_back(field.bytes); break;
      default: break;
    }
  }
  for (std::string_view stat : stats) {
    if (!plane.read_stat(stat, plane.stats_)) return malformed("a stat");
  }
  for (auto& [id, metadata] : plane.metadata_) {
    for (std::string_view stat : metadata.stats) {
      if (!plane.read_stat(stat, metadata.known_stats)) return malformed("a stat");
    }
  }
  return plane;
}

bool XPlane::read_line(std::string_view bytes) {
  namespace f = fields::xline;
  XLine line;
  line.bytes = bytes;
  WireField field;
  while (!bytes.empty()) {
    if (!read_field(bytes, field)) return false;
    if (field.number == f::kName) line.name = field.bytes;
    if (field.number == f::kTimestampNs) line.timestamp_ns = as_signed(field);
    if (field.number == f::kEvents) line.has_events = true;
  }
  lines_.push_back(line);
  return true;
}

bool XPlane::read_event_metadata(std::string_view entry) {
  namespace f = fields::event_metadata;
  const WireMessage pair(entry);
  if (!pair.ok()) return false;
  std::string_view bytes = pair.bytes(fields::map_entry::kValue);
  XEventMetadata metadata;
  WireField field;
  while (!bytes.empty()) {
    if (!read_field(bytes, field)) return false;
    if (field.type != WireType::kBytes) continue;
    if (field.number == f::kName) metadata.name = field.bytes;
    if (field.number == f::kDisplayName) metadata.display_name = field.bytes;
    if (field.number == f::kStats) metadata.stats.push_back(field.bytes);
  }
  metadata_.insert_or_assign(pair.integer(fields::map_entry::kKey), std::move(metadata));
  return true;
}

bool XPlane::read_stat_metadata(std::string_view entry) {
  const WireMessage pair(entry);
  const WireMessage value = pair.message(fields::map_entry::kValue);
  if (!pair.ok() || !value.ok()) return false;
  const std::int64_t id = pair.integer(fields::map_entry::kKey);
  const std::string_view name = value.bytes(fields::stat_metadata::kName);
  stat_names_.insert_or_assign(id, name);
  for (const auto& [known, stat] : kStatNames) {
    if (known == name) known_stats_.insert_or_assign(id, stat);
  }
  return true;
}

bool XPlane::read_stat(std::string_view bytes, Stats& stats) const {
  namespace f = fields::stat;
  std::int64_t id = 0;
  StatValue value;
  WireField field;
  while (!bytes.empty()) {
    if (!read_field(bytes, field)) return false;
    switch (field.number) {
      case f::kMetadataId: id = as_signed(field); break;
      case f::kUnsigned:
      case f::kInteger:
        value.integer = as_signed(field);
        value.is_integer = field.type == WireType::kVarint;
        value.is_set = true;
        break;
      case f::kText:
      case f::kBytes:
        value.text = field.bytes;
        value.is_set = true;
        break;
      case f::kReference: {
        const auto name = stat_names_.find(as_signed(field));
        if (name != stat_names_.end()) value.text = name->second;
        value.is_set = true;
        break;
      }
      default: break;
    }
  }
  const auto known = known_stats_.find(id);
  if (known != known_stats_.end()) stats[known->second] = value;
  return true;
}

absl::Status XPlane::each_event(const XLine& line, absl::FunctionRef<void(const XEvent&)> use) const {
  namespace f = fields::xevent;
  const auto first = std::find_if(lines_.begin(), lines_.end(), [](const XLine& l) { return l.has_events; });
  if (first == lines_.end()) return absl::OkStatus();
  const std::int64_t first_ns = first->timestamp_ns;
  std::string_view bytes = line.bytes;
  WireField member;
  WireField field;
  std::vector<std::string_view> stats;
  while (!bytes.empty()) {
    if (!read_field(bytes, member)) return malformed("a line");
    if (member.number != fields::xline::kEvents || member.type != WireType::kBytes) continue;
    std::string_view event_bytes = member.bytes;
    XEvent event;
    std::int64_t id = 0;
    std::int64_t offset = 0;
    bool is_total = false;  // of several events, which has no time of its own
    stats.clear();
    while (!event_bytes.empty()) {
      if (!read_field(event_bytes, field)) return malformed("an event");
      if (field.number == f::kMetadataId) id = as_signed(field);
      if (field.number == f::kOffsetPs) offset = as_signed(field);
      if (field.number == f::kDurationPs) event.duration = as_signed(field);
      if (field.number == f::kOccurrences) is_total = true;
      if (field.number == f::kStats && field.type == WireType::kBytes) stats.push_back(field.bytes);
    }
    if (is_total) continue;
    if (event.duration < 0 || event.duration > kFarthest ||
        !begin_of_event(line.timestamp_ns, first_ns, offset, event.begin)) {
      return invalid_argument("the profile has an event over 20 days from the first one of its plane");
    }
    const auto metadata = metadata_.find(id);
    if (metadata != metadata_.end()) {
      event.name = metadata->second.name;
      event.display_name = metadata->second.display_name;
      event.stats = metadata->second.known_stats;
    }
    for (std::string_view stat : stats) {
      if (!read_stat(stat, event.stats)) return malformed("a stat");
    }
    use(event);
  }
  return absl::OkStatus();
}

absl::StatusOr<XSpace> read_xspace(std::string_view bytes) {
  XSpace space;
  const std::size_t size = bytes.size();
  WireField field;
  while (!bytes.empty()) {
    const std::size_t at = size - bytes.size();
    if (!read_field(bytes, field)) {
      return invalid_argument(absl::StrCat("not a profile, or truncated: malformed field at byte ", at,
                                           "; check that the file is complete"));
    }
    if (field.type != WireType::kBytes) continue;
    if (field.number == fields::xspace::kPlanes) space.planes.push_back(field.bytes);
    if (field.number == fields::xspace::kHosts && space.host.empty()) space.host = field.bytes;
  }
  if (space.planes.empty()) return invalid_argument("the profile is empty: it holds no plane");
  return space;
}

}  // namespace hloroof::internal::inline profile

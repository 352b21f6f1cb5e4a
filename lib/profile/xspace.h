// Reads an XSpace, which the profiler writes as HOST.xplane.pb: planes (a device, or the threads of the host), lines in
// them (a stream, or a kind of event) and events in those. Views point into the bytes, which must outlive them.
#ifndef HLOROOF_LIB_PROFILE_XSPACE_H_
#define HLOROOF_LIB_PROFILE_XSPACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hloroof::internal::inline profile {

enum class StatName : std::uint8_t {
#define HLOROOF_STAT(enumerator, name) enumerator,
#include "lib/profile/stat_names.def"
#undef HLOROOF_STAT
  kCount,
};

struct StatValue {
  bool is_set = false;
  bool is_integer = false;
  std::int64_t integer = 0;  // 0 for a text or a double
  std::string_view text;
};

class Stats {
 public:
  const StatValue& operator[](StatName name) const { return values_[static_cast<std::size_t>(name)]; }
  StatValue& operator[](StatName name) { return values_[static_cast<std::size_t>(name)]; }

 private:
  std::array<StatValue, static_cast<std::size_t>(StatName::kCount)> values_ = {};
};

// Times are picoseconds after the start of the first line of the plane that has events.
struct XEvent {
  std::string_view name;          // for an op of a TPU its text: "%fusion.3 = f32[8] fusion(...)"
  std::string_view display_name;  // "fusion.3"; may be empty
  std::int64_t begin = 0;
  std::int64_t duration = 0;
  Stats stats;  // of the event, or else of its metadata
};

struct XLine {
  std::string_view name;
  std::int64_t timestamp_ns = 0;
  bool has_events = false;
  std::string_view bytes;
};

// What all events of one kind share.
struct XEventMetadata {
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;  // the bytes of each
  Stats known_stats;
};

class XPlane {
 public:
  // Errors: InvalidArgument if the bytes are malformed.
  static absl::StatusOr<XPlane> read(std::string_view bytes);

  std::string_view name() const { return name_; }
  const std::vector<XLine>& lines() const { return lines_; }
  const std::unordered_map<std::int64_t, XEventMetadata>& metadata() const { return metadata_; }
  const Stats& stats() const { return stats_; }

  // Calls `use` for each event of a line that has a time. Errors: InvalidArgument if an event is malformed, or over 20
  // days from the first line.
  absl::Status each_event(const XLine& line, absl::FunctionRef<void(const XEvent&)> use) const;

 private:
  bool read_line(std::string_view bytes);
  bool read_event_metadata(std::string_view entry);
  bool read_stat_metadata(std::string_view entry);
  bool read_stat(std::string_view bytes, Stats& stats) const;

  std::string_view name_;
  std::vector<XLine> lines_;
  std::unordered_map<std::int64_t, XEventMetadata> metadata_;
  std::unordered_map<std::int64_t, std::string_view> stat_names_;
  std::unordered_map<std::int64_t, StatName> known_stats_;
  Stats stats_;
};

struct XSpace {
  std::vector<std::string_view> planes;  // the bytes of each
  std::string_view host;                 // the name of the first host; may be empty
};

// Errors: InvalidArgument if the bytes are malformed or hold no plane.
absl::StatusOr<XSpace> read_xspace(std::string_view bytes);

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_XSPACE_H_

// Parses arbitrary attribute values: `opcode name=value`. A check must return the end of the value or a message. Also
// decodes the forms that have structs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/attribute_values.h"
#include "lib/values/cursor.h"
#include "lib/values/decode.h"
#include "lib/values/json_view.h"
#include "lib/values/values.h"

namespace hloroof::internal {
namespace {

constexpr std::int64_t kLimit = 1 << 12;

void take_apart(const std::string& text) {
  if (const absl::StatusOr<ReplicaGroups> groups = parse_replica_groups(text); groups.ok()) {
    std::int64_t ids = 0;
    const bool all = groups->for_each_group(
        [&ids](absl::Span<const std::int64_t> group) {
          ids += static_cast<std::int64_t>(group.size());
          return true;
        },
        kLimit);
    const bool is_list = groups->form == ReplicaGroups::Form::kList;
    if (all && ids != (is_list ? static_cast<std::int64_t>(groups->ids.size()) : groups->count * groups->size))
      std::abort();
  }
  if (const absl::StatusOr<ShardingAttribute> sharding = parse_text<ShardingAttribute>(text, read_sharding);
      sharding.ok()) {
    for (const Sharding& s : sharding->elements) {
      if (s.shards_of_dimension(0) < 1) std::abort();
      const auto devices = s.device_list(kLimit);
      if (devices.ok() && static_cast<std::int64_t>(devices->size()) != s.device_count()) std::abort();
    }
  }
  (void)parse_text<Window>(text, read_window);
  (void)parse_text<ConvolutionDimensionNumbers>(text, read_dim_label_numbers);
  (void)parse_text<std::vector<PaddingDimension>>(text, read_padding_dimensions);
  (void)parse_text<std::vector<SliceRange>>(text, read_slice_ranges);
  (void)parse_text<Metadata>(text, read_metadata);
  const JsonView json(text);
  (void)json["window_config"]["estimated_cycles"].integer();
  (void)json["a"].integers();
  (void)json["a"].string();
}

}  // namespace
}  // namespace hloroof::internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hloroof;            // NOLINT: one function
  using namespace hloroof::internal;  // NOLINT: one function
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t blank = text.find(' ');
  const std::size_t equals = text.find('=', blank == std::string::npos ? 0 : blank);
  if (blank == std::string::npos || equals == std::string::npos) return 0;
  const auto key = attribute_from_string(text.substr(blank + 1, equals - blank - 1));
  if (!key.has_value()) return 0;
  const Opcode opcode = opcode_from_string(text.substr(0, blank)).value_or(Opcode::kUnknown);
  const std::string value = text.substr(equals + 1);
  Cursor cursor(value);
  const bool ok = read_value(cursor, opcode, *key);
  if (ok == cursor.failed()) std::abort();
  if (cursor.offset() > value.size() + 1) std::abort();
  take_apart(value);
  return 0;
}

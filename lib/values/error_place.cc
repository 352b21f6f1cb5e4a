#include "lib/base/error_place.h"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "hloroof/parse.h"

namespace hloroof::inline v0 {
using namespace internal;

std::optional<ErrorPlace> error_place(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorPlaceUrl);
  if (!payload) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(std::string(*payload), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  ErrorPlace place;
  place.path = json.value("path", "");
  place.line = json.value("line", std::int64_t{0});
  place.column = json.value("column", std::int64_t{0});
  place.code = json.value("code", "");
  return place;
}

}  // namespace hloroof::inline v0

#include "lib/base/error_place.h"

#include <nlohmann/json.hpp>

#include "absl/strings/cord.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline base {

absl::Status with_place(absl::Status status, std::string_view path, LineColumn at, std::string_view code) {
  const nlohmann::json place = {{"path", path}, {"line", at.line}, {"column", at.column}, {"code", code}};
  // A path may hold bytes that are not UTF-8, which JSON cannot carry as they are.
  status.SetPayload(kErrorPlaceUrl, absl::Cord(place.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return status;
}

absl::Status located_error(std::string_view path, std::string_view text, std::size_t offset, std::string_view message) {
  return with_place(invalid_argument(located_message(path, text, offset, message)), path, line_column(text, offset),
                    "value");
}

}  // namespace hloroof::internal::inline base

#include "lib/base/strings.h"

#include <string>
#include <string_view>

#include "hloroof/version.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("string views convert both ways and keep embedded NULs") {
  const std::string text("a\0b", 3);
  const absl::string_view there = to_absl(std::string_view(text));
  CHECK(there.data() == text.data());
  CHECK(there.size() == 3);
  CHECK(from_absl(there) == std::string_view(text));
  CHECK(from_absl(to_absl(std::string_view())).empty());
}

TEST_CASE("a status carries its message and code") {
  CHECK(invalid_argument("bad shape").code() == absl::StatusCode::kInvalidArgument);
  CHECK(from_absl(invalid_argument("bad shape").message()) == "bad shape");
  CHECK(not_found("x").code() == absl::StatusCode::kNotFound);
  CHECK(out_of_range("x").code() == absl::StatusCode::kOutOfRange);
  CHECK(resource_exhausted("x").code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("the version number and the version string agree") {
  const std::string text = std::to_string(HLOROOF_VERSION / 10000) + "." + std::to_string(HLOROOF_VERSION / 100 % 100) +
                           "." + std::to_string(HLOROOF_VERSION % 100);
  CHECK(text == HLOROOF_VERSION_STRING);
}

}  // namespace
}  // namespace hloroof::internal

#include "lib/fronts/lsp/features.h"
#include "tests/catch.h"

using namespace hloroof::internal;

TEST_CASE("Paths become URIs and come back") {
  struct Case {
    std::string path;
    std::string uri;
  };
  const Case cases[] = {
      {"/a/b.hlo", "file:///a/b.hlo"}, {"/a b/\xc3\xa9%.hlo", "file:///a%20b/%C3%A9%25.hlo"}, {"/", "file:///"}};
  for (const Case& c : cases) {
    CHECK(uri_of_path(c.path) == c.uri);
    CHECK(path_of_uri(c.uri) == c.path);
  }
  CHECK(path_of_uri("untitled:1").empty());
  CHECK(path_of_uri("file://host/a").empty());
  CHECK(path_of_uri("file:///%zz%4") == "/%zz%4");
}

TEST_CASE("Every attribute has a meaning") {
  for (int i = 0; i < static_cast<int>(hloroof::AttributeKey::kConstantLiteral); ++i) {
    CHECK_FALSE(attribute_meaning(static_cast<hloroof::AttributeKey>(i)).empty());
  }
}

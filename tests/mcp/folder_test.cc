// What a client may read: files below the folder, by whatever path it names them, and nothing else.
#include "lib/fronts/mcp/folder.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

TEST_CASE("paths that lead out of the folder are refused") {
  const TemporaryFolder outer;
  const std::string root = outer.path() + "/dumps";
  fs::create_directories(root + "/sub");
  fs::create_directories(outer.path() + "/dumps_of_others");
  outer.write("secret.hlo", "secret");
  outer.write("dumps/a.hlo", "a");
  outer.write("dumps/sub/b.hlo", "b");
  outer.write("dumps_of_others/c.hlo", "c");
  fs::create_symlink(outer.path() + "/secret.hlo", root + "/link.hlo");
  fs::create_symlink("../secret.hlo", root + "/relative_link.hlo");
  fs::create_symlink("..", root + "/up");
  fs::create_symlink("a.hlo", root + "/inside.hlo");
  fs::create_symlink("nowhere", root + "/dangling.hlo");
  fs::create_directories(root + "/with_link");
  fs::create_symlink("../../secret.hlo", root + "/with_link/d.hlo");
  REQUIRE(mkfifo((root + "/pipe.hlo").c_str(), 0600) == 0);

  const absl::StatusOr<Folder> folder = Folder::open(root);
  REQUIRE(folder.ok());
  const std::string real = fs::canonical(root).string();
  const auto code = [&](const std::string& path) { return folder->resolve(path).status().code(); };

  CHECK(*folder->resolve("a.hlo") == real + "/a.hlo");
  CHECK(*folder->resolve("./sub/../a.hlo") == real + "/a.hlo");
  CHECK(*folder->resolve(real + "/sub/b.hlo") == real + "/sub/b.hlo");
  CHECK(*folder->resolve("inside.hlo") == real + "/a.hlo");
  CHECK(*folder->resolve("sub") == real + "/sub");

  for (const std::string path :
       {"../secret.hlo", "link.hlo", "relative_link.hlo", "up/secret.hlo", "up", "..", "sub/../../secret.hlo",
        "/etc/passwd", "/", "../dumps_of_others/c.hlo", "with_link", ".", "../missing.hlo", "/proc/self/environ"}) {
    CAPTURE(path);
    CHECK(code(path) == absl::StatusCode::kPermissionDenied);
  }
  CHECK(code("missing.hlo") == absl::StatusCode::kNotFound);
  CHECK(code("dangling.hlo") == absl::StatusCode::kNotFound);
  CHECK(code("pipe.hlo") == absl::StatusCode::kInvalidArgument);
  CHECK(code("") == absl::StatusCode::kInvalidArgument);
  CHECK(code(std::string("a.hlo\0/../../secret.hlo", 23)) == absl::StatusCode::kInvalidArgument);
  CHECK(code(std::string(5000, 'a')) == absl::StatusCode::kInvalidArgument);
  CHECK(code(std::string(300, 'a')) != absl::StatusCode::kOk);

  std::vector<std::string> listed;
  for (const Folder::Entry& entry : folder->dumps()) listed.push_back(entry.path);
  CHECK(listed == std::vector<std::string>{"a.hlo", "inside.hlo", "sub/b.hlo"});
  CHECK(folder->relative("read " + real + "/a.hlo and " + real + "/sub/b.hlo") == "read a.hlo and sub/b.hlo");
  CHECK(folder->relative(real) == real);
}

TEST_CASE("a folder must be one") {
  const TemporaryFolder outer;
  const std::string file = outer.write("a.hlo", "a");
  CHECK(Folder::open(file).status().code() == absl::StatusCode::kNotFound);
  CHECK(Folder::open(outer.path() + "/missing").status().code() == absl::StatusCode::kNotFound);
  CHECK(Folder::open("/").status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal

// Where the tests find their files.
#ifndef HLOROOF_TESTS_PATHS_H_
#define HLOROOF_TESTS_PATHS_H_

#include <string>
#include <string_view>

namespace hloroof::internal {

// The path of a file of this repository, given relative to its top folder.
std::string source_path(std::string_view relative = "");

// The path of a file of the large corpus, HLOROOF_SHARED_DIR. Tests skip what they do not find there.
std::string shared_path(std::string_view relative = "");

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PATHS_H_

// Whole files: parsed, printed and parsed again they are the same module, and texts in XLA's default form come back
// byte for byte.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> hlo_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The expected output of printing the parsed text.
enum class Exact { kNo, kDefaultForm, kShortForm };

void check_round_trip(const fs::path& path, Exact exact) {
  const std::string text = read_file(path);
  ParseOptions options;
  options.path = path.filename().string();
  const absl::StatusOr<Module> first = parse_module(text, options);
  INFO(path);
  INFO(std::string(first.status().message()));
  REQUIRE(first.ok());
  std::string printed = print_module(*first);
  const absl::StatusOr<Module> second = parse_module(printed);
  INFO(std::string(second.status().message()));
  REQUIRE(second.ok());
  std::string difference;
  const bool same = equal(*first, *second, &difference);
  INFO(difference);
  CHECK(same);
  if (exact == Exact::kShortForm) printed = print_module(*first, PrintOptions::short_parsable());
  if (exact != Exact::kNo && printed != text) {
    const std::size_t at = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), printed.begin(), printed.end()).first - text.begin());
    FAIL("byte " << at << ": read '" << text.substr(at > 40 ? at - 40 : 0, 100) << "', printed '"
                 << printed.substr(at > 40 ? at - 40 : 0, 100) << "'");
  }
}

TEST_CASE("the texts in tests/ are accepted or rejected as their names say") {
  int accepted = 0;
  int refused = 0;
  for (const fs::path& path : hlo_files(source_path("tests/corpus"))) {
    const std::string name = path.filename().string();
    if (name.rfind("y_", 0) == 0) {
      // y_default_ files are in the form the printer writes.
      check_round_trip(path, name.rfind("y_default_", 0) == 0 ? Exact::kDefaultForm : Exact::kNo);
      ++accepted;
    } else if (name.rfind("n_", 0) == 0) {
      INFO(path);
      CHECK_FALSE(parse_module(read_file(path)).ok());
      ++refused;
    }
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}

// Whether operands are printed with their shapes, in all computations or in some: libtpu prints those of some dumps
// both ways.
bool prints_operand_shapes(const fs::path& path) {
  const std::string text = read_file(path);
  for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    if (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]))) continue;  // a tuple or a signature
    for (const std::string_view type : {"bf16[", "f32[", "s32["}) {
      if (std::string_view(text).substr(at + 1, type.size()) == type) return true;
    }
  }
  return false;
}

TEST_CASE("real dumps are printed unchanged", "[corpus]") {
  const fs::path folder = shared_path("corpus");
  const std::vector<fs::path> files = hlo_files(folder);
  if (files.empty()) HLOROOF_SKIP("no corpus in " + folder.string());
  int exact_count = 0;
  int same_count = 0;
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    if (name.find("xla-rejects") != std::string::npos) continue;
    const std::string folder_name = path.parent_path().filename().string();
    const bool has_form = folder_name == "forms" && name.find(".large_constants.") == std::string::npos;
    const bool is_short = folder_name == "unoptimized" || name.find(".before.") != std::string::npos ||
                          name.find(".short_parsable.") != std::string::npos;
    const Exact exact = is_short                                  ? Exact::kShortForm
                        : has_form || prints_operand_shapes(path) ? Exact::kNo
                                                                  : Exact::kDefaultForm;
    check_round_trip(path, exact);
    ++(exact == Exact::kNo ? same_count : exact_count);
  }
  WARN(exact_count << " dumps in a form that we print come back byte for byte, " << same_count
                   << " in other forms as the same module");
}

}  // namespace
}  // namespace hloroof::internal

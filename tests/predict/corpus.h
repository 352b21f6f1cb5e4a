// The large corpus: its folders, and the device that each dump was compiled for, from the .json file with the same
// name.
#ifndef HLOROOF_TESTS_PREDICT_CORPUS_H_
#define HLOROOF_TESTS_PREDICT_CORPUS_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/base/json.h"

namespace hloroof::internal {

// With sanitizers a prediction takes some thirty times as long, and large dumps reach the same code as small ones.
inline bool is_too_slow([[maybe_unused]] const std::filesystem::path& dump) {
#ifdef HLOROOF_SANITIZED
  constexpr std::uintmax_t kMostBytes = 40'000;
  return std::filesystem::file_size(dump) > kMostBytes;
#else
  return false;
#endif
}

// The dumps of a folder in the order of their names; those that are too slow here are left out.
inline std::vector<std::filesystem::path> dumps_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool is_refused = entry.path().filename().string().find(".xla-rejects.") != std::string::npos;
    if (entry.path().extension() != ".hlo" || is_refused || is_too_slow(entry.path())) continue;
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::optional<OrderedJson> facts_of(std::filesystem::path dump) {
  std::ifstream file(dump.replace_extension(".json"));
  if (!file.good()) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto json = parse_json(text, dump.string());
  if (!json.ok()) return std::nullopt;
  return *std::move(json);
}

// A dump for the CPU has no device of ours: it is asked about as a v5p's, without tiles. In dumps for v4 a device is a
// core.
inline std::string device_of(const std::filesystem::path& dump) {
  const auto facts = facts_of(dump);
  const OrderedJson* stated = facts ? find(*facts, {"device_kind"}) : nullptr;
  std::string kind = stated != nullptr && stated->is_string() ? stated->get<std::string>() : "";
  if (kind == "TPU v4") return "tpu_v4_core";
  if (!kind.empty() && find_device(kind).ok()) return kind;
  const std::string name = dump.string();
  for (const char* device : {"v6e", "v5p", "v5e", "h100"}) {
    if (name.find(device) != std::string::npos) return device;
  }
  return "tpu_v5p";
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PREDICT_CORPUS_H_

// What a measurement was used for: whether agreement with it says anything about the model.
#ifndef HLOROOF_TESTS_ACCURACY_STANDING_H_
#define HLOROOF_TESTS_ACCURACY_STANDING_H_

#include <optional>
#include <string>
#include <string_view>

namespace hloroof::internal {

enum class Standing {
  kFitted,    // a constant of the device is fitted to it
  kSeen,      // a constant was chosen, or confirmed, with it in view
  kHeldBack,  // no constant depends on it
};

inline const char* to_string(Standing standing) {
  switch (standing) {
    case Standing::kFitted: return "fitted";
    case Standing::kSeen: return "seen";
    case Standing::kHeldBack: break;
  }
  return "held back";
}

inline std::optional<Standing> standing_from_string(std::string_view text) {
  for (const Standing standing : {Standing::kFitted, Standing::kSeen, Standing::kHeldBack}) {
    if (text == to_string(standing)) return standing;
  }
  return std::nullopt;
}

// `what`, marked unless it is held back.
inline std::string marked(Standing standing, const std::string& what) {
  return standing == Standing::kHeldBack ? what : what + " (" + to_string(standing) + ")";
}

// The name of a figure. Only those of held-back rows are without a prefix, so that nobody quotes another by mistake.
inline std::string figure_name(Standing standing, const std::string& name) {
  if (standing == Standing::kHeldBack) return name;
  return std::string(to_string(standing)) + "." + name;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_STANDING_H_

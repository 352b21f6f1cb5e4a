// The checks of hloroof/testing.h as matchers for Catch2 2 and 3. Header only; the library does not use Catch2.
//
// Lifetime: a StepMatcher owns its arguments, except no_slower_than(), which refers to `before`.
//
// Threads: match() stores the message, so threads must not share a matcher.
//
//   using namespace hloroof::matchers;
//   CHECK_THAT(hloroof::predict_step_time(text, "tpu_v5e"), fits_in_memory() && step_faster_than(5e-3));
#ifndef HLOROOF_TESTING_CATCH2_H_
#define HLOROOF_TESTING_CATCH2_H_

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "hloroof/testing.h"

namespace hloroof {
inline namespace v0 {
namespace matchers {

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
using MatcherBase = Catch::Matchers::MatcherBase<Predicted>;
#else
using MatcherBase = Catch::MatcherBase<Predicted>;
#endif

// Matches a StepPrediction, or a StatusOr of one, that passes a check.
class StepMatcher : public MatcherBase {
 public:
  explicit StepMatcher(std::function<CheckResult(const Predicted&)> check) : check_(std::move(check)) {}

  bool match(const Predicted& step) const override {
    const CheckResult result = check_(step);
    message_ = result.message();
    return result.ok();
  }

  // Catch2 calls this after match().
  std::string describe() const override { return message_; }

 private:
  std::function<CheckResult(const Predicted&)> check_;
  mutable std::string message_;
};

inline StepMatcher step_faster_than(double seconds) {
  return StepMatcher([=](const Predicted& step) { return v0::step_faster_than(step, seconds); });
}
// `before` must outlive the matcher.
inline StepMatcher no_slower_than(const StepPrediction& before, double tolerance = 0) {
  return StepMatcher(
      [&before, tolerance](const Predicted& step) { return v0::no_slower_than(step, before, tolerance); });
}
inline StepMatcher mfu_above(double share) {
  return StepMatcher([=](const Predicted& step) { return v0::mfu_above(step, share); });
}
inline StepMatcher bound_by(std::string_view resource) {
  return StepMatcher([name = std::string(resource)](const Predicted& step) { return v0::bound_by(step, name); });
}
inline StepMatcher exposed_communication_below(double seconds) {
  return StepMatcher([=](const Predicted& step) { return v0::exposed_communication_below(step, seconds); });
}
inline StepMatcher exposed_communication_share_below(double share) {
  return StepMatcher([=](const Predicted& step) { return v0::exposed_communication_share_below(step, share); });
}
inline StepMatcher fits_in_memory() {
  return StepMatcher([](const Predicted& step) { return v0::fits_in_memory(step); });
}
inline StepMatcher peak_memory_below(double bytes) {
  return StepMatcher([=](const Predicted& step) { return v0::peak_memory_below(step, bytes); });
}
inline StepMatcher has_no_diagnostic(std::string_view code) {
  return StepMatcher([name = std::string(code)](const Predicted& step) { return v0::has_no_diagnostic(step, name); });
}
inline StepMatcher has_no_warning() {
  return StepMatcher([](const Predicted& step) { return v0::has_no_warning(step); });
}
inline StepMatcher unknown_at_most(double share = 0) {
  return StepMatcher([=](const Predicted& step) { return v0::unknown_at_most(step, share); });
}

}  // namespace matchers
}  // namespace v0
}  // namespace hloroof

// The text for the prediction in Catch2's messages.
template <>
struct Catch::StringMaker<hloroof::StepPrediction> {
  static std::string convert(const hloroof::StepPrediction& step) {
    return step.module_name + " on " + step.device + " " + step.topology;
  }
};
template <>
struct Catch::StringMaker<absl::StatusOr<hloroof::StepPrediction>> {
  static std::string convert(const absl::StatusOr<hloroof::StepPrediction>& step) {
    return step.ok() ? StringMaker<hloroof::StepPrediction>::convert(*step) : "no prediction";
  }
};

#endif  // HLOROOF_TESTING_CATCH2_H_

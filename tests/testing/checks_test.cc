// Tests the messages of failing checks: directly, through a matcher, and through an assertion result.

#include <sstream>

#include "hloroof/parse.h"
#include "hloroof/testing.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kHlo[] = R"(HloModule product, is_scheduled=true, num_partitions=4

sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }

ENTRY main {
  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT total = bf16[4096,4096]{1,0:T(8,128)(2,1)} all-reduce(product), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
}
)";

const StepPrediction& step() {
  static const StepPrediction prediction = predict_step_time(kHlo, "tpu_v5e").value();
  return prediction;
}

TEST_CASE("each check holds or fails, and a failure says why") {
  StepPrediction slower = step();
  slower.step_seconds *= 2;
  struct Case {
    const char* name;
    CheckResult holds;
    CheckResult fails;
    std::vector<std::string> says;  // parts of the message of the failing check
  };
  const Case cases[] = {
      {"step_faster_than",
       step_faster_than(step(), 1),
       step_faster_than(step(), 1e-6),
       {"product on tpu_v5e 2x2: the step takes ", ", expected less than 1.00 us", "product", "total", "TOTAL"}},
      {"no_slower_than",
       no_slower_than(step(), step()),
       no_slower_than(slower, step(), 0.1),
       {"expected at most ", "tolerance 10.0 %", "step time", "By category"}},
      {"mfu_above", mfu_above(step(), 0.01), mfu_above(step(), 0.99), {"the MFU is ", "expected above 99.0 %"}},
      {"bound_by",
       bound_by(step(), to_string(step().bound, step().family)),
       bound_by(step(), "dcn"),
       {"expected dcn", "mxu", "busy"}},
      {"exposed_communication_below",
       exposed_communication_below(step(), 1),
       exposed_communication_below(step(), 1e-9),
       {"of communication are exposed, expected less than 1.00 ns", "all-reduce"}},
      {"peak_memory_below",
       peak_memory_below(step(), 1e12),
       peak_memory_below(step(), 1e6),
       {"the peak in HBM is ", "Live at the peak", "lhs", "32.0 MiB"}},
      {"has_no_diagnostic",
       has_no_diagnostic(step(), "unknown-trip-count"),
       has_no_diagnostic(step(), "exposed-communication"),
       {"1 diagnostics [exposed-communication], expected none"}},
      {"unknown_at_most", unknown_at_most(step()), unknown_at_most(step(), -1), {"0 % of the step is unknown"}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(c.holds);
    CHECK(c.holds.message().find('\n') == std::string::npos);
    CHECK_FALSE(c.fails);
    for (const std::string& part : c.says) CHECK_THAT(c.fails.message(), ContainsSubstring(part));
  }
}

TEST_CASE("a program that does not fit into memory") {
  StepPrediction large = step();
  CHECK(fits_in_memory(large));
  large.memory.fits = false;
  const CheckResult result = fits_in_memory(large);
  CHECK_FALSE(result);
  CHECK_THAT(result.message(), ContainsSubstring("does NOT fit"));
  CHECK_THAT(result.message(), ContainsSubstring("lhs"));
}

TEST_CASE("the negation of a check holds if the check does not") {
  CHECK(!step_faster_than(step(), 1e-6));
  CHECK_FALSE(static_cast<bool>(!step_faster_than(step(), 1)));
}

// A Predicted is only an argument, because it refers to its own.
static_assert(!std::is_copy_constructible_v<Predicted> && !std::is_copy_assignable_v<Predicted>);
static_assert(std::is_same_v<decltype(!std::declval<CheckResult>()), CheckResult>);

TEST_CASE("warnings") {
  CHECK_FALSE(has_no_warning(step()));
  CHECK_THAT(has_no_warning(step()).message(), ContainsSubstring("exposed-communication"));
  StepPrediction quiet = step();
  quiet.diagnostics.clear();
  CHECK(has_no_warning(quiet));
}

TEST_CASE("without a prediction every check fails with the reason") {
  const absl::StatusOr<StepPrediction> none = predict_step_time("HloModule m\nENTRY e { ROOT r = f32[ }", "tpu_v5e");
  for (const CheckResult& result :
       {step_faster_than(none, 1), no_slower_than(none, step()), no_slower_than(step(), none), mfu_above(none, 0),
        bound_by(none, "mxu"), exposed_communication_below(none, 1), fits_in_memory(none),
        peak_memory_below(none, 1e12), has_no_diagnostic(none, "x"), has_no_warning(none), unknown_at_most(none)}) {
    CHECK_FALSE(static_cast<bool>(result));
    CHECK_FALSE(static_cast<bool>(!result));  // its negation fails as well: nothing is known of the program
    CHECK_FALSE(static_cast<bool>(!!result));
    CHECK_THAT((!result).message(), ContainsSubstring("there is no prediction: <text>:2:"));
    CHECK_THAT(result.message(), ContainsSubstring("there is no prediction: <text>:2:"));
    CHECK_THAT(result.message(), ContainsSubstring("^"));
  }
}

// Like GoogleTest's: explicitly constructible from a bool, accepts text.
class AssertionResult {
 public:
  template <typename T, typename = std::enable_if_t<!std::is_convertible_v<T, AssertionResult>>>
  explicit AssertionResult(const T& success) : success_(success) {}
  AssertionResult& operator<<(const std::string& text) {
    text_ += text;
    return *this;
  }
  const char* failure_message() const { return text_.c_str(); }
  bool success() const { return success_; }

 private:
  bool success_;
  std::string text_;
};

TEST_CASE("an assertion result receives the message") {
  const AssertionResult fails = AssertionResult(step_faster_than(step(), 1e-6));
  CHECK_FALSE(fails.success());
  CHECK_THAT(fails.failure_message(), ContainsSubstring("expected less than 1.00 us"));
  CHECK(AssertionResult(step_faster_than(step(), 1)).success());

  std::ostringstream out;
  out << step_faster_than(step(), 1);
  CHECK_THAT(out.str(), ContainsSubstring("expected less than 1.00 s"));
}

}  // namespace
}  // namespace hloroof::internal

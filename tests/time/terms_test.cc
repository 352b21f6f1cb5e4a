// How terms combine, which of them count, and that traced formulas record what they compute.
#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/hardware/device_fields.h"
#include "lib/time/numbers.h"
#include "lib/time/op_time.h"
#include "lib/time/term_builder.h"
#include "lib/time/traced.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

Term seconds(const char* name, double value) { return leaf(name, value, value, "s"); }

// Combinations that formulas make only with Numbers (numbers.h).
template <std::size_t n>
Term minimum(std::string name, Term (&&children)[n]) {
  return combined(Combine::kMin, std::move(name), moved(children));
}
template <std::size_t n>
Term overlapped(std::string name, Term (&&children)[n], const Factor& exponent) {
  return combined(Combine::kNorm, std::move(name), moved(children), exponent);
}
Term twice(Term term) {
  term.seconds *= 2;
  term.factors.push_back(times(2));
  return term;
}

TEST_CASE("terms combine as their names say") {
  struct Case {
    const char* what;
    Term term;
    double expected;
    std::size_t children;
  };
  const Case cases[] = {
      {"a sum", sum("t", {seconds("a", 3), seconds("b", 4)}), 7, 2},
      {"a maximum", slowest("t", {seconds("a", 3), seconds("b", 4)}), 4, 2},
      {"a minimum", minimum("t", {seconds("a", 3), seconds("b", 4)}), 3, 2},
      {"a norm", overlapped("t", {seconds("a", 3), seconds("b", 4)}, times(2)), 5, 2},
      {"terms of no time are left out", sum("t", {seconds("a", 3), seconds("b", 0), seconds("c", 4)}), 7, 2},
      {"one term stands alone", sum("t", {seconds("a", 0), seconds("b", 4)}), 4, 0},
      {"a minimum with no time is no time", minimum("t", {seconds("a", 0), seconds("b", 4)}), 0, 0},
      {"nothing", sum("t", {}), 0, 0},
      {"a maximum in a maximum", slowest("t", {slowest("u", {seconds("a", 3), seconds("b", 4)}), seconds("c", 2)}), 4,
       3},
      {"a scaled maximum stays one term",
       slowest("t", {twice(slowest("u", {seconds("a", 3), seconds("b", 4)})), seconds("c", 2)}), 8, 2},
      {"a leaf of factors", leaf("t", 6, 24, "B", {times(2), over(8)}), 6, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(c.term.seconds == Approx(c.expected));
    CHECK(evaluate(c.term) == Approx(c.expected));
    CHECK(c.term.children.size() == c.children);
  }
}

TEST_CASE("what is hidden adds nothing, and what counts adds up to the whole") {
  const Term term = twice(sum("t", {overlapped("o", {seconds("compute", 3), seconds("memory", 4)}, times(2)),
                                    slowest("m", {seconds("hidden", 1), seconds("seen", 2)})}));
  const std::vector<Contribution> parts = contributions(term);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].term->name == "memory");
  double whole = 0;
  for (const Contribution& part : parts) {
    CHECK(part.term->name != "hidden");
    whole += part.seconds;
  }
  CHECK(whole == Approx(term.seconds));
}

// One formula with every operation that formulas use.
template <class Num>
Num formula(const Numbers<Num>& n) {
  const Device& device = n.device();
  const Num bandwidth = n.at(device.hbm.bandwidth) * n.known_or(device.hbm.read_efficiency, 1.0);
  Num many = 0.0;
  for (const double bytes : {1e6, 2e6, 3e6}) add_alike(many, n.amount("reads", bytes, "B") / bandwidth);
  const Num busy = norm(
      "busy", n.at(device.overhead.overlap_norm), many * 0.3,
      slowest("compute", n.amount("flops", 1e9, "flop") / n.at(device.matrix.peak.f32), n.amount("stays", 3e-6, "s")));
  const Num op = n.at(device.overhead.op);
  return with_floor("whole", busy, sum("", n.amount("each", 1, "") * op, least("l", op, again("again", busy) / 3.0)),
                    n.amount("floor", 2, "kernel") * op);
}

TEST_CASE("a traced formula computes the plain one to the last bit, and its terms come to it") {
  for (const std::string& name : device_names()) {
    const Device d = device(name.c_str());
    const Term term = formula(Numbers<Traced>(d)).term();
    CAPTURE(name);
    CHECK(term.seconds == formula(Numbers<double>(d)));
    CHECK(evaluate(term) == Approx(term.seconds).epsilon(1e-12));
  }
}

TEST_CASE("factors of a traced amount") {
  const Device d = device("tpu_v5e");
  const Numbers<Traced> n(d);
  const Term read = (n.amount("reads", 1e6, "B") / n.at(d.hbm.efficiency) / n.at(d.hbm.bandwidth)).term();
  REQUIRE(read.factors.size() == 2);
  CHECK(read.amount == 1e6);
  CHECK(read.factors[0].value == d.hbm.bandwidth);  // rates come before shares
  CHECK(read.factors[0].divides);
  CHECK(read.factors[0].unit == "B/s");
  CHECK(read.factors[0].parameters == Paths{"hbm.bandwidth"});
  CHECK(read.factors[1].parameters == Paths{"hbm.efficiency"});
  // A number that multiplies and divides is none.
  CHECK((Traced(read) * n.at(d.hbm.efficiency)).term().factors.size() == 1);
  // A count of the program is the amount where that is one of something.
  const Term steps = (n.amount("steps", 1, "step") * n.at(d.overhead.op) * 4.0).term();
  CHECK(steps.amount == 4);
  CHECK(steps.factors.size() == 1);
  // A factor of an open sum is one of each part.
  const Term parts = (sum("", n.amount("a", 1, "s"), n.amount("b", 2, "s")) * n.at(d.overhead.overlap_norm)).term();
  CHECK(parts.factors.empty());
  for (const Term& part : parts.children) CHECK(part.factors.size() == 1);
  CHECK(evaluate(parts) == Approx(3 * d.overhead.overlap_norm));
}

TEST_CASE("amounts of one kind add up, others stay apart") {
  const Device d = device("tpu_v5e");
  const Numbers<Traced> n(d);
  Traced total = 0.0;
  add_alike(total, n.amount("a", 1, "B") / n.at(d.hbm.bandwidth));
  add_alike(total, n.amount("a", 2, "B") / n.at(d.hbm.bandwidth));
  CHECK(total.term().amount == 3);
  add_alike(total, n.amount("a", 4, "B") / n.at(d.hbm.bandwidth) / n.at(d.hbm.efficiency));
  REQUIRE(total.term().children.size() == 2);
  CHECK(total.term().children[1].amount == 4);
  CHECK(evaluate(total.term()) == Approx(total.value()));
  // Maxima that one side decides are one maximum, others are not.
  const auto larger = [&](double a, double b) { return slowest("m", n.amount("a", a, "s"), n.amount("b", b, "s")); };
  Traced same = 0.0;
  add_alike(same, larger(1, 2));
  add_alike(same, larger(1, 3));
  CHECK(same.term().combine == Combine::kMax);
  CHECK(evaluate(same.term()) == Approx(5));
  add_alike(same, larger(4, 3));
  CHECK(same.term().combine == Combine::kSum);
  CHECK(evaluate(same.term()) == Approx(9));
}

struct Example {
  const char* what;
  const char* device;
  Work work;
};

std::vector<Example> examples() {
  const std::string two = "  a = bf16[512,2048] parameter(0)\n  b = bf16[2048,4096] parameter(1)\n";
  const char* dot = "r = bf16[512,4096] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string wide = "  a = f32[512,2048] parameter(0)\n  b = f32[2048,4096] parameter(1)\n";
  const char* wide_dot = "r = f32[512,4096] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const Work turned = root_work("  a = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)\n",
                                "r = bf16[4096,4096]{0,1:T(8,128)(2,1)} copy(a)");
  const Work tanh = root_work("  a = bf16[1024,1024] parameter(0)\n", "r = bf16[1024,1024] tanh(a)");
  return {{"a product", "tpu_v5e", root_work(two, dot)}, {"a wide product", "tpu_v5e", root_work(wide, wide_dot)},
          {"blocks", "h100_sxm", root_work(two, dot)},   {"wide blocks", "h100_sxm", root_work(wide, wide_dot)},
          {"a changed layout", "tpu_v5p", turned},       {"vector work", "tpu_v6e", tanh},
          {"vector work of a GPU", "h100_sxm", tanh}};
}

// Whether each factor that comes from one number of the device is that number.
void check_factors(const Term& term, const Device& d) {
  for (const Factor& factor : term.factors) {
    if (factor.parameters.size() != 1) continue;
    // These two give factors that a formula computes, such as the share of a device that idles.
    if (factor.parameters[0] == "vector.compute_units" || factor.parameters[0] == "devices_per_chip") continue;
    const Fact<double> number = get_field(device_fields()[*find_field(factor.parameters[0])], d);
    CAPTURE(term.name, factor.parameters[0]);
    REQUIRE(number.has_value());
    CHECK(factor.value == *number);
  }
  for (const Term& child : term.children) check_factors(child, d);
}

TEST_CASE("a number of the device that changes is another in the leaf and in the whole") {
  for (const Example& example : examples()) {
    const Device before = device(example.device);
    std::vector<std::string_view> paths;
    const Term term = op_terms(example.work, before);
    add_parameters(term, paths);
    CHECK(paths.size() >= 3);
    CHECK(term.seconds == op_time(example.work, before).seconds);
    check_factors(term, before);
    std::size_t changes = 0;  // the others belong to terms that hide behind slower ones
    for (const std::string_view path : paths) {
      CAPTURE(example.what, path);
      const DeviceField& field = device_fields()[*find_field(path)];
      if (field.range == FieldRange::kCount) continue;
      Device after = before;
      REQUIRE(set_parameter(after, std::string(path), *get_field(field, before) * 0.9).ok());
      const Term changed = op_terms(example.work, after);
      check_factors(changed, after);
      changes += changed.seconds != term.seconds ? 1 : 0;
      CHECK(changed.seconds == op_time(example.work, after).seconds);
      CHECK(evaluate(changed) == Approx(changed.seconds).epsilon(1e-12));
    }
    CHECK(changes >= 1);
  }
}

TEST_CASE("a number that the device file lacks is named") {
  const Work work = root_work("  a = f32[1024,1024] parameter(0)\n", "r = f32[1024,1024] negate(a)");
  Device d = device("tpu_v5e");
  CHECK(op_terms(work, d).note.empty());
  d.hbm.read_efficiency = Fact<double>();
  CHECK(op_terms(work, d).note == "the device file lacks hbm.read_efficiency");
  d.hbm.read_efficiency = Fact<double>::none();
  CHECK(op_terms(work, d).note.empty());
}

}  // namespace
}  // namespace hloroof::internal

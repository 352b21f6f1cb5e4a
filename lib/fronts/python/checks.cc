#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/testing.h"
#include "lib/describe/table.h"
#include "lib/fronts/python/errors.h"
#include "lib/fronts/python/parts.h"
#include "lib/fronts/python/predicted.h"
#include "lib/fronts/python/subject.h"
#include "lib/versions/gate.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): for nanobind's argument names

namespace hloroof::internal::inline python {
namespace {

// Whether a check or a condition holds, and the message about it.
using Checked = std::pair<bool, std::string>;

template <typename Check>
Checked checked(const Check& check) {
  return without_gil([&]() -> absl::StatusOr<Checked> {
    const CheckResult result = check();
    return Checked(static_cast<bool>(result), result.message());
  });
}

// Binds the check of one prediction with its other arguments.
template <auto Check>
struct Bound;
template <typename... Arguments, CheckResult (*Check)(const hloroof::Predicted&, Arguments...)>
struct Bound<Check> {
  template <typename... Names>
  static void add(nb::module_& module, const char* name, const Names&... names) {
    module.def(
        name,
        [](const Predicted& predicted, std::decay_t<Arguments>... arguments) {
          return checked([&] { return Check(predicted.step(), arguments...); });
        },
        "predicted"_a, names...);
  }
};

// Lines of cells, two blanks apart. The columns of `words` are aligned at the left, the others at the right.
std::string table(const std::vector<std::string>& titles, const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& words) {
  std::vector<Column> columns;
  columns.reserve(titles.size());
  for (const std::string& title : titles) columns.push_back({title, Align::kRight});
  for (const std::size_t word : words) {
    if (word < columns.size()) columns[word].align = Align::kLeft;
  }
  Table lines(std::move(columns));
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> cells = row;
    cells.resize(titles.size());
    lines.add(std::move(cells));
  }
  TextLayout unlimited;
  unlimited.width = 0;
  return lines.to_string(unlimited);
}

}  // namespace

void add_checks(nb::module_& module) {
  Bound<&step_faster_than>::add(module, "step_faster_than", "seconds"_a);
  Bound<&mfu_above>::add(module, "mfu_above", "share"_a);
  Bound<&exposed_communication_below>::add(module, "exposed_communication_below", "seconds"_a);
  Bound<&fits_in_memory>::add(module, "fits_in_memory");
  Bound<&peak_memory_below>::add(module, "peak_memory_below", "bytes"_a);
  Bound<&has_no_warning>::add(module, "has_no_warning");
  Bound<&unknown_at_most>::add(module, "unknown_at_most", "share"_a);
  module.def(
      "bound_by",
      [](const Predicted& predicted, const std::string& resource) {
        return checked([&] { return bound_by(predicted.step(), resource); });
      },
      "predicted"_a, "resource"_a);
  module.def(
      "has_no_diagnostic",
      [](const Predicted& predicted, const std::string& code) {
        return checked([&] { return has_no_diagnostic(predicted.step(), code); });
      },
      "predicted"_a, "code"_a);
  module.def(
      "no_slower_than",
      [](const Predicted& predicted, const Predicted& before, double tolerance) {
        return checked([&] { return no_slower_than(predicted.step(), before.step(), tolerance); });
      },
      "predicted"_a, "before"_a, "tolerance"_a);

  nb::class_<Gate>(module, "Limit", "A condition on one prediction, such as step>5ms.")
      .def(
          "__init__",
          [](Gate& limit, const std::string& text) { new (&limit) Gate(value_or_raise(parse_limit(text))); }, "text"_a)
      .def_prop_ro("text", [](const Gate& limit) { return limit.text; })
      .def(
          "check",
          [](const Gate& limit, const Predicted& predicted) {
            GateResult result = check_limit(limit, predicted.step());
            return Checked(result.failed, std::move(result.finding));
          },
          "predicted"_a, "Whether the condition holds, and the number beside the limit.");
  module.def("table", &table, "titles"_a, "rows"_a, "words"_a, "Aligned lines for the cells of a table.");
}

}  // namespace hloroof::internal::inline python

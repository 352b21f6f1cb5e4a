// The keywords of the Python package, which type checkers read, are made from the rows of option.def.
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "lib/base/strings.h"
#include "lib/request/options.h"
#include "tests/catch.h"
#include "tests/golden.h"

namespace hloroof::internal {
namespace {

std::string_view python_type(OptionForm form) {
  switch (form) {
    case OptionForm::kFlag: return "bool";
    case OptionForm::kCount: return "Optional[int]";
    case OptionForm::kWhole: return "int";
    case OptionForm::kRatio: return "float";
    case OptionForm::kAmount: return "Optional[float]";
    case OptionForm::kEstimates: return "str";
    case OptionForm::kSwitch: return "Optional[bool]";
    case OptionForm::kElementBytes: return "Optional[str]";
    case OptionForm::kTopology: return "Optional[str]";
    case OptionForm::kWords: return "Optional[Sequence[str]]";
    case OptionForm::kTripCounts: return "Optional[Mapping[str, int]]";
    case OptionForm::kBranchProbabilities: return "Optional[Mapping[str, Sequence[float]]]";
    case OptionForm::kCustomCalls: return "Optional[Mapping[str, Mapping[str, float]]]";
    case OptionForm::kKernelLists: return "Optional[KernelLists]";
    case OptionForm::kSettings: return "Optional[Mapping[str, Number]]";
    case OptionForm::kMeshAxes: return "Union[Mapping[str, int], str, None]";
    case OptionForm::kText: return "str";
    case OptionForm::kDeviceIds: return "Union[Sequence[int], str, None]";
  }
  return "";
}

TEST_CASE("the keywords of the Python package") {
  std::string text = R"(# Made from lib/request/option.def by tests/request/python_test.cc.
"""The options of a prediction as keyword arguments."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, TypedDict, Union

KernelLists = Mapping[str, Sequence[int]]
"""Contents of scalar operands by ``"NAME.OPERAND"``, as ``--kernel`` takes them: ``{"gmm.group_sizes": [128, 384]}``."""

Number = Union[float, str]
"""A number in SI units, or a multiple of the device's value: ``"2x"``."""


class Options(TypedDict, total=False):
    """The options of ``predict_step_time``, which documents them."""

)";
  for (const OptionRow& row : option_rows()) {
    text += "    " + std::string(row.key) + ": " + std::string(python_type(row.form)) + "\n";
  }
  check_golden("lib/fronts/python/hloroof/_option_types.py", text);
  std::ifstream functions("lib/fronts/python/hloroof/_functions.py");
  const std::string documented(std::istreambuf_iterator<char>(functions), {});
  for (const OptionRow& row : option_rows()) {
    CAPTURE(row.key);
    // predict_step_time() says what each does: ``topology``, estimates="compiler".
    const bool is_named = documented.find("``" + std::string(row.key)) != std::string::npos;
    CHECK(is_named);
  }
}

}  // namespace
}  // namespace hloroof::internal

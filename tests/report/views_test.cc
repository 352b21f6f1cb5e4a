#include "lib/report/views.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "lib/base/strings.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("every view renders") {
  for (const std::string& name : view_names()) {
    INFO(name);
    CHECK(render_views(StepPrediction(), {name}, ViewOptions()).ok());
  }
}

TEST_CASE("a view has titles as CSV exactly if it is among those with a CSV") {
  CHECK(csv_view_names().front() == "ops");  // what --format csv writes without a view
  for (const std::string& name : view_names()) {
    INFO(name);
    const bool has_csv = std::find(csv_view_names().begin(), csv_view_names().end(), name) != csv_view_names().end();
    const absl::StatusOr<std::string> csv = view_csv(name, NamedPrediction(), RowOptions());
    CHECK(csv.ok() == has_csv);
    if (csv.ok()) {
      CHECK(absl::StartsWith(*csv, "file,device,topology,"));
      CHECK(std::count(csv->begin(), csv->end(), '\n') == 1);
      CHECK(view_csv(name, NamedPrediction(), RowOptions(), false).value() == "");
    }
  }
  for (const std::string& name : csv_view_names()) CHECK(check_views({name}).ok());
}

TEST_CASE("the message about an unknown view lists all") {
  const std::string message(from_absl(check_views({"ops", "opps"}).message()));
  CHECK(absl::StrContains(message, "unknown view 'opps'"));
  for (const std::string& name : view_names()) CHECK(absl::StrContains(message, name));
  CHECK(from_absl(render_views(StepPrediction(), {"opps"}, ViewOptions()).status().message()) ==
        from_absl(check_views({"opps"}).message()));
  CHECK_FALSE(view_csv("opps", NamedPrediction(), RowOptions()).ok());
}

TEST_CASE("only the critical path asks for the steps without each resource") {
  for (const std::string& name : view_names()) {
    INFO(name);
    PredictOptions request;
    CHECK(request_for({name}, request) == (name == "critical" || name == "sensitivity"));
    CHECK(request.resource_what_ifs == (name == "critical"));
    CHECK(request.sensitivity == (name == "sensitivity"));
  }
  PredictOptions request;
  CHECK_FALSE(request_for({}, request));
  CHECK(request_for({"ops", "critical"}, request));
}

}  // namespace
}  // namespace hloroof::internal

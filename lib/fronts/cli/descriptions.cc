#include "lib/fronts/cli/descriptions.h"

#include "lib/answer/answer.h"
#include "lib/describe/schema.h"
#include "lib/fronts/cli/calibration_report.h"
#include "lib/report/counts_report.h"
#include "lib/reschedule/reschedule_report.h"
#include "lib/results/prediction_json.h"

namespace hloroof::internal::inline cli {

std::vector<DescriptionFile> description_files() {
  std::vector<ResultTable> results = {counts_table(), calibration_table(), reschedule_table()};
  for (const Question& question : questions()) results.push_back(question.table());
  std::vector<DescriptionFile> files;
  files.reserve(results.size() + 2);
  for (const ResultTable& result : results) {
    files.push_back({"schema/" + result_name(result) + ".schema.json", schema_json(result)});
  }
  files.push_back({"python/_results.py", python_classes(prediction_table())});
  files.push_back({"python/_reschedule_results.py", python_classes(reschedule_table())});
  return files;
}

}  // namespace hloroof::internal::inline cli

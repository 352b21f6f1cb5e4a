// The files that are generated from the descriptions of results: JSON schemas and Python classes.
#include <set>
#include <string>

#include "lib/describe/schema.h"
#include "lib/explain/code_report.h"
#include "lib/explain/explain.h"
#include "lib/explain/kernel_report.h"
#include "lib/lint/lint.h"
#include "lib/measured/compare.h"
#include "lib/report/counts_report.h"
#include "lib/report/device_report.h"
#include "lib/report/memory_report.h"
#include "lib/report/sweep.h"
#include "lib/reschedule/reschedule_report.h"
#include "lib/results/prediction_json.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/diff.h"
#include "lib/versions/passes.h"
#include "tests/catch.h"
#include "tests/golden.h"

namespace hloroof::internal {
namespace {

TEST_CASE("schemas and Python classes follow from the descriptions") {
  const std::string folder = "lib/describe/schema/";
  check_golden(folder + "prediction.schema.json", schema_json(prediction_table()));
  check_golden(folder + "counts.schema.json", schema_json(counts_table()));
  check_golden(folder + "comparison.schema.json", schema_json(comparison_table()));
  check_golden(folder + "diff.schema.json", schema_json(diff_table()));
  check_golden(folder + "sweep.schema.json", schema_json(sweep_table()));
  check_golden(folder + "passes.schema.json", schema_json(passes_table()));
  check_golden(folder + "pass_comparison.schema.json", schema_json(pass_comparison_table()));
  check_golden(folder + "reschedule.schema.json", schema_json(reschedule_table()));
  check_golden(folder + "explanation.schema.json", schema_json(explanation_table()));
  check_golden(folder + "memory.schema.json", schema_json(memory_table()));
  check_golden(folder + "kernels.schema.json", schema_json(kernel_table()));
  check_golden(folder + "bundles.schema.json", schema_json(code_table()));
  check_golden(folder + "devices.schema.json", schema_json(device_list_table()));
  check_golden(folder + "device.schema.json", schema_json(device_table()));
  check_golden(folder + "lint.schema.json", schema_json(lint_table()));
  check_golden("lib/fronts/python/hloroof/_results.py", python_classes(prediction_table()));
  check_golden("lib/fronts/python/hloroof/_reschedule_results.py", python_classes(reschedule_table()));
}

TEST_CASE("every field has a meaning, and no record has a field twice") {
  for (const ResultTable& result :
       {prediction_table(), counts_table(), comparison_table(), diff_table(), sweep_table(), passes_table(),
        pass_comparison_table(), reschedule_table(), explanation_table(), memory_table(), kernel_table(), code_table(),
        device_list_table(), device_table(), lint_table()}) {
    std::set<std::string_view> records;
    for (const RecordTable& record : result.records) {
      CAPTURE(result.id, record.info.name);
      CHECK(records.insert(record.info.name).second);
      CHECK(!record.info.meaning.empty());
      std::set<std::string_view> fields;
      for (const FieldRow& row : record.fields) {
        CAPTURE(row.info.name);
        CHECK(fields.insert(row.info.name).second);
        // A record says itself what it is.
        const bool is_one_record = row.type.kind == FieldType::Kind::kRecord && !row.type.is_list;
        CHECK((is_one_record || !row.info.meaning.empty()));
        // A number's unit is in its name or is 1.
        const std::string name(row.info.name);
        if (name.find("seconds") != std::string::npos) CHECK(row.info.unit == Unit::kSeconds);
        if (name.find("bytes") != std::string::npos && row.type.kind != FieldType::Kind::kRecord) {
          CHECK(row.info.unit == Unit::kBytes);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

// The descriptions of the results.
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
#include "lib/scale/scale_report.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/diff.h"
#include "lib/versions/passes.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("every field has a meaning, and no record has a field twice") {
  for (const ResultTable& result :
       {prediction_table(), counts_table(), comparison_table(), diff_table(), sweep_table(), passes_table(),
        pass_comparison_table(), reschedule_table(), scale_table(), explanation_table(), memory_table(), kernel_table(),
        code_table(), device_list_table(), device_table(), lint_table()}) {
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

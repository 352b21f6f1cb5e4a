#include "lib/report/memory_report.h"

#include <string_view>

#include "lib/describe/record_json.h"
#include "lib/results/prediction_fields.h"
#include "lib/results/step_fields.h"

namespace hloroof::internal::inline report {
namespace {

constexpr std::string_view kMemorySchema[] = {"hloroof.memory/1"};

struct MemoryDocument {
  const NamedPrediction* named = nullptr;
};

const StepPrediction& step_of(const MemoryDocument& document) { return document.named->second; }

}  // namespace

}  // namespace hloroof::internal::inline report

namespace hloroof::internal {

template <>
struct Described<MemoryDocument> {
  static constexpr RecordInfo kInfo = {"memory_report", "MemoryReport", "Peak memory and what is live at the peak."};
  static constexpr auto kFields = concatenated(
      fields(schema_field<kMemorySchema>(),
             field("file", "Path of the dump.",
                   [](const MemoryDocument& document) -> const std::string& { return document.named->first; }),
             field("module", "Name of the module.", StepMember<&StepPrediction::module_name>())),
      kPlaceFields,
      fields(field("set", "Device parameters that --set changed, in SI units.", StepMember<&StepPrediction::set>()),
             field("memory", "", StepMember<&StepPrediction::memory>())));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline report {

std::string memory_json(const std::vector<NamedPrediction>& predictions) {
  std::vector<MemoryDocument> documents;
  documents.reserve(predictions.size());
  for (const NamedPrediction& named : predictions) documents.push_back({&named});
  return records_json(documents);
}

std::string memory_csv(const std::vector<NamedPrediction>& predictions) {
  std::string out;
  for (const NamedPrediction& named : predictions) out += memory_view_csv(named, out.empty());
  return out;
}

ResultTable memory_table() { return describe_result<MemoryDocument>(kMemorySchema[0], "Memory: memory --format json"); }

}  // namespace hloroof::internal::inline report

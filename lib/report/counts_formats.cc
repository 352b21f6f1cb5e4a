// Writes counts as JSON and CSV.

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/report/counts_report.h"

namespace hloroof::internal::inline report {
namespace {

constexpr std::string_view kCountsSchema[] = {"hloroof.counts/1"};
constexpr std::string_view kConventions[] = {"xla", "physical"};

// A row and its report. The report decides which members the row has.
struct CountedOp {
  const CountsReport* report = nullptr;
  const CountsRow* row = nullptr;
};

struct CountsDocument {
  explicit CountsDocument(const CountsReport& counts) : report(&counts) {
    ops.reserve(counts.rows.size());
    for (const CountsRow& row : counts.rows) ops.push_back({&counts, &row});
  }
  const CountsReport* report;
  std::vector<CountedOp> ops;
};

// Returns the value in the physical convention only; other reports do not have the member.
template <typename T>
OrAbsent<T> if_physical(const CountsReport& report, const T& value) {
  return {report.convention == kConventions[1] ? &value : nullptr};
}

// Accessors for the tables below.
template <auto kMember>
const auto& row(const CountedOp& op) {
  return op.row->*kMember;
}
template <auto kMember>
std::optional<std::string_view> text_of(const CountedOp& op) {
  return text_or_null(op.row->*kMember);
}
template <auto kMember>
const auto& of_report(const CountsDocument& counts) {
  return counts.report->*kMember;
}
template <auto kMember>
auto physical(const CountsDocument& counts) {
  return if_physical(*counts.report, counts.report->*kMember);
}

}  // namespace

}  // namespace hloroof::internal::inline report

namespace hloroof::internal {

template <>
struct EnumNames<TripCount::Source> {
  static constexpr std::string_view kNames[] = {"annotated", "inferred", "user", "assumed"};
};

template <>
struct Described<CountedOp> {
  static constexpr RecordInfo kInfo = {"op", "CountedOp", "The work of one instruction, or of a group of them."};
  static constexpr auto kFields = fields(
      field("module", "Name of the module.", [](const CountedOp& op) { return std::string_view(op.report->module); })
          .only_in(Formats::kCsvOnly),
      field("name", "Name of the instruction without %, or of the group.", &row<&CountsRow::name>),
      field("computation", "Computation that contains the instruction.", &row<&CountsRow::computation>),
      field("opcode", "Opcode as the HLO text has it.", &row<&CountsRow::opcode>),
      field("category", "Category as XProf names it.", &row<&CountsRow::category>),
      field("op_name", "op_name of the metadata.", &text_of<&CountsRow::op_name>).only_in(Formats::kJsonOnly),
      field("source_file", "Source file of the metadata.", &text_of<&CountsRow::source_file>)
          .only_in(Formats::kJsonOnly),
      field("source_line", Unit::kCount, "Line in source_file.",
            [](const CountedOp& op) {
              return op.row->source_line > 0 ? std::optional<std::int64_t>(op.row->source_line) : std::nullopt;
            })
          .at_least(1)
          .only_in(Formats::kJsonOnly),
      field("layer", "Scopes and op of op_name, with the numbers of layers replaced by *.", &text_of<&CountsRow::layer>)
          .only_in(Formats::kJsonOnly),
      field("executions", Unit::kCount, "Executions in one step.", &row<&CountsRow::executions>),
      field("flops", Unit::kFlops, "FLOPs of one execution.", &row<&CountsRow::flops>).may_be_negative(),
      field("transcendentals", Unit::kCount, "Transcendental functions of one execution.",
            &row<&CountsRow::transcendentals>)
          .may_be_negative(),
      field("bytes_accessed", Unit::kBytes, "Bytes read and written by one execution.",
            &row<&CountsRow::bytes_accessed>)
          .may_be_negative(),
      field("logical_bytes", Unit::kBytes, "bytes_accessed without tile padding.",
            [](const CountedOp& op) { return if_physical(*op.report, op.row->logical_bytes); }));
};

template <>
struct Described<MemoryBytes> {
  static constexpr RecordInfo kInfo = {"bytes_by_space", "BytesBySpace", "Bytes by memory space."};
  static constexpr auto kFields = fields(
      field("hbm", Unit::kBytes, "HBM.", &MemoryBytes::hbm), field("vmem", Unit::kBytes, "VMEM.", &MemoryBytes::vmem),
      field("host", Unit::kBytes, "Host memory.", &MemoryBytes::host),
      field("scalar", Unit::kBytes, "SMEM, semaphores and sync flags.", &MemoryBytes::scalar));
};

template <>
struct Described<MatrixTotal> {
  static constexpr RecordInfo kInfo = {"matrix", "MatrixTotal", "The matrix products of one pair of operand types."};
  static constexpr auto kFields = fields(
      field("lhs", "Element type of the left operand.", [](const MatrixTotal& total) { return to_string(total.lhs); }),
      field("rhs", "Element type of the right operand.", [](const MatrixTotal& total) { return to_string(total.rhs); }),
      field("passes", Unit::kCount, "Passes over the matrix unit that one product takes.",
            [](const MatrixTotal& total) { return std::int64_t{total.passes}; }),
      field("flops", Unit::kFlops, "FLOPs of one step, counted once whatever the passes.", &MatrixTotal::flops));
};

template <>
struct Described<VectorWork> {
  static constexpr RecordInfo kInfo = {"vector", "VectorTotal", "The vector operations of one opcode and type."};
  static constexpr auto kFields =
      fields(field("opcode", "Opcode.", [](const VectorWork& work) { return to_string(work.opcode); }),
             field("type", "Element type.", [](const VectorWork& work) { return to_string(work.type); }),
             field("to", "Element type of the result of a conversion; null for other opcodes.",
                   [](const VectorWork& work) {
                     return work.to == ElementType::kInvalid ? std::nullopt
                                                             : std::optional<std::string_view>(to_string(work.to));
                   }),
             field("cross_lane", "True if elements change their lane or sublane.", &VectorWork::cross_lane),
             field("padded_elements", Unit::kCount, "Elements of one step, with tile padding.", &VectorWork::elements));
};

template <>
struct Described<CountedLoop> {
  static constexpr RecordInfo kInfo = {"loop", "CountedLoop", "A while loop and its trip count."};
  static constexpr auto kFields =
      fields(field("name", "Name of the while instruction.", &CountedLoop::name),
             field("trip_count", Unit::kCount, "Iterations of one execution.",
                   [](const CountedLoop& loop) { return loop.trips.value; }),
             field("source", "Origin of trip_count.", [](const CountedLoop& loop) { return loop.trips.source; }),
             field("why", "Evidence for trip_count.",
                   [](const CountedLoop& loop) -> const std::string& { return loop.trips.why; }));
};

template <>
struct Described<CountsDocument> {
  static constexpr RecordInfo kInfo = {
      "counts", "Counts",
      "FLOPs, transcendentals and bytes without a device. Some members exist under --convention physical alone."};
  static constexpr auto kFields = fields(
      schema_field<kCountsSchema>(), field("module", "Name of the module.", &of_report<&CountsReport::module>),
      field("convention", "Rules of counting.", &of_report<&CountsReport::convention>).one_of(kConventions),
      field("flops", Unit::kFlops, "FLOPs of one step.", &of_report<&CountsReport::flops>).may_be_negative(),
      field("transcendentals", Unit::kCount, "Transcendental functions of one step.",
            &of_report<&CountsReport::transcendentals>)
          .may_be_negative(),
      field("bytes_accessed", Unit::kBytes, "Bytes read and written in one step.",
            &of_report<&CountsReport::bytes_accessed>)
          .may_be_negative(),
      field("logical_bytes", Unit::kBytes, "bytes_accessed without tile padding.",
            &physical<&CountsReport::logical_bytes>),
      field("bytes_by_space", "bytes_accessed by memory space.", &physical<&CountsReport::spaces>),
      field("matrix", "Matrix products, most FLOPs first.", &physical<&CountsReport::matrix>),
      field("vector", "Vector operations, most elements first.", &physical<&CountsReport::vector>),
      field("loops", "While loops.", &physical<&CountsReport::loops>),
      field("per_op", "Instructions or groups; the totals are the sums of executions x each.", &CountsDocument::ops),
      field("unknown", "Instructions that are not counted in full.", &of_report<&CountsReport::unknown>));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline report {

std::string counts_json(const std::vector<CountsReport>& reports) {
  return records_json(std::vector<CountsDocument>(reports.begin(), reports.end()));
}

std::string counts_csv(const std::vector<CountsReport>& reports) {
  CsvLine line;
  add_csv_titles(CountedOp(), line);
  std::string out = line.take();
  for (const CountsReport& report : reports) {
    for (const CountsRow& row : report.rows) {
      add_csv_cells(CountedOp{&report, &row}, line);
      out += line.take();
    }
  }
  return out;
}

ResultTable counts_table() {
  return describe_result<CountsDocument>(kCountsSchema[0], "Work without a device: counts --format json");
}

}  // namespace hloroof::internal::inline report

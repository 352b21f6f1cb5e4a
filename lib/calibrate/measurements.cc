#include "lib/calibrate/measurements.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/base/csv.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/schedule/async_pairs.h"
#include "lib/time/op_time.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline calibrate {
namespace {

// A row of the table, whose columns are in lower case.
struct Row {
  const CsvTable& table;
  const CsvTable::Row& row;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Null where the table has no such column or the field is empty.
const std::string* find(const Row& row, std::string_view column) {
  const std::optional<std::size_t> index = row.table.find_column(column);
  return !index || row.row.fields[*index].empty() ? nullptr : &row.row.fields[*index];
}

std::optional<double> number(const Row& row, const char* column) {
  const std::string* text = find(row, column);
  if (text == nullptr) return std::nullopt;
  const std::optional<double> value = parse_number<double>(*text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<ElementType> type_named(const std::string& text) {
  if (text == "int8") return ElementType::kS8;
  if (text == "bfloat16") return ElementType::kBf16;
  if (text == "float32") return ElementType::kF32;
  if (text == "float16") return ElementType::kF16;
  return element_type_from_string(text);
}

double size_of(ElementType type) { return bits(type) / 8.0; }

// No array of a program is longer, and the operations of a product of four such sizes are a finite number.
constexpr double kMostSize = 0x1p40;
// Less than a cycle of a device, and more than a day: the unit of the column is another one.
constexpr double kLeastSeconds = 1e-10;
constexpr double kMostSeconds = 1e5;

bool is_size(double value) { return value >= 1 && value <= kMostSize && value == std::floor(value); }

// The first of the sizes of a row that no array has; null if there is none.
const char* wrong_size(const Row& row) {
  for (const char* column : {"m", "n", "k", "batch"}) {
    if (find(row, column) == nullptr) continue;
    if (const std::optional<double> value = number(row, column); !value || !is_size(*value)) return column;
  }
  return nullptr;
}

// A product with all operands in main memory. nullopt if the row does not have the columns of a matmul.
std::optional<Work> product_work(const Row& row) {
  const auto m = number(row, "m");
  const auto n = number(row, "n");
  const auto k = number(row, "k");
  const std::string* both = find(row, "dtype");
  const std::string* lhs = find(row, "lhs_dtype");
  const std::string* rhs = find(row, "rhs_dtype");
  const std::string* out = find(row, "out_dtype");
  if (!m || !n || !k || (both == nullptr && lhs == nullptr)) return std::nullopt;
  const auto lhs_type = type_named(lhs != nullptr ? *lhs : *both);
  const auto rhs_type = type_named(rhs != nullptr ? *rhs : (lhs != nullptr ? *lhs : *both));
  if (!lhs_type || !rhs_type) return std::nullopt;
  const auto out_type =
      out != nullptr ? type_named(*out) : std::optional(is_integral(*lhs_type) ? ElementType::kS32 : ElementType::kF32);
  if (!out_type) return std::nullopt;
  MatrixWork product;
  product.m = *m;
  product.n = *n;
  product.k = *k;
  product.batch = number(row, "batch").value_or(1);
  product.lhs = *lhs_type;
  product.rhs = *rhs_type;
  product.out = *out_type;
  product.flops = 2 * product.batch * *m * *n * *k;
  product.is_tuned = true;  // a row states the fastest kernel that was found
  Work work;
  work.matrix = {product};
  work.flops = work.matrix_flops = product.flops;
  work.read.hbm = product.batch * (*m * *k * size_of(*lhs_type) + *k * *n * size_of(*rhs_type));
  work.written.hbm = product.batch * *m * *n * size_of(*out_type);
  return work;
}

// The work of a dump, except for copies that its schedule hides.
absl::StatusOr<std::vector<Work>> dump_work(const std::string& path) {
  const absl::StatusOr<Module> module = load_module(path);
  if (!module.ok()) return module.status();
  const CallGraph calls = analyze_calls(*module);
  const PagedTable<Shared<Work>> all = compute_work(*module, calls);
  std::vector<Work> ops;
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView op = module->instruction(id);
    if (async_role(op) != AsyncRole::kNone || all[id.index]->is_free) continue;
    ops.push_back(all[id.index]);
  }
  return ops;
}

std::optional<double> measured_seconds(const Row& row) {
  for (const char* column : {"seconds", "median_s"}) {
    if (const auto value = number(row, column)) return value;
  }
  if (const auto value = number(row, "implied_time_us")) return *value * 1e-6;
  return std::nullopt;
}

std::string name_of(const Row& row) {
  std::string name;
  for (const char* column : {"dtype", "lhs_dtype", "rhs_dtype"}) {
    if (const std::string* text = find(row, column)) name += (name.empty() ? "" : " x ") + *text;
  }
  name += ' ';
  if (const std::string* batch = find(row, "batch")) name += *batch + " of ";
  for (const char* column : {"m", "n", "k"}) {
    if (const std::string* text = find(row, column)) name += (name.back() == ' ' ? "" : "x") + *text;
  }
  return name;
}

// Whether each column of options.where has one of the values that are given for it.
bool is_wanted(const Row& row, const MeasurementOptions& options) {
  std::map<std::string, bool> wanted;  // by column
  for (const auto& [column, value] : options.where) {
    const std::string* text = find(row, lower(column));
    wanted[lower(column)] |= text != nullptr && *text == value;
  }
  return std::all_of(wanted.begin(), wanted.end(), [](const auto& w) { return w.second; });
}

}  // namespace

absl::StatusOr<std::vector<Measurement>> read_measurements(const std::string& path, const MeasurementOptions& options) {
  absl::StatusOr<CsvTable> table = load_csv(path);
  if (!table.ok()) return table.status();
  for (std::string& column : table->columns) column = lower(column);
  std::vector<Measurement> result;
  for (const CsvTable::Row& record : table->rows) {
    const Row row{*table, record};
    if (!is_wanted(row, options)) continue;
    const std::string place = path + ":" + std::to_string(record.line) + ": ";
    const auto seconds = measured_seconds(row);
    if (!seconds || *seconds <= 0) {
      return invalid_argument(place + "needs a positive time in a column seconds, median_s or implied_time_us");
    }
    if (*seconds < kLeastSeconds || *seconds > kMostSeconds) {
      return invalid_argument(
          place + absl::StrFormat("a time of %g s; times are from %g to %g s", *seconds, kLeastSeconds, kMostSeconds));
    }
    if (const char* column = wrong_size(row)) {
      return invalid_argument(place + absl::StrFormat("column %s must be a whole number from 1 to 2^40", column));
    }
    if (*seconds < 2 * options.floor_seconds) continue;
    Measurement measurement;
    measurement.what = name_of(row);
    measurement.seconds = *seconds - options.floor_seconds;
    const std::string* dump = find(row, "hlo");
    if (dump != nullptr && !options.dump_root.empty()) {
      absl::StatusOr<std::vector<Work>> ops = dump_work(options.dump_root + "/" + *dump);
      if (!ops.ok()) return ops.status();
      measurement.ops = *std::move(ops);
    } else {
      const std::optional<Work> work = product_work(row);
      if (!work) return invalid_argument(place + "needs the columns m, n, k and dtype (or lhs_dtype) of a matmul");
      measurement.ops = {*work};
    }
    result.push_back(std::move(measurement));
  }
  return result;
}

Split split_in_two(const std::vector<Measurement>& measurements) {
  Split split;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    (i % 2 == 0 ? split.fitted : split.held_back).push_back(measurements[i]);
  }
  return split;
}

double predicted_seconds(const Measurement& measurement, const Device& device) {
  double seconds = 0;
  for (const Work& work : measurement.ops) seconds += op_time(work, device).seconds;
  return seconds;
}

}  // namespace hloroof::internal::inline calibrate

// The report as a page: its data as JSON, from which the scripts in html/ draw everything.
#include "lib/page/html_report.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/describe/json_writer.h"
#include "lib/describe/record_json.h"
#include "lib/explain/explain.h"
#include "lib/explain/terms_view.h"
#include "lib/page/memory_over_time.h"
#include "lib/page/page.h"
#include "lib/profile/measured_profile.h"
#include "lib/report/verdict.h"
#include "lib/request/options.h"
#include "lib/results/glossary.h"
#include "lib/results/layers.h"
#include "lib/results/prediction_fields.h"
#include "lib/results/prediction_json.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline page {
namespace {

// Values in the row of an op after its fields, in this order.
struct FurtherColumn {
  const char* name;
  bool is_shared;
};
constexpr FurtherColumn kFurtherColumns[] = {
    {"layer", false},        // index of its leaf in "layers", or null
    {"operands", false},     // indices of the ops
    {"terms", true},         // main terms in one line
    {"formula", true},       // the tree of terms
    {"numbers", true},       // paths of the device's parameters in the terms
    {"resource", true},      // that bounds its own work
    {"matrix_rate", false},  // flop/s at the nominal peak for the types of its largest matrix product
    {"trips", false},        // of a loop
    {"result", false},       // indices of its shapes
    {"hlo", false},          // its line
};

// Whether the column of a field is shared: all texts and lists but the names, which differ.
template <typename T>
constexpr bool is_shared_field(const FieldInfo& info) {
  if constexpr (IsOptional<T>::value) return is_shared_field<std::decay_t<decltype(*std::declval<T>())>>(info);
  return !std::is_arithmetic_v<T> && info.name != "name";
}

// Values that rows refer to by their index.
class SharedValues {
 public:
  std::int64_t index_of(const std::string& json) {
    const auto [found, is_new] = index_.try_emplace(json, static_cast<std::int64_t>(index_.size()));
    if (is_new) values_.push_back(found->first);
    return found->second;
  }

  void write(JsonWriter& out) const {
    out.begin_array();
    for (const std::string& value : values_) out.json(value);
    out.end_array();
  }

 private:
  absl::flat_hash_map<std::string, std::int64_t> index_;
  std::vector<std::string> values_;
};

// Limits of what is written for each op. They keep the page of a large module at a few MB.
constexpr std::size_t kMostTerms = 4;
constexpr std::size_t kFormulaWidth = 62;
constexpr std::size_t kMostShapes = 4;
constexpr std::size_t kLongestLine = 900;

// Shapes of arrays, each with its description.
class PageShapes {
 public:
  PageShapes(const Module& module, DeviceFamily family) : module_(module), family_(family) {}

  std::int64_t index_of(ShapeId leaf) {
    const auto [found, is_new] = index_.try_emplace(leaf.index, static_cast<std::int64_t>(shapes_.size()));
    if (is_new) shapes_.push_back(leaf);
    return found->second;
  }

  void write(JsonWriter& out) const {
    out.begin_array();
    for (ShapeId leaf : shapes_) {
      out.begin_array();
      out.value(std::string_view(to_string(module_.shapes(), leaf)));
      out.value(std::string_view(explain_shape(module_.shape(leaf), family_, 0)));
      out.end_array();
    }
    out.end_array();
  }

 private:
  const Module& module_;
  DeviceFamily family_;
  absl::flat_hash_map<std::uint32_t, std::int64_t> index_;
  std::vector<ShapeId> shapes_;
};

template <typename T>
void write_or_null(const std::optional<T>& value, JsonWriter& out) {
  if (value) {
    out.value(*value);
  } else {
    out.null();
  }
}

// Writes one prediction.
class PageStep {
 public:
  PageStep(const StepPrediction& prediction, JsonWriter& out)
      : prediction_(prediction),
        facts_(*prediction.facts),
        module_(*facts_.module),
        shapes_(module_, prediction.family),
        layers_(make_layers(prediction)),
        out_(out) {
    for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
      index_[prediction.ops[i].id.index] = static_cast<std::int64_t>(i);
    }
    leaf_of_op_.resize(prediction.ops.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      for (std::size_t op : layers_[i].ops) leaf_of_op_[op] = static_cast<std::int64_t>(i);
    }
  }

  void write(std::string_view file, std::span<const MeasuredEvent> measured) {
    out_.begin_object();
    out_.member("file", file);
    StepPrediction summary = prediction_;
    summary.ops.clear();  // written below as rows without field names
    out_.key("prediction");
    write_json(summary, out_);
    out_.member("verdict", std::string_view(verdict(prediction_)));
    out_.member("model_flops", std::string_view(model_flops_text(prediction_)));
    out_.key("layers");
    write_json_value(layers_, out_);
    out_.member("device_name", std::string_view(facts_.target.device.display_name));
    out_.key("options");
    options();
    out_.key("roofs");
    write_json_value(prediction_.roofs, out_);
    out_.key("ops");
    out_.begin_array();
    for (const OpPrediction& op : prediction_.ops) row(op);
    out_.end_array();
    out_.key("shared");
    shared_.write(out_);
    out_.key("shapes");
    shapes_.write(out_);
    out_.key("timeline");
    timeline(measured);
    out_.key("memory");
    memory();
    out_.end_object();
  }

 private:
  void text(std::string_view value) { out_.value(value); }

  template <typename T>
  void shared(const T& value) {
    JsonWriter one(JsonLayout::kCompact);
    write_json_value(value, one, prediction_.family);
    out_.value(shared_.index_of(one.take()));
  }

  void op_or_null(InstructionId id) {
    const auto found = id.valid() ? index_.find(id.index) : index_.end();
    if (found == index_.end()) return out_.null();
    out_.value(found->second);
  }

  // Writes the fields, then the values of kFurtherColumns.
  void row(const OpPrediction& op) {
    const InstructionView instruction = module_.instruction(op.id);
    out_.begin_array();
    for_each_field(op, [&](const FieldInfo& info, const auto& value) {
      if (is_shared_field<std::decay_t<decltype(value)>>(info)) {
        shared(value);
      } else {
        write_json_value(value, out_, prediction_.family);
      }
    });
    layer(static_cast<std::size_t>(&op - prediction_.ops.data()));
    operands(instruction);
    terms(op);
    shared(op.bound ? std::optional(to_string(*op.bound, prediction_.family)) : std::nullopt);
    write_or_null(matrix_rate(op), out_);
    const TripCount* trips = CallFacts::trip_count(facts_.calls, op.id);
    write_or_null(trips != nullptr ? std::optional(trips->value) : std::nullopt, out_);
    result(instruction);
    PrintOptions print;
    print.metadata = false;
    print.backend_config = false;
    print.large_constants = false;
    std::string line = print_instruction(instruction, print);
    if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + " ...";
    text(line);
    out_.end_array();
  }

  void layer(std::size_t op) { write_or_null(leaf_of_op_[op], out_); }

  void operands(InstructionView instruction) {
    out_.begin_array();
    for (InstructionId operand : instruction.operand_ids()) {
      if (const auto found = index_.find(operand.index); found != index_.end()) out_.value(found->second);
    }
    out_.end_array();
  }

  void terms(const OpPrediction& op) {
    const Term term = execution_terms(facts_, op.id);
    shared(main_terms(term, kMostTerms));
    shared(term.seconds > 0 ? terms_table(term, kFormulaWidth) : std::string());
    std::vector<std::string_view> paths;
    if (term.seconds > 0) add_parameters(term, paths);
    shared(paths);
  }

  std::optional<double> matrix_rate(const OpPrediction& op) const {
    const MatrixWork* largest = nullptr;
    double most = 0;
    for (const MatrixWork& product : op.work->matrix) {
      const double size = product.m * product.n * product.k * product.batch;
      if (largest != nullptr && size <= most) continue;
      largest = &product;
      most = size;
    }
    if (largest == nullptr) return std::nullopt;
    const std::optional<ProductPeak<double>> peak = product_peak(*largest, facts_.target.device);
    return peak ? std::optional(peak->rate) : std::nullopt;
  }

  void result(InstructionView instruction) {
    out_.begin_array();
    const absl::Span<const ShapeId> leaves = module_.shapes().leaves(instruction.shape_id());
    for (std::size_t i = 0; i < std::min(leaves.size(), kMostShapes); ++i) out_.value(shapes_.index_of(leaves[i]));
    out_.end_array();
  }

  // The lanes of the measured run: "measured", or "measured 2" for a further thread or stream. An op that the module
  // does not have is left out.
  void measured_timeline(std::span<const MeasuredEvent> measured) {
    std::unordered_map<std::string_view, std::int64_t> by_name;
    for (std::size_t i = 0; i < prediction_.ops.size(); ++i)
      by_name.emplace(prediction_.ops[i].name, static_cast<std::int64_t>(i));
    std::map<std::size_t, std::size_t> lanes;
    for (const MeasuredEvent& event : measured) {
      const auto found = by_name.find(event.name);
      if (found == by_name.end()) continue;
      const std::size_t lane = lanes.try_emplace(event.lane, lanes.size() + 1).first->second;
      out_.begin_array();
      out_.value(found->second);
      out_.value(lane == 1 ? std::string("measured") : "measured " + std::to_string(lane));
      out_.value(event.begin);
      out_.value(event.begin + event.seconds);
      out_.null();
      out_.end_array();
    }
  }

  void timeline(std::span<const MeasuredEvent> measured) {
    out_.begin_array();
    measured_timeline(measured);
    for (const TimelineEvent& event : prediction_.timeline) {
      const auto found = index_.find(event.id.index);
      if (found == index_.end()) continue;
      out_.begin_array();
      out_.value(found->second);
      out_.value(to_string(event.lane, prediction_.family));
      out_.value(event.begin);
      out_.value(event.end);
      op_or_null(event.awaited);
      out_.end_array();
    }
    out_.end_array();
  }

  void memory() {
    const MemoryOverTime memory = memory_over_time(facts_);
    out_.begin_object();
    out_.member("seconds", memory.seconds);
    out_.key("levels");
    write_json_value(memory.levels, out_);
    out_.member("peak_seconds", memory.peak_seconds);
    out_.member("peak_bytes", memory.peak_bytes);
    out_.key("peak_op");
    op_or_null(memory.peak);
    out_.end_object();
  }

  // The options that differ from the defaults, as words for a command line.
  void options() {
    out_.begin_array();
    for (const auto& [name, value] : command_options(facts_.options)) {
      out_.begin_array();
      text(name);
      text(value.empty() ? value : shell_word(value));
      out_.end_array();
    }
    out_.end_array();
  }

  const StepPrediction& prediction_;
  const StepFacts& facts_;
  const Module& module_;
  absl::flat_hash_map<std::uint32_t, std::int64_t> index_;  // by InstructionId
  PageShapes shapes_;
  SharedValues shared_;
  std::vector<Layer> layers_;
  std::vector<std::optional<std::int64_t>> leaf_of_op_;  // indices in layers_
  JsonWriter& out_;
};

// Writes the members "columns", "glossary" and "version", which all predictions share. "columns" describes the values
// in the row of an op: the fields of prediction_fields.h, then further ones without a unit. In a column that is
// "shared", the row has an index into "shared" of its prediction instead of the value, because most ops of a large
// program have the same values there.
void write_page_members(JsonWriter& out) {
  out.member("version", std::string_view(HLOROOF_VERSION_STRING));
  out.key("columns");
  out.begin_array();
  for_each_field(OpPrediction(), [&out](const FieldInfo& info, const auto& value) {
    out.begin_object();
    out.member("name", info.name);
    out.member("unit", unit_symbol(info.unit));
    out.member("meaning", info.meaning);
    out.member("title", info.title);
    out.member("shared", is_shared_field<std::decay_t<decltype(value)>>(info));
    out.end_object();
  });
  for (const FurtherColumn& column : kFurtherColumns) {
    out.begin_object();
    out.member("name", std::string_view(column.name));
    out.member("shared", column.is_shared);
    out.end_object();
  }
  out.end_array();
  out.key("glossary");
  out.begin_array();
  for (const GlossaryTerm& term : glossary()) {
    out.begin_array();
    out.value(term.term);
    out.value(term.meaning);
    out.end_array();
  }
  out.end_array();
}

// Writes the object of one prediction. `file` is the path of the module; it may be empty. Reads prediction.facts.
//   {"file": "step.hlo", "prediction": {...}, "verdict": "...", "layers": [...], "options": [["--topology", "4x4"]],
//   "roofs": [...],
//    "shared": [...],
//    "shapes": [["f32[8]{0}", "words about its layout"]], "ops": [[...]],
//    "timeline": [[op, lane, begin, end, awaited op or null]], "memory": {...}}
// Ops are referred to by their index in "ops". The events of a `measured` run precede those of the prediction, on lanes
// of their own.
void write_page_step(std::string_view file, const StepPrediction& prediction, JsonWriter& out,
                     std::span<const MeasuredEvent> measured) {
  PageStep(prediction, out).write(file, measured);
}

}  // namespace

PageWriter::PageWriter() {
  out_.begin_object();
  write_page_members(out_);
  out_.key("steps");
  out_.begin_array();
}

void PageWriter::add(std::string_view file, const StepPrediction& prediction, std::span<const MeasuredEvent> measured) {
  write_page_step(file, prediction, out_, measured);
}

std::string PageWriter::take() {
  out_.end_array();
  out_.end_object();
  return make_page("report.html", out_.take());
}

std::string html_report(const StepPrediction& prediction, std::span<const MeasuredEvent> measured) {
  PageWriter page;
  page.add("", prediction, measured);
  return page.take();
}

}  // namespace hloroof::internal::inline page

// Decodes single values of attributes.
//
// The functions on an InstructionView return an empty optional, list or string, or the fallback, if the instruction
// does not have the attribute or its text is malformed. parse_text() of decode.h decodes a text that is in no module.
#ifndef HLOROOF_LIB_VALUES_ATTRIBUTE_VALUES_H_
#define HLOROOF_LIB_VALUES_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline values {

// An integer attribute: channel_id, iota_dimension, feature_group_count, index, k.
std::optional<std::int64_t> integer(InstructionView instruction, AttributeKey key);
std::int64_t integer_or(InstructionView instruction, AttributeKey key, std::int64_t fallback);

// A true/false attribute: use_global_device_ids, is_stable.
bool flag(InstructionView instruction, AttributeKey key, bool fallback = false);

// A number attribute: epsilon.
std::optional<double> number(InstructionView instruction, AttributeKey key);

// A list of integers: dimensions, slice_sizes, dynamic_slice_sizes, fft_length, offset_dims. `{{0,1},{2}}` is
// flattened.
std::vector<std::int64_t> integers(InstructionView instruction, AttributeKey key);

// A list of lists: slice_sizes of a collective-permute.
std::vector<std::vector<std::int64_t>> integer_lists(InstructionView instruction, AttributeKey key);

// {true,false}: parameter_replication. A single true or false is a list of one element.
std::vector<bool> flags(InstructionView instruction, AttributeKey key);

// A word as written: direction ("LT"), kind ("kLoop"), algorithm, fft_type, distribution.
std::string_view word(InstructionView instruction, AttributeKey key);

// A string without its quotes and escapes: custom_call_target, infeed_config, async_execution_thread.
std::string string_value(InstructionView instruction, AttributeKey key);

// operand_precision of a dot or convolution: how precisely it multiplies f32. On TPU this is the number of bf16 passes.
// One entry per operand; empty if the text has none, which means kDefault for all.
enum class Precision : std::uint8_t { kDefault, kHigh, kHighest };
std::vector<Precision> operand_precision(InstructionView instruction);

// 0_1_2x3_3: the padding of one dimension. Low and high may be negative.
struct PaddingDimension {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t interior = 0;
};

// The padding of a pad instruction, one entry per dimension.
std::vector<PaddingDimension> padding(InstructionView instruction);

// [start:limit:stride] of a slice instruction.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t limit = 0;
  std::int64_t stride = 1;
};
std::vector<SliceRange> slice_ranges(InstructionView instruction);

struct GatherDimensions {
  std::vector<std::int64_t> offset_dims;
  std::vector<std::int64_t> collapsed_slice_dims;
  std::vector<std::int64_t> start_index_map;
  std::vector<std::int64_t> operand_batching_dims;
  std::vector<std::int64_t> start_indices_batching_dims;
  std::int64_t index_vector_dim = 0;
  std::vector<std::int64_t> slice_sizes;
};

GatherDimensions gather_dimensions(InstructionView instruction);

struct ScatterDimensions {
  std::vector<std::int64_t> update_window_dims;
  std::vector<std::int64_t> inserted_window_dims;
  std::vector<std::int64_t> scatter_dims_to_operand_dims;
  std::vector<std::int64_t> input_batching_dims;
  std::vector<std::int64_t> scatter_indices_batching_dims;
  std::int64_t index_vector_dim = 0;
};

ScatterDimensions scatter_dimensions(InstructionView instruction);

// A path into nested tuples: {1,0} is element 0 of element 1, {} is the whole shape.
using ShapeIndex = std::vector<std::int64_t>;

// output_to_operand_aliasing={{0}: (1, {})}: result `output` shares the memory of operand `operand` at `operand_index`.
struct OperandAlias {
  ShapeIndex output;
  std::int64_t operand = 0;
  ShapeIndex operand_index;
};
std::vector<OperandAlias> output_to_operand_aliasing(InstructionView instruction);

// input_output_alias of the HloModule line: result `output` may, or must, reuse the memory of entry parameter
// `parameter`.
struct ParameterAlias {
  ShapeIndex output;
  std::int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;
};
std::vector<ParameterAlias> input_output_alias(const Module& module);

// buffer_donor of the HloModule line: a parameter whose memory any result may reuse.
struct BufferDonor {
  std::int64_t parameter = 0;
  ShapeIndex parameter_index;
};
std::vector<BufferDonor> buffer_donors(const Module& module);

std::optional<Metadata> metadata(InstructionView instruction);

// frontend_attributes={key=value,...} of an instruction or of the HloModule line. Values have no quotes and escapes.
using FrontendAttributes = std::vector<std::pair<std::string, std::string>>;
FrontendAttributes frontend_attributes(InstructionView instruction);
FrontendAttributes frontend_attributes(const Module& module);
std::optional<std::string> frontend_attribute(InstructionView instruction, std::string_view key);

// statistics={visualizing_index=0,name=1.5}
struct Statistics {
  std::int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;
};
std::optional<Statistics> statistics(InstructionView instruction);

// result_accuracy={mode=highest} or {tolerance={atol=0,rtol=0,ulps=2}}
struct ResultAccuracy {
  enum class Mode : std::uint8_t { kDefault, kHighest, kTolerance };
  Mode mode = Mode::kDefault;
  double absolute = 0;
  double relative = 0;
  std::int64_t ulps = 0;
};
std::optional<ResultAccuracy> result_accuracy(InstructionView instruction);

// entry_computation_layout={(f32[2]{0}, s32[])->f32[2]{0}}: the layouts that the caller uses, which may differ from
// those of the entry's parameters and root.
struct EntryLayout {
  std::vector<ShapeId> parameters;
  ShapeId result;
};

// Adds the shapes to `table`. nullopt if the text has no entry layout; the caller then uses the shapes of the
// parameters and the root.
std::optional<EntryLayout> entry_computation_layout(const Module& module, ShapeTable& table);

// Errors: InvalidArgument with the column and a caret if the text is malformed.
absl::StatusOr<ReplicaGroups> parse_replica_groups(std::string_view text);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_ATTRIBUTE_VALUES_H_

// The values of HLO attributes as plain structs, decoded from their text on demand.
//
//   if (std::optional<Window> w = window(convolution)) use(w->dimensions[0].stride);
//   std::vector<std::int64_t> dims = integers(reduce, AttributeKey::kDimensions);
//   DotDimensions d = dot_dimensions(dot);              // d.lhs_contracting, d.rhs_batch, ...
//   std::string where = source_location(instruction).file;
//
// The functions on an InstructionView return an empty optional, list or string, or the fallback, if the instruction
// does not have the attribute. They do the same if its text is malformed, which the parser rejects but an edit may
// cause. The parse_ functions decode the text that they are passed, and return InvalidArgument with the column and a
// caret if it is malformed.
//
// Lifetime: the results own their data, except word(), whose view points into the module's text. Nothing is cached:
// each call decodes again.
//
// Threads: any number of threads may call these functions while no thread edits the module.
//
// See also replica_groups.h, sharding.h, literal.h and backend_config.h for the larger values.
#ifndef HLOROOF_ATTRIBUTE_VALUES_H_
#define HLOROOF_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/attribute.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// ---- Single values and lists ------------------------------------------------------------------------------------

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

// ---- window, dim_labels, padding, slice -------------------------------------------------------------------------

// {size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0}, one entry per spatial dimension.
struct WindowDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t pad_low = 0;
  std::int64_t pad_high = 0;
  std::int64_t base_dilation = 1;    // lhs_dilate: (base_dilation - 1) holes between neighbouring input elements
  std::int64_t window_dilation = 1;  // rhs_dilate: (window_dilation - 1) holes between neighbouring window elements
  bool reversal = false;

  friend bool operator==(const WindowDimension& a, const WindowDimension& b);
};

struct Window {
  std::vector<WindowDimension> dimensions;

  friend bool operator==(const Window& a, const Window& b) { return a.dimensions == b.dimensions; }
};

std::optional<Window> window(InstructionView instruction);
absl::StatusOr<Window> parse_window(std::string_view text);

// b01f_01io->b01f: the meaning of each array dimension. A field is -1 if its label is absent. spatial[i] is the array
// dimension that holds spatial dimension i.
struct ConvolutionDimensionNumbers {
  std::int64_t lhs_batch = -1;
  std::int64_t lhs_feature = -1;
  std::vector<std::int64_t> lhs_spatial;
  std::int64_t rhs_input_feature = -1;
  std::int64_t rhs_output_feature = -1;
  std::vector<std::int64_t> rhs_spatial;
  std::int64_t output_batch = -1;
  std::int64_t output_feature = -1;
  std::vector<std::int64_t> output_spatial;
};

std::optional<ConvolutionDimensionNumbers> convolution_dimension_numbers(InstructionView instruction);
absl::StatusOr<ConvolutionDimensionNumbers> parse_convolution_dimension_numbers(std::string_view text);

// 0_1_2x3_3: the padding of one dimension. Low and high may be negative.
struct PaddingDimension {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t interior = 0;
};

// The padding of a pad instruction, one entry per dimension.
std::vector<PaddingDimension> padding(InstructionView instruction);
absl::StatusOr<std::vector<PaddingDimension>> parse_padding(std::string_view text);

// [start:limit:stride] of a slice instruction.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t limit = 0;
  std::int64_t stride = 1;
};

std::vector<SliceRange> slice_ranges(InstructionView instruction);
absl::StatusOr<std::vector<SliceRange>> parse_slice_ranges(std::string_view text);

// ---- Dimension numbers of dot, gather, scatter ------------------------------------------------------------------

// The dimension numbers of dot, ragged-dot and scaled-dot. Only ragged-dot has lhs_ragged and rhs_group.
struct DotDimensions {
  std::vector<std::int64_t> lhs_contracting;
  std::vector<std::int64_t> rhs_contracting;
  std::vector<std::int64_t> lhs_batch;
  std::vector<std::int64_t> rhs_batch;
  std::vector<std::int64_t> lhs_ragged;
  std::vector<std::int64_t> rhs_group;
};

DotDimensions dot_dimensions(InstructionView instruction);

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

// ---- Aliasing ---------------------------------------------------------------------------------------------------

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

// ---- Origin in the source ---------------------------------------------------------------------------------------

// metadata={...}. Integers are 0 and strings are empty if the text does not have them.
struct Metadata {
  std::string op_type;
  std::string op_name;  // the path in the user's program: jit(f)/while/body/dot_general
  std::string source_file;
  std::int32_t source_line = 0;
  std::int32_t source_end_line = 0;
  std::int32_t source_column = 0;
  std::int32_t source_end_column = 0;
  std::vector<std::int64_t> profile_types;
  std::string deduplicated_name;  // the instruction whose code this one shares
  std::string scheduling_name;
  std::int32_t stack_frame_id = 0;  // starts at 1; 0 means none
  std::string metadata_payload;
};

std::optional<Metadata> metadata(InstructionView instruction);
absl::StatusOr<Metadata> parse_metadata(std::string_view text);

// The op_name of metadata. Cheaper than decoding all of it.
std::string op_name(InstructionView instruction);

// A place in the user's source. The file is empty if the place is unknown.
struct SourceLocation {
  std::string file;
  std::string function;
  std::int32_t line = 0;
  std::int32_t end_line = 0;
  std::int32_t column = 0;
  std::int32_t end_column = 0;
};

// The FileNames, FunctionNames, FileLocations and StackFrames tables of a module. A copy that does not refer to the
// module; any number of threads may read it.
class StackFrames {
 public:
  StackFrames() = default;
  explicit StackFrames(const Module& module);

  std::size_t size() const { return frames_.size(); }
  // The location of frame `id`, which starts at 1 as stack_frame_id does. nullopt if there is no such frame.
  std::optional<SourceLocation> location(std::int64_t id) const;
  // The caller of frame `id`; 0 if it has none.
  std::int64_t parent(std::int64_t id) const;

 private:
  struct Location {
    std::uint32_t file = 0;
    std::uint32_t function = 0;
    std::int32_t line = 0;
    std::int32_t end_line = 0;
    std::int32_t column = 0;
    std::int32_t end_column = 0;
  };
  struct Frame {
    std::uint32_t location = 0;
    std::uint32_t parent = 0;
  };
  friend struct StackFrameReader;

  std::vector<std::string> files_;
  std::vector<std::string> functions_;
  std::vector<Location> locations_;
  std::vector<Frame> frames_;
};

// The source location of an instruction: source_file and source_line of its metadata, or else its stack frame. Use the
// second form for many instructions; it does not decode the module's tables on every call.
SourceLocation source_location(InstructionView instruction);
SourceLocation source_location(InstructionView instruction, const StackFrames& frames);

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

// ---- Entry layout -----------------------------------------------------------------------------------------------

// entry_computation_layout={(f32[2]{0}, s32[])->f32[2]{0}}: the layouts that the caller uses, which may differ from
// those of the entry's parameters and root.
struct EntryLayout {
  std::vector<ShapeId> parameters;
  ShapeId result;
};

// Adds the shapes to `table`. nullopt if the text has no entry layout; the caller then uses the shapes of the
// parameters and the root.
std::optional<EntryLayout> entry_computation_layout(const Module& module, ShapeTable& table);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ATTRIBUTE_VALUES_H_

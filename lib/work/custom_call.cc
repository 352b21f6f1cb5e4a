#include "lib/work/custom_call.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/kernel/tpu/read_kernel.h"
#include "lib/values/attribute_values.h"
#include "lib/values/backend_config.h"
#include "lib/work/contraction.h"
#include "lib/work/gpu_kernel.h"
#include "lib/work/inside.h"
#include "lib/work/kernel_shapes.h"
#include "lib/work/library_call.h"
#include "lib/work/region_products.h"
#include "lib/work/registers.h"
#include "lib/work/shaped_kernel.h"
#include "lib/work/stated_cost.h"
#include "re2/re2.h"

namespace hloroof::internal::inline work {
namespace {

// The pattern between slashes; nullopt for a plain name.
std::optional<std::string_view> pattern_of(std::string_view name) {
  if (name.size() < 2 || name.front() != '/' || name.back() != '/') return std::nullopt;
  return name.substr(1, name.size() - 2);
}

// Scales the bytes of `work` so that they add up to `bytes`. Keeps their distribution over the memories.
void set_bytes(Work& work, double bytes) {
  const double before = work.read.total() + work.written.total();
  if (before <= 0) {
    work.read.hbm = bytes;
  } else {
    const double factor = bytes / before;
    for (MemoryBytes* m : {&work.read, &work.written}) {
      m->hbm *= factor;
      m->vmem *= factor;
      m->host *= factor;
      m->scalar *= factor;
    }
  }
  work.logical_bytes = bytes;
  work.padded_bytes = bytes;
}

void set_flops(Work& work, double flops, ElementType type) {
  work.flops = flops;
  work.matrix_flops = flops;
  work.matrix.clear();
  // The shape of the product is not known. Assume one that fills the matrix unit.
  if (flops <= 0) return;
  MatrixWork product;
  product.flops = flops;
  product.m = product.n = product.k = std::cbrt(flops / 2);
  product.lhs = product.rhs = type;
  product.is_shape_known = false;
  work.matrix.push_back(product);
}

// The element type of the largest operand of a call, which its products are assumed to multiply.
ElementType main_type(InstructionView call, SizeCache& sizes) {
  ElementType type = ElementType::kBf16;
  double most = 0;
  for (InstructionView operand : call.operands()) {
    const ArraySize& size = sizes[operand.shape_id()];
    if (size.logical_bytes > most && operand.shape().is_array()) {
      most = size.logical_bytes;
      type = operand.shape().element_type;
    }
  }
  return type;
}

const Shape* first_leaf(InstructionView call) {
  const absl::Span<const ShapeId> leaves = call.module().shapes().leaves(call.shape_id());
  return leaves.empty() ? nullptr : &call.module().shape(leaves[0]);
}

// Converts "ALG_DOT_TF32_TF32_F32" to the name that a dot has, "dot_tf32_tf32_f32". Empty for ALG_UNSET.
std::string algorithm_name(std::string_view enumerator) {
  constexpr std::string_view kPrefix = "ALG_";
  if (enumerator.substr(0, kPrefix.size()) != kPrefix || enumerator == "ALG_UNSET") return "";
  std::string name(enumerator.substr(kPrefix.size()));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// Adds a product that a library computes. Its dimension numbers are in the backend_config.
bool add_gemm(InstructionView call, Work& work) {
  const auto config = gemm_backend_config(call);
  const Shape* out = first_leaf(call);
  if (!config || call.operand_count() < 2 || out == nullptr) return false;
  MatrixWork product = dot_work(call.operand(0).shape(), call.operand(1).shape(), config->dimensions);
  product.out = out->element_type;
  product.is_tuned = config->selected_algorithm.has_value();
  std::vector<Precision> precision;
  for (const std::string& p : config->operand_precision) {
    precision.push_back(p == "HIGHEST" ? Precision::kHighest : p == "HIGH" ? Precision::kHigh : Precision::kDefault);
  }
  set_passes(algorithm_name(config->algorithm), precision, product);
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  return true;
}

// cuDNN's tensor-core kernels load the channels of an image in words of 16 bytes. If the channels fill no words, a
// kernel first copies the image with more of them, which the product then contracts as well. The threads compute the
// place of each word of each window, for every block of filters.
void pad_channels(const Shape& image, std::int64_t feature, MatrixWork& product, Work& work) {
  constexpr double kWordBits = 128;
  constexpr double kBlockOfFilters = 64;  // of the kernels that cuDNN takes for the first layers of networks (H100-JAX)
  if (product.batch > 1 || feature < 0 || feature >= image.rank() || image.dimensions[feature] <= 0) return;
  const auto channels = static_cast<double>(image.dimensions[feature]);
  const double in_word = kWordBits / bits(image.element_type);
  const double words = std::ceil(channels / in_word);
  const double padded = words * in_word;
  if (padded == channels) return;
  const double bytes = static_cast<double>(element_count(image)) / channels * padded * bits(image.element_type) / 8;
  product.k *= padded / channels;
  product.is_unaligned = true;
  work.read.hbm += bytes;
  work.written.hbm += bytes;
  work.logical_bytes += 2 * bytes;
  work.kernels = 2;
  add_vector(work, Opcode::kConvolution, ElementType::kF32,
             product.m * product.window_positions * words * std::ceil(product.n / kBlockOfFilters), true);
}

// Adds a cuDNN convolution. Its window and dim_labels are those of the forward convolution, whichever of the three
// arrays it computes.
bool add_convolution(InstructionView call, std::string_view target, Work& work) {
  const auto numbers = convolution_dimension_numbers(call);
  const Shape* out = first_leaf(call);
  if (!numbers || call.operand_count() < 2 || out == nullptr) return false;
  const Shape* lhs = &call.operand(0).shape();
  const Shape* rhs = &call.operand(1).shape();
  const Shape* result = out;
  if (target.find("BackwardInput") != std::string_view::npos) {
    lhs = out;
    result = &call.operand(0).shape();
  } else if (target.find("BackwardFilter") != std::string_view::npos) {
    rhs = out;
    result = &call.operand(1).shape();
  }
  MatrixWork product = convolution_work(*lhs, *rhs, *result, window(call).value_or(Window{}), *numbers,
                                        integer_or(call, AttributeKey::kFeatureGroupCount, 1),
                                        integer_or(call, AttributeKey::kBatchGroupCount, 1));
  product.is_tuned = true;  // cuDNN has no default algorithm: XLA always chooses one
  work.flops += product.flops;
  if (product.batch > 1 && product.n <= 1 && product.k <= product.window_positions) {
    // Each channel has a filter of its own: cuDNN's kernels multiply and add on the vector units.
    add_vector(work, Opcode::kConvolution, ElementType::kF32, product.flops / 2);
    return true;
  }
  pad_channels(*lhs, numbers->lhs_feature, product, work);
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  return true;
}

// Replaces the bytes of HBM by those that the kernel transfers.
void set_transferred_bytes(const KernelRun& run, Work& work) {
  work.read.hbm = 0;
  work.written.hbm = 0;
  // A block that is moved twice is twice the bytes, of which its elements are the same share.
  double unpadded = 0;
  for (const KernelEvent& event : run.events) {
    if (event.kind != KernelEvent::Kind::kStart) continue;
    const KernelTransfer& transfer = run.transfers[event.index];
    if (transfer.kind == KernelTransfer::Kind::kRead) work.read.hbm += transfer.bytes;
    if (transfer.kind == KernelTransfer::Kind::kWrite) work.written.hbm += transfer.bytes;
    const bool is_hbm = transfer.kind == KernelTransfer::Kind::kRead || transfer.kind == KernelTransfer::Kind::kWrite;
    if (is_hbm) unpadded += transfer.unpadded_bytes;
  }
  work.padded_bytes = work.read.total() + work.written.total();
  work.logical_bytes = unpadded + (work.padded_bytes - work.read.hbm - work.written.hbm);
}

// Adds what the body of a Pallas kernel does.
void add_kernel_body(const KernelRun& run, Work& work) {
  for (const KernelRegion& region : run.regions) {
    if (region.runs <= 0) continue;
    for (const MatrixWork& product : products_of(region.work, region.runs)) {
      work.flops += product.flops;
      work.matrix_flops += product.flops;
      work.matrix.push_back(product);
    }
    for (const VectorWork& part : vector_work_of(region.work, region.runs)) {
      if (work_class(part.opcode) == WorkClass::kTranscendental) work.transcendentals += part.elements;
      add_vector(work, part.opcode, part.type, part.elements, part.cross_lane, part.to);
    }
  }
  set_transferred_bytes(run, work);
  if (!run.assumptions.empty()) work.source = std::max(work.source, CostSource::kAssumed);
  if (!run.unknown_ops.empty()) work.source = CostSource::kUnknown;
}

// Adds the work of a kernel whose body is missing or could not be followed: what its shapes show, or else what its
// author states, as far as the shapes allow it. `facts` receives what the work rests on.
void add_kernel_without_body(InstructionView call, SizeCache& sizes, Work& work, KernelRun& facts) {
  const std::optional<CostEstimate> estimate = cost_estimate(call);
  if (const std::optional<KernelShapes> shapes = recognize_kernel(call)) {
    ShapedKernel shaped = add_shaped_kernel(call, *shapes, work);
    facts.assumptions = std::move(shaped.assumptions);
    if (!estimate) return;
    std::string remark = reconcile(*estimate, shaped.least_share, work);
    if (!remark.empty()) facts.assumptions.push_back(std::move(remark));
    return;
  }
  work.source = CostSource::kUnknown;
  // A kernel also moves arrays that have no window, so that its windows set a lower limit.
  Work moved = work;
  set_transferred_bytes(facts, moved);
  const bool windows_move_more = moved.padded_bytes > work.read.total() + work.written.total();
  if (windows_move_more) {
    work = std::move(moved);
    facts.assumptions.emplace_back("Its bytes are those that its windows move.");
  }
  if (!estimate) return;
  StatedCost stated = check_stated_cost(call, *estimate);
  facts.assumptions.insert(facts.assumptions.end(), stated.remarks.begin(), stated.remarks.end());
  if (stated.bytes && *stated.bytes > 0 && !windows_move_more) set_bytes(work, *stated.bytes);
  set_flops(work, stated.flops.value_or(0), main_type(call, sizes));
  work.transcendentals = stated.transcendentals.value_or(0);
  add_vector(work, Opcode::kExponential, ElementType::kF32, work.transcendentals);
  // A refused number of operations leaves the work unknown. An author who states only bytes says that there is no other
  // work.
  if (estimate->flops ? stated.flops.has_value() : stated.bytes.has_value()) {
    work.source = CostSource::kAssumed;
    facts.assumptions.emplace_back(
        "The author's cost_estimate is used: its shapes show no kernel that is known, and "
        "allow what it states.");
  }
}

void add_kernel(InstructionView call, const GivenCosts& given, SizeCache& sizes, KernelRuns& kernels, Work& work) {
  ReadKernelOptions options;
  options.lists = given.kernel_lists();
  const std::shared_ptr<const KernelRuns::Result> result = kernels.read(call, options);
  const absl::StatusOr<KernelRun>& run = *result;
  if (run.ok() && run->failure.empty()) {
    add_kernel_body(*run, work);
    work.kernel = std::shared_ptr<const KernelRun>(result, &*run);
    return;
  }
  if (absl::IsNotFound(run.status()) && add_gpu_kernel(call, work).ok()) return;
  KernelRun facts;
  if (run.ok()) {
    facts = *run;
    // Without code there is nothing to say about what it assumes of its data.
    facts.assumptions.clear();
  } else {
    facts.failure = std::string(run.status().message());
    facts.has_body = !absl::IsNotFound(run.status());
  }
  add_kernel_without_body(call, sizes, work, facts);
  work.kernel = std::make_shared<const KernelRun>(std::move(facts));
}

std::vector<GivenList> given_lists(const std::vector<KernelList>& lists) {
  std::vector<GivenList> given;
  given.reserve(lists.size());
  for (const KernelList& list : lists) given.push_back({list.kernel, list.operand, list.values});
  return given;
}

}  // namespace

std::optional<CustomCallBehaviour> custom_call_behaviour(std::string_view target) {
#define HLOROOF_CUSTOM_CALL(name, behaviour) \
  if (target == (name)) return CustomCallBehaviour::behaviour;
#include "lib/work/custom_call_targets.def"
  return std::nullopt;
}

bool is_kernel_call(InstructionView instruction) {
  return instruction.opcode() == Opcode::kCustomCall &&
         custom_call_behaviour(string_value(instruction, AttributeKey::kCustomCallTarget)) ==
             CustomCallBehaviour::kKernel;
}

bool is_free_custom_call(InstructionView custom_call) {
  const std::string target = string_value(custom_call, AttributeKey::kCustomCallTarget);
  const auto behaviour = custom_call_behaviour(target);
  return behaviour == CustomCallBehaviour::kFree || behaviour == CustomCallBehaviour::kWait;
}

struct GivenCosts::Entry {
  CustomCallCost cost;
  std::unique_ptr<RE2> pattern;
};

GivenCosts::GivenCosts(const std::vector<CustomCallCost>& costs, const std::vector<KernelList>& kernel_lists)
    : kernel_lists_(given_lists(kernel_lists)) {
  entries_.reserve(costs.size());
  for (const CustomCallCost& cost : costs) {
    Entry entry{cost, nullptr};
    if (const auto pattern = pattern_of(cost.target)) {
      entry.pattern = std::make_unique<RE2>(std::string(*pattern), RE2::Quiet);
    }
    entries_.push_back(std::move(entry));
  }
}

GivenCosts::~GivenCosts() = default;

const CustomCallCost* GivenCosts::find(InstructionView custom_call) const {
  if (entries_.empty()) return nullptr;
  const std::string target = string_value(custom_call, AttributeKey::kCustomCallTarget);
  const std::string name(custom_call.name());
  for (const Entry& entry : entries_) {
    if (entry.pattern == nullptr) {
      if (entry.cost.target == target || entry.cost.target == name) return &entry.cost;
    } else if (entry.pattern->ok() &&
               (RE2::FullMatch(target, *entry.pattern) || RE2::FullMatch(name, *entry.pattern))) {
      return &entry.cost;
    }
  }
  return nullptr;
}

absl::Status check_custom_call_costs(const Module& module, const std::vector<CustomCallCost>& costs) {
  if (costs.empty()) return absl::OkStatus();
  for (const CustomCallCost& cost : costs) {
    const auto pattern = pattern_of(cost.target);
    if (!pattern) continue;
    const RE2 compiled(std::string(*pattern), RE2::Quiet);
    if (!compiled.ok()) return invalid_argument("custom call pattern " + cost.target + ": " + compiled.error());
  }
  std::set<std::string> names;  // targets and names
  std::vector<bool> matched(costs.size(), false);
  std::deque<GivenCosts> given;  // one for each cost, so that two that match the same call both count as used
  for (const CustomCallCost& cost : costs) given.emplace_back(std::vector<CustomCallCost>{cost});
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::kCustomCall) continue;
      names.insert(string_value(instruction, AttributeKey::kCustomCallTarget));
      names.insert(std::string(instruction.name()));
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!matched[i]) matched[i] = given[i].find(instruction) != nullptr;
      }
    }
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (matched[i]) continue;
    const std::vector<std::string> known(names.begin(), names.end());
    return invalid_argument(absl::StrCat(
        "the module has no custom call with the target or name ", costs[i].target,
        known.empty()
            ? std::string(", and no custom calls at all")
            : absl::StrCat("; the nearest are ", absl::StrJoin(nearest_names(costs[i].target, known, 3), ", "))));
  }
  return absl::OkStatus();
}

absl::Status check_kernel_lists(const Module& module, const std::vector<KernelList>& lists) {
  return check_given_lists(module, given_lists(lists));
}

bool add_selection(InstructionView call, double share, SizeCache& sizes, Work& work) {
  const auto behaviour = custom_call_behaviour(string_value(call, AttributeKey::kCustomCallTarget));
  if (!behaviour || call.operand_count() == 0 || !is_tiled(call.operand(0).shape())) return false;
  const ArraySize& size = sizes[call.operand(0).shape_id()];
  const double elements = size.padded_elements * share;
  switch (*behaviour) {
    case CustomCallBehaviour::kTopK:
      work.flops += size.logical_elements * topk_levels(call) * share;
      add_vector(work, Opcode::kTopk, ElementType::kF32, elements * best_values(call));
      return true;
    case CustomCallBehaviour::kPackedTopK:
      // Value and number are one integer: of it and each that is kept, the larger stays and the smaller goes on.
      work.flops += size.logical_elements * topk_levels(call) * share;
      for (const Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum, Opcode::kSelect}) {
        add_vector(work, opcode, ElementType::kF32, elements * best_values(call));
      }
      return true;
    case CustomCallBehaviour::kPartialReduce:
      // Each register is compared with the best that its place in the result has so far, and of both arrays, values and
      // numbers, the better is kept (LIBTPU-LLO). The operands after these are what the places begin with.
      work.flops += size.logical_elements * share;
      add_vector(work, Opcode::kCompare, call.operand(0).shape().element_type, elements);
      add_vector(work, Opcode::kSelect, ElementType::kF32,
                 elements * std::floor(static_cast<double>(call.operand_count()) / 2));
      return true;
    default: return false;
  }
}

void add_custom_call(InstructionView call, const GivenCosts& given, SizeCache& sizes, KernelRuns& kernels, Work& work) {
  const std::string target = string_value(call, AttributeKey::kCustomCallTarget);
  if (const CustomCallCost* cost = given.find(call)) {
    if (cost->bytes) set_bytes(work, *cost->bytes);
    if (cost->flops) set_flops(work, *cost->flops, main_type(call, sizes));
    if (cost->transcendentals) {
      work.transcendentals = *cost->transcendentals;
      add_vector(work, Opcode::kExponential, ElementType::kF32, work.transcendentals);
    }
    work.seconds = cost->seconds;
    work.source = CostSource::kUser;
    return;
  }
  const auto behaviour = custom_call_behaviour(target);
  if (!behaviour) {
    work.source = CostSource::kUnknown;
    return;
  }
  const Shape* first = call.operand_count() > 0 ? &call.operand(0).shape() : nullptr;
  const double elements = first != nullptr && first->is_array() ? static_cast<double>(element_count(*first)) : 0;
  const double n = first != nullptr && first->rank() > 0
                       ? static_cast<double>(std::max<std::int64_t>(first->dimensions.back(), 1))
                       : 1;
  switch (*behaviour) {
    case CustomCallBehaviour::kFree:
    case CustomCallBehaviour::kWait:
    case CustomCallBehaviour::kMove: return;
    case CustomCallBehaviour::kCholesky:
    case CustomCallBehaviour::kTriangularInverse:
      // n^3 / 6 multiply-adds per matrix, one column after another: each is spread over the lanes for the next.
      work.flops += n * elements / 3;
      add_vector(work, Opcode::kMultiply, ElementType::kF32, n * elements / 3);
      work.units_in_turn += elements / n;
      return;
    case CustomCallBehaviour::kLuPanel:
    case CustomCallBehaviour::kQrPanel: add_panel(call, *behaviour == CustomCallBehaviour::kLuPanel, work); return;
    case CustomCallBehaviour::kTriangularSolve: add_triangular_solve(call, sizes, work); return;
    case CustomCallBehaviour::kPackedTopK:
    case CustomCallBehaviour::kPartialReduce:
      if (!add_selection(call, 1, sizes, work)) work.source = CostSource::kUnknown;
      return;
    case CustomCallBehaviour::kTopK: {
      if (add_selection(call, 1, sizes, work)) return;
      const double levels = std::ceil(std::log2(std::max(n, 2.0)));
      work.flops += elements * topk_levels(call);
      add_vector(work, Opcode::kTopk, first == nullptr ? ElementType::kF32 : first->element_type, elements * levels);
      return;
    }
    case CustomCallBehaviour::kGemm:
      leave_out_workspace(call, sizes, work);
      if (!add_gemm(call, work)) work.source = CostSource::kUnknown;
      return;
    case CustomCallBehaviour::kConvolution:
      leave_out_workspace(call, sizes, work);
      if (!add_convolution(call, target, work)) work.source = CostSource::kUnknown;
      return;
    case CustomCallBehaviour::kAttention:
    case CustomCallBehaviour::kAttentionBackward:
      leave_out_workspace(call, sizes, work);
      if (!add_attention(call, *behaviour == CustomCallBehaviour::kAttentionBackward, work))
        work.source = CostSource::kUnknown;
      return;
    case CustomCallBehaviour::kNorm:
      leave_out_workspace(call, sizes, work);
      add_norm(call, sizes, work);
      return;
    case CustomCallBehaviour::kRadixSort: add_radix_sort(call, sizes, work); return;
    case CustomCallBehaviour::kGpuCholesky:
    case CustomCallBehaviour::kGpuLu:
    case CustomCallBehaviour::kGpuQr:
    case CustomCallBehaviour::kGpuEigen:
    case CustomCallBehaviour::kGpuSvd: add_factorization(call, *behaviour, work); return;
    case CustomCallBehaviour::kRandomBits: add_random_bits(call, sizes, work); return;
    case CustomCallBehaviour::kKernel: add_kernel(call, given, sizes, kernels, work); return;
  }
}

}  // namespace hloroof::internal::inline work

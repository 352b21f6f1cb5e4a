// Every number of a device has a reader: with twice or half of it some prediction is another. The programs that show it
// are made up here, since no dump has an operation of each type, memory and kind of link.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/hardware/better_number.h"
#include "lib/step/step_cost.h"
#include "tests/catch.h"
#include "tests/predict/device_programs.h"

namespace hloroof::internal {
namespace {

// Whatever of a prediction a user can see that follows from the device.
std::vector<double> numbers_of(const StepPrediction& p) {
  std::vector<double> numbers = {p.step_seconds,      p.memory.capacity_bytes, p.memory.usable_bytes,
                                 p.memory.peak_bytes, p.memory.outputs_bytes,  most_joules(p).value_or(0)};
  for (const OpPrediction& op : p.ops) {
    numbers.push_back(op.time->seconds);
    numbers.insert(numbers.end(), op.time->resources.seconds, op.time->resources.seconds + kResourceCount);
  }
  for (const CollectivePrediction& c : p.collectives) {
    numbers.insert(numbers.end(), {c.seconds, c.link_bandwidth, c.link_utilization});
  }
  for (const Roof& roof : p.roofs) numbers.push_back(roof.rate);
  return numbers;
}

// Empty where the device cannot run one of them: twice as many devices a chip, a slice may be too small.
std::vector<double> predicted(const std::vector<Case>& cases, const Device& device) {
  std::vector<double> numbers;
  for (const Case& c : cases) {
    const absl::StatusOr<StepPrediction> p = predict_step_time(c.module, device, c.options);
    INFO(p.status().message());
    if (!p.ok()) return {};
    const std::vector<double> more = numbers_of(*p);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return numbers;
}

// The device with another value of a number: twice and half of it, as far as it can have them; a flag is turned.
std::vector<Device> changed(const Device& device, const Parameter& parameter) {
  std::vector<Device> devices;
  if (!parameter.value) return devices;
  const double value = *parameter.value;
  const std::vector<double> others =
      parameter.unit == "bool" ? std::vector<double>{1 - value} : std::vector<double>{2 * value, value / 2};
  for (const double other : others) {
    Device copy = device;
    if (other != value && set_parameter(copy, parameter.path, other).ok()) devices.push_back(std::move(copy));
  }
  return devices;
}

// Numbers that some devices state and do not need.
bool is_idle(const Device& device, const std::string& path) {
  const TpuCore* const tpu = device.tpu();
  const GpuCore* const gpu = device.gpu();
  // Without the cycles that loading weights takes, the peaks say all of the arrays.
  if (tpu != nullptr && path == "matrix.count") return !tpu->matrix.latch_cycles.bf16;
  // Slices have one axis.
  if (tpu != nullptr && path == "ici.gathers_in_one_ring") return device.ici.dims < 2;
  // Arrays on the chip are placed in CMEM where there is one.
  if (tpu != nullptr && path == "on_chip.vmem_write_bandwidth") return tpu->on_chip.cmem_write_bandwidth.has_value();
  // Blocks have all sides from the smallest to the largest, but for products of f32 where fill_f32 chooses among two.
  if (gpu != nullptr && (path == "matrix.tile" || path == "matrix.narrow_tile")) {
    return gpu->matrix.smallest_tile.has_value() && !gpu->matrix.fill_f32;
  }
  // Larger tiles need fewer operands and waves: where those cost nothing of their own, none is better.
  if (gpu != nullptr && path == "matrix.largest_tile") return !gpu->matrix.operand_bandwidth && !gpu->overhead.wave;
  // From when on the power cap lowers the rate of products does not matter where they have no other rate then, or where
  // their operands never arrive at that rate.
  if (gpu != nullptr && (path == "matrix.sustained.starts_after" || path == "matrix.sustained.holds_after")) {
    const Fact<double>& arriving = gpu->matrix.operand_bandwidth;
    const double flops_a_byte = static_cast<double>(gpu->matrix.largest_tile) / 2;  // of a square tile of bf16
    return !device.matrix.sustained.bf16 || (arriving && *device.matrix.sustained.bf16 > *arriving * flops_a_byte);
  }
  // Attention in 8-bit floats is compared with a rate that is not known, or does not exist.
  if (gpu != nullptr && path == "attention.f8_gain") {
    return !gpu->attention.forward.head_128 || !device.matrix.peak.f8;
  }
  // The hosts of these reduce faster than the network delivers, even at half the rate: a reduce-scatter reads and
  // writes three times what it sends.
  if (path == "network.reduction_bandwidth") {
    return device.network.bandwidth && *device.network.reduction_bandwidth / 2 >= 3 * *device.network.bandwidth;
  }
  // Where the switch reduces, all-reduces are trees of full rate. Between two nodes of one device each, which is what
  // domains of one leave here, a tree is a ring.
  if (path == "network.tree_efficiency") return device.scale_up.reduces_in_switch || device.scale_up.domain < 2;
  if (path == "scale_up.reduces_in_switch") return device.scale_up.domain < 2;
  // Nothing is sent in chunks where the network is not known.
  if (path == "network.chunk_bytes") return !device.network.bandwidth;
  // Kernels reduce integers so, and none of these kernels does. tests/kernel/body_work_test.cc has one.
  if (path.rfind("vector.weights.integer-reduce", 0) == 0) return true;
  // No operation is said to need the unit.
  if (path == "vector.transcendental_rate") return device.vector.weights.empty();
  return false;
}

TEST_CASE("device numbers: with twice or half of any number that is read some prediction is another") {
  for (const std::string& name : device_names()) {
    CAPTURE(name);
    const Device device = find_device(name).value();
    const std::vector<Case> cases = cases_for(device);
    std::vector<Case> elementwise;
    elementwise.push_back(elementwise_case(device));
    const std::vector<double> before = predicted(cases, device);
    const std::vector<double> elementwise_before = predicted(elementwise, device);
    REQUIRE_FALSE(before.empty());
    REQUIRE_FALSE(elementwise_before.empty());
    for (const Parameter& parameter : parameters(device)) {
      CAPTURE(parameter.path);
      if (!parameter.is_read || is_idle(device, parameter.path)) continue;
      const std::vector<Device> others = changed(device, parameter);
      const bool is_elementwise = parameter.path.rfind("vector.", 0) == 0;
      const bool is_seen = std::any_of(others.begin(), others.end(), [&](const Device& other) {
        return (is_elementwise && predicted(elementwise, other) != elementwise_before) ||
               predicted(cases, other) != before;
      });
      CHECK((is_seen || others.empty()));
    }
  }
}

// The numbers of which more than the device has makes an op slower, and why that is right.
bool may_be_slower(const std::string& path, const OpPrediction& op) {
  // The gradient for heads of other sizes takes as much longer than that of 128 as the forward kernels do: a better
  // rate of 128 alone says that the other sizes are worse in comparison.
  return path == "attention.forward.head_128" && op.name.find("Backward") != std::string::npos;
}

// Whether all is as fast with a better number, of each op and of the step. In these programs nothing overlaps, so that
// no transfer meets another because it ends sooner.
void check_not_slower(const std::vector<Case>& cases, const std::vector<StepPrediction>& before, const Device& device,
                      const std::string& path) {
  constexpr double kRounding = 1e-9;
  bool is_excused = false;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const absl::StatusOr<StepPrediction> after = predict_step_time(cases[c].module, device, cases[c].options);
    REQUIRE(after.ok());
    REQUIRE(after->ops.size() == before[c].ops.size());
    for (std::size_t i = 0; i < after->ops.size(); ++i) {
      const OpPrediction& was = before[c].ops[i];
      if (after->ops[i].time->seconds <= was.time->seconds * (1 + kRounding)) continue;
      is_excused = is_excused || may_be_slower(path, was);
      INFO(was.name << " " << was.opcode << " of case " << c << ": " << was.time->seconds << " s, and "
                    << after->ops[i].time->seconds << " s with the better number");
      CHECK(may_be_slower(path, was));
    }
    CHECK((is_excused || after->step_seconds <= before[c].step_seconds * (1 + kRounding)));
  }
}

TEST_CASE("device numbers: a better one makes no op slower") {
  for (const char* name : {"tpu_v4", "tpu_v5e", "tpu_v7x", "v100_sxm2", "h100_sxm", "gb200", "mi300x", "trainium2"}) {
    CAPTURE(name);
    const Device device = find_device(name).value();
    std::vector<Case> cases = cases_for(device);
    cases.push_back(elementwise_case(device));
    std::vector<StepPrediction> before;
    before.reserve(cases.size());
    for (const Case& c : cases) before.push_back(predict_step_time(c.module, device, c.options).value());
    int checked = 0;
    for (const Parameter& parameter : parameters(device)) {
      const std::optional<double> better = better_number(parameter, 1.3);
      Device copy = device;
      if (!better || *better == *parameter.value || !set_parameter(copy, parameter.path, *better).ok()) continue;
      CAPTURE(parameter.path, *better);
      check_not_slower(cases, before, copy, parameter.path);
      ++checked;
    }
    CHECK(checked > 15);
  }
}

// What `devices show` lists though no prediction reads it: facts by which a reader knows the device.
TEST_CASE("device numbers: few describe a device and no more") {
  const std::set<std::string> described = {
      "clock",                            // of a GPU; its peaks are numbers of their own
      "matrix.clock",                     // of a GPU's peaks, where another
      "cores_per_chip",                   // of GPUs and others: what "per core" in the device file is multiplied by
      "devices_per_chip",                 // the same: what "per chip" is divided by
      "on_chip.vmem_capacity",            // how much fits is the compiler's concern
      "on_chip.l2_capacity",              // the same of the hardware
      "ici.max_chips",                    // of a pod
      "ici.async_permute_devices",        // for scale
      "matrix.highest_utilization.bf16",  // a diagnosis compares with them
      "matrix.highest_utilization.f8",
      "code.delay_slots",    // read by the command bundles, which predicts nothing
      "code.granule",        // the same
      "vector.native_bf16",  // vector.bf16_rate and the weights say what it is worth
  };
  for (const std::string& name : device_names()) {
    for (const Parameter& parameter : parameters(find_device(name).value())) {
      CAPTURE(name, parameter.path);
      if (!parameter.is_read) CHECK(described.count(parameter.path) == 1);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal

#include "lib/report/explain_time.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/cost/op_time.h"
#include "lib/cost/vector_time.h"
#include "lib/report/units.h"

namespace hloroof::inline v0 {
namespace {

constexpr std::size_t kMostKinds = 4;  // of vector work that are named

std::string systolic_text(const MatrixTerms& t, const MatrixWork& product, const Device& device) {
  const int dim = static_cast<int>(device.matrix.dim.value_or(0));
  std::string text = absl::StrFormat(
      "%.0f x %.0f tiles of %d x %d%s x %.0f rows%s / %s = %s", t.k_tiles, t.n_tiles, dim, dim,
      product.batch > 1 ? absl::StrFormat(" x %.0f", product.batch) : std::string(), t.rows,
      t.is_swapped ? " of the right-hand side" : "", format_rate(t.row_rate, "row/s"), format_seconds(t.compute));
  if (t.operands > t.compute) {
    text += absl::StrFormat("; loading the weights of the tiles, %.0f registers, %s", t.registers,
                            format_seconds(t.operands));
  }
  return text + absl::StrFormat("; / %.3g attained = %s", t.attained, format_seconds(t.seconds));
}

std::string waves_text(const MatrixTerms& t, const MatrixWork& product, const Device& device) {
  const double units = static_cast<double>(device.vector.compute_units.value_or(1));
  std::string text = absl::StrFormat("%.0f blocks of %.0f x %.0f", t.blocks, t.tile_m, t.tile_n);
  if (t.parts > 1) text += absl::StrFormat(", K in %.0f parts", t.parts);
  text += absl::StrFormat(" on %.0f SMs: %.0f waves x %.0f x 2 x %.0f x %.0f x %.0f flop / (%s x %.3g attained) = %s",
                          units, t.waves, units, t.tile_m, t.tile_n, product.k / t.parts, format_rate(t.rate, "flop/s"),
                          t.attained, format_seconds(t.compute));
  if (t.operands > 0) text += "; operands through L2 " + format_seconds(t.operands) + ", the slower counts";
  if (t.starting > 0) text += "; + waves " + format_seconds(t.starting);
  if (t.storing > 0) text += "; + storing the last wave " + format_seconds(t.storing);
  if (t.joining > 0) text += "; + joining the parts " + format_seconds(t.joining);
  return text + " = " + format_seconds(t.seconds);
}

std::vector<std::string> matrix_lines(const Work& work, const Device& device) {
  std::vector<std::string> lines;
  for (const MatrixWork& product : work.matrix) {
    const MatrixTerms t = matrix_terms(product, device);
    switch (t.form) {
      case MatrixForm::kSystolic: lines.push_back(systolic_text(t, product, device)); break;
      case MatrixForm::kWaves: lines.push_back(waves_text(t, product, device)); break;
      case MatrixForm::kStreamed:
        lines.push_back(absl::StrFormat("K in equal pieces on %d SMs: %s / %s = %s; + joining the pieces %s = %s",
                                        static_cast<int>(device.vector.compute_units.value_or(1)),
                                        format_flops(product.flops, 4), format_rate(t.rate, "flop/s"),
                                        format_seconds(t.compute), format_seconds(t.joining),
                                        format_seconds(t.seconds)));
        break;
      case MatrixForm::kPlain:
        if (t.rate > 0) {
          lines.push_back(absl::StrFormat("%s / (%s x %.3g attained) = %s", format_flops(product.flops, 4),
                                          format_rate(t.rate, "flop/s"), t.attained, format_seconds(t.seconds)));
        }
        break;
    }
  }
  return lines;
}

// Where vector work is done; relayouts are the cross-lane unit's too.
enum class DoneBy { kAlus, kCrossLaneUnit, kRelayout };

DoneBy done_by(const VectorWork& v, const VectorUnit& unit) {
  if (!unit.transpose_cycles || !is_on_cross_lane_unit(v, unit)) return DoneBy::kAlus;
  return v.opcode == Opcode::kTranspose ? DoneBy::kRelayout : DoneBy::kCrossLaneUnit;
}

std::string kinds_text(const Work& work, const VectorUnit& unit, DoneBy by) {
  std::vector<std::string> parts;
  for (const VectorWork& v : work.vector) {
    if (done_by(v, unit) != by) continue;
    if (parts.size() == kMostKinds) {
      parts.push_back("...");
      break;
    }
    parts.push_back(format_count(v.elements) + " " + std::string(to_string(v.opcode)));
  }
  return absl::StrJoin(parts, ", ");
}

std::vector<std::string> vector_lines(const Work& work, const Device& device) {
  const VectorTerms t = vector_terms(work, device);
  std::vector<std::string> lines;
  if (t.operation_seconds > 0) {
    const double efficiency = device.vector.efficiency.value_or(1);
    const std::string rate = format_rate(device.vector.f32_rate, "op/s");
    lines.push_back(absl::StrFormat("%s (padded elements): %s operations / %s = %s",
                                    kinds_text(work, device.vector, DoneBy::kAlus), format_count(t.operations),
                                    efficiency < 1 ? absl::StrFormat("(%s x %.3g)", rate, efficiency) : rate,
                                    format_seconds(t.operation_seconds)));
  }
  if (t.partial_seconds > 0) {
    lines.push_back(absl::StrFormat("+ %s registers updated in part x %.3g cycles = %s",
                                    format_count(t.partial_registers), device.vector.partial_update_cycles.value_or(0),
                                    format_seconds(t.partial_seconds)));
  }
  if (t.result_seconds > 0) {
    lines.push_back(absl::StrFormat("beside them %s transcendental results / %s = %s", format_count(t.results),
                                    format_rate(device.vector.transcendental_rate, "op/s"),
                                    format_seconds(t.result_seconds)));
  }
  const auto across_lanes = [&](const char* what, DoneBy by, double registers, double seconds) {
    if (seconds <= 0) return;
    lines.push_back(absl::StrFormat(
        "%s %s: %s registers x %.3g cycles / (%s x %d cores) = %s", what, kinds_text(work, device.vector, by),
        format_count(registers), seconds / registers * *device.clock * device.cores(), format_rate(*device.clock, "Hz"),
        static_cast<int>(device.cores()), format_seconds(seconds)));
  };
  across_lanes("across lanes", DoneBy::kCrossLaneUnit, t.registers, t.register_seconds);
  across_lanes("into another layout, across lanes:", DoneBy::kRelayout, t.relaid_registers, t.relayout_seconds);
  if (const double adding = accumulation_seconds(work, device); adding > 0) {
    lines.push_back(absl::StrFormat("the sums of %.0f windows, added: %s operations / %s = %s", work.product_steps,
                                    format_count(adding * device.vector.f32_rate),
                                    format_rate(device.vector.f32_rate, "op/s"), format_seconds(adding)));
  }
  return lines;
}

std::vector<std::string> hbm_lines(const Work& work, const Device& device) {
  const HbmTerms t = hbm_terms(work, device);
  const Hbm& hbm = device.hbm;
  std::vector<std::string> parts;
  const auto stream = [&](const char* what, double seconds, double efficiency) {
    if (seconds <= 0) return;
    parts.push_back(absl::StrFormat("%s %s / (%s x %.3g) = %s", what,
                                    format_bytes(seconds * hbm.bandwidth * efficiency),
                                    format_rate(hbm.bandwidth, "B/s"), efficiency, format_seconds(seconds)));
  };
  stream("reads", t.reading, hbm.read_efficiency.value_or(hbm.efficiency));
  stream("writes", t.writing, hbm.write_efficiency.value_or(hbm.efficiency));
  if (t.turning > 0) parts.push_back("turning between them " + format_seconds(t.turning));
  std::vector<std::string> lines;
  if (!parts.empty()) lines.push_back(absl::StrJoin(parts, ", "));
  return lines;
}

std::vector<std::string> vmem_lines(const Work& work, const Device& device) {
  std::vector<std::string> lines;
  const auto stream = [&](const char* what, double bytes, std::optional<double> rate) {
    if (bytes <= 0 || !rate || *rate <= 0) return;
    lines.push_back(absl::StrFormat("%s %s / %s = %s", what, format_bytes(bytes), format_rate(*rate, "B/s"),
                                    format_seconds(bytes / *rate)));
  };
  const FastMemory fast = fast_memory(device.on_chip);
  stream(fast.is_cmem ? "reads of CMEM" : "loads", work.read.vmem, fast.read_bandwidth);
  stream(fast.is_cmem ? "writes of CMEM" : "stores", work.written.vmem, fast.write_bandwidth);
  return lines;
}

}  // namespace

std::vector<std::string> explain_resource(Resource resource, const Work& work, const Device& device) {
  switch (resource) {
    case Resource::kMatrix: return matrix_lines(work, device);
    case Resource::kVector: return vector_lines(work, device);
    case Resource::kHbm: return hbm_lines(work, device);
    case Resource::kVmem: return vmem_lines(work, device);
    case Resource::kHost:
      if (!device.host.bandwidth || *device.host.bandwidth <= 0) return {};
      return {absl::StrFormat("%s / %s", format_bytes(std::max(work.read.host, work.written.host)),
                              format_rate(*device.host.bandwidth, "B/s"))};
    default: return {};
  }
}

std::string explain_together(const OpTime& time, const Work& work, const Device& device) {
  const OverlapTerms t = overlap_terms(time, work, vector_terms(work, device), device);
  if (t.joined <= 0) return "";
  std::string text;
  if (time.epilogue > 0) {
    const double matrix = time.resources[Resource::kMatrix];
    text = absl::StrFormat("product and what waits for it: %s + %s = %s", format_seconds(matrix),
                           format_seconds(time.epilogue), format_seconds(matrix + time.epilogue));
    const double adding = accumulation_seconds(work, device);
    if (adding > 0) {
      text +=
          absl::StrFormat(", of which %s to add the sums of %.0f windows", format_seconds(adding), work.product_steps);
    }
    text += "; ";
  }
  if (work.is_chained) {
    text += absl::StrFormat("mxu and vpu wait for one another: (%s^%d + %s^%d)^(1/%d) = %s; ",
                            format_seconds(time.resources[Resource::kMatrix]), kOverlapNorm,
                            format_seconds(time.resources[Resource::kVector]), kOverlapNorm, kOverlapNorm,
                            format_seconds(t.compute));
  }
  if (t.waits_for_relayout()) {
    if (t.waiting > 0) {
      text +=
          absl::StrFormat("%s of memory%s, with %s for the first bytes of %.0f windows, + ", format_seconds(t.between),
                          device.cores() > 1 ? " a core" : "", format_seconds(t.waiting / device.cores()), t.windows);
    } else if (t.between > 0) {
      text += format_seconds(t.between) + " of memory a core + ";
    }
    text += format_seconds(t.relayout) + " across lanes" +
            (t.between > 0 ? " between reading and writing = " + format_seconds(t.joined) : "");
  } else if (t.faster <= 0) {
    text += format_seconds(t.slower);
  } else {
    text += absl::StrFormat("(%s^%d + %s^%d)^(1/%d) = %s", format_seconds(t.slower), kOverlapNorm,
                            format_seconds(t.faster), kOverlapNorm, kOverlapNorm, format_seconds(t.joined));
  }
  if (t.ends > 0) text += " + " + format_seconds(t.ends) + " at the ends, where they do not overlap";
  if (stays_on_chip(work, device)) {
    return text + absl::StrFormat(
                      "; with what any operation takes, %s of which adds to work on the chip: "
                      "((%s + %s)^%d + %s^%d)^(1/%d) = %s",
                      format_seconds(*device.overhead.op_on_chip), format_seconds(t.seconds()),
                      format_seconds(*device.overhead.op_on_chip), kOverlapNorm, format_seconds(device.overhead.op),
                      kOverlapNorm, kOverlapNorm, format_seconds(t.seconds() + time.overhead));
  }
  const double floor = launch_floor_seconds(work, device);
  if (floor > 0 && t.seconds() + time.overhead <= floor) {
    return text + absl::StrFormat("; %s is the least between launches%s", format_seconds(floor),
                                  work.in_graph ? " in a command buffer" : "");
  }
  if (time.overhead > 0) text += " + " + format_seconds(time.overhead) + " whatever the size";
  return text + " = " + format_seconds(t.seconds() + time.overhead);
}

}  // namespace hloroof::inline v0

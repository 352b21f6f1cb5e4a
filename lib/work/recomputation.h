// Counts how often a fusion computes each element inside it, for compilers that work element by element.
//
// XLA's emitters for loop and reduction fusions on CPUs and GPUs write each element of a result as one expression of
// the parameters. An element that a broadcast repeats, or that two users need at different indices, is recomputed for
// each use. An element that several users need at the same index is computed once. Compilers that work on tiles (TPUs,
// Triton) compute each element once.
//
// Source: GpuHloCostAnalysis, openxla/xla xla/service/gpu/model/gpu_hlo_cost_analysis.cc, 2026-08-22.
#ifndef HLOROOF_LIB_WORK_RECOMPUTATION_H_
#define HLOROOF_LIB_WORK_RECOMPUTATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "hloroof/module.h"
#include "lib/work/positions.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// The number of times that each element of an instruction is computed, averaged over its elements.
class Recomputation {
 public:
  // How often the nested computation that `fusion` runs computes each element of its operand `i`, for each time that
  // the nested computation is itself computed.
  using NestedUse = std::function<double(InstructionView fusion, std::size_t i)>;

  // `order` holds the instructions of one computation, operands first. `place` has the index of each in `order`.
  // Operands for which `is_skipped` is true are not computed: they are arrays that are updated in place.
  void run(const std::vector<InstructionView>& order, const Positions& place, std::uint32_t root, SizeCache& sizes,
           const NestedUse& nested, const std::function<bool(InstructionView, std::size_t)>& is_skipped);

  double operator[](std::size_t place) const { return times_[place]; }

 private:
  // The places where the elements of an instruction are needed. A place is another instruction that needs the element
  // of the same index, through elementwise instructions only. Each place computes that element once, whatever the path
  // to it.
  struct Node {
    std::vector<std::uint32_t> wanted_at;
    double wanted = 0;  // how often it is needed, if the node is itself a place
  };

  void add_place(Node& node, std::uint32_t place);

  std::vector<Node> nodes_;
  std::vector<double> times_;
};

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_RECOMPUTATION_H_

// How often a fusion computes the elements inside it, where it works element by element.
//
// XLA's emitters for loop and reduction fusions on CPUs and GPUs write each element of a result as one expression of
// the parameters: what a broadcast repeats, or what two users want at different places, is computed again for each.
// What is wanted at the same place by several is computed once. Compilers that work on tiles (TPUs, Triton) compute
// each element once.
//
// Source: GpuHloCostAnalysis, openxla/xla xla/service/gpu/model/gpu_hlo_cost_analysis.cc, 2026-08-22.
#ifndef HLOROOF_LIB_COST_RECOMPUTATION_H_
#define HLOROOF_LIB_COST_RECOMPUTATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "hloroof/module.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

// The times that each element of an instruction is computed, on average over its elements.
class Recomputation {
 public:
  // How often the nested computation that `fusion` runs computes each element of its operand `i` for each time it is
  // computed itself.
  using NestedUse = std::function<double(InstructionView fusion, std::size_t i)>;

  // `order` are the instructions of one computation, operands first; place[instruction id] is where each stands in it.
  // Operands that `is_skipped` names are not computed: arrays that are updated in place.
  void run(const std::vector<InstructionView>& order, const std::vector<std::uint32_t>& place, std::uint32_t root,
           SizeCache& sizes, const NestedUse& nested,
           const std::function<bool(InstructionView, std::size_t)>& is_skipped);

  double operator[](std::size_t place) const { return times_[place]; }

 private:
  // The places where an instruction's elements are wanted: other instructions whose element of the same index asks for
  // it, through elementwise ones alone. Each computes it once, whichever way it asks.
  struct Node {
    std::vector<std::uint32_t> wanted_at;
    double wanted = 0;  // how often, where it is such a place itself
  };

  void add_place(Node& node, std::uint32_t place);

  std::vector<Node> nodes_;
  std::vector<double> times_;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_RECOMPUTATION_H_

// Term trees of the seconds that an operation keeps each resource of the chip busy.
#ifndef HLOROOF_LIB_TIME_RESOURCE_TERMS_H_
#define HLOROOF_LIB_TIME_RESOURCE_TERMS_H_

#include <vector>

#include "lib/time/term_builder.h"

namespace hloroof::internal {

// The tree of one product, see MatrixTerms. Zero seconds if the device cannot multiply its operands.
Term product_terms(const MatrixWork& product, const Device& device);

// `term` divided by the parameter `efficiency`, if the device has it, and multiplied by idle_factor().
Term of_programs(Term term, double programs, std::string_view efficiency, const GpuCore& core, const Device& device);

// The trees of vector work, see VectorTerms.
struct VectorTermTrees {
  Term alus;  // operations, and registers that are partially updated
  Term transcendental;
  Term cross_lane;  // without layout changes
  Term relayout;    // layout changes
};
VectorTermTrees vector_term_trees(const std::vector<VectorWork>& work, const Device& device);
// The same trees, with the partial updates of `work`.
VectorTermTrees vector_term_trees(const Work& work, const Device& device);

// The additions of each window's sum to the previous ones, see accumulation_seconds().
Term accumulation_terms(const Work& work, const Device& device);

Term hbm_terms_tree(const Work& work, const Device& device);
Term vmem_terms(const Work& work, const Device& device);
Term host_terms(const Work& work, const Device& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_RESOURCE_TERMS_H_

#include "lib/work/region_products.h"

namespace hloroof::internal::inline work {

std::vector<MatrixWork> products_of(const RegionWork& work, double runs) {
  std::vector<MatrixWork> products;
  products.reserve(work.matrix.size());
  for (const KernelProduct& product : work.matrix) {
    MatrixWork& added = products.emplace_back();
    added.m = product.m;
    added.n = product.n;
    added.k = product.k;
    added.batch = product.batch * runs;
    added.lhs = product.lhs;
    added.rhs = product.rhs;
    added.out = ElementType::kF32;
    added.passes = product.passes;
    added.flops = product.flops() * runs;
  }
  return products;
}

std::vector<VectorWork> vector_work_of(const RegionWork& work, double runs) {
  std::vector<VectorWork> all;
  all.reserve(work.vector.size());
  for (const KernelVectorWork& part : work.vector) {
    all.push_back({part.opcode, part.type, part.elements * runs, part.cross_lane});
  }
  return all;
}

}  // namespace hloroof::internal::inline work

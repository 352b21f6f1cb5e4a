#include "lib/work/gpu_kernel.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"
#include "lib/kernel/gpu/gpu_mosaic.h"
#include "lib/kernel/gpu/gpu_triton.h"
#include "lib/mlir/module.h"
#include "lib/values/gpu_kernel_config.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

void scale_bytes(MemoryBytes& bytes, double most) {
  const double total = bytes.total();
  if (total <= most || total <= 0) return;
  const double factor = most / total;
  for (double* m : {&bytes.hbm, &bytes.vmem, &bytes.host, &bytes.scalar}) *m *= factor;
}

MultipliedAs multiplied_as(GpuPrecision precision) {
  switch (precision) {
    case GpuPrecision::kTf32:
    case GpuPrecision::kTf32x3: return MultipliedAs::kTf32;
    case GpuPrecision::kF32: return MultipliedAs::kF32;
    case GpuPrecision::kBf16x3:
    case GpuPrecision::kBf16x6: return MultipliedAs::kBf16;
  }
  return MultipliedAs::kUnset;
}

int passes(GpuPrecision precision) {
  switch (precision) {
    case GpuPrecision::kTf32x3:
    case GpuPrecision::kBf16x3: return 3;
    case GpuPrecision::kBf16x6: return 6;
    default: return 1;
  }
}

MatrixWork product_of(const GpuDotWork& dot, double share, double programs, bool is_for_threads) {
  MatrixWork product;
  product.m = dot.m;
  product.n = dot.n;
  product.k = dot.k;
  product.batch = dot.runs * share;
  product.lhs = dot.lhs;
  product.rhs = dot.rhs;
  product.out = dot.out;
  product.flops = dot.flops() * share;
  product.tile_m = dot.m;
  product.tile_n = dot.n;
  product.programs = programs;
  product.is_for_threads = is_for_threads;
  if (dot.lhs == ElementType::kF32 && dot.rhs == ElementType::kF32) {
    product.multiplied_as = multiplied_as(dot.precision);
    product.passes = passes(dot.precision);
  }
  return product;
}

}  // namespace

absl::StatusOr<GpuKernelWork> read_gpu_kernel(InstructionView call) {
  const std::optional<GpuKernelConfig> config = gpu_kernel_config(call);
  if (!config) return absl::NotFoundError("the call carries no body of a GPU kernel");
  const bool is_triton = !config->triton_ir.empty();
  if (!is_triton && config->mosaic_module.empty()) {
    return absl::UnimplementedError("its body is compiled code, which is not read");
  }
  const absl::StatusOr<mlir::Module> kernel = mlir::read_module(is_triton ? config->triton_ir : config->mosaic_module);
  if (!kernel.ok()) return kernel.status();
  if (!is_triton) return mosaic_gpu_work(*kernel);
  TritonLaunch launch;
  launch.grid = config->grid;
  launch.warps = config->warps;
  return triton_work(*kernel, launch);
}

absl::Status add_gpu_kernel(InstructionView call, Work& work) {
  const absl::StatusOr<GpuKernelWork> kernel = read_gpu_kernel(call);
  if (!kernel.ok()) return kernel.status();
  if (!kernel->unread.empty()) {
    return invalid_argument("the work of " + absl::StrJoin(kernel->unread, ", ") + " is not known");
  }
  if (kernel->has_data_dependent_loop) {
    return invalid_argument("the trips of " + absl::StrJoin(kernel->data_dependent, ", ") + " depend on data");
  }
  double share = 1;
  if (!kernel->data_dependent.empty()) {
    if (kernel->stored_bytes <= 0) return invalid_argument("a branch that depends on data stores nothing");
    share = std::min(work.written.total() / kernel->stored_bytes, 1.0);
    work.source = CostSource::kAssumed;
  }
  work.programs = std::max(kernel->programs * share, 1.0);
  work.is_chained = true;
  work.is_for_threads = kernel->is_for_threads;
  for (const GpuDotWork& dot : kernel->dots) {
    MatrixWork product = product_of(dot, share, work.programs, kernel->is_for_threads);
    work.flops += product.flops;
    work.matrix_flops += product.flops;
    work.matrix.push_back(product);
  }
  for (const GpuElementwise& e : kernel->elementwise) {
    const double elements = e.elements * share;
    if (work_class(e.opcode) == WorkClass::kTranscendental) {
      work.transcendentals += elements;
    } else {
      work.flops += elements;
    }
    add_vector(work, e.opcode, e.type, elements);
  }
  // A program for threads may read and write in other ways as well.
  if (kernel->is_for_threads) {
    work.tile_bytes = kernel->loaded_bytes * share + work.written.total();
    return absl::OkStatus();
  }
  work.tile_bytes = (kernel->loaded_bytes + kernel->stored_bytes) * share;
  const double before = work.read.total() + work.written.total();
  scale_bytes(work.read, kernel->loaded_bytes * share);
  scale_bytes(work.written, kernel->stored_bytes * share);
  work.padded_bytes = work.read.total() + work.written.total();
  if (before > 0) work.logical_bytes *= work.padded_bytes / before;
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline work

// The parts of the accuracy report: one for every kind of open data.
#ifndef HLOROOF_TESTS_ACCURACY_SECTIONS_H_
#define HLOROOF_TESTS_ACCURACY_SECTIONS_H_

#include <string>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/calibrate/measurements.h"
#include "tests/accuracy/figures.h"

namespace hloroof::internal {

// The terms that add most to the time of an operation, "rows streamed 187.1 us, HBM reads 32.0 us", largest first.
std::string terms(const Work& work, const Device& device);
std::string terms(const Measurement& measurement, const Device& device);

// Measured matmuls on TPU v5e and v6e (measured/tpu_gemm.csv) by their dumps.
void report_tpu_matmuls(const std::string& shared, Report& report);

// Every operation of the TPU dumps against the compiler's own estimate, by generation.
void report_compiler_cycles(const std::string& shared, Report& report);

// Single figures from the literature and from published profiles.
void report_observed(Report& report);

// Kernels measured by tokamax, by their dumps in kernels/.
void report_measured_kernels(Report& report);

// Programs of JAX measured on one H100, by their dumps in h100/.
void report_h100_programs(Report& report);

// Pallas kernels measured by tokamax, by the dumps of the shared corpus.
void report_pallas_kernels(const std::string& shared, Report& report);

// Whole training steps.
void report_steps(const std::string& shared, Report& report);

// How the model takes collectives to be carried out, against what the TPU compiler noted.
void report_collective_algorithms(const std::string& shared, Report& report);

// XLA's table of measured matmuls on GPUs.
void report_gpu_matmuls(const std::string& shared, Report& report);

// Products of cuBLAS that others measured on nine GPUs.
void report_gpu_library_products(const std::string& shared, Report& report);

// XLA's table of measured collectives on GPUs.
void report_gpu_collectives(const std::string& shared, Report& report);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_SECTIONS_H_

// The costs of operations on the vector units, from the TPU compiler's estimates for chains of one operation
// (tpu_compiler_cycles.csv). A chain determines the cost only if it is compute bound, so that twice the length takes
// nearly twice the time. Otherwise its growth is a lower bound and its total an upper bound. The fit uses v5e, and
// another device only for operations that v5e does not determine. All other data is held back.
#ifndef HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_
#define HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_

#include <map>
#include <string>
#include <vector>

namespace hloroof::internal {

// In units of an addition, which takes one slot of an ALU.
struct ProbedWeight {
  double least = 0;
  double most = 0;  // equal to `least` if a chain is compute bound
};

struct VectorProbes {
  double efficiency = 0;                        // the share of the ALUs' rate that additions attain
  std::map<std::string, ProbedWeight> weights;  // by HLO opcode
  struct HeldBack {
    std::string op;
    std::string device;
    double cycles = 0;     // a register
    double predicted = 0;  // the same from v5e
  };
  std::vector<HeldBack> held_back;
};

VectorProbes read_vector_probes(const std::string& path);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_

// What an operation of the vector units costs by the TPU compiler's own estimates of chains of it
// (tpu_compiler_cycles.csv). A chain tells only where it is bound by its operations and not by memory: where a chain
// twice as long takes nearly twice as long. Elsewhere its growth is the least and its whole the most that an operation
// can take. Fitted to v5e, and what only another device tells to that; else the other devices are held back.
#ifndef HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_
#define HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_

#include <map>
#include <string>
#include <vector>

namespace hloroof {

// In additions, each of which takes one slot of an ALU.
struct ProbedWeight {
  double least = 0;
  double most = 0;  // the same as least where the operation alone bounds a chain
};

struct VectorProbes {
  double efficiency = 0;                        // share of the ALUs' rate that additions attain
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

}  // namespace hloroof

#endif  // HLOROOF_TESTS_CALIBRATE_VECTOR_PROBES_H_

// Programs that were compiled and timed on one H100, each with its dump.
#ifndef HLOROOF_TESTS_ACCURACY_H100_PROGRAMS_H_
#define HLOROOF_TESTS_ACCURACY_H100_PROGRAMS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/accuracy/standing.h"

namespace hloroof::internal {

struct H100Program {
  std::string group;
  std::string name;
  double measured = 0;  // seconds: of a step, of one call among many; of any other program, of its kernels
  double predicted = 0;
  Standing standing = Standing::kSeen;
};

// The rows of h100/measured.csv, predicted; an error for a program that cannot be read or predicted.
absl::StatusOr<std::vector<H100Program>> h100_programs();

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_H100_PROGRAMS_H_

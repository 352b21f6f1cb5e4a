// Programs made up for a device, in which every number of it matters to something: an operation of each type, memory
// and kind of link.
#ifndef HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_
#define HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_

#include <vector>

#include "hloroof/device.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal {

struct Case {
  Module module;
  PredictOptions options;
};

// Products, data movement, kernels, collectives and messages within and across the domains of the device.
std::vector<Case> cases_for(const Device& device);

// An operation of each opcode that the vector unit has a weight for.
Case elementwise_case(const Device& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_

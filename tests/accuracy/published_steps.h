// Whole training steps with a published time, each with its dump.
#ifndef HLOROOF_TESTS_ACCURACY_PUBLISHED_STEPS_H_
#define HLOROOF_TESTS_ACCURACY_PUBLISHED_STEPS_H_

#include <string>
#include <vector>

#include "tests/accuracy/standing.h"

namespace hloroof::internal {

struct PublishedStep {
  std::string path;  // of the dump
  std::string device;
  double seconds = 0;
  Standing standing = Standing::kHeldBack;
};

// The steps of steps/steps.csv, whose times follow from published FLOP/s.
std::vector<PublishedStep> published_steps();

// The steps of the open data in the folder `shared` that are there, whose times their .json files state.
std::vector<PublishedStep> open_steps(const std::string& shared);

// "maxtext-22b.v4-128"
std::string step_name(const PublishedStep& step);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_PUBLISHED_STEPS_H_

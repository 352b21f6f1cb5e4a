// Modules with what their instructions ask of the machine set by hand.
#ifndef HLOROOF_TESTS_SCHEDULE_PROGRAM_H_
#define HLOROOF_TESTS_SCHEDULE_PROGRAM_H_

#include <string_view>
#include <vector>

#include "lib/schedule/timeline.h"
#include "tests/dump.h"

namespace hloroof::internal {

struct Program {
  explicit Program(std::string_view text)
      : module(parsed(text)),
        calls(analyze_calls(module)),
        pairs(pair_async(module, calls)),
        demands(module.instruction_limit()) {}

  InstructionId find(std::string_view name) const { return named(module, name); }
  Demand& demand(std::string_view name) { return demands.at(find(name).index); }

  // Runs for `seconds`; `hbm` of them the memory is busy.
  void runs(std::string_view name, double seconds, double hbm = 0) {
    demand(name).step = Step::kRun;
    demand(name).seconds = seconds;
    demand(name).busy[static_cast<int>(Resource::kHbm)] = hbm;
  }

  Module module;
  CallGraph calls;
  AsyncPairs pairs;
  PagedTable<Demand> demands;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_SCHEDULE_PROGRAM_H_

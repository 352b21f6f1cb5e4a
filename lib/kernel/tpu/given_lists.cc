#include "lib/kernel/tpu/given_lists.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/kernel/tpu/kernel_code.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/kernel/tpu/prefetched.h"
#include "lib/kernel/tpu/program.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline kernel {
namespace {

bool is_about(const GivenList& list, InstructionView call, std::string_view name) {
  return list.kernel == name || list.kernel == call.name();
}

absl::Status check_lists_of(InstructionView call, const mlir::Module& kernel, const std::vector<GivenList>& lists) {
  const KernelCode code(kernel);
  const absl::StatusOr<KernelProgram> program = read_program(call, code);
  if (!program.ok()) return program.status();
  return prefetched_data(*program, code, lists).status();
}

}  // namespace

std::vector<GivenList> lists_of(InstructionView call, std::string_view name, const std::vector<GivenList>& lists) {
  std::vector<GivenList> found;
  std::copy_if(lists.begin(), lists.end(), std::back_inserter(found),
               [&](const GivenList& list) { return is_about(list, call, name); });
  return found;
}

absl::Status check_given_lists(const Module& module, const std::vector<GivenList>& lists) {
  if (lists.empty()) return absl::OkStatus();
  std::set<std::string> names;
  std::vector<bool> used(lists.size(), false);
  for (std::uint32_t i = 0; i < module.instruction_limit(); ++i) {
    const InstructionView call = module.instruction(InstructionId{i});
    if (call.opcode() != Opcode::kCustomCall) continue;
    std::string body = kernel_body(call);
    const absl::StatusOr<mlir::Module> kernel = read_body(body);
    if (!kernel.ok()) continue;
    const std::string name = kernel_name(*kernel);
    names.insert(name);
    for (std::size_t l = 0; l < lists.size(); ++l) used[l] = used[l] || is_about(lists[l], call, name);
    const std::vector<GivenList> own = lists_of(call, name, lists);
    if (own.empty()) continue;
    if (const absl::Status status = check_lists_of(call, *kernel, own); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("kernel ", name, " (", std::string(call.name()), "): ", std::string(status.message())));
    }
  }
  for (std::size_t l = 0; l < lists.size(); ++l) {
    if (used[l]) continue;
    const std::vector<std::string> nearest =
        nearest_names(lists[l].kernel, std::vector<std::string>(names.begin(), names.end()), 3);
    return absl::NotFoundError(absl::StrCat(
        "no kernel with a body is named ", lists[l].kernel, ": ",
        nearest.empty() ? "the module has none" : absl::StrCat("there are ", absl::StrJoin(nearest, ", "))));
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline kernel

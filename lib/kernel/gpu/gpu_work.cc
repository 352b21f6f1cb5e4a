#include "lib/kernel/gpu/gpu_work.h"

#include <algorithm>
#include <utility>

namespace hloroof::internal::inline kernel {
namespace {

void add_name(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

}  // namespace

void GpuKernelWork::add_elementwise(Opcode opcode, ElementType type, double elements) {
  if (elements <= 0) return;
  for (GpuElementwise& e : elementwise) {
    if (e.opcode == opcode && e.type == type) {
      e.elements += elements;
      return;
    }
  }
  elementwise.push_back({opcode, type, elements});
}

void GpuKernelWork::add_unread(std::string name) { add_name(unread, std::move(name)); }

void GpuKernelWork::add_data_dependent(std::string name) {
  has_data_dependent_loop = has_data_dependent_loop || name == "scf.for" || name == "scf.while";
  add_name(data_dependent, std::move(name));
}

}  // namespace hloroof::internal::inline kernel

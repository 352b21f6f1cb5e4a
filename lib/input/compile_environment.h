// What stands beside a dump: the settings with which libtpu compiled the program.
//
// With --xla_dump_to, libtpu writes a file PROGRAM.tpu_comp_env.txt beside the texts and protos PROGRAM.STAGE.txt and
// PROGRAM.STAGE.pb of each program: a text proto with a setting on each line and comments that begin with #.
#ifndef HLOROOF_LIB_INPUT_COMPILE_ENVIRONMENT_H_
#define HLOROOF_LIB_INPUT_COMPILE_ENVIRONMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hloroof::internal::inline input {

// The KiB of VMEM that a text proto allows each op; nullopt if it states none, or -1, which stands for the default of
// the device.
std::optional<std::int64_t> scoped_vmem_limit_kib(std::string_view environment);

// The same of the file that lies beside the dump `path`; nullopt if there is none that can be read. Does not follow
// links.
std::optional<std::int64_t> scoped_vmem_limit_kib_beside(const std::string& path);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_COMPILE_ENVIRONMENT_H_

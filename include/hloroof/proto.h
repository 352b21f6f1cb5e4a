// Reads modules from protocol buffers: HloModuleProto and HloProto (`*.pb`, `*.hlo.pb`), and XProf profiles that
// contain them (`*.xplane.pb`). The library has a small reader of the wire format and does not depend on protobuf.
//
//   absl::StatusOr<hloroof::Module> module = hloroof::parse_proto(bytes);
//   absl::StatusOr<hloroof::Module> one = hloroof::load_module("host.xplane.pb#jit_train_step");
//
// A program that links XLA does not need protos. It can pass the text of an xla::HloModule:
//
//   xla::HloPrintOptions options = xla::HloPrintOptions::Default().set_print_large_constants(false);
//   absl::StatusOr<hloroof::Module> module = hloroof::parse_module(xla_module.ToString(options));
//
// Lifetime: the results do not refer to `bytes`. Threads: the functions keep no state and may run on any number of
// threads.
#ifndef HLOROOF_PROTO_H_
#define HLOROOF_PROTO_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"

namespace hloroof {
inline namespace v0 {

// The HLO text of the single module in `bytes`, as XLA's HloModule::ToString() prints it. Tuple constants and constants
// of more than ten elements are elided. XLA's proto has num_partitions and replica_count only as part of a device
// assignment; without one the text lacks them. Statistics, original values and sparsity are not read. Errors: as
// parse_proto.
absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options = {});

// The single module in `bytes`. Errors: InvalidArgument if `bytes` is not a proto of these kinds, is truncated, or
// holds several modules, which the message lists; ResourceExhausted, which names the limit that the module's text
// exceeded.
absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options = {});

// All modules of a profile in order, or the single module of the other kinds. Errors: as parse_proto.
absl::StatusOr<std::vector<Module>> parse_protos(std::string_view bytes, const ParseOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PROTO_H_

// Modules as protocol buffers: HloModuleProto and HloProto (`*.pb`, `*.hlo.pb`), and the profiles of XProf that hold
// them (`*.xplane.pb`). Read by a small reader of the wire format; the library needs no protobuf.
//
//   absl::StatusOr<hloroof::Module> module = hloroof::parse_proto(bytes);
//   absl::StatusOr<hloroof::Module> one = hloroof::load_module("host.xplane.pb#jit_train_step");
//
// Who holds an xla::HloModule needs neither file nor proto:
//
//   xla::HloPrintOptions options = xla::HloPrintOptions::Default().set_print_large_constants(false);
//   absl::StatusOr<hloroof::Module> module = hloroof::parse_module(xla_module.ToString(options));
//   absl::StatusOr<hloroof::StepPrediction> step = hloroof::predict_step_time(*module,
//   *hloroof::find_device("tpu_v5e"));
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

// The HLO text of the one module that `bytes` holds, as XLA's HloModule::ToString() prints it; constants of more than
// ten elements are elided, and tuple constants. Not in the text, since XLA leaves them out of the proto: num_partitions
// and replica_count, unless there is a device assignment. Not read: statistics, original values, sparsity. Errors: as
// parse_proto.
absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options = {});

// The one module that `bytes` holds. Errors: InvalidArgument if they are no proto of these kinds, are cut off, or hold
// several modules, which the message names; ResourceExhausted naming the limit that was passed, which holds for the
// text that the module makes.
absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options = {});

// The modules of a profile, in its order; of the other kinds the one. Errors: as parse_proto.
absl::StatusOr<std::vector<Module>> parse_protos(std::string_view bytes, const ParseOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PROTO_H_

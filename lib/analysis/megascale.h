// Transfers between the slices of a multi-slice program. libtpu compiles such a program for one slice and turns the
// part of a collective that crosses slices into a send to and a recv from the host, whose runtime, megascale, exchanges
// the data over the data center network.
//
//   send(%x, %token), is_host_transfer=true, frontend_attributes={
//     _xla_host_transfer_handler_name="xla_megascale_runtime",_xla_host_transfer_rendezvous="all-reduce.80_129",
//     _xla_megascale_reduce_operation="SUM",_xla_megascale_target="{1,2}x{0:255}",
//     _xla_megascale_transfer_type="ALL_REDUCE"}
//
// The meaning of the attributes is inferred from what libtpu 0.0.15 and 0.0.48 compile for two, three and four slices;
// Google does not document them. tests/predict/dumps has such programs.
#ifndef HLOROOF_LIB_ANALYSIS_MEGASCALE_H_
#define HLOROOF_LIB_ANALYSIS_MEGASCALE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// A device of a multi-slice program. Megascale counts slices from 1, and the devices of a slice from 0.
struct SliceDevice {
  std::int64_t slice = 1;
  std::int64_t device = 0;

  friend bool operator==(SliceDevice, SliceDevice) = default;
};

// The devices that exchange data, in one of three forms. The other two are then empty.
struct MegascaleTarget {
  // "{1,2}x{0:255}": the devices of the same number in each of these slices form a group.
  std::vector<std::int64_t> slices;
  std::vector<std::pair<std::int64_t, std::int64_t>> devices;  // ranges, both ends included
  // "{{100000,200000},{100001,200001}}": groups.
  std::vector<std::vector<SliceDevice>> groups;
  // "{{100000->200000},{200000->100000}}": the source and the target of each message.
  std::vector<std::pair<SliceDevice, SliceDevice>> pairs;
};

// Parses _xla_megascale_target. Errors: InvalidArgument, with the column and what is expected there.
absl::StatusOr<MegascaleTarget> parse_megascale_target(std::string_view text);

// Returns true if a send or recv hands its data to the megascale runtime, however complete its other attributes are.
bool is_megascale(InstructionView instruction);

// The key that the send and the recv of one transfer share; empty if the text has none.
std::string megascale_rendezvous(InstructionView instruction);

// Returns the megascale sends of a computation by their rendezvous.
std::map<std::string, InstructionId> megascale_sends(ComputationView computation);

// Fills in the kind, groups, pairs and bytes of the transfer of a megascale recv, whose result tells the bytes. Device
// ids are (slice - 1) * devices of a slice + device. Errors: InvalidArgument if an attribute is missing or malformed,
// or names a device that a slice does not have.
absl::Status read_slice_transfer(InstructionView recv, Collective& collective);

// The message for a megascale send or recv whose attributes cannot be read, or nullopt.
std::optional<std::string> megascale_fault(InstructionView instruction);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_MEGASCALE_H_

// The numbers and names of computations and instructions in an HloModuleProto.
#ifndef HLOROOF_LIB_PROTO_PROTO_IDS_H_
#define HLOROOF_LIB_PROTO_PROTO_IDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hloroof/module.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline proto {

// The messages of a module that was read from a proto, by name.
class OriginalProto {
 public:
  struct Computation {
    WireMessage message;  // without its instructions
    std::int64_t id = 0;
    std::vector<WireMessage> instructions;
    std::vector<std::int64_t> ids;                            // of the instructions
    std::unordered_map<std::string_view, std::size_t> names;  // of the instructions
    std::unordered_map<std::int64_t, std::size_t> by_id;
  };

  explicit OriginalProto(std::string_view module_proto);

  const WireMessage& module() const { return module_; }
  const std::vector<Computation>& computations() const { return computations_; }
  const Computation* find(std::string_view name) const;
  const Computation* find_id(std::int64_t id) const;

 private:
  WireMessage module_;
  std::vector<Computation> computations_;
  std::unordered_map<std::string_view, std::size_t> names_;
  std::unordered_map<std::int64_t, std::size_t> ids_;
};

// Names that are unique in a module: a name that is taken gets the next free number, as in XLA.
class UniqueNames {
 public:
  std::string unique(std::string_view given);

 private:
  struct Numbers {
    std::unordered_set<std::int64_t> used;
    std::int64_t next = 1;
  };
  std::unordered_map<std::string, Numbers> roots_;
};

// One computation or instruction in the proto. `original` is its message in the proto that the module was read from, or
// null if it is new.
struct ProtoComputation {
  std::int64_t id = 0;
  std::string name;
  const OriginalProto::Computation* original = nullptr;
};
struct ProtoInstruction {
  std::int64_t id = 0;
  std::string name;
  const WireMessage* original = nullptr;
};

// Every computation and instruction has the id and the name of the original, or if there is none new ones. Indexed by
// the ids of the module.
struct ProtoIds {
  std::vector<ProtoComputation> computations;
  std::vector<ProtoInstruction> instructions;
};
ProtoIds proto_ids(const Module& module, const OriginalProto* original);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_PROTO_IDS_H_

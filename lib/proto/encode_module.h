// Writes the messages of one module, each as if there were no original.
#ifndef HLOROOF_LIB_PROTO_ENCODE_MODULE_H_
#define HLOROOF_LIB_PROTO_ENCODE_MODULE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "lib/proto/messages.h"
#include "lib/proto/proto_ids.h"

namespace hloroof::internal::inline proto {

class ModuleEncoder {
 public:
  // `module` must outlive the encoder. The numbers and the names are those of the original where it has them.
  ModuleEncoder(const Module& module, const OriginalProto* original);

  const Module& module() const { return module_; }
  const ProtoInstruction& of(InstructionView i) const { return ids_.instructions[i.id().index]; }
  const ProtoComputation& of(ComputationView c) const { return ids_.computations[c.id().index]; }

  struct Encoded {
    std::string message;
    bool elided = false;  // it lacks the values of a constant
    std::string fault;    // the attribute that it lacks
  };
  Encoded instruction(InstructionView i);
  // Without its instructions.
  std::string computation(ComputationView c);
  // Without its computations and its schedule. Call this after all instructions, whose texts it lists.
  std::string header();
  // The numbers of the instructions of each scheduled computation, with the number of the computation.
  std::vector<std::pair<std::int64_t, std::string>> sequences() const;

 private:
  // What the opcode and the attributes say: all but the name, the id, operands and other references. Each returns false
  // after setting `fault` to the attribute that cannot be written.
  bool append_attributes(InstructionView i, Encoded& encoded, WireWriter& out);
  bool append_opcode_attributes(InstructionView i, Encoded& encoded, WireWriter& out);
  std::string host_shape();
  void append_devices(WireWriter& out) const;

  const Module& module_;
  ProtoIds ids_;
  ShapeProtos shapes_;
  Payloads payloads_;
  std::vector<bool> fused_;
};

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_ENCODE_MODULE_H_

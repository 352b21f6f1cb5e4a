// 32-bit handles into the tables of a Module. An id is valid for the lifetime of its module, across edits.
#ifndef HLOROOF_IDS_H_
#define HLOROOF_IDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hloroof {
inline namespace v0 {

// A typed index: an InstructionId cannot be used as a ComputationId. A default-constructed id is invalid.
template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool valid() const { return index != kNone; }

  friend constexpr bool operator==(Id a, Id b) { return a.index == b.index; }
  friend constexpr bool operator!=(Id a, Id b) { return a.index != b.index; }
  friend constexpr bool operator<(Id a, Id b) { return a.index < b.index; }
};

using InstructionId = Id<struct InstructionTag>;
using ComputationId = Id<struct ComputationTag>;
using ShapeId = Id<struct ShapeTag>;

}  // namespace v0
}  // namespace hloroof

template <typename Tag>
struct std::hash<hloroof::Id<Tag>> {
  std::size_t operator()(hloroof::Id<Tag> id) const noexcept { return id.index; }
};

#endif  // HLOROOF_IDS_H_

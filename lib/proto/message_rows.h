// Messages whose fields are the members of a struct, which reading and writing walk in the order of their numbers. As
// in proto3, a missing field is 0 or empty, and such a field is not written.
//
//   template <>  // fields 1, 2 and 3
//   constexpr auto kMembers<SliceRange> = std::tuple(&SliceRange::start, &SliceRange::limit, &SliceRange::stride);
#ifndef HLOROOF_LIB_PROTO_MESSAGE_ROWS_H_
#define HLOROOF_LIB_PROTO_MESSAGE_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "lib/proto/messages.h"

namespace hloroof::internal::inline proto {

// From field 1 on. A null pointer stands for a number that has no field.
template <typename T>
constexpr auto kMembers = 0;

template <typename T>
concept IsMessage = !std::is_same_v<decltype(kMembers<T>), const int>;

template <typename T>
T read_message(const WireMessage& message);
template <typename T>
void append_fields(const T& of, WireWriter& out);
template <typename T>
std::string message_proto(const T& of) {
  WireWriter out;
  append_fields(of, out);
  return out.take();
}

template <typename T>
std::vector<T> read_messages(const WireMessage& message, std::uint32_t number) {
  std::vector<T> all;
  for (std::string_view bytes : message.all(number)) all.push_back(read_message<T>(WireMessage(bytes)));
  return all;
}
template <typename T>
void append_messages(std::uint32_t number, const std::vector<T>& all, WireWriter& out) {
  for (const T& of : all) out.bytes(number, message_proto(of));
}

template <typename T>
void read_field_of(const WireMessage& message, std::uint32_t number, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = message.bytes(number);
  } else if constexpr (std::is_same_v<T, double>) {
    value = message.floating(number);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = message.flag(number);
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(message.integer(number));
  } else if constexpr (std::is_same_v<T, ElementType>) {  // kTuple if the number is not that of an array
    const std::int64_t type = message.integer(number);
    value = type == 0 ? ElementType::kInvalid : element_type_of(type).value_or(ElementType::kTuple);
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    value = message.integers(number);
  } else if constexpr (IsMessage<T>) {
    value = read_message<T>(message.message(number));
  } else {
    value = read_messages<typename T::value_type>(message, number);
  }
}

template <typename T>
void append_field_of(std::uint32_t number, const T& value, WireWriter& out) {
  if constexpr (std::is_same_v<T, std::string>) {
    out.text(number, value);
  } else if constexpr (std::is_same_v<T, double>) {
    out.floating(number, value);
  } else if constexpr (std::is_integral_v<T>) {
    out.integer(number, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, ElementType>) {
    out.integer(number, primitive_type(value));
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    out.packed(number, value);
  } else if constexpr (IsMessage<T>) {
    out.text(number, message_proto(value));
  } else {
    append_messages(number, value, out);
  }
}

// Calls visit(number, member) for each member.
template <typename T, typename Visit>
void for_each_member(Visit visit) {
  std::uint32_t number = 0;
  const auto one = [&](auto member) {
    ++number;
    if constexpr (!std::is_null_pointer_v<decltype(member)>) visit(number, member);
  };
  std::apply([&](auto... members) { (one(members), ...); }, kMembers<T>);
}

template <typename T>
T read_message(const WireMessage& message) {
  T of;
  for_each_member<T>([&](std::uint32_t number, auto member) { read_field_of(message, number, of.*member); });
  return of;
}

template <typename T>
void append_fields(const T& of, WireWriter& out) {
  for_each_member<T>([&](std::uint32_t number, auto member) { append_field_of(number, of.*member, out); });
}

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_MESSAGE_ROWS_H_

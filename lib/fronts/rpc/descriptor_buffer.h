// Reads a file descriptor, and knows whether a read would wait.
#ifndef HLOROOF_LIB_FRONTS_RPC_DESCRIPTOR_BUFFER_H_
#define HLOROOF_LIB_FRONTS_RPC_DESCRIPTOR_BUFFER_H_

#include <array>
#include <chrono>
#include <streambuf>

namespace hloroof::internal::inline rpc {

// std::cin cannot tell whether a pipe has bytes. With this buffer in_avail() is positive if there are bytes or if the
// stream has ended, and 0 if a read would wait.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

  // Waits until there are bytes, the stream ends or the time is over. Returns false in the last case.
  bool wait(std::chrono::milliseconds time);

 protected:
  int_type underflow() override;
  std::streamsize showmanyc() override;

 private:
  int descriptor_;
  std::array<char, 1 << 16> bytes_;
};

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_DESCRIPTOR_BUFFER_H_

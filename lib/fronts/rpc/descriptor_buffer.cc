#include "lib/fronts/rpc/descriptor_buffer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace hloroof::internal::inline rpc {

DescriptorBuffer::int_type DescriptorBuffer::underflow() {
  ssize_t size = -1;
  do {
    size = read(descriptor_, bytes_.data(), bytes_.size());
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return traits_type::eof();
  setg(bytes_.data(), bytes_.data(), bytes_.data() + size);
  return traits_type::to_int_type(*gptr());
}

bool DescriptorBuffer::wait(std::chrono::milliseconds time) {
  if (gptr() < egptr()) return true;
  pollfd waiting{descriptor_, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(time.count())) > 0;
}

std::streamsize DescriptorBuffer::showmanyc() { return wait(std::chrono::milliseconds(0)) ? 1 : 0; }

}  // namespace hloroof::internal::inline rpc

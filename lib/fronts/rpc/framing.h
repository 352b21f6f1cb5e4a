// Where one message ends and the next begins on a stream of bytes.
#ifndef HLOROOF_LIB_FRONTS_RPC_FRAMING_H_
#define HLOROOF_LIB_FRONTS_RPC_FRAMING_H_

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace hloroof::internal::inline rpc {

enum class Framing {
  kHeaders,  // `Content-Length: N`, an empty line, N bytes: the Language Server Protocol
  kLines,    // one message a line: the Model Context Protocol
};

struct FramingLimits {
  std::size_t max_message = std::size_t{256} << 20;  // bytes; larger messages are skipped
  std::size_t max_header = 4096;                     // bytes of one header line
};

// Reads the texts of messages.
class MessageReader {
 public:
  enum class Result {
    kMessage,    // a text
    kMalformed,  // skipped bytes that are not a message; the text says what is wrong with them
    kEnd,
  };

  MessageReader(std::streambuf& in, Framing framing, const FramingLimits& limits = {})
      : in_(in), framing_(framing), limits_(limits) {}

  // Waits for the next message.
  Result read(std::string& text);

  // Whether bytes have arrived that are not read, or the end of the stream.
  bool has_pending() { return in_.in_avail() != 0; }

 private:
  // How a line ended.
  enum class Line { kWhole, kTooLong, kEnd };

  Line read_line(std::string& line, std::size_t limit);
  Result read_framed_by_line(std::string& text);
  Result read_framed_by_headers(std::string& text);
  Result read_body(std::size_t size, std::string& text);
  void skip(std::size_t size);

  std::streambuf& in_;
  Framing framing_;
  FramingLimits limits_;
};

// Writes one message and flushes. `text` must have no line breaks, as json_text() has none.
void write_message(std::ostream& out, Framing framing, std::string_view text);

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_FRAMING_H_

#include "lib/fronts/rpc/framing.h"

#include <sstream>
#include <vector>

#include "tests/catch.h"

using namespace hloroof::internal;

namespace {

// The results of reading `bytes` to the end: texts, and "!" before what is wrong with malformed ones.
std::vector<std::string> read_all(const std::string& bytes, Framing framing) {
  std::stringbuf in(bytes);
  FramingLimits limits;
  limits.max_message = 20;
  limits.max_header = 40;
  MessageReader reader(in, framing, limits);
  std::vector<std::string> results;
  results.reserve(bytes.size());
  std::string text;
  while (true) {
    switch (reader.read(text)) {
      case MessageReader::Result::kEnd: return results;
      case MessageReader::Result::kMessage: results.push_back(text); break;
      case MessageReader::Result::kMalformed: results.push_back("!" + text); break;
    }
  }
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Headers frame messages") {
  const std::string no_length =
      "!the headers of a message must have a line Content-Length with the number of its bytes";
  struct Case {
    std::string bytes;
    Texts texts;
  };
  const Case cases[] = {
      {"", {}},
      {"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", {"{}", "[1]"}},
      {"content-length:2\nContent-Type: application/vscode-jsonrpc\n\n{}", {"{}"}},
      {"\r\n\r\nContent-Length: 0\r\n\r\n\r\nContent-Length: 1\r\n\r\n7", {"", "7"}},
      {"Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}", {no_length, "{}"}},
      {"Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}", {no_length, "{}"}},
      {"Content-Length: 99999999999999999999999\r\n\r\nContent-Length: 2\r\n\r\n{}", {no_length, "{}"}},
      {"Content-Length: 2x\r\n\r\n", {no_length}},
      {"Content-Length:\r\n\r\n", {no_length}},
      {"Content-Length: 21\r\n\r\n123456789012345678901Content-Length: 2\r\n\r\n{}",
       {"!the message has 21 bytes; the limit is 20", "{}"}},
      {"Content-Length: 18446744073709551615\r\n\r\nabc",
       {"!the message has 18446744073709551615 bytes; the limit is 20"}},
      {"Content-Length: 9\r\n\r\n{}", {"!the input ends inside a message"}},
      {"Content-Length: 9\r\n", {"!the input ends between the headers of a message"}},
      {std::string(100, 'x') + "\r\n\r\nContent-Length: 2\r\n\r\n{}", {no_length, "{}"}},
      {"X: " + std::string(100, 'x') + "\r\nContent-Length: 2\r\n\r\n{}", {"{}"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(read_all(c.bytes, Framing::kHeaders) == c.texts);
  }
}

TEST_CASE("Lines frame messages") {
  struct Case {
    std::string bytes;
    Texts texts;
  };
  const Case cases[] = {
      {"", {}},
      {"{}\n[1]\r\n\n  \n7", {"{}", "[1]", "7"}},
      {std::string(21, 'x') + "\n{}\n", {"!the message is longer than 20 bytes", "{}"}},
      {std::string(21, 'x'), {"!the message is longer than 20 bytes"}},
      {std::string(20, 'x'), {std::string(20, 'x')}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(read_all(c.bytes, Framing::kLines) == c.texts);
  }
}

TEST_CASE("What is written is read again") {
  for (const Framing framing : {Framing::kHeaders, Framing::kLines}) {
    std::ostringstream out;
    write_message(out, framing, "{}");
    write_message(out, framing, "[1,2]");
    CHECK(read_all(out.str(), framing) == Texts{"{}", "[1,2]"});
  }
}

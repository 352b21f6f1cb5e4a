#include "lib/fronts/rpc/framing.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline rpc {
namespace {

constexpr int kEndOfStream = std::streambuf::traits_type::eof();

// `Content-Length: 12`. Empty if the line is another header; `*is_bad` if its value is not a number.
std::optional<std::size_t> content_length(std::string_view line, bool* is_bad) {
  constexpr std::string_view kName = "content-length:";
  if (line.size() < kName.size() || !absl::EqualsIgnoreCase(to_absl(line.substr(0, kName.size())), to_absl(kName))) {
    return std::nullopt;
  }
  const std::string_view digits = from_absl(absl::StripAsciiWhitespace(to_absl(line.substr(kName.size()))));
  const std::optional<std::size_t> length = parse_number<std::size_t>(digits);
  *is_bad = !length.has_value();
  return length.value_or(0);
}

}  // namespace

MessageReader::Result MessageReader::read(std::string& text) {
  text.clear();
  return framing_ == Framing::kLines ? read_framed_by_line(text) : read_framed_by_headers(text);
}

// Reads up to and with the next LF, and drops it and a CR before it.
MessageReader::Line MessageReader::read_line(std::string& line, std::size_t limit) {
  line.clear();
  bool is_too_long = false;
  while (true) {
    const int c = in_.sbumpc();
    if (c == kEndOfStream)
      return line.empty() && !is_too_long ? Line::kEnd : (is_too_long ? Line::kTooLong : Line::kWhole);
    if (c == '\n') break;
    if (line.size() < limit) {
      line.push_back(static_cast<char>(c));
    } else {
      is_too_long = true;
    }
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return is_too_long ? Line::kTooLong : Line::kWhole;
}

MessageReader::Result MessageReader::read_framed_by_line(std::string& text) {
  while (true) {
    switch (read_line(text, limits_.max_message)) {
      case Line::kEnd: return Result::kEnd;
      case Line::kTooLong:
        text = "the message is longer than " + std::to_string(limits_.max_message) + " bytes";
        return Result::kMalformed;
      case Line::kWhole:
        if (!absl::StripAsciiWhitespace(text).empty()) return Result::kMessage;
    }
  }
}

MessageReader::Result MessageReader::read_framed_by_headers(std::string& text) {
  std::string line;
  std::optional<std::size_t> length;
  bool is_bad = false;
  bool any = false;
  while (true) {
    const Line end = read_line(line, limits_.max_header);
    if (end == Line::kEnd) {
      if (!any) return Result::kEnd;
      text = "the input ends between the headers of a message";
      return Result::kMalformed;
    }
    if (end == Line::kWhole && line.empty()) {
      if (any) break;
      continue;  // empty lines between messages are harmless
    }
    any = true;
    if (end == Line::kTooLong) continue;
    bool is_bad_line = false;
    if (const auto stated = content_length(line, &is_bad_line); stated) {
      length = stated;
      is_bad = is_bad_line;
    }
  }
  if (!length || is_bad) {
    text = "the headers of a message must have a line Content-Length with the number of its bytes";
    return Result::kMalformed;
  }
  return read_body(*length, text);
}

MessageReader::Result MessageReader::read_body(std::size_t size, std::string& text) {
  if (size > limits_.max_message) {
    skip(size);
    text = "the message has " + std::to_string(size) + " bytes; the limit is " + std::to_string(limits_.max_message);
    return Result::kMalformed;
  }
  // In steps, because a false length must not allocate memory that no message fills.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  while (text.size() < size) {
    const std::size_t before = text.size();
    const std::size_t step = std::min(kStep, size - before);
    text.resize(before + step);
    const auto got = std::max<std::streamsize>(in_.sgetn(&text[before], static_cast<std::streamsize>(step)), 0);
    if (static_cast<std::size_t>(got) == step) continue;
    text = "the input ends inside a message";
    return Result::kMalformed;
  }
  return Result::kMessage;
}

void MessageReader::skip(std::size_t size) {
  std::string dropped(std::min<std::size_t>(size, 1 << 16), '\0');
  while (size > 0) {
    const auto step = static_cast<std::streamsize>(std::min(size, dropped.size()));
    const std::streamsize got = in_.sgetn(dropped.data(), step);
    if (got < step) return;
    size -= static_cast<std::size_t>(got);
  }
}

void write_message(std::ostream& out, Framing framing, std::string_view text) {
  if (framing == Framing::kHeaders) {
    out << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  } else {
    out << text << '\n';
  }
  out.flush();
}

}  // namespace hloroof::internal::inline rpc

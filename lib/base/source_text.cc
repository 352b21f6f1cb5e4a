#include "lib/base/source_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "lib/base/utf.h"

namespace hloroof::internal::inline base {
namespace {

// Owns a file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

absl::Status too_large(const std::string& path, std::int64_t max_bytes) {
  return absl::ResourceExhaustedError(path + ": exceeds the limit of " + std::to_string(max_bytes) + " bytes");
}

absl::Status out_of_memory(const std::string& path) {
  return absl::ResourceExhaustedError(path + ": does not fit into memory");
}

absl::Status read_failed(const std::string& path, const char* why) {
  return absl::DataLossError(path + ": cannot be read: " + why);
}

struct Bytes {
  std::unique_ptr<char[], FreeBytes> data;
  std::size_t size = 0;
  std::size_t room = 0;
};

// Reads until the end. `read_some` fills its argument and returns the number of bytes, 0 at the end, or a negative
// number on failure. The buffer has room for the padding. It grows without being copied or touched beyond its content,
// so that memory is in proportion to what is read.
template <typename ReadSome>
absl::StatusOr<Bytes> read_all(const std::string& path, std::int64_t max_bytes, ReadSome read_some) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  Bytes bytes;
  while (true) {
    if (bytes.room - bytes.size < kChunk + SourceText::kPadding) {
      const std::size_t room = std::max(bytes.room * 2, bytes.size + 2 * kChunk);
      char* grown = static_cast<char*>(std::realloc(bytes.data.get(), room));
      if (grown == nullptr) return out_of_memory(path);
      static_cast<void>(bytes.data.release());
      bytes.data.reset(grown);
      bytes.room = room;
    }
    const std::int64_t got = read_some(bytes.data.get() + bytes.size, kChunk);
    if (got < 0) return read_failed(path, std::strerror(errno));
    if (got == 0) return bytes;
    bytes.size += static_cast<std::size_t>(got);
    if (static_cast<std::int64_t>(bytes.size) > max_bytes) return too_large(path, max_bytes);
  }
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// Whether a file, but not a pipe, begins with the magic bytes of gzip (RFC 1952).
bool is_gzip(int descriptor) {
  unsigned char head[2] = {};
  return pread(descriptor, head, sizeof head, 0) == sizeof head && head[0] == 0x1f && head[1] == 0x8b;
}

}  // namespace

void SourceText::set(std::string_view text, const std::string& path, bool borrowed) {
  path_ = path;
  size_ = text.size();
  if (borrowed) {
    begin_ = text.data();
    return;
  }
  // `text` may point into owned_, so owned_ must not be freed before the copy.
  std::unique_ptr<char[], FreeBytes> grown;
  if (owned_size_ < size_ + kPadding) {
    owned_size_ = size_ + kPadding;
    grown.reset(static_cast<char*>(std::malloc(owned_size_)));
    if (grown == nullptr) throw std::bad_alloc();
  }
  if (!text.empty()) std::memmove(grown == nullptr ? owned_.get() : grown.get(), text.data(), size_);
  if (grown != nullptr) owned_ = std::move(grown);
  std::memset(owned_.get() + size_, 0, kPadding);
  begin_ = owned_.get();
}

std::shared_ptr<const SourceText> SourceText::copy(std::string_view text, const std::string& path) {
  std::shared_ptr<SourceText> source(new SourceText());
  source->set(text, path, false);
  return source;
}

std::shared_ptr<const SourceText> SourceText::of_proto(std::string_view text, const std::string& path,
                                                       std::string_view proto) {
  std::shared_ptr<SourceText> source(new SourceText());
  source->set(text, path, false);
  source->proto_ = std::string(proto);
  return source;
}

std::shared_ptr<const SourceText> SourceText::borrow(std::string_view text, const std::string& path) {
  std::shared_ptr<SourceText> source(new SourceText());
  source->set(text, path, true);
  return source;
}

void SourceText::reuse(std::shared_ptr<SourceText>* kept, long holders, std::string_view text, const std::string& path,
                       bool borrowed) {
  const bool unshared = *kept != nullptr && kept->use_count() == holders;
  std::atomic_thread_fence(std::memory_order_acquire);  // orders the reads of a former holder before our writes
  if (!unshared) kept->reset(new SourceText());
  (*kept)->set(text, path, borrowed);
}

std::shared_ptr<const SourceText> SourceText::own(std::unique_ptr<char[], FreeBytes> bytes, std::size_t size,
                                                  std::size_t room, const std::string& path) {
  std::shared_ptr<SourceText> source(new SourceText());
  std::memset(bytes.get() + size, 0, kPadding);
  source->path_ = path;
  source->size_ = size;
  source->begin_ = bytes.get();
  source->owned_ = std::move(bytes);
  source->owned_size_ = room;
  return source;
}

absl::StatusOr<std::shared_ptr<const SourceText>> SourceText::read(const std::string& path, std::int64_t max_bytes) {
  const bool is_stdin = path == "-";
  const std::string shown = is_stdin ? "<stdin>" : path;
  File file(is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    struct stat link = {};
    const int error = errno;
    if (error != ENOENT) return absl::FailedPreconditionError(shown + ": " + std::strerror(error));
    const bool is_link = lstat(path.c_str(), &link) == 0;
    return absl::NotFoundError(shown + (is_link ? ": is a link to a file that does not exist" : ": no such file"));
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) return read_failed(shown, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return absl::FailedPreconditionError(shown + ": is a folder, not a file");

  // Standard input may be a pipe. zlib passes data without a gzip header through unchanged.
  if (is_stdin || ends_with(path, ".gz") || is_gzip(file.get())) {
    gzFile zipped = gzdopen(dup(file.get()), "rb");
    if (zipped == nullptr) return read_failed(shown, "out of memory");
    absl::StatusOr<Bytes> bytes = read_all(shown, max_bytes, [&](char* to, std::size_t room) {
      return std::int64_t{gzread(zipped, to, static_cast<unsigned>(std::min<std::size_t>(room, 1 << 30)))};
    });
    int code = Z_OK;
    std::string why = gzerror(zipped, &code);
    why.erase(0,
              why.find(">: ") == std::string::npos ? 0 : why.find(">: ") + 3);  // "<fd:4>: unknown compression method"
    const bool truncated = gzclose(zipped) == Z_BUF_ERROR;
    if (!bytes.ok()) {
      return bytes.status().code() == absl::StatusCode::kDataLoss ? read_failed(shown, why.c_str()) : bytes.status();
    }
    if (truncated) return read_failed(shown, "the compressed file is truncated");
    return own(std::move(bytes->data), bytes->size, bytes->room, shown);
  }

  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0;
  if (static_cast<std::int64_t>(size) > max_bytes) return too_large(shown, max_bytes);
  if (size > 0 && size % page != 0) {
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped != MAP_FAILED) {
      std::shared_ptr<SourceText> source(new SourceText());
      source->mapped_ = mapped;
      source->mapped_size_ = size;
      source->begin_ = static_cast<const char*>(mapped);
      source->size_ = size;
      source->path_ = shown;
      return source;
    }
  }
  absl::StatusOr<Bytes> bytes = read_all(
      shown, max_bytes, [&](char* to, std::size_t room) { return std::int64_t{::read(file.get(), to, room)}; });
  if (!bytes.ok()) return bytes.status();
  return own(std::move(bytes->data), bytes->size, bytes->room, shown);
}

SourceText::~SourceText() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

LineColumn line_column(std::string_view text, std::size_t offset) {
  LineColumn at;
  offset = std::min(offset, text.size());
  std::size_t start = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool lone_cr = text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n');
    if (text[i] == '\n' || lone_cr) {
      ++at.line;
      start = i + 1;
    }
  }
  at.column = offset - start + 1;
  return at;
}

std::string_view line_at(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r') --begin;
  std::size_t end = offset;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  return text.substr(begin, end - begin);
}

void make_printable(std::string& line) {
  for (std::size_t i = 0; i < line.size();) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (c < 0x20 || c == 0x7f) line[i] = ' ';
    const std::size_t length = utf8_length(line, i);
    if (length == 0) line[i] = '?';
    // U+0080 to U+009F are control characters, which a terminal may obey.
    if (length == 2 && c == 0xc2 && static_cast<unsigned char>(line[i + 1]) < 0xa0) line[i] = line[i + 1] = '?';
    i += std::max<std::size_t>(length, 1);
  }
}

std::string located_message(std::string_view path, std::string_view text, std::size_t offset, std::string_view message,
                            std::string_view severity) {
  constexpr std::size_t kShown = 200;
  const LineColumn at = line_column(text, offset);
  std::string_view line = line_at(text, offset);
  std::size_t caret = std::min(at.column - 1, line.size());
  std::string before;
  if (line.size() > kShown) {
    const std::size_t cut = caret > kShown / 2 ? caret - kShown / 2 : 0;
    const bool more = line.size() - cut > kShown;
    line = line.substr(cut, kShown);
    caret -= cut;
    if (cut > 0) before = "...";
    std::string shown = before + std::string(line) + (more ? "..." : "");
    caret += before.size();
    before = std::move(shown);
  } else {
    before = std::string(line);
  }
  make_printable(before);
  std::string out(path);
  out += ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  out += severity;
  out += ": ";
  out += message;
  out += "\n  " + before + "\n  " + std::string(caret, ' ') + "^";
  return out;
}

}  // namespace hloroof::internal::inline base

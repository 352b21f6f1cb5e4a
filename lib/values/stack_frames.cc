// Decodes the stack frame tables of a module, and finds source locations with them.
#include <string>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

// Parses the tables. A friend of StackFrames.
struct StackFrameReader {
  Cursor& cursor;
  StackFrames& out;

  // names := (INT STRING)*
  bool read_names(std::vector<std::string>* names) {
    std::int64_t row = 0;
    std::string_view raw;
    while (is_digit(cursor.peek())) {
      if (!read_integer(cursor, &row) || !cursor.read_string(&raw)) return false;
      names->push_back(unescape(raw));
    }
    return true;
  }

  // row := INT '{' fields '}'       All fields are required; each is an int32.
  bool read_row(std::initializer_list<std::pair<std::string_view, std::int32_t*>> fields) {
    std::int64_t number = 0;
    if (!read_integer(cursor, &number)) return false;
    const char* where = cursor.at();
    std::size_t seen = 0;
    const bool ok = read_fields(cursor, [&](std::string_view name, const char* at) {
      for (const auto& [text, value] : fields) {
        if (text != name) continue;
        ++seen;
        return read_int32(cursor, value);
      }
      return cursor.fail(at, "unexpected attribute \"" + std::string(name.substr(0, 64)) + "\"");
    });
    return ok && (seen == fields.size() || cursor.fail(where, "a row of a stack-frame table lacks a field"));
  }

  // tables := 'FileNames' names 'FunctionNames' names 'FileLocations' row* 'StackFrames' row*
  bool read() {
    if (!cursor.accept_keyword("FileNames") || !read_names(&out.files_)) return false;
    if (!cursor.accept_keyword("FunctionNames") || !read_names(&out.functions_)) return false;
    if (!cursor.accept_keyword("FileLocations")) return false;
    while (is_digit(cursor.peek())) {
      StackFrames::Location l;
      std::int32_t file = 0;
      std::int32_t function = 0;
      if (!read_row({{"file_name_id", &file},
                     {"function_name_id", &function},
                     {"line", &l.line},
                     {"end_line", &l.end_line},
                     {"column", &l.column},
                     {"end_column", &l.end_column}})) {
        return false;
      }
      l.file = static_cast<std::uint32_t>(file);
      l.function = static_cast<std::uint32_t>(function);
      out.locations_.push_back(l);
    }
    if (!cursor.accept_keyword("StackFrames")) return false;
    while (is_digit(cursor.peek())) {
      std::int32_t location = 0;
      std::int32_t parent = 0;
      if (!read_row({{"file_location_id", &location}, {"parent_frame_id", &parent}})) return false;
      out.frames_.push_back(static_cast<std::uint32_t>(location));
    }
    return true;
  }
};

}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

StackFrames::StackFrames(const Module& module) {
  const std::string_view tables = ModuleRows::stack_frame_tables(module);
  if (tables.empty()) return;
  Cursor cursor(tables);
  StackFrames read;
  if (StackFrameReader{cursor, read}.read()) *this = std::move(read);
}

std::optional<SourceLocation> StackFrames::location(std::int64_t id) const {
  if (id < 1 || static_cast<std::size_t>(id) > frames_.size()) return std::nullopt;
  const std::size_t row = frames_[static_cast<std::size_t>(id) - 1];
  if (row < 1 || row > locations_.size()) return std::nullopt;
  const Location& from = locations_[row - 1];
  SourceLocation to;
  if (from.file >= 1 && from.file <= files_.size()) to.file = files_[from.file - 1];
  if (from.function >= 1 && from.function <= functions_.size()) to.function = functions_[from.function - 1];
  to.line = from.line;
  to.end_line = from.end_line;
  to.column = from.column;
  to.end_column = from.end_column;
  return to;
}

SourceLocation source_location(InstructionView instruction) {
  return source_location(instruction, StackFrames(instruction.module()));
}

SourceLocation source_location(InstructionView instruction, const StackFrames& frames) {
  const std::optional<Metadata> m = metadata(instruction);
  if (!m.has_value()) return {};
  if (m->source_file.empty() && m->stack_frame_id > 0) {
    if (std::optional<SourceLocation> found = frames.location(m->stack_frame_id)) return *std::move(found);
  }
  SourceLocation location;
  location.file = m->source_file;
  location.line = m->source_line;
  location.end_line = m->source_end_line;
  location.column = m->source_column;
  location.end_column = m->source_end_column;
  return location;
}

}  // namespace hloroof::inline v0

#include "lib/text/module_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/base/error_place.h"
#include "lib/base/strings.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/values/raw_value.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline text {

absl::Status ModuleParser::parse(std::shared_ptr<const SourceText> source, const ParseOptions& options,
                                 Module& module) {
  if (start_and_parse(std::move(source), options, module)) return absl::OkStatus();
  absl::Status result = status();
  ModuleBuilder(module).clear();
  return result;
}

bool ModuleParser::read(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module) {
  if (start_and_parse(std::move(source), options, module)) return true;
  ModuleBuilder(module).clear();
  return false;
}

std::optional<std::size_t> ModuleParser::read_computation(std::shared_ptr<const SourceText> source, std::size_t begin,
                                                          const Precedes& precedes, const ParseOptions& options,
                                                          Module& module) {
  start(std::move(source), options, module);
  precedes_ = &precedes;
  cursor_.move_to(source_begin_ + begin);
  const bool parsed = parse_computation();
  precedes_ = nullptr;
  // The next computation begins where the parse of the whole text would go on.
  const bool goes_on = parsed || recover_in_module();
  const bool is_over = over_limit_ || cursor_.exceeded_limit() || shapes_.exceeded_limit();
  const bool most_errors = static_cast<int>(errors_begin_.size()) >= options_->max_errors;
  if (is_over || most_errors) return std::nullopt;
  if (!goes_on) return ModuleRows::source(module).size();
  cursor_.skip_space();
  return cursor_.offset();
}

bool ModuleParser::start_and_parse(std::shared_ptr<const SourceText> source, const ParseOptions& options,
                                   Module& module) {
  const std::size_t size = source->size();
  start(std::move(source), options, module);
  ModuleBuilder(module).reserve(size);
  return parse_text();
}

void ModuleParser::start(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module) {
  ModuleBuilder builder(module);
  builder.clear();
  options_ = &options;
  module_ = &module;
  source_begin_ = source->begin();
  cursor_ = Cursor(source->view(), options.max_depth);
  builder.set_source(std::move(source));
  single_ = false;
  over_limit_ = false;
  elides_tuple_access_ = false;
  implicit_parameters_ = 0;
  next_anonymous_.fill(0);
  shapes_.start(&builder.shapes(), ModuleRows::source(module).size(), ModuleRows::source(module).size() / 2048);
  checked_.start();
  instruction_names_.reset(module_);
  computation_names_.reset(module_);
  computation_begins_.clear();
  computations_.clear();
  instructions_.clear();
  operands_.clear();
  attributes_.clear();
  references_.clear();
  synthesized_.clear();
  parameters_.clear();
  errors_begin_.clear();
  made_up_names_ = 0;
  inferred_parts_ = 0;
}

// Formats all errors. The first record of an error is the message; the others name the enclosing constructs or the
// conflicting definition.
absl::Status ModuleParser::status() const {
  std::string message;
  const std::vector<ErrorRecord>& errors = cursor_.errors();
  std::size_t next = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const bool is_first = i == 0 || (next < errors_begin_.size() && errors_begin_[next] == i);
    while (next < errors_begin_.size() && errors_begin_[next] <= i) ++next;
    if (!message.empty()) message += '\n';
    message += located_message(ModuleRows::path(*module_), ModuleRows::source(*module_).view(), errors[i].offset,
                               errors[i].message, is_first ? "error" : "note");
  }
  const bool is_over = over_limit_ || cursor_.exceeded_limit() || shapes_.exceeded_limit();
  absl::Status status = is_over ? resource_exhausted(message) : invalid_argument(message);
  if (errors.empty()) return status;
  const LineColumn at = line_column(ModuleRows::source(*module_).view(), errors.front().offset);
  return with_place(std::move(status), ModuleRows::path(*module_), at, is_over ? "limit" : "syntax");
}

std::vector<TextError> ModuleParser::errors() const {
  std::vector<TextError> result;
  result.reserve(errors_begin_.size() + 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < cursor_.errors().size(); ++i) {
    const ErrorRecord& record = cursor_.errors()[i];
    const bool is_first = i == 0 || (next < errors_begin_.size() && errors_begin_[next] == i);
    while (next < errors_begin_.size() && errors_begin_[next] <= i) ++next;
    if (is_first) {
      result.push_back({record.offset, record.message, {}});
    } else {
      result.back().notes.push_back(record);
    }
  }
  return result;
}

// text := header? tables? computation+ | instruction
bool ModuleParser::parse_text() {
  if (cursor_.at_end()) return cursor_.fail("expects an HLO module but the text is empty");
  if (cursor_.accept_keyword("HloModule")) {
    if (!parse_header() || !parse_tables()) return false;
  } else if (looks_like_single_instruction()) {
    return parse_single_instruction();
  }
  do {
    if (!parse_computation() && !recover_in_module()) return false;
  } while (!cursor_.at_end());
  return !cursor_.failed() && finish_module();
}

// header := 'HloModule' name (',' attribute)*
bool ModuleParser::parse_header() {
  ModuleBuilder builder(*module_);
  builder.set_has_header(true);
  std::string_view name;
  if (!cursor_.read_name(&name)) return false;
  builder.set_name(range_of(name));
  while (cursor_.accept(',')) {
    if (!parse_header_attribute()) return false;
  }
  return true;
}

bool ModuleParser::parse_header_attribute() {
  ModuleBuilder builder(*module_);
  cursor_.skip_space();
  const char* begin = cursor_.at();
  const std::string_view name = cursor_.accept_attribute_name();
  if (name.empty()) return cursor_.fail_expects("an attribute name with '='");
  AttributeData attribute;
  attribute.key = attribute_from_string(name).value_or(AttributeKey::kUnknown);
  if (attribute.key != AttributeKey::kUnknown) {
    if (!header_attribute_keys().contains(attribute.key)) {
      return cursor_.fail(begin, "unexpected attribute \"" + std::string(name) +
                                     "\". Allowed attributes: " + to_string(header_attribute_keys()));
    }
    if (ModuleRows::find_header(*module_, attribute.key) != nullptr) {
      return cursor_.fail(begin, "attribute " + std::string(name) + " already exists");
    }
  }
  cursor_.skip_space();
  const char* value = cursor_.at();
  switch (attribute.key) {
    case AttributeKey::kUnknown: {
      if (options_->strict) return cursor_.fail(begin, "unexpected attribute \"" + std::string(name) + "\"");
      if (name.size() > 255) return cursor_.fail(begin, "attribute name is longer than 255 bytes");
      ++builder.unknowns().attributes;
      attribute.name_size = static_cast<std::uint8_t>(name.size());
      if (!skip_raw_value(cursor_)) return false;
      value = begin;
      break;
    }
    case AttributeKey::kIsScheduled: {
      bool scheduled = false;
      if (!cursor_.read_bool(&scheduled)) return false;
      builder.set_is_scheduled(scheduled);
      break;
    }
    case AttributeKey::kReplicaCount:
    case AttributeKey::kNumPartitions: {
      std::int64_t count = 0;
      if (!cursor_.read_integer(&count)) return false;
      if (attribute.key == AttributeKey::kReplicaCount) {
        builder.set_replica_count(count);
      } else {
        builder.set_num_partitions(count);
      }
      break;
    }
    default:
      if (!read_checked(Opcode::kUnknown, attribute.key)) {
        return cursor_.fail(begin, "error parsing attribute " + std::string(name));
      }
  }
  attribute.value = range_of(cursor_.since(value));
  builder.header_attributes().push_back(attribute);
  return true;
}

// tables := 'FileNames' (INT STRING)* 'FunctionNames' (INT STRING)* 'FileLocations' (INT '{' ... '}')*
//           'StackFrames' (INT '{' ... '}')*
//
// The tables remain text, which stack_frames.cc decodes on demand, because few readers need them.
bool ModuleParser::parse_tables() {
  cursor_.skip_space();
  const char* begin = cursor_.at();
  if (!cursor_.accept_keyword("FileNames")) return true;
  if (!parse_table_entries(false)) return false;
  if (!cursor_.accept_keyword("FunctionNames")) return cursor_.fail_expects("FunctionNames");
  if (!parse_table_entries(false)) return false;
  if (!cursor_.accept_keyword("FileLocations")) return cursor_.fail_expects("FileLocations");
  if (!parse_table_entries(true)) return false;
  if (!cursor_.accept_keyword("StackFrames")) return cursor_.fail_expects("StackFrames");
  if (!parse_table_entries(true)) return false;
  ModuleBuilder(*module_).set_tables(range_of(cursor_.since(begin)));
  return true;
}

bool ModuleParser::parse_table_entries(bool braces) {
  // The text of the tables ends after the last entry, without the following white space.
  const char* done = cursor_.at();
  while (is_digit(cursor_.peek())) {
    std::int64_t number = 0;
    std::string_view raw;
    if (!cursor_.read_integer(&number)) return false;
    if (!braces) {
      if (!cursor_.read_string(&raw)) return false;
    } else {
      if (!cursor_.expect('{')) return false;
      while (!cursor_.accept('}')) {
        if (cursor_.accept_attribute_name().empty()) return cursor_.fail_expects("an attribute name with '='");
        if (!read_int32(cursor_, nullptr)) return false;
        cursor_.accept(',');
      }
    }
    done = cursor_.at();
  }
  cursor_.move_to(done);
  return true;
}

// computation := 'ENTRY'? name signature? body (',' 'execution_thread' '=' STRING)?
bool ModuleParser::parse_computation() {
  ModuleBuilder builder(*module_);
  cursor_.skip_space();
  const char* begin = cursor_.at();
  computation_begins_.push_back(static_cast<std::size_t>(begin - source_begin_));
  const bool is_entry = cursor_.accept_keyword("ENTRY");
  if (is_entry && module_->has_entry()) return cursor_.fail(begin, "expects only one ENTRY");
  cursor_.skip_space();
  const char* name_at = cursor_.at();
  std::string_view name;
  std::uint32_t hash = 0;
  if (!cursor_.read_name(&name, &hash)) return false;
  // XLA renames computations with illegal names, but rejects instructions with illegal names.
  if (const std::uint32_t other = computation_names_.find(0, name, hash); other != NameTable::kNone) {
    cursor_.fail(name_at, "computation already exists: " + std::string(name));
    const TextRange defined = row_of(*module_, ComputationId(other)).name;
    return cursor_.fail(source_begin_ + defined.begin, "computation previously defined here");
  }
  instruction_names_.reset(module_);
  next_anonymous_.fill(0);
  if (!open_computation(range_of(name), hash, begin, static_cast<std::uint8_t>(is_entry ? ComputationData::kEntry : 0)))
    return false;
  if (!parse_signature(computations_.back())) return false;
  if (!cursor_.expect('{')) return false;
  const ComputationId id = computations_.back().id;
  if (is_entry) builder.set_entry(id);
  if (!parse_body()) return false;

  const char* after = cursor_.at();
  if (cursor_.accept(',')) {
    if (cursor_.accept_attribute_name() != "execution_thread") {
      cursor_.move_to(after + 1);
      return cursor_.fail_expects("execution_thread=");
    }
    std::string_view thread;
    if (!cursor_.read_string(&thread)) return false;
    builder.computations()[id.index].execution_thread = range_of(thread);
  }
  return true;
}

// signature := '(' list(name shape) ')' '->' shape
bool ModuleParser::parse_signature(ComputationFrame& frame) {
  if (!cursor_.accept('(')) {
    ModuleBuilder(*module_).computations()[frame.id.index].flags |= ComputationData::kNoSignature;
    return true;
  }
  if (!cursor_.accept(')')) {
    do {
      std::string_view name;
      if (!cursor_.read_name(&name) || !shapes_.read(cursor_, nullptr)) return false;
    } while (cursor_.accept(','));
    if (!cursor_.expect(')')) return false;
  }
  return cursor_.expect("->") && shapes_.read(cursor_, &frame.result);
}

bool ModuleParser::finish_module() {
  ModuleBuilder builder(*module_);
  if (!module_->has_entry()) {
    const ComputationId last = builder.computation_order().back();
    builder.set_entry(last);
    std::uint8_t& flags = builder.computations()[last.index].flags;
    flags |= ComputationData::kEntry;
    constexpr std::uint8_t kNotWritten = ComputationData::kSynthesized | ComputationData::kMissing;
    const auto written =
        std::count_if(builder.computation_order().begin(), builder.computation_order().end(),
                      [&](ComputationId id) { return (row_of(*module_, id).flags & kNotWritten) == 0; });
    // One computation alone need not be marked, but a header that states the entry's layout comes with ENTRY.
    const bool has_layout = ModuleRows::find_header(*module_, AttributeKey::kEntryComputationLayout) != nullptr;
    if (written > 1 || has_layout) flags |= ComputationData::kAssumedEntry;
  }
  return check_aliases();
}

// Checks that input_output_alias names only results that the entry has.
bool ModuleParser::check_aliases() {
  const AttributeData* header = ModuleRows::find_header(*module_, AttributeKey::kInputOutputAlias);
  if (header == nullptr) return true;
  const ShapeTable& shapes = module_->shapes();
  Cursor cursor(module_->text(header->value));
  const ShapeId result = module_->entry().root().shape_id();
  bool ok = true;
  for_each_header_alias(cursor, alias_, [&](const ParameterAlias& alias) {
    ShapeId at = result;
    for (const std::int64_t i : alias.output) {
      const Shape& shape = shapes[at];
      if (!shape.is_tuple() || i < 0 || static_cast<std::uint64_t>(i) >= shape.elements.size()) {
        ok =
            cursor_.fail(source_begin_ + header->value.begin, "input_output_alias names an index outside the result, " +
                                                                  to_string(shapes, result, ShapeText::kWithoutLayout));
        return false;
      }
      at = shape.elements[static_cast<std::size_t>(i)];
    }
    return true;
  });
  return ok;
}

}  // namespace hloroof::internal::inline text

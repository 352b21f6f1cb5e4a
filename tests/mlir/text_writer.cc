#include "tests/mlir/text_writer.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/mlir/dense.h"
#include "tests/mlir/affine_text.h"
#include "tests/mlir/float_text.h"

namespace hloroof::internal::mlir {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f && c != '"') {
      out += c;
    } else {
      out += '\\';
      out += kHexDigits[byte >> 4U];
      out += kHexDigits[byte & 15U];
    }
  }
  out += '"';
}

std::string quoted_text(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_')) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '$' || c == '.');
  });
}

std::string symbol_text(std::string_view name) {
  return is_identifier(name) ? absl::StrCat("@", to_absl(name)) : "@" + quoted_text(name);
}

// A two's complement number of several words in decimal.
std::string wide_integer_text(std::vector<std::uint64_t> words, std::uint32_t width, bool is_signed) {
  words.resize((width + 63) / 64, 0);
  const std::uint32_t top_bits = width % 64 == 0 ? 64 : width % 64;
  const bool is_negative = is_signed && (words.back() >> (top_bits - 1) & 1U) != 0;
  if (is_negative) {
    bool carry = true;
    for (std::uint64_t& word : words) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
  }
  if (top_bits < 64) words.back() &= (std::uint64_t{1} << top_bits) - 1;
  std::string digits;
  while (!words.empty()) {
    unsigned __int128 remainder = 0;
    for (std::size_t i = words.size(); i > 0; --i) {
      const unsigned __int128 value = remainder << 64U | words[i - 1];
      words[i - 1] = static_cast<std::uint64_t>(value / 10);
      remainder = value % 10;
    }
    digits += static_cast<char>('0' + static_cast<int>(remainder));
    while (!words.empty() && words.back() == 0) words.pop_back();
  }
  if (is_negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string number_text(const Type& type, std::uint64_t bits) {
  if (is_float(type)) return float_text(type.kind, bits);
  if (type.kind == TypeKind::kInteger && type.width == 1) return (bits & 1U) != 0 ? "true" : "false";
  const std::int64_t value = extended(type, bits).value_or(0);
  return type.signedness == Signedness::kUnsigned ? absl::StrCat(static_cast<std::uint64_t>(value))
                                                  : absl::StrCat(value);
}

void append_element(std::string& out, const DenseView& view, std::uint64_t index) {
  if (view.parts == 1) {
    out += number_text(view.element, view.bits(index));
  } else {
    out += "(" + number_text(view.element, view.bits(2 * index)) + "," +
           number_text(view.element, view.bits(2 * index + 1)) + ")";
  }
}

std::string dimension_text(std::int64_t size) { return size == kDynamic ? "?" : absl::StrCat(size); }

}  // namespace

void TextWriter::write(std::string_view text) {
  if (!ok()) return;
  text_ += text;
  if (text_.size() > options_.max_bytes) {
    fail(absl::ResourceExhaustedError(absl::StrCat("MLIR text: longer than ", options_.max_bytes, " bytes")));
  }
}

void TextWriter::quoted(std::string_view text) { write(quoted_text(text)); }

void TextWriter::keyword(std::string_view text) { write(is_identifier(text) ? std::string(text) : quoted_text(text)); }

void TextWriter::attribute(AttributeId id, TypeForm form) { run(Task{Task::Kind::kAttribute, form, id.index, {}}); }
void TextWriter::type(TypeId id) { run(Task{Task::Kind::kType, {}, id.index, {}}); }
void TextWriter::location(AttributeId id) { run(Task{Task::Kind::kLocation, {}, id.index, {}}); }

void TextWriter::run(Task first) {
  stack_.clear();
  stack_.push_back(std::move(first));
  // The parts of an attribute are fewer than its bytes, so a longer stack means that an attribute contains itself.
  const std::size_t limit = 8 * module_.bytes.size() + 1024;
  while (!stack_.empty() && ok()) {
    const Task task = std::move(stack_.back());
    stack_.pop_back();
    expand(task);
    while (!pending_.empty()) {
      stack_.push_back(std::move(pending_.back()));
      pending_.pop_back();
    }
    if (stack_.size() > limit) {
      fail(absl::InvalidArgumentError("MLIR bytecode: an attribute or type contains itself"));
    }
  }
}

void TextWriter::expand(const Task& task) {
  switch (task.kind) {
    case Task::Kind::kText: write(task.text); return;
    case Task::Kind::kKeyword: keyword(task.text); return;
    case Task::Kind::kType: {
      const absl::StatusOr<Type> type = decode(module_, TypeId{task.id});
      if (!type.ok()) return fail(type.status());
      expand_type(*type);
      return;
    }
    case Task::Kind::kAttribute:
    case Task::Kind::kLocation: {
      const AttributeId id{task.id};
      const absl::StatusOr<Attribute> attribute = decode(module_, id);
      if (!attribute.ok()) return fail(attribute.status());
      if (task.kind == Task::Kind::kLocation) {
        expand_location(id, *attribute);
      } else if (attribute->kind == AttributeKind::kDistinct) {
        const auto found = std::find(distinct_.begin(), distinct_.end(), id);
        write(absl::StrCat("distinct[", found - distinct_.begin(), "]<"));
        if (found == distinct_.end()) distinct_.push_back(id);
        add(attribute->elements[0], TypeForm::kAlways);
        add(">");
      } else {
        expand_attribute(*attribute, task.form);
      }
    }
  }
}

void TextWriter::list(const std::vector<AttributeId>& ids, Task::Kind kind, TypeForm form) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) add(", ");
    pending_.push_back(Task{kind, form, ids[i].index, {}});
  }
}

void TextWriter::list(const std::vector<TypeId>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) add(", ");
    add(ids[i]);
  }
}

void TextWriter::typed(const Attribute& attribute, TypeForm form) {
  if (form == TypeForm::kNever) return;
  add(" : ");
  add(attribute.type);
}

void TextWriter::integer(const Attribute& attribute, TypeForm form) {
  const absl::StatusOr<Type> type = decode(module_, attribute.type);
  if (!type.ok()) return fail(type.status());
  const bool is_signed = type->signedness != Signedness::kUnsigned;
  if (bit_width(*type) > 64 && is_integer(*type)) {
    constexpr std::size_t kMaxWords = 1024;
    if (attribute.words.size() > kMaxWords || type->width > 64 * kMaxWords) {
      return fail(absl::ResourceExhaustedError("MLIR text: an integer has more than 65536 bits"));
    }
    write(wide_integer_text(attribute.words, type->width, is_signed));
  } else if (attribute.words.size() > 1) {
    std::string hex = "0x";
    bool is_leading = true;
    for (std::size_t i = attribute.words.size(); i > 0; --i) {
      for (int shift = 60; shift >= 0; shift -= 4) {
        const char digit = kHexDigits[attribute.words[i - 1] >> static_cast<unsigned>(shift) & 15U];
        is_leading = is_leading && digit == '0';
        if (!is_leading) hex += digit;
      }
    }
    write(hex);
  } else {
    write(number_text(*type, attribute.words.empty() ? 0 : attribute.words[0]));
  }
  const bool is_bool =
      type->kind == TypeKind::kInteger && type->width == 1 && type->signedness == Signedness::kSignless;
  const bool is_default = type->kind == TypeKind::kF64 || (type->kind == TypeKind::kInteger && type->width == 64 &&
                                                           type->signedness == Signedness::kSignless);
  if (is_bool || (form == TypeForm::kUnlessDefault && is_default)) return;
  typed(attribute, form);
}

// array<i32: 1, 2>
void TextWriter::dense_array(const Attribute& attribute) {
  const absl::StatusOr<DenseView> view = dense_view(module_, attribute);
  if (!view.ok()) return fail(view.status());
  add("array<");
  add(attribute.type);
  std::string elements;
  for (std::uint64_t i = 0; i < view->count; ++i) {
    elements += i == 0 ? ": " : ", ";
    append_element(elements, *view, i);
  }
  add(elements);
  add(">");
}

// dense<[[1, 2], [3, 4]]>, dense<1> if all elements are equal, or dense<"0x01000000..."> without nesting
void TextWriter::dense_elements(const Attribute& attribute, TypeForm form) {
  const absl::StatusOr<DenseView> view = dense_view(module_, attribute);
  if (!view.ok()) return fail(view.status());
  // Within sparse elements, only the numbers are written.
  const bool is_part = form == TypeForm::kNever;
  write(is_part ? "" : "dense<");
  if (view->is_splat) {
    std::string text;
    append_element(text, *view, 0);
    write(text);
  } else if (view->count > options_.hex_above) {
    std::string hex = "\"0x";
    for (const char c : view->bytes) {
      hex += kHexDigits[static_cast<unsigned char>(c) >> 4U];
      hex += kHexDigits[static_cast<unsigned char>(c) & 15U];
    }
    write(hex + "\"");
  } else if (view->count > 0) {
    const std::size_t rank = view->shape.size();
    std::vector<std::int64_t> at(rank, 0);
    std::string text(rank, '[');
    for (std::uint64_t i = 0; i < view->count && ok(); ++i) {
      append_element(text, *view, i);
      std::size_t closed = 0;
      for (std::size_t d = rank; d > 0; --d) {
        if (++at[d - 1] < view->shape[d - 1]) break;
        at[d - 1] = 0;
        ++closed;
      }
      text.append(closed, ']');
      if (i + 1 < view->count) {
        text += ", ";
        text.append(closed, '[');
      }
      write(text);
      text.clear();
    }
    write(text);
  }
  if (is_part) return;
  write(">");
  typed(attribute, form);
}

void TextWriter::expand_attribute(const Attribute& attribute, TypeForm form) {
  switch (attribute.kind) {
    case AttributeKind::kArray:
      add("[");
      list(attribute.elements, Task::Kind::kAttribute, TypeForm::kUnlessDefault);
      add("]");
      return;
    case AttributeKind::kDictionary: {
      add("{");
      bool is_first = true;
      for (const NamedAttribute& member : attribute.members) {
        if (!is_first) add(", ");
        is_first = false;
        pending_.push_back(Task{Task::Kind::kKeyword, {}, 0, std::string(member.name)});
        const absl::StatusOr<Attribute> value = decode(module_, member.value);
        if (!value.ok()) return fail(value.status());
        if (value->kind == AttributeKind::kUnit) continue;
        add(" = ");
        add(member.value, TypeForm::kAlways);
      }
      add("}");
      return;
    }
    case AttributeKind::kString: quoted(attribute.text); return;
    case AttributeKind::kTypedString:
      quoted(attribute.text);
      typed(attribute, form);
      return;
    case AttributeKind::kFlatSymbol: write(symbol_text(attribute.text)); return;
    case AttributeKind::kSymbol:
      for (std::size_t i = 0; i < attribute.elements.size(); ++i) {
        const std::optional<std::string_view> name = string(module_, attribute.elements[i]);
        if (!name) return fail(absl::InvalidArgumentError("MLIR bytecode: a part of a symbol reference is not a name"));
        add((i == 0 ? "" : "::") + symbol_text(*name));
      }
      return;
    case AttributeKind::kType: add(attribute.type); return;
    case AttributeKind::kUnit: write("unit"); return;
    case AttributeKind::kInteger:
    case AttributeKind::kFloat: integer(attribute, form); return;
    case AttributeKind::kCallSiteLocation:
    case AttributeKind::kFileLocation:
    case AttributeKind::kFusedLocation:
    case AttributeKind::kFusedLocationWithMetadata:
    case AttributeKind::kNameLocation:
    case AttributeKind::kUnknownLocation:
    case AttributeKind::kFileRangeLocation:
      add("loc(");
      expand_location({}, attribute);
      add(")");
      return;
    case AttributeKind::kDenseResource:
      write("dense_resource<");
      keyword(attribute.text);
      write(">");
      typed(attribute, form);
      return;
    case AttributeKind::kDenseArray: dense_array(attribute); return;
    case AttributeKind::kDenseElements: dense_elements(attribute, form); return;
    case AttributeKind::kDenseStrings: {
      const absl::StatusOr<Type> type = decode(module_, attribute.type);
      if (!type.ok()) return fail(type.status());
      write("dense<");
      const bool is_list = attribute.strings.size() != 1 || (!type->shape.empty() && type->shape[0] == 1);
      if (is_list) write("[");
      for (std::size_t i = 0; i < attribute.strings.size(); ++i) {
        if (i > 0) write(", ");
        quoted(attribute.strings[i]);
      }
      write(is_list ? "]>" : ">");
      typed(attribute, form);
      return;
    }
    case AttributeKind::kSparseElements:
      add("sparse<");
      add(attribute.elements[0], TypeForm::kNever);
      add(", ");
      add(attribute.elements[1], TypeForm::kNever);
      add(">");
      typed(attribute, form);
      return;
    case AttributeKind::kAffineMap:
    case AttributeKind::kIntegerSet: {
      absl::StatusOr<std::string> text = affine_text(attribute.affine, attribute.kind == AttributeKind::kIntegerSet);
      if (!text.ok()) return fail(text.status());
      write(*text);
      return;
    }
    case AttributeKind::kStridedLayout: {
      std::string text = "strided<[";
      for (std::size_t i = 1; i < attribute.numbers.size(); ++i) {
        absl::StrAppend(&text, i == 1 ? "" : ", ", dimension_text(attribute.numbers[i]));
      }
      text += "]";
      if (attribute.numbers[0] != 0) absl::StrAppend(&text, ", offset: ", dimension_text(attribute.numbers[0]));
      write(text + ">");
      return;
    }
    case AttributeKind::kText: write(attribute.text); return;
    case AttributeKind::kDistinct:
    case AttributeKind::kUnknown: write("#unknown"); return;
  }
}

void TextWriter::expand_location(AttributeId id, const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kCallSiteLocation:
      add("callsite(");
      add_location(attribute.elements[0]);
      add(" at ");
      add_location(attribute.elements[1]);
      add(")");
      return;
    case AttributeKind::kFileLocation:
      add(absl::StrCat(quoted_text(attribute.text), ":", attribute.numbers[0], ":", attribute.numbers[1]));
      return;
    case AttributeKind::kFileRangeLocation: {
      const std::vector<std::int64_t>& n = attribute.numbers;
      std::string text = absl::StrCat(quoted_text(attribute.text), ":", n[0], ":", n[1]);
      if (n[2] != n[0]) {
        absl::StrAppend(&text, " to ", n[2], ":", n[3]);
      } else if (n[3] != n[1]) {
        absl::StrAppend(&text, " to :", n[3]);
      }
      add(text);
      return;
    }
    case AttributeKind::kFusedLocation:
    case AttributeKind::kFusedLocationWithMetadata: {
      std::vector<AttributeId> locations = attribute.elements;
      add("fused");
      if (attribute.kind == AttributeKind::kFusedLocationWithMetadata) {
        add("<");
        add(locations.back(), TypeForm::kAlways);
        add(">");
        locations.pop_back();
      }
      add("[");
      list(locations, Task::Kind::kLocation, {});
      add("]");
      return;
    }
    case AttributeKind::kNameLocation: {
      add(quoted_text(attribute.text));
      const absl::StatusOr<Attribute> child = decode(module_, attribute.elements[0]);
      if (!child.ok()) return fail(child.status());
      if (child->kind == AttributeKind::kUnknownLocation) return;
      add("(");
      add_location(attribute.elements[0]);
      add(")");
      return;
    }
    case AttributeKind::kUnknownLocation: add("unknown"); return;
    default:
      // A location of another dialect, as text.
      if (id.valid()) add(id, TypeForm::kAlways);
  }
}

void TextWriter::expand_shaped(std::string_view name, const Type& type) {
  std::string text = absl::StrCat(to_absl(name), "<");
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    const std::string size = dimension_text(type.shape[i]);
    text += !type.is_scalable.empty() && type.is_scalable[i] ? "[" + size + "]x" : size + "x";
  }
  add(text);
  add(type.element);
}

// The identity is not written.
void TextWriter::expand_layout(const Type& type) {
  const absl::StatusOr<Attribute> layout = decode(module_, type.layout);
  if (!layout.ok()) return fail(layout.status());
  if (layout->kind == AttributeKind::kAffineMap && is_identity(layout->affine)) return;
  if (layout->kind == AttributeKind::kText && layout->text.substr(0, 11) == "affine_map<") {
    AffineMap identity;
    identity.dimensions = identity.results = static_cast<std::uint32_t>(std::min<std::size_t>(type.shape.size(), 4096));
    for (std::uint32_t i = 0; i < identity.results; ++i) {
      identity.terms.push_back(AffineTerm{AffineTerm::Kind::kDimension, i});
    }
    const absl::StatusOr<std::string> text = affine_text(identity, false);
    if (text.ok() && layout->text == *text) return;
  }
  add(", ");
  add(type.layout, TypeForm::kUnlessDefault);
}

void TextWriter::expand_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::kInteger:
      write(absl::StrCat(type.signedness == Signedness::kSigned     ? "si"
                         : type.signedness == Signedness::kUnsigned ? "ui"
                                                                    : "i",
                         type.width));
      return;
    case TypeKind::kIndex: write("index"); return;
    case TypeKind::kNone: write("none"); return;
    case TypeKind::kFunction: {
      add("(");
      list(type.inputs);
      add(") -> ");
      bool is_bare = type.results.size() == 1;
      if (is_bare) {
        const absl::StatusOr<Type> result = decode(module_, type.results[0]);
        if (!result.ok()) return fail(result.status());
        is_bare = result->kind != TypeKind::kFunction;
      }
      if (!is_bare) add("(");
      list(type.results);
      if (!is_bare) add(")");
      return;
    }
    case TypeKind::kTuple:
      add("tuple<");
      list(type.inputs);
      add(">");
      return;
    case TypeKind::kComplex:
      add("complex<");
      add(type.element);
      add(">");
      return;
    case TypeKind::kUnrankedTensor:
      add("tensor<*x");
      add(type.element);
      add(">");
      return;
    case TypeKind::kUnrankedMemRef:
    case TypeKind::kUnrankedMemRefInSpace:
    case TypeKind::kMemRef:
    case TypeKind::kMemRefInSpace:
      if (type.kind == TypeKind::kMemRef || type.kind == TypeKind::kMemRefInSpace) {
        expand_shaped("memref", type);
        expand_layout(type);
      } else {
        add("memref<*x");
        add(type.element);
      }
      if (type.space_or_encoding.valid()) {
        add(", ");
        add(type.space_or_encoding, TypeForm::kUnlessDefault);
      }
      add(">");
      return;
    case TypeKind::kTensor:
    case TypeKind::kEncodedTensor:
      expand_shaped("tensor", type);
      if (type.space_or_encoding.valid()) {
        add(", ");
        add(type.space_or_encoding, TypeForm::kAlways);
      }
      add(">");
      return;
    case TypeKind::kVector:
    case TypeKind::kScalableVector:
      expand_shaped("vector", type);
      add(">");
      return;
#define HLOROOF_MLIR_FLOAT(enumerator, code, name, exponent, mantissa, bias, sign, special) \
  case TypeKind::enumerator:                                                                \
    write(name);                                                                            \
    return;
#include "lib/mlir/type_kinds.def"
    case TypeKind::kText: write(type.text); return;
    case TypeKind::kUnknown: write("!unknown"); return;
  }
}

}  // namespace hloroof::internal::mlir

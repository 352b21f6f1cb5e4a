#include "lib/mlir/read_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/bytecode_writer.h"
#include "lib/mlir/text_tokens.h"

namespace hloroof::internal::mlir {
namespace {

constexpr std::size_t kMostRegions = 64;     // one within the other
constexpr int kMostNested = 32;              // attributes, one within the other
constexpr std::uint32_t kMostNumber = 4096;  // dimensions of an affine map, and results of an operation
constexpr std::uint32_t kIndexWidth = 64;    // bits

using TypeIds = std::vector<TypeId>;
using Members = std::vector<std::pair<AttributeId, AttributeId>>;

struct TextType {
  TypeId id;
  bool is_vector = false;
  std::vector<std::int64_t> shape;
  TypeId element;           // of a vector or memref; or else the type itself
  std::uint32_t width = 0;  // of the element, if it is an integer or index
};

// The predicates of arith.cmpi in the order of their numbers (ArithBase.td).
constexpr std::string_view kPredicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

// Operations of the tpu dialect that end in their types and whose operands need no groups.
constexpr std::string_view kTpuOps[] = {"tpu.matmul",  "tpu.iota",   "tpu.bitcast",    "tpu.bitcast_vreg", "tpu.rotate",
                                        "tpu.reshape", "tpu.repeat", "tpu.reciprocal", "tpu.concatenate"};

class TextReader {
 public:
  TextReader(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  absl::StatusOr<std::string> run() {
    scopes_.emplace_back();
    open_.push_back({Open::kTop});
    while (fault_.empty() && now().kind != Token::Kind::kEnd) operation_or_end();
    if (fault_.empty() && open_.size() > 1) fail("a region is not closed");
    if (!fault_.empty()) return text_error(text_, now().offset, fault_);
    return out_.bytes();
  }

 private:
  // What the region that is being read belongs to.
  struct Open {
    enum Kind : std::uint8_t { kTop, kModule, kFunction, kLoop, kThen, kElse } kind = kTop;
    bool has_terminator = false;
  };

  // ---- Tokens ----

  const Token& now() const { return tokens_[at_]; }
  bool is(std::string_view punctuation_or_name) const {
    return (now().kind == Token::Kind::kPunctuation || now().kind == Token::Kind::kName) &&
           now().text == punctuation_or_name;
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (fault_.empty() && !take(text)) fail(absl::StrCat("expected '", std::string(text), "'"));
  }
  // Returns the text of a token of this kind; the empty text is an error.
  std::string_view expect(Token::Kind kind, const char* what) {
    if (!fault_.empty()) return {};
    if (now().kind != kind) {
      fail(absl::StrCat("expected ", what));
      return {};
    }
    return tokens_[at_++].text;
  }
  void fail(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }
  bool ok() const { return fault_.empty(); }

  // ---- Types ----

  // type := 'index' | 'i' digits | float | 'vector' '<' shape type '>' | 'memref' '<' shape type (',' attribute)* '>'
  //         | '!' dialect type
  // shape := ((digits | '?') 'x')*
  TextType type() {
    TextType out;
    if (now().kind == Token::Kind::kDialect) {
      out.id = out.element = out_.text_type(tokens_[at_++].text);
      return out;
    }
    const std::string_view name = expect(Token::Kind::kName, "a type");
    if (!ok()) return out;
    if (name != "vector" && name != "memref") return scalar_type(name);
    expect("<");
    const std::size_t begin = now().offset;
    while (ok() && !is(",") && !is(">") && now().kind != Token::Kind::kEnd) ++at_;
    if (!ok()) return out;
    std::string_view inside = text_.substr(begin, now().offset - begin);
    out.shape = shape(inside);
    const std::string_view element_text = trimmed(inside);
    if (!element_text.empty() && element_text[0] == '!') {
      out.element = out_.text_type(element_text);
    } else {
      const TextType element = scalar_type(element_text);
      out.element = element.id;
      out.width = element.width;
    }
    out.is_vector = name == "vector";
    AttributeId layout;
    AttributeId space;
    while (ok() && take(",")) {
      const bool is_layout = is("affine_map") || is("strided");
      (is_layout ? layout : space) = attribute(0);
    }
    expect(">");
    if (!ok()) return out;
    if (!layout.valid()) layout = out_.affine(identity(static_cast<std::uint32_t>(out.shape.size())));
    out.id = out.is_vector ? out_.vector_type(out.shape, out.element)
                           : out_.memref_type(out.shape, out.element, layout, space);
    return out;
  }

  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
  }

  // Takes the extents from the beginning of `text`.
  std::vector<std::int64_t> shape(std::string_view& text) {
    std::vector<std::int64_t> extents;
    while (true) {
      const std::size_t digits = text.find_first_not_of("0123456789?");
      if (digits == 0 || digits == std::string_view::npos || text[digits] != 'x') return extents;
      std::int64_t extent = kDynamic;
      if (text.substr(0, digits) != "?" && !absl::SimpleAtoi(std::string(text.substr(0, digits)), &extent)) {
        fail("an extent is out of range");
        return extents;
      }
      extents.push_back(extent);
      text.remove_prefix(digits + 1);
    }
  }

  TextType scalar_type(std::string_view name) {
    TextType out;
    if (name == "index") {
      out.id = out_.plain_type(static_cast<std::uint64_t>(TypeKind::kIndex));
      out.width = kIndexWidth;
    } else if (name.size() > 1 && name[0] == 'i' && absl::SimpleAtoi(std::string(name.substr(1)), &out.width)) {
      if (out.width == 0 || out.width > 64) fail("an integer type is out of range");
      out.id = out_.integer_type(out.width);
    }
#define HLOROOF_MLIR_FLOAT(enumerator, code, spelled, ...) \
  if (name == spelled) out.id = out_.plain_type(code);
#include "lib/mlir/type_kinds.def"
    if (!out.id.valid()) fail(absl::StrCat("an unknown type '", std::string(name), "'"));
    out.element = out.id;
    return out;
  }

  // ---- Attributes ----

  static AffineMap identity(std::uint32_t dimensions) {
    AffineMap map;
    map.dimensions = map.results = dimensions;
    for (std::uint32_t i = 0; i < dimensions; ++i) map.terms.push_back({AffineTerm::Kind::kDimension, i});
    return map;
  }

  // attribute := 'true' | 'false' | 'unit' | number [':' type] | string | '@' name | '#' dialect attribute
  //              | '[' attribute,* ']' | dictionary | 'array' '<' type [':' number,*] '>' | 'dense' '<' ... '>' ':'
  //              type | 'affine_map' '<' map '>' | type
  AttributeId attribute(int depth) {
    if (depth > kMostNested) fail("attributes are nested too deep");
    if (!ok()) return {};
    const Token& token = now();
    switch (token.kind) {
      case Token::Kind::kString: ++at_; return out_.string(token.text);
      case Token::Kind::kSymbol: ++at_; return out_.symbol(token.text);
      case Token::Kind::kNumber: return number();
      case Token::Kind::kDialect:
        ++at_;
        return token.text[0] == '#' ? out_.text(token.text) : out_.type(out_.text_type(token.text));
      default: break;
    }
    if (is("[")) return array(depth);
    if (is("{")) return dictionary(depth, {});
    if (is("true") || is("false")) {
      ++at_;
      return out_.integer(token.text == "true" ? 1 : 0, out_.integer_type(1), 1);
    }
    if (take("unit")) return out_.unit();
    if (is("array")) return dense_array();
    if (is("affine_map")) return affine_map();
    if (is("dense")) return dense();
    if (token.kind == Token::Kind::kName) return out_.type(type().id);
    fail("expected an attribute");
    return {};
  }

  // number := digits [':' type]     an i64 if it states no type
  AttributeId number() {
    const std::string_view text = expect(Token::Kind::kNumber, "a number");
    return number(text, take(":") ? type() : scalar_type("i64"));
  }
  // Numbers that are not integers stay text: no control depends on them.
  AttributeId number(std::string_view text, const TextType& of) {
    std::int64_t value = 0;
    if (of.width == 0 || !absl::SimpleAtoi(std::string(text), &value)) return out_.text(text);
    return out_.integer(value, of.id, of.width);
  }

  AttributeId array(int depth) {
    expect("[");
    std::vector<AttributeId> elements;
    while (ok() && !is("]")) {
      elements.push_back(attribute(depth + 1));
      if (!take(",")) break;
    }
    expect("]");
    return ok() ? out_.array(elements) : AttributeId{};
  }

  // dictionary := '{' (name ['=' attribute]),* '}'
  AttributeId dictionary(int depth, Members members) {
    read_members(depth, members);
    return ok() ? out_.dictionary(members) : AttributeId{};
  }
  void read_members(int depth, Members& members) {
    expect("{");
    while (ok() && !is("}")) {
      const bool is_quoted = now().kind == Token::Kind::kString;
      const std::string_view name = expect(is_quoted ? Token::Kind::kString : Token::Kind::kName, "a name");
      if (!ok()) return;
      const AttributeId key = out_.string(name);
      members.emplace_back(key, take("=") ? attribute(depth + 1) : out_.unit());
      if (!take(",")) break;
    }
    expect("}");
  }

  std::int64_t whole_number() {
    std::int64_t value = 0;
    const std::string text(expect(Token::Kind::kNumber, "a number"));
    if (ok() && !absl::SimpleAtoi(text, &value)) fail("a number is out of range");
    return value;
  }

  AttributeId dense_array() {
    expect("array");
    expect("<");
    const TextType element = type();
    std::vector<std::int64_t> values;
    if (take(":")) {
      do {
        if (is("true") || is("false")) {
          values.push_back(tokens_[at_++].text == "true" ? 1 : 0);
        } else {
          values.push_back(whole_number());
        }
      } while (ok() && take(","));
    }
    expect(">");
    if (ok() && element.width == 0) fail("an array of numbers that are not integers");
    return ok() ? out_.dense_array(values, element.id, element.width) : AttributeId{};
  }

  // The elements of a constant vector stay text: they do not decide what runs.
  AttributeId dense() {
    const std::size_t begin = now().offset;
    expect("dense");
    expect("<");
    for (std::size_t open = 1; ok() && open > 0;) {
      if (now().kind == Token::Kind::kEnd) return fail("'<' is not closed"), AttributeId{};
      if (is("<")) ++open;
      if (is(">")) --open;
      ++at_;
    }
    return ok() ? out_.text(text_.substr(begin, now().offset - begin)) : AttributeId{};
  }

  // map := '(' dimension,* ')' ['[' symbol,* ']'] '->' '(' expression,* ')'
  // Expressions are a dimension, a symbol or a number: the compiler's kernels have no others.
  AttributeId affine_map() {
    expect("affine_map");
    expect("<");
    AffineMap map;
    std::vector<std::string_view> dimensions;
    std::vector<std::string_view> symbols;
    const auto names = [&](std::string_view open, std::string_view close, std::vector<std::string_view>& out) {
      expect(open);
      while (ok() && now().kind == Token::Kind::kName && out.size() < kMostNumber) {
        out.push_back(tokens_[at_++].text);
        if (!take(",")) break;
      }
      expect(close);
    };
    names("(", ")", dimensions);
    if (is("[")) names("[", "]", symbols);
    map.dimensions = static_cast<std::uint32_t>(dimensions.size());
    map.symbols = static_cast<std::uint32_t>(symbols.size());
    expect("->");
    expect("(");
    while (ok() && !is(")")) {
      AffineTerm term;
      if (now().kind == Token::Kind::kNumber) {
        term.value = whole_number();
      } else {
        const std::string_view name = expect(Token::Kind::kName, "a dimension, a symbol or a number");
        const auto dimension = std::find(dimensions.begin(), dimensions.end(), name);
        const auto symbol = std::find(symbols.begin(), symbols.end(), name);
        term.kind = dimension != dimensions.end() ? AffineTerm::Kind::kDimension : AffineTerm::Kind::kSymbol;
        term.value = dimension != dimensions.end() ? dimension - dimensions.begin() : symbol - symbols.begin();
        if (ok() && dimension == dimensions.end() && symbol == symbols.end()) fail("an unknown name in an affine map");
      }
      map.terms.push_back(term);
      ++map.results;
      if (!take(",")) break;
    }
    expect(")");
    expect(">");
    return ok() ? out_.affine(map) : AttributeId{};
  }

  // ---- Values ----

  void define(std::string_view name, ValueRef first, std::uint32_t count) {
    if (!name.empty()) scopes_.back()[std::string(name)] = {first, count};
  }

  std::optional<ValueRef> value() {
    const Token& token = now();
    const std::string name(expect(Token::Kind::kValue, "a value"));
    if (!ok()) return std::nullopt;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found == scope->end()) continue;
      if (token.number >= found->second.second) break;
      return ValueRef{found->second.first.region, found->second.first.index + token.number};
    }
    --at_;
    fail(absl::StrCat("%", name, " is not defined"));
    return std::nullopt;
  }

  void values(std::vector<ValueRef>& out) {
    do {
      if (const auto one = value()) out.push_back(*one);
    } while (ok() && take(","));
  }

  // types := type,* | '(' type,* ')'
  std::vector<TextType> types() {
    std::vector<TextType> out;
    const bool is_list = take("(");
    if (is_list && take(")")) return out;
    do {
      out.push_back(type());
    } while (ok() && take(","));
    if (is_list) expect(")");
    return out;
  }
  static TypeIds ids(const std::vector<TextType>& types) {
    TypeIds out;
    out.reserve(types.size());
    for (const TextType& type : types) out.push_back(type.id);
    return out;
  }

  // ---- Operations ----

  struct Results {
    std::string_view name;
    std::uint32_t count = 0;
  };

  // results := '%' name [':' count] '='
  Results results() {
    Results out;
    if (now().kind != Token::Kind::kValue) return out;
    out = {tokens_[at_++].text, 1};
    if (take(":")) {
      const std::int64_t count = whole_number();
      if (ok() && (count < 1 || count > kMostNumber)) fail("the number of results is out of range");
      out.count = static_cast<std::uint32_t>(count);
    }
    expect("=");
    return out;
  }

  // operation := results (function | loop | branch | return | constant | other) | '}'
  void operation_or_end() {
    if (is("}")) return end_region();
    const Results given = results();
    if (!ok()) return;
    const std::string_view name = expect(Token::Kind::kName, "an operation");
    if (!ok()) return;
    if (name == "module" || name == "builtin.module") return module();
    if (open_.size() < 2) return fail("an operation outside of a module");
    if (name == "func.func" || name == "func") return function();
    if (name == "scf.for") return loop(given);
    if (name == "scf.if") return branch(given);
    if (name == "return" || name == "func.return" || name == "scf.yield") return terminator(name);
    if (name == "arith.constant") return constant(given);
    if (is_plain(name)) return plain(given, name);
    --at_;
    fail(absl::StrCat("an operation that is not read from text: ", std::string(name)));
  }

  static bool is_plain(std::string_view name) {
    for (const std::string_view prefix : {"arith.", "math.", "vector."}) {
      if (name.substr(0, prefix.size()) == prefix) return true;
    }
    if (name == "memref.load" || name == "memref.store") return true;
    return std::find(std::begin(kTpuOps), std::end(kTpuOps), name) != std::end(kTpuOps);
  }

  void finish(const Results& given, std::string_view name, const Members& members, const TypeIds& types,
              const std::vector<ValueRef>& operands, std::uint32_t regions) {
    if (!ok()) return;
    if (types.size() != given.count) return fail("the number of results is not that of their types");
    const AttributeId attributes = members.empty() ? AttributeId{} : out_.dictionary(members);
    const ValueRef first = out_.add_op(name, attributes, types, operands, regions);
    define(given.name, first, given.count);
  }

  void begin_region(Open::Kind kind, const std::vector<std::string_view>& names, const TypeIds& types) {
    if (!ok()) return;
    if (open_.size() >= kMostRegions) return fail("regions are nested too deep");
    const ValueRef first = out_.begin_region(types);
    scopes_.emplace_back();
    open_.push_back({kind});
    for (std::uint32_t i = 0; i < names.size(); ++i) define(names[i], {first.region, first.index + i}, 1);
  }

  // Terminators without operands are not printed.
  void end_region() {
    if (open_.size() < 2) return fail("an unexpected '}'");
    const Open ended = open_.back();
    const bool needs_one = ended.kind == Open::kLoop || ended.kind == Open::kThen || ended.kind == Open::kElse;
    if (needs_one && !ended.has_terminator) out_.add_op("scf.yield", {}, {}, {}, 0);
    ++at_;
    out_.end_region();
    scopes_.pop_back();
    open_.pop_back();
    if (ended.kind != Open::kThen) return;
    if (!take("else")) return out_.skip_region();
    expect("{");
    begin_region(Open::kElse, {}, {});
  }

  // module := 'module' ['@' name] ['attributes' dictionary] '{'
  void module() {
    Members members;
    if (now().kind == Token::Kind::kSymbol) {
      members.emplace_back(out_.string("sym_name"), out_.string(tokens_[at_].text));
      ++at_;
    }
    if (take("attributes")) read_members(0, members);
    expect("{");
    finish({}, "builtin.module", members, {}, {}, 1);
    begin_region(Open::kModule, {}, {});
  }

  // function := 'func.func' ['private'] '@' name '(' ('%' name ':' type [dictionary]),* ')' ['->' types]
  //             ['attributes' dictionary] '{'
  void function() {
    if (!take("private")) take("public");
    Members members = {{out_.string("sym_name"), out_.string(expect(Token::Kind::kSymbol, "the name of a function"))}};
    std::vector<std::string_view> names;
    TypeIds arguments;
    expect("(");
    while (ok() && !is(")")) {
      names.push_back(expect(Token::Kind::kValue, "an argument"));
      expect(":");
      arguments.push_back(type().id);
      if (is("{")) dictionary(0, {});
      if (!take(",")) break;
    }
    expect(")");
    if (take("->")) types();
    if (take("attributes")) read_members(0, members);
    expect("{");
    finish({}, "func.func", members, {}, {}, 1);
    begin_region(Open::kFunction, names, arguments);
  }

  // loop := 'scf.for' value '=' value 'to' value 'step' value ['iter_args' '(' (value '=' value),* ')' '->' types]
  //         [':' type] '{'
  void loop(const Results& given) {
    std::vector<std::string_view> names = {expect(Token::Kind::kValue, "the variable of a loop")};
    std::vector<ValueRef> operands;
    for (const std::string_view word : {"=", "to", "step"}) {
      expect(word);
      if (const auto one = value()) operands.push_back(*one);
    }
    TypeIds carried;
    if (take("iter_args")) {
      expect("(");
      do {
        names.push_back(expect(Token::Kind::kValue, "a value that the loop carries"));
        expect("=");
        if (const auto one = value()) operands.push_back(*one);
      } while (ok() && take(","));
      expect(")");
      expect("->");
      carried = ids(types());
    }
    TypeIds arguments = {take(":") ? type().id : out_.plain_type(static_cast<std::uint64_t>(TypeKind::kIndex))};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    expect("{");
    if (ok() && arguments.size() != names.size()) fail("a loop has not one type for each value that it carries");
    finish(given, "scf.for", {}, carried, operands, 1);
    begin_region(Open::kLoop, names, arguments);
  }

  // branch := 'scf.if' value ['->' types] '{'     then '}' ['else' '{' ... '}']
  void branch(const Results& given) {
    std::vector<ValueRef> operands;
    if (const auto one = value()) operands.push_back(*one);
    const TypeIds types_of = take("->") ? ids(types()) : TypeIds();
    expect("{");
    finish(given, "scf.if", {}, types_of, operands, 2);
    begin_region(Open::kThen, {}, {});
  }

  // terminator := ('return' | 'scf.yield') [value,* ':' type,*]
  void terminator(std::string_view name) {
    std::vector<ValueRef> operands;
    if (now().kind == Token::Kind::kValue && !now().begins_line) {
      values(operands);
      expect(":");
      types();
    }
    finish({}, name == "return" ? "func.return" : name, {}, {}, operands, 0);
    open_.back().has_terminator = true;
  }

  // constant := 'arith.constant' [dictionary] attribute [':' type]
  void constant(const Results& given) {
    Members members;
    if (is("{")) read_members(0, members);
    TypeIds result;
    if (is("true") || is("false")) {
      members.emplace_back(out_.string("value"), attribute(0));
      result = {out_.integer_type(1)};
    } else if (is("dense")) {
      members.emplace_back(out_.string("value"), attribute(0));
      expect(":");
      result = {type().id};
    } else {
      const std::string_view text = expect(Token::Kind::kNumber, "a number");
      expect(":");
      const TextType of = type();
      members.emplace_back(out_.string("value"), number(text, of));
      result = {of.id};
    }
    finish(given, "arith.constant", members, result, {}, 0);
  }

  // plain := name [predicate ','] ['<' name '>' ','] [dictionary] operands [dictionary] ':' types
  //          [('to' | 'into' | '->') types]
  // operands := (value | value '[' (value | number),* ']' | '[' number,* ']'),*
  void plain(const Results& given, std::string_view name) {
    Members members;
    std::vector<ValueRef> operands;
    if (name == "arith.cmpi" || name == "arith.cmpf") {
      const std::string_view word = expect(Token::Kind::kName, "a predicate");
      const auto* const found = std::find(std::begin(kPredicates), std::end(kPredicates), word);
      if (name == "arith.cmpi" && found != std::end(kPredicates)) {
        members.emplace_back(out_.string("predicate"),
                             out_.integer(found - std::begin(kPredicates), out_.integer_type(64), 64));
      }
      expect(",");
    }
    std::vector<std::int64_t> numbers;
    while (ok() && !is(":")) {
      if (now().begins_line || now().kind == Token::Kind::kEnd) return fail("the types of an operation are missing");
      if (now().kind == Token::Kind::kValue) {
        if (const auto one = value()) operands.push_back(*one);
      } else if (now().kind == Token::Kind::kNumber) {
        numbers.push_back(whole_number());
      } else if (is("{")) {
        read_members(0, members);
      } else if (is("<") || is(">") || is("[") || is("]") || is(",") || now().kind == Token::Kind::kName) {
        ++at_;  // the kind of a reduction, a fast-math flag, the brackets around indices
      } else {
        fail("an unexpected part of an operation");
      }
    }
    expect(":");
    if (name == "vector.multi_reduction") {
      members.emplace_back(out_.string("reduction_dims"), out_.dense_array(numbers, out_.integer_type(64), 64));
    }
    std::vector<TextType> of = types();
    const bool states_result = take("to") || take("into") || take("->");
    const std::vector<TextType> after = states_result ? types() : std::vector<TextType>();
    if (!ok() || of.empty()) return fail("an operation without types");
    TypeIds result;
    if (given.count > 0) result = states_result ? ids(after) : TypeIds{implied_result(name, of)};
    finish(given, name, members, result, operands, 0);
  }

  // The type of the result where the text states only those of the operands.
  TypeId implied_result(std::string_view name, const std::vector<TextType>& of) {
    if (name == "memref.load") return of.front().element;
    if (name != "arith.cmpi" && name != "arith.cmpf") return of.back().id;
    const TypeId bit = out_.integer_type(1);
    return of.front().is_vector ? out_.vector_type(of.front().shape, bit) : bit;
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::string fault_;
  BytecodeWriter out_;
  std::vector<Open> open_;
  // The first result and their number, by name. The innermost scope is the last.
  std::vector<absl::flat_hash_map<std::string, std::pair<ValueRef, std::uint32_t>>> scopes_;
};

}  // namespace

bool is_text(std::string_view bytes) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  bytes.remove_prefix(begin);
  for (const std::string_view word : {"module", "builtin.module"}) {
    if (bytes.substr(0, word.size()) != word || bytes.size() == word.size()) continue;
    const char next = bytes[word.size()];
    if (next == ' ' || next == '{' || next == '\n') return true;
  }
  return false;
}

absl::StatusOr<std::string> bytecode_of_text(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return text_error(text, text.find('\0'), "a NUL in the text");
  const absl::StatusOr<std::vector<Token>> tokens = tokens_of(text);
  if (!tokens.ok()) return tokens.status();
  return TextReader(text, *tokens).run();
}

}  // namespace hloroof::internal::mlir

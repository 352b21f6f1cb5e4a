#include "lib/proto/attribute_forms.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {

std::int64_t ProtoAttribute::integer() const { return in.integer(field.number); }
std::vector<std::int64_t> ProtoAttribute::integers() const { return in.integers(field.number); }
std::string_view ProtoAttribute::bytes() const { return in.bytes(field.number); }
bool ProtoAttribute::has() const { return in.has(field.number); }

std::string& ProtoAttribute::named() const {
  absl::StrAppend(&out, ", ", to_absl(to_string(field.key)), "=");
  return out;
}
bool ProtoAttribute::print(std::string_view word) const {
  named() += word;
  return true;
}
bool ProtoAttribute::print(std::int64_t value) const {
  absl::StrAppend(&named(), value);
  return true;
}
bool ProtoAttribute::print_quoted(std::string_view text) const {
  append_quoted(text, named());
  return true;
}

bool ModuleAttribute::has() const { return i.has(field.key); }
std::string_view ModuleAttribute::text() const { return i.text(field.key); }

namespace forms {
namespace {

bool print_integer(const ProtoAttribute& a) { return a.print(a.integer()); }

template <std::int64_t kMissing>
bool write_integer(const ModuleAttribute& a) {
  const std::optional<std::int64_t> value = integer(a.i, a.field.key);
  a.out.integer(a.field.number, value.value_or(kMissing));
  return value.has_value() || !a.has();
}

bool print_list(const ProtoAttribute& a) {
  a.named() += '{';
  append_list(a.integers(), a.out);
  a.out += '}';
  return true;
}
bool write_list(const ModuleAttribute& a) {
  a.out.packed(a.field.number, integers(a.i, a.field.key));
  return true;
}

template <bool kMissing>
bool write_flag(const ModuleAttribute& a) {
  a.out.integer(a.field.number, flag(a.i, a.field.key, kMissing) ? 1 : 0);
  return true;
}
bool print_flag(const ProtoAttribute& a) { return a.integer() == 0 || a.print("true"); }

bool write_word(const ModuleAttribute& a) {
  a.out.text(a.field.number, word(a.i, a.field.key));
  return true;
}

// In any case of letters.
bool write_number(const ModuleAttribute& a) {
  std::int64_t number = a.field.missing;
  if (a.has()) {
    const std::string given = absl::AsciiStrToLower(to_absl(word(a.i, a.field.key)));
    const auto is_given = [&](std::string_view word) { return absl::AsciiStrToLower(to_absl(word)) == given; };
    const auto* const found = std::find_if(a.field.words.begin(), a.field.words.end(), is_given);
    if (found == a.field.words.end()) return false;
    number = found - a.field.words.begin();
  }
  a.out.integer(a.field.number, number);
  return true;
}

bool print_string(const ProtoAttribute& a) { return a.print_quoted(a.bytes()); }
bool write_string(const ModuleAttribute& a) {
  a.out.text(a.field.number, string_value(a.i, a.field.key));
  return true;
}

// The type of a comparison of elements of `type`, which XLA leaves out of the text.
std::string_view usual_comparison(ElementType type) {
  switch (kind(type)) {
    case ElementKind::kSigned: return "SIGNED";
    case ElementKind::kUnsigned:
    case ElementKind::kPredicate: return "UNSIGNED";
    default: return "FLOAT";
  }
}

// The same for the operand of a proto; empty if it is missing or has no elements.
std::string_view comparison_of(const WireMessage* operand) {
  if (operand == nullptr) return {};
  const WireMessage shape = operand->message(fields::instruction::kShape);
  const auto type = element_type_of(shape.integer(fields::shape::kElementType));
  return type ? usual_comparison(*type) : std::string_view();
}

}  // namespace

const ProtoForm kInteger = {print_integer, write_integer<0>};

// In a proto, a channel below 1 is no channel.
const ProtoForm kPositive = {
    [](const ProtoAttribute& a) { return a.integer() < 1 || a.print(a.integer()); },
    [](const ModuleAttribute& a) { return write_integer<0>(a) && integer_or(a.i, a.field.key, 1) > 0; },
};

const ProtoForm kPresent = {
    [](const ProtoAttribute& a) { return !a.has() || a.print(a.integer()); },
    [](const ModuleAttribute& a) {
      const std::optional<std::int64_t> value = integer(a.i, a.field.key);
      if (value) a.out.present(a.field.number, *value);
      return value.has_value();
    },
};

const ProtoForm kCount = {
    [](const ProtoAttribute& a) { return a.integer() < 2 || a.print(a.integer()); },
    write_integer<1>,
    true,
};

const ProtoForm kList = {print_list, write_list};
const ProtoForm kListUnlessEmpty = {
    [](const ProtoAttribute& a) { return a.integers().empty() || print_list(a); },
    write_list,
};

const ProtoForm kFirst = {
    [](const ProtoAttribute& a) {
      const std::vector<std::int64_t> values = a.integers();
      return a.print(values.empty() ? 0 : values[0]);
    },
    [](const ModuleAttribute& a) {
      const std::optional<std::int64_t> value = integer(a.i, a.field.key);
      if (value) a.out.packed(a.field.number, {*value});
      return value.has_value();
    },
};

const ProtoForm kFlag = {print_flag, write_flag<false>};
const ProtoForm kTruth = {
    [](const ProtoAttribute& a) { return a.print(a.integer() != 0 ? "true" : "false"); },
    write_flag<true>,
    true,
};

// Global ids are valid only with a channel.
const ProtoForm kGlobalIds = {
    print_flag,
    [](const ModuleAttribute& a) {
      return write_flag<false>(a) && (!flag(a.i, a.field.key) || integer_or(a.i, AttributeKey::kChannelId, 0) > 0);
    },
};

const ProtoForm kWord = {[](const ProtoAttribute& a) { return a.print(a.bytes()); }, write_word};

const ProtoForm kNumber = {
    [](const ProtoAttribute& a) {
      const std::int64_t number = a.integer();
      if (number < a.field.lowest || number >= static_cast<std::int64_t>(a.field.words.size())) {
        return a.field.lowest > 0;
      }
      return a.print(a.field.words[static_cast<std::size_t>(number)]);
    },
    write_number,
};

// Unknown numbers are rng_uniform.
const ProtoForm kDistribution = {
    [](const ProtoAttribute& a) { return a.print(a.field.words[a.integer() == 2 ? 2 : 1]); },
    write_number,
};

const ProtoForm kString = {print_string, write_string};
const ProtoForm kStringUnlessEmpty = {
    [](const ProtoAttribute& a) { return a.bytes().empty() || print_string(a); },
    write_string,
};
const ProtoForm kThread = {
    [](const ProtoAttribute& a) { return a.bytes().empty() || a.bytes() == "main" || print_string(a); },
    write_string,
};

const ProtoForm kTupleIndex = {
    print_integer,
    [](const ModuleAttribute& a) {
      a.out.integer(a.field.number, a.i.tuple_index());
      return true;
    },
    true,
};

// The bits of a float.
const ProtoForm kFloat = {
    [](const ProtoAttribute& a) {
      const auto bits = static_cast<std::uint32_t>(a.integer());
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return a.print(absl::StrFormat("%.6g", value));
    },
    [](const ModuleAttribute& a) {
      const std::optional<double> number = hloroof::internal::number(a.i, a.field.key);
      if (!number) return false;
      const auto value = static_cast<float>(*number);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      if (bits != 0) a.out.fixed32(a.field.number, bits);
      return true;
    },
};

// The type that the operands imply, unless the text has it or the order.
const ProtoForm kComparisonType = {
    [](const ProtoAttribute& a) {
      return a.bytes().empty() || a.bytes() == comparison_of(a.first_operand) || a.print(a.bytes());
    },
    [](const ModuleAttribute& a) {
      if (a.has() || a.i.has(AttributeKey::kOrder) || a.i.operand_count() == 0) return write_word(a);
      a.out.text(a.field.number, usual_comparison(a.i.operand(0).shape().element_type));
      return true;
    },
    true,
};

// Newer XLA writes the order in place of the type. Only floating-point comparisons are partial by default.
const ProtoForm kComparisonOrder = {
    [](const ProtoAttribute& a) {
      const std::string_view order = a.bytes();
      if (order.empty() || !a.in.bytes(fields::instruction::kComparisonType).empty()) return true;
      return order == (comparison_of(a.first_operand) == "FLOAT" ? "PARTIAL" : "TOTAL") || a.print(order);
    },
    write_word,
};

// {highest,default}, unless all are the default. XLA writes the precision of every operand, also if it is the default.
const ProtoForm kPrecision = {
    [](const ProtoAttribute& a) {
      constexpr const char* kWords[] = {"default", "high", "highest"};
      const std::vector<std::int64_t> operands = a.integers();
      const auto is_known = [](std::int64_t p) { return p > 0 && p <= 2; };
      if (std::none_of(operands.begin(), operands.end(), is_known)) return true;
      const char* separator = "{";
      a.named();
      for (std::int64_t p : operands) {
        absl::StrAppend(&a.out, separator, kWords[is_known(p) ? p : 0]);
        separator = ",";
      }
      a.out += '}';
      return true;
    },
    [](const ModuleAttribute& a) {
      std::vector<std::int64_t> precisions;
      for (Precision p : operand_precision(a.i)) precisions.push_back(static_cast<std::int64_t>(p));
      const bool is_dot = a.i.opcode() != Opcode::kConvolution && a.i.opcode() != Opcode::kCustomCall;
      if (precisions.empty()) precisions.assign(is_dot ? 2 : a.i.operand_count(), 0);
      a.out.packed(a.field.number, precisions);
      return true;
    },
};

// A string, or JSON as it is.
const ProtoForm kBackendConfig = {
    [](const ProtoAttribute& a) {
      std::string_view config = a.bytes();
      if (config.empty()) {
        config = payload_text(a.in.message(fields::instruction::kBackendConfigPayload), a.names);
      }
      if (!config.empty()) append_json_or_quoted(config, a.named());
      return true;
    },
    [](const ModuleAttribute& a) {
      const std::string_view text = a.text();
      const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
      a.out.text(a.field.number, is_quoted ? unescape(text.substr(1, text.size() - 2)) : std::string(text));
      return true;
    },
};

}  // namespace forms

}  // namespace hloroof::internal::inline proto

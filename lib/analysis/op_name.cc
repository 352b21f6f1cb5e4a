#include "lib/analysis/op_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hloroof::internal::inline analysis {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <std::size_t n>
bool is_one_of(std::string_view text, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

// The transformations that JAX writes around a scope: vmap(attention).
constexpr std::string_view kTransformations[] = {"jit",       "pjit",      "pmap",       "xmap",       "jvp",
                                                 "transpose", "vmap",      "checkpoint", "custom_vjp", "custom_jvp",
                                                 "remat",     "linearize", "named_call"};

// Components that JAX adds for calls and for control flow.
constexpr std::string_view kCalls[] = {"closed_call",
                                       "core_call",
                                       "core_closed_call",
                                       "xla_call",
                                       "named_call",
                                       "custom_vjp_call",
                                       "custom_jvp_call",
                                       "custom_vjp_call_jaxpr",
                                       "custom_jvp_call_jaxpr",
                                       "custom_lin",
                                       "checkpoint",
                                       "remat",
                                       "remat2",
                                       "remat_call",
                                       "rematted_computation",
                                       "shard_map",
                                       "shmap_body",
                                       "pjit",
                                       "jit",
                                       "scan",
                                       "while"};

constexpr std::string_view kRecomputed = "rematted_computation";

// Returns the end of the component at the beginning of `text`: a slash outside of parentheses and brackets.
std::size_t component_end(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && depth > 0) --depth;
    if (text[i] == '/' && depth == 0) return i;
  }
  return depth == 0 ? text.size() : std::min(text.find('/'), text.size());
}

// If `text` is `name(inside)` and `name` is a transformation, sets both parts.
bool unwrap(std::string_view text, std::string_view& name, std::string_view& inside) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return false;
  name = text.substr(0, open);
  if (!is_one_of(name, kTransformations)) return false;
  inside = text.substr(open + 1, text.size() - open - 2);
  return true;
}

// Whether the module is named after the function `name`, as jit_train_step after jit(train_step). XLA replaces other
// characters than letters and digits by underscores.
bool names_module(std::string_view transformation, std::string_view name, std::string_view module_name) {
  std::string expected(transformation);
  expected += '_';
  for (char c : name) expected += is_letter(c) || is_digit(c) ? c : '_';
  return module_name.substr(0, module_name.find('.')) == expected;
}

// branch_0_fun, inside of cond.
bool is_branch(std::string_view component) {
  constexpr std::string_view kBegin = "branch_";
  constexpr std::string_view kEnd = "_fun";
  if (component.size() <= kBegin.size() + kEnd.size() || component.substr(0, kBegin.size()) != kBegin) return false;
  component.remove_prefix(kBegin.size());
  return component.substr(component.size() - kEnd.size()) == kEnd &&
         std::all_of(component.begin(), component.end() - kEnd.size(), is_digit);
}

// Reads the components one by one.
class PathReader {
 public:
  explicit PathReader(std::string_view module_name) : module_name_(module_name) {}

  OpPath read(const std::string_view whole) {
    std::string_view text = whole;
    while (!text.empty()) {
      const std::size_t end = component_end(text);
      const std::string_view component = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!component.empty())
        read_component(component, static_cast<std::size_t>(component.end() - whole.begin()), text.empty());
    }
    if (path_.loops == 0) path_.outer_looped_scope = path_.looped_scope = path_.scopes.size();
    return std::move(path_);
  }

 private:
  // `end` is the end of the component in the whole text.
  void read_component(std::string_view component, std::size_t end, bool is_last) {
    std::string_view name;
    std::string_view inside = component;
    bool is_wrapped = false;
    bool differentiates = false;
    bool transposes = false;
    bool is_program = false;
    while (unwrap(inside, name, inside)) {
      is_wrapped = true;
      differentiates |= name == "jvp";
      transposes |= name == "transpose";
      is_program = (name == "jit" || name == "pjit" || name == "pmap") && path_.scopes.empty() && is_top_ &&
                   names_module(name, inside, module_name_);
      // jit(train_step)/jit(main) in a module that has another name.
      if (name == "jit" && inside == "main" && path_.scopes.size() <= 1) {
        path_.scopes.clear();
        is_program = true;
      }
    }
    if (transposes || differentiates) enter(transposes);
    if (!is_program) is_top_ = false;
    path_.is_complete |= is_program;
    const std::string_view before = std::exchange(before_, component);
    if (is_wrapped) {
      if (!is_program && !inside.empty() && inside != "shmap_body") path_.scopes.push_back(inside);
      return;
    }
    if (component == kRecomputed) path_.phase = Phase::kRemat;
    if (is_last) {
      path_.op = component.substr(0, component.find(';'));
      return;
    }
    if (before == "while" && component == "body") {
      path_.looped_scope = path_.scopes.size();
      if (path_.loops++ == 0) path_.outer_looped_scope = path_.looped_scope;
      path_.body_length = end;
      return;
    }
    if (before == "while" && component == "cond") return;
    if (is_branch(component)) {
      if (before == "cond" && !path_.scopes.empty()) path_.scopes.pop_back();
      return;
    }
    if (!is_one_of(component, kCalls)) path_.scopes.push_back(component);
  }

  // The phase inside of jvp() or transpose(). A recomputation contains nothing else. The backward pass differentiates
  // a function only to recompute it.
  void enter(bool transposes) {
    if (path_.phase == Phase::kRemat && !transposes) return;
    if (transposes) {
      path_.phase = Phase::kBackward;
    } else {
      path_.phase = path_.phase == Phase::kBackward ? Phase::kRemat : Phase::kForward;
    }
  }

  std::string_view module_name_;
  std::string_view before_;
  bool is_top_ = true;  // only components of the program itself so far
  OpPath path_;
};

// Whether a word is the name of a type, whose digits are not a count.
bool names_type(std::string_view letters) {
  constexpr std::string_view kTypes[] = {"f", "bf",    "s",      "u",   "c",    "fp",
                                         "e", "float", "bfloat", "int", "uint", "complex"};
  return is_one_of(letters, kTypes);
}

}  // namespace

OpPath parse_op_name(std::string_view op_name, std::string_view module_name) {
  return PathReader(module_name).read(op_name);
}

std::string_view without_program(std::string_view op_name, std::string_view module_name) {
  const std::string_view component = op_name.substr(0, component_end(op_name));
  std::string_view name;
  std::string_view inside;
  if (component.size() == op_name.size() || !unwrap(component, name, inside)) return op_name;
  return names_module(name, inside, module_name) ? op_name.substr(component.size() + 1) : op_name;
}

std::string fold_numbers(std::string_view text) {
  std::string key;
  key.reserve(text.size());
  std::size_t word = 0;  // the start of the current run of letters and digits
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      if (!is_letter(text[i])) word = i + 1;
      key += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool in_word = end < text.size() && is_letter(text[end]);
    std::size_t letters = word;
    while (letters < i && is_letter(text[letters])) ++letters;
    const bool folds = !in_word && !names_type(text.substr(word, letters - word));
    if (folds) {
      key += '*';
    } else {
      key += text.substr(i, end - i);
    }
    i = end;
  }
  return key;
}

std::string folded_label(const std::string& name, std::size_t count) {
  return count == 1 ? name : name + " ×" + std::to_string(count);
}

std::string layer_key(std::string_view op_name, std::string_view module_name) {
  const OpPath path = parse_op_name(op_name, module_name);
  std::string key;
  for (std::string_view scope : path.scopes) {
    if (!key.empty()) key += '/';
    key += scope;
  }
  if (!path.op.empty()) {
    if (!key.empty()) key += '/';
    key += path.op;
  }
  // A path of wrappers only: jit(main).
  if (key.empty()) key = op_name;
  return fold_numbers(key);
}

}  // namespace hloroof::internal::inline analysis

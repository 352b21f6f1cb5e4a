#include "lib/values/gpu_kernel_config.h"

#include <cctype>

#include "absl/strings/numbers.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline values {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_open(char c) { return c == '{' || c == '[' || c == '(' || c == '<'; }
bool is_close(char c) { return c == '}' || c == ']' || c == ')' || c == '>'; }

// The offset after the value that begins at `at`: of the comma or closing bracket that ends it.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
    } else if (c == '-' && at + 1 < text.size() && text[at + 1] == '>') {
      ++at;
    } else if (is_open(c)) {
      ++depth;
    } else if (is_close(c)) {
      if (depth == 0) return at;
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> integer_member(std::string_view dictionary, std::string_view name) {
  const std::string_view text = mlir_dictionary_member(dictionary, name);
  const std::string_view digits = trimmed(text.substr(0, text.find(':')));
  std::int64_t value = 0;
  if (!absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &value)) return std::nullopt;
  return value;
}

}  // namespace

// dictionary := '{' (member (',' member)*)? '}'
// member     := name ('=' value)?
std::string_view mlir_dictionary_member(std::string_view dictionary, std::string_view name) {
  dictionary = trimmed(dictionary);
  if (dictionary.size() < 2 || dictionary.front() != '{') return {};
  for (std::size_t at = 1; at < dictionary.size();) {
    const std::size_t end = end_of_value(dictionary, at);
    const std::string_view member = dictionary.substr(at, end - at);
    const std::size_t equals = member.find('=');
    if (equals != std::string_view::npos && trimmed(member.substr(0, equals)) == name) {
      return trimmed(member.substr(equals + 1));
    }
    if (end >= dictionary.size() || dictionary[end] != ',') return {};
    at = end + 1;
  }
  return {};
}

std::string mlir_string_value(std::string_view text) {
  std::string value;
  if (text.size() < 2 || text.front() != '"') return value;
  value.reserve(text.size());
  for (std::size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      value += text[i];
      continue;
    }
    const int high = hex_digit(text[i + 1]);
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      value += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      value += text[++i];
    }
  }
  return value;
}

std::optional<GpuKernelConfig> gpu_kernel_config(InstructionView instruction) {
  const std::string text = backend_config(instruction);
  GpuKernelConfig config;
  config.triton_ir = mlir_string_value(mlir_dictionary_member(text, "ir"));
  config.mosaic_module = mlir_string_value(mlir_dictionary_member(text, "module"));
  config.is_compiled = !mlir_dictionary_member(text, "opaque").empty();
  if (config.triton_ir.empty() && config.mosaic_module.empty() && !config.is_compiled) return std::nullopt;
  config.name = mlir_string_value(mlir_dictionary_member(text, "name"));
  constexpr std::string_view kAxes[] = {"grid_x", "grid_y", "grid_z"};
  for (std::size_t axis = 0; axis < config.grid.size(); ++axis) {
    config.grid[axis] = integer_member(text, kAxes[axis]).value_or(1);
  }
  config.warps = integer_member(text, "num_warps").value_or(0);
  return config;
}

}  // namespace hloroof::internal::inline values

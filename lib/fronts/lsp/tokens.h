// The tokens of one line of HLO text with their roles, also of a line that is wrong or not finished. The parser of
// lib/text says what is wrong with a text; this only says what the pieces look like.
#ifndef HLOROOF_LIB_FRONTS_LSP_TOKENS_H_
#define HLOROOF_LIB_FRONTS_LSP_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline lsp {

enum class TokenRole : std::uint8_t {
  kKeyword,        // HloModule, ENTRY, ROOT
  kName,           // the name that the line defines, without %
  kType,           // bf16
  kDimensions,     // [8,128]
  kLayout,         // {1,0:T(8,128)}
  kOpcode,         // fusion
  kOperand,        // the name of an instruction that is used, without %
  kComputation,    // the name of a computation that is called, without %
  kAttributeName,  // calls
  kField,          // op_name, inside of a value
  kWord,           // any other word of a value
  kNumber,
  kString,
  kComment,
};

struct Token {
  std::size_t offset = 0;  // into the text of the document
  std::size_t size = 0;
  TokenRole role = TokenRole::kWord;
  // The attribute whose name this is or in whose value it is; kUnknown for others.
  AttributeKey attribute = AttributeKey::kUnknown;
  bool in_attribute = false;

  std::size_t end() const { return offset + size; }
};

// What would be written at the end of the text.
enum class Expected : std::uint8_t { kOther, kOpcode, kOperand, kAttributeName, kComputation };

struct LineTokens {
  std::vector<Token> tokens;
  Expected expected = Expected::kOther;
  Opcode opcode = Opcode::kUnknown;

  // The token that `offset` is in or at the end of; null if there is none.
  const Token* at(std::size_t offset) const;
};

// Tokens of the instruction in [begin, end) of `text`.
LineTokens instruction_tokens(std::string_view text, std::size_t begin, std::size_t end);
// Tokens of the HloModule line.
LineTokens header_tokens(std::string_view text, std::size_t begin, std::size_t end);
// Tokens of the line that begins a computation.
LineTokens computation_tokens(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_TOKENS_H_

#include "lib/fronts/lsp/tokens.h"

#include <string>

#include "tests/catch.h"

using namespace hloroof::internal;

namespace {

// "name:dot.1 type:f32 ...".
std::string described(std::string_view text, const LineTokens& line) {
  const char* const names[] = {"keyword", "name", "type",  "dims", "layout", "opcode", "operand",
                               "call",    "attr", "field", "word", "number", "string", "comment"};
  std::string result;
  for (const Token& token : line.tokens) {
    if (!result.empty()) result += ' ';
    result +=
        std::string(names[static_cast<int>(token.role)]) + ":" + std::string(text.substr(token.offset, token.size));
  }
  return result;
}

}  // namespace

TEST_CASE("The tokens of an instruction have roles") {
  struct Case {
    std::string_view text;
    std::string_view tokens;
  };
  const Case cases[] = {
      {"ROOT %dot.1 = f32[8,4]{1,0:T(8,128)} dot(%a, %b), lhs_contracting_dims={1}",
       "keyword:ROOT name:dot.1 type:f32 dims:[8,4] layout:{1,0:T(8,128)} opcode:dot operand:a operand:b "
       "attr:lhs_contracting_dims number:1"},
      {"add.1 = f32[] add(x, f32[] y)", "name:add.1 type:f32 dims:[] opcode:add operand:x type:f32 dims:[] operand:y"},
      {"%t = (f32[2], /*index=1*/s32[]) fusion(%a), kind=kLoop, calls=%f, control-predecessors={%p, %q}",
       "name:t type:f32 dims:[2] comment:/*index=1*/ type:s32 dims:[] opcode:fusion operand:a attr:kind word:kLoop "
       "attr:calls call:f attr:control-predecessors operand:p operand:q"},
      {"%c = s32[2] constant({1, -2})", "name:c type:s32 dims:[2] opcode:constant number:1 number:-2"},
      {"%w = s32[] while(%t), condition=%c, body=b, metadata={op_name=\"a, b\" source_line=3}",
       "name:w type:s32 dims:[] opcode:while operand:t attr:condition call:c attr:body call:b attr:metadata "
       "field:op_name string:\"a, b\" field:source_line number:3"},
      {"%c = s32[] call(), to_apply=%f, backend_config={\"a\":{\"b\":[1]}}, frontend_attributes={x=\"1\"}",
       "name:c type:s32 dims:[] opcode:call attr:to_apply call:f attr:backend_config string:{\"a\":{\"b\":[1]}} "
       "attr:frontend_attributes field:x string:\"1\""},
      {"%c = s32[] conditional(%i, %x), branch_computations={%f, %g}",
       "name:c type:s32 dims:[] opcode:conditional operand:i operand:x attr:branch_computations call:f call:g"},
      {"%x = f32[8", "name:x type:f32 dims:[8"},
      {"%x = f32[8] add(%y, \"", "name:x type:f32 dims:[8] opcode:add operand:y string:\""},
      {"%x", "name:x"},
      {"", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(described(c.text, instruction_tokens(c.text, 0, c.text.size())) == c.tokens);
  }
}

TEST_CASE("The tokens of the first lines") {
  const std::string_view header = "HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[2]{0})->f32[]}";
  CHECK(described(header, header_tokens(header, 0, header.size())) ==
        "keyword:HloModule name:jit_f attr:is_scheduled word:true attr:entry_computation_layout type:f32 dims:[2] "
        "layout:{0} type:f32 dims:[]");
  const std::string_view head = "ENTRY %main.1 (x.1: f32[2]) -> f32[] {";
  CHECK(described(head, computation_tokens(head, 0, head.size())) ==
        "keyword:ENTRY name:main.1 word:x.1 type:f32 dims:[2] type:f32 dims:[]");
}

TEST_CASE("What the end of a line expects") {
  struct Case {
    std::string_view text;
    Expected expected;
  };
  const Case cases[] = {
      {"%x = f32[8] ", Expected::kOpcode},
      {"%x = f32[8] add(", Expected::kOperand},
      {"%x = f32[8] add(%y, %", Expected::kOperand},
      {"%x = f32[8] add(%y), ", Expected::kAttributeName},
      {"%x = f32[8] fusion(%y), kind=kLoop, calls=%", Expected::kComputation},
      {"%x = f32[8] fusion(%y), kind=", Expected::kOther},
      {"%x = f32[8] parameter(", Expected::kOther},
      {"%x", Expected::kOther},
      {"%x = f32[8] add(%y), control-predecessors={%", Expected::kOperand},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(instruction_tokens(c.text, 0, c.text.size()).expected == c.expected);
  }
}

// Uses every function of the headers of the graph: parse.h, print.h, proto.h, module.h, shape.h, opcode.h,
// element_type.h, attribute.h, span.h, ids.h, infer_shape.h.
#include <set>
#include <string>
#include <vector>

#include "expect.h"
#include "hloroof/infer_shape.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "hloroof/proto.h"

using namespace hloroof;

constexpr char kHlo[] = R"(HloModule step, is_scheduled=true, num_partitions=2, frontend_attributes={owner="me"}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}

ENTRY %main (p: f32[8,128]) -> (f32[8,128], f32[8]) {
  %p = f32[8,128]{1,0} parameter(0)
  %zero = f32[] constant(0)
  %e = f32[8,128]{1,0} exponential(%p), metadata={op_name="jit(f)/exp"}
  %r = f32[8]{0} reduce(%e, %zero), dimensions={1}, to_apply=%add, control-predecessors={%p}
  ROOT %t = (f32[8,128]{1,0}, f32[8]{0}) tuple(%e, %r)
}

)";

void reading_and_writing() {
  const Module module = parse_module(kHlo).value();
  EXPECT(print_module(module) == kHlo);
  EXPECT(print_instruction(module.entry().root()).rfind("ROOT %t", 0) == 0);
  EXPECT(print_computation(module.entry()).find("%r = ") != std::string::npos);
  EXPECT(print_module(module, PrintOptions::short_parsable()).size() < sizeof kHlo);
  EXPECT(print_module(module, PrintOptions::canonical()).find("tmp_0") != std::string::npos);

  std::string difference;
  EXPECT(equal(module, parse_module(kHlo).value(), &difference) && difference.empty());
  EXPECT(parse_modules(std::string(kHlo) + "// -----\n" + kHlo)->size() == 2);

  Parser parser;  // reuses the memory of the previous module
  Module reused;
  EXPECT(parser.parse(kHlo, reused).ok() && equal(module, reused));

  EXPECT(!parse_proto("no proto").ok());  // takes bytes; load_module() reads files
  EXPECT(!parse_protos("no proto").ok() && !proto_to_text("no proto").ok());
}

void walking() {
  const Module module = parse_module(kHlo).value();
  EXPECT(module.name() == "step" && module.is_scheduled() && module.has_header() && !module.is_single_instruction());
  EXPECT(module.num_partitions() == 2 && module.replica_count() == 1 && module.path() == "<text>");
  EXPECT(module.find_header(AttributeKey::kIsScheduled) != nullptr && module.header_attributes().size() == 3);
  EXPECT(module.header_text(AttributeKey::kNumPartitions) == "2");
  EXPECT(module.stack_frame_tables().find("a.py") != std::string_view::npos);
  EXPECT(module.unknowns().opcodes == 0 && (void*)&module.source() != nullptr);
  EXPECT(module.instruction_count() == 8 && module.instruction_limit() >= 8 && module.computation_limit() == 2);

  // Visits callees before callers, and operands before users.
  std::set<std::string> seen;
  for (ComputationView computation : module.computations()) {
    EXPECT(!computation.is_missing() && computation.execution_thread() == "main");
    for (InstructionView instruction : computation.instructions()) {
      for (InstructionView operand : instruction.operands()) EXPECT(seen.count(std::string(operand.name())) == 1);
      seen.insert(std::string(instruction.name()));
    }
  }
  EXPECT(seen.size() == module.instruction_count());
  EXPECT(module.has_entry() && module.entry().is_entry() && module.entry().instruction_count() == 5);
  EXPECT(module.computations().size() == 2 && !module.computations().empty());
  EXPECT(module.computations().begin() != module.computations().end());
  EXPECT(module.computations().ids().size() == 2);

  const InstructionView tuple = module.entry().root();
  EXPECT(tuple.is_root() && tuple.opcode() == Opcode::kTuple && tuple.opcode_text() == "tuple");
  EXPECT(tuple.operand_count() == 2 && tuple.operand_ids()[1] == tuple.operand(1).id());
  EXPECT(tuple.computation() == module.entry() && &tuple.module() == &module);
  const InstructionView reduce = tuple.operand(1);
  EXPECT(reduce.has(AttributeKey::kDimensions) && reduce.find(AttributeKey::kWindow) == nullptr);
  EXPECT(reduce.text(AttributeKey::kDimensions) == "{1}" && reduce.attributes().size() == 3);
  EXPECT(reduce.computations(AttributeKey::kToApply)[0].name() == "add");
  EXPECT(reduce.called_computations().size() == 1 && reduce.control_predecessors()[0].name() == "p");
  const InstructionView parameter = module.instruction(module.entry().parameters()[0]);
  EXPECT(parameter.parameter_number() == 0 && parameter.data().opcode == Opcode::kParameter);
  EXPECT(module.computation(module.entry().id()).name() == "main");

  // The tables that the views read.
  const InstructionData& row = module.data(reduce.id());
  EXPECT(module.text(row.name) == "r" && module.operands(row).size() == 2);
  const Span<AttributeData> attributes = module.attributes(row);
  EXPECT(attributes.size() == 3 && module.references(attributes[1]).size() == 1);

  const Module element = parse_module("%g = f32[2] get-tuple-element((f32[2], s32[]) %t), index=0").value();
  EXPECT(element.entry().root().tuple_index() == 0 && element.is_single_instruction());
  const Module newer =
      parse_module("HloModule m\nENTRY e { p = f32[2] parameter(0)\nROOT n = f32[2] frobnicate(p) }").value();
  EXPECT(newer.unknown_opcode(newer.data(newer.entry().root().id())) == "frobnicate");
}

void shapes() {
  const Module module = parse_module(kHlo).value();
  const InstructionView tuple = module.entry().root();
  const Shape& array = tuple.operand(0).shape();
  EXPECT(array.is_array() && !array.is_tuple() && !array.is_token() && !array.is_opaque() && !array.is_buffer());
  EXPECT(array.rank() == 2 && !array.is_dynamic(0) && element_count(array) == 8 * 128);
  EXPECT(module.shape(tuple.shape_id()).is_tuple() && module.shapes().size() >= 4);
  EXPECT(module.shapes().leaves(tuple.shape_id()).size() == 2 && module.shapes().depth(tuple.shape_id()) == 1);
  EXPECT(to_string(module.shapes(), tuple.shape_id()) == "(f32[8,128]{1,0}, f32[8]{0})");
  std::string text = "shape ";
  append_to(text, module.shapes(), tuple.operand(0).shape_id(), ShapeText::kWithoutLayout);
  EXPECT(text == "shape f32[8,128]");

  ShapeTable table;
  const ShapeId id = table.intern(array);
  EXPECT(id.valid() && !ShapeId().valid() && table.intern(array) == id);
  EXPECT(compatible(table, id, module.shapes(), tuple.operand(0).shape_id()));
  table.clear();
  EXPECT(table.size() == 0);

  ShapeTable inferred = module.shapes();
  EXPECT(infer_shape(tuple.operand(1), inferred).value() == tuple.operand(1).shape_id());
}

void tables() {
  EXPECT(opcode_from_string("all-gather") == Opcode::kAllGather && to_string(Opcode::kAdd) == "add");
  EXPECT(arity(Opcode::kAdd) == 2 && arity(Opcode::kTuple) == -1 && shape_inferable(Opcode::kAdd));
  EXPECT(work_class(Opcode::kDot) == WorkClass::kContraction && is_elementwise(Opcode::kTanh));
  EXPECT(element_type_from_string("bf16") == ElementType::kBf16 && to_string(ElementType::kS4) == "s4");
  EXPECT(bits(ElementType::kS4) == 4 && bytes(ElementType::kBf16) == 2 &&
         kind(ElementType::kPred) == ElementKind::kPredicate);
  EXPECT(is_array_type(ElementType::kF32) && is_floating(ElementType::kF16) && is_complex(ElementType::kC64));
  EXPECT(is_integral(ElementType::kU8) && !is_integral(ElementType::kF32));
  EXPECT(attribute_from_string("dim_labels") == AttributeKey::kDimLabels);
  EXPECT(to_string(AttributeKey::kWindow) == "window" && form(AttributeKey::kWindow) == AttributeForm::kWindow);

  const std::vector<int> numbers = {1, 2, 3, 4};
  const Span<int> span = numbers;
  EXPECT(span.front() == 1 && span.back() == 4 && span.size() == 4 && !span.empty() && span.data() == numbers.data());
  EXPECT(span.end() - span.begin() == 4 && span.subspan(1, 2) == Span<int>(numbers.data() + 1, 2));
}

int main() {
  reading_and_writing();
  walking();
  shapes();
  tables();
}

// Tests shape inference with the table infer_shape_cases.txt, and compares the inferred shape of every instruction of
// the dumps with the printed one.

#include "lib/infer/infer_shape.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

struct Case {
  int line = 0;
  std::vector<std::string> operands;
  std::string instruction;
  std::string xla;
  std::string ours;
  std::string why;
};

struct Table {
  std::string computations;
  std::vector<Case> cases;
};

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

Table read_table() {
  std::ifstream in(source_path("tests/text/infer_shape_cases.txt"));
  Table table;
  bool in_cases = false;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if (!in_cases) {
      in_cases = line == "----";
      if (!in_cases) table.computations += line + "\n";
      continue;
    }
    std::vector<std::string> fields = split(line, "\t");
    fields.resize(5);
    Case c;
    c.line = number;
    if (!fields[0].empty()) c.operands = split(fields[0], "; ");
    for (const std::string& part : split(fields[1], "\\n")) c.instruction += (c.instruction.empty() ? "" : "\n") + part;
    c.xla = fields[2];
    c.ours = fields[3] == "same" ? fields[2] : fields[3];
    c.why = fields[4];
    CHECK((fields[3] == "same" || !c.why.empty()));
    table.cases.push_back(c);
  }
  return table;
}

// The module of one case. The instruction has the shape `shape` unless it is empty.
std::string module_of(const Table& table, const Case& c, const std::string& shape = "") {
  std::string text = "HloModule m\n" + table.computations + "ENTRY e {\n";
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    text += "  p" + std::to_string(i) + " = " + c.operands[i] + " parameter(" + std::to_string(i) + ")\n";
  }
  return text + "  ROOT r = " + shape + (shape.empty() ? "" : " ") + c.instruction + "\n}\n";
}

// The shape without row-major layouts, as in the table.
ShapeId plain(ShapeTable& shapes, ShapeId id) {
  Shape shape = shapes[id];
  for (ShapeId& element : shape.elements) element = plain(shapes, element);
  Layout row_major;
  row_major.present = true;
  for (int i = shape.rank(); i-- > 0;) row_major.minor_to_major.push_back(i);
  if (shape.layout == row_major) shape.layout = Layout();
  return shapes.intern(shape);
}

TEST_CASE("omitted result shapes are inferred") {
  const Table table = read_table();
  REQUIRE(table.cases.size() > 100);
  std::set<Opcode> inferred;
  for (const Case& c : table.cases) {
    const std::string text = module_of(table, c);
    const absl::StatusOr<Module> module = parse_module(text);
    INFO("line " << c.line << "\n" << text << "\n" << std::string(module.status().message()));
    if (c.ours == "reject" || c.ours == "abort") {
      CHECK_FALSE(module.ok());
      continue;
    }
    REQUIRE(module.ok());
    const InstructionView root = module->entry().root();
    ShapeTable shapes = module->shapes();
    CHECK(to_string(shapes, plain(shapes, root.shape_id())) == c.ours);
    inferred.insert(root.opcode());

    // If the text has the shape, inference gives the same one.
    const absl::StatusOr<Module> with_shape =
        parse_module(module_of(table, c, to_string(module->shapes(), root.shape_id())));
    REQUIRE(with_shape.ok());
    ShapeTable copy = with_shape->shapes();
    const absl::StatusOr<ShapeId> again = infer_shape(with_shape->entry().root(), copy);
    REQUIRE(again.ok());
    CHECK(*again == with_shape->entry().root().shape_id());
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    INFO(to_string(opcode));
    CHECK(shape_inferable(opcode) == (inferred.count(opcode) == 1));
  }
}

TEST_CASE("a shape that does not follow from the operands is not inferred") {
  for (const char* instruction :
       {"convert(p)", "reshape(p)", "bitcast(p)", "iota(), iota_dimension=0", "all-reduce(p)"}) {
    const std::string text = std::string("ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = ") + instruction + "\n}\n";
    const absl::Status status = parse_module(text).status();
    INFO(instruction);
    CHECK(std::string(status.message()).find("cannot infer shape for opcode") != std::string::npos);
  }
  const absl::StatusOr<Module> module =
      parse_module("ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = bf16[4] convert(p)\n}\n");
  REQUIRE(module.ok());
  ShapeTable shapes = module->shapes();
  CHECK(absl::IsUnimplemented(infer_shape(module->entry().root(), shapes).status()));
}

TEST_CASE("a pasted instruction with a missing computation has no inferred shape") {
  const absl::Status status = parse_module("%r = call(f32[4] %p), to_apply=%elsewhere").status();
  CHECK(std::string(status.message()).find("failed to infer shape") != std::string::npos);
}

// Whether two shapes have the same dimensions and tuple structure. Element types may differ in floating-point
// precision, or arbitrarily if `any_type` is set.
bool alike(const ShapeTable& shapes, ShapeId a_id, ShapeId b_id, bool any_type) {
  const Shape& a = shapes[a_id];
  const Shape& b = shapes[b_id];
  const bool both_floating = is_floating(a.element_type) && is_floating(b.element_type);
  if (a.element_type != b.element_type && !both_floating && !any_type) return false;
  if (a.dimensions != b.dimensions || a.elements.size() != b.elements.size()) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!alike(shapes, a.elements[i], b.elements[i], any_type)) return false;
  }
  return true;
}

// Printed shapes of the dumps must equal the inferred ones except for layouts, dynamic flags, and types that the
// compiler chooses: products may accumulate in a wider type, such as s8 in s32, and a copy may round. Broadcasts are
// excluded, because their shape does not follow from the operands.
TEST_CASE("printed shapes of the dumps are the inferred ones", "[corpus]") {
  std::vector<fs::path> files;
  for (const fs::path folder : {source_path("tests/corpus"), shared_path("corpus")}) {
    if (!fs::exists(folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".hlo") files.push_back(entry.path());
    }
  }
  std::size_t checked = 0;
  Parser parser;
  Module module;
  for (const fs::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!parser.parse(text.str(), module).ok()) continue;
    ShapeTable shapes = module.shapes();
    for (ComputationView computation : module.computations()) {
      if (computation.is_missing()) continue;
      for (InstructionView instruction : computation.instructions()) {
        if (!shape_inferable(instruction.opcode()) || instruction.opcode() == Opcode::kBroadcast) continue;
        // TPU compilers print calls for the SparseCore without their arguments.
        if (instruction.opcode() == Opcode::kCall && instruction.operand_count() == 0) continue;
        ++checked;
        const absl::StatusOr<ShapeId> inferred = infer_shape(instruction, shapes);
        const bool is_product = work_class(instruction.opcode()) == WorkClass::kContraction;
        if (inferred.ok() && alike(shapes, *inferred, instruction.shape_id(), is_product)) continue;
        FAIL_CHECK(path << ": " << print_instruction(instruction).substr(0, 600) << "\n"
                        << (inferred.ok() ? to_string(shapes, *inferred) : std::string(inferred.status().message())));
      }
    }
  }
  CHECK(checked > 0);
  WARN(checked << " instructions of " << files.size() << " dumps have the inferred shape");
}

}  // namespace
}  // namespace hloroof::internal

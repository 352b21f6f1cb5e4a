// Parses arbitrary HLO text. The result must be a module or a message. A printed module must parse as the same module,
// and all ways to parse a text must agree.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/infer/infer_shape.h"
#include "tests/fuzz/text_mutator.h"

namespace {

using hloroof::Module;
using hloroof::ParseOptions;
using hloroof::Parser;
using hloroof::PrintOptions;

[[noreturn]] void fail(const char* what, std::string_view detail = {}) {
  std::fprintf(stderr, "text_fuzz: %s\n%.*s\n", what, static_cast<int>(std::min<std::size_t>(detail.size(), 20'000)),
               detail.data());
  std::abort();
}

// A message must not be empty or repeat a long text.
void check_message(const absl::Status& status, int max_errors) {
  const std::size_t size = status.message().size();
  if (size == 0 || size > 20'000 * static_cast<std::size_t>(max_errors)) fail("size of a message");
}

ParseOptions with_limits() {
  ParseOptions options;
  options.max_depth = 6;
  options.max_instructions = 5;
  options.max_bytes = 400;
  return options;
}

ParseOptions for_editors() {
  ParseOptions options;
  options.borrow = true;
  options.max_errors = 10;
  return options;
}

ParseOptions strict() {
  ParseOptions options;
  options.strict = true;
  return options;
}

// Every form of printing must terminate. Forms that keep everything must parse as the same module.
void check_printing(const Module& module, Parser& parser, unsigned choice) {
  const std::string printed = print_module(module);
  static Module* const again = new Module;
  if (absl::Status status = parser.parse(printed, *again); !status.ok()) {
    fail("what was printed does not parse", std::string(status.message()) + "\n" + printed);
  }
  std::string difference;
  if (!hloroof::equal(module, *again, &difference)) fail("parsed again it differs", difference + "\n" + printed);
  if (print_module(*again) != printed) fail("printing again differs", printed);
  switch (choice % 4) {
    case 0: {
      const std::string text = print_module(module, PrintOptions::short_parsable());
      if (absl::Status status = parser.parse(text, *again); !status.ok()) {
        fail("the short form does not parse", std::string(status.message()) + "\n" + text);
      }
      break;
    }
    case 1: (void)print_module(module, PrintOptions::canonical()); break;
    default: break;
  }
}

// Shape inference must return a shape or a message, and must be deterministic.
void check_inference(const Module& module) {
  static hloroof::ShapeTable* const shapes = new hloroof::ShapeTable;
  *shapes = module.shapes();
  for (hloroof::ComputationView computation : module.computations()) {
    if (computation.is_missing()) continue;
    for (hloroof::InstructionView instruction : computation.instructions()) {
      const absl::StatusOr<hloroof::ShapeId> inferred = hloroof::internal::infer_shape(instruction, *shapes);
      if (!inferred.ok()) {
        check_message(inferred.status(), 1);
      } else if (hloroof::internal::infer_shape(instruction, *shapes).value() != *inferred) {
        fail("inferred again it differs", instruction.name());
      }
    }
  }
}

void check_reading(const Module& module) {
  std::size_t total = 0;
  for (hloroof::ComputationView computation : module.computations()) {
    for (hloroof::InstructionView instruction : computation.instructions()) {
      total += instruction.name().size() + instruction.opcode_text().size() + instruction.called_computations().size();
      for (hloroof::InstructionView operand : instruction.operands()) {
        if (!(operand.computation() == computation)) fail("an operand of another computation");
      }
    }
  }
  if (total == 0) fail("a module of nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);  // ends in a NUL, as `borrow` requires
  static Parser* const parser = new Parser;                           // reused, as in a sweep over a folder of dumps
  static Parser* const limited = new Parser(with_limits());
  static Parser* const editor = new Parser(for_editors());
  static Parser* const refusing = new Parser(strict());
  static Module* const module = new Module;
  static Module* const other = new Module;

  const absl::Status status = parser->parse(text, *module);
  if (!status.ok()) check_message(status, 1);
  // The text determines which of the other ways to try, so that findings are reproducible and executions short.
  unsigned choice = static_cast<unsigned>(size);
  for (const char c : text) choice = choice * 31 + static_cast<unsigned char>(c);
  choice ^= choice >> 15;
  if (status.ok()) {
    check_reading(*module);
    if (choice % 16 == 3) check_inference(*module);
    check_printing(*module, *parser, choice >> 4);
  }
  switch (choice % 8) {
    case 0:
      if (limited->parse(text, *other).ok()) {
        if (!status.ok()) fail("limits made a bad text good");
        if (size > 400 || other->instruction_count() > 5) fail("past a limit");
      }
      break;
    case 1:
    case 2: {
      const absl::Status recovered = editor->parse(text, *other);
      if (recovered.ok() != status.ok()) fail("recovery changes the answer", std::string(recovered.message()));
      if (!recovered.ok()) check_message(recovered, 10);
      if (recovered.ok() && !hloroof::equal(*module, *other)) fail("a borrowed text reads differently");
      break;
    }
    case 3:
      if (refusing->parse(text, *other).ok()) {
        if (!status.ok()) fail("strict made a bad text good");
        if (other->unknowns().opcodes + other->unknowns().attributes > 0) fail("strict let an unknown pass");
      }
      break;
    default: break;
  }
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  // Mutate bytes and dictionary words in half of the cases, and the structure of the text in the other half.
  if (seed % 2 == 0 || size == 0) return LLVMFuzzerMutate(data, size, max_size);
  hloroof::internal::TextMutator mutator(seed / 2);
  std::string text(reinterpret_cast<const char*>(data), size);
  mutator.mutate(&text);
  const std::size_t kept = std::min(text.size(), max_size);
  std::copy_n(text.begin(), kept, reinterpret_cast<char*>(data));
  return kept;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size, unsigned seed) {
  hloroof::internal::TextMutator mutator(seed);
  const std::string text = mutator.cross(std::string(reinterpret_cast<const char*>(a), a_size),
                                         std::string(reinterpret_cast<const char*>(b), b_size));
  const std::size_t kept = std::min(text.size(), max_size);
  std::copy_n(text.begin(), kept, reinterpret_cast<char*>(out));
  return kept;
}

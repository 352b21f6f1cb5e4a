#include "tests/predict/device_programs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "hloroof/parse.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

// A module line by line; arrays are parameters of the entry.
class Program {
 public:
  explicit Program(bool is_tpu) : is_tpu_(is_tpu) {}

  // A shape of rank two or more with the device's tiles, in a memory space.
  std::string shape(const std::string& type, const std::string& dimensions, int space = 0, bool swapped = false) const {
    std::string order;
    const auto rank = static_cast<int>(std::count(dimensions.begin(), dimensions.end(), ',') + 1);
    for (int i = 0; i < rank; ++i) order += (i == 0 ? "" : ",") + std::to_string(swapped ? i : rank - 1 - i);
    std::string layout = order;
    if (is_tpu_ || space != 0) layout += ":";
    if (is_tpu_) layout += type == "bf16" ? "T(8,128)(2,1)" : "T(8,128)";
    if (space != 0) layout += "S(" + std::to_string(space) + ")";
    return type + "[" + dimensions + "]{" + layout + "}";
  }

  std::string parameter(const std::string& of) {
    std::string name = "p" + std::to_string(parameters_++);
    entry_ += "  " + name + " = " + of + " parameter(" + std::to_string(parameters_ - 1) + ")\n";
    return name;
  }

  std::string add(const std::string& of, const std::string& rest) {
    std::string name = "v" + std::to_string(values_++);
    entry_ += "  " + name + " = " + of + " " + rest + "\n";
    return name;
  }

  std::string name() { return "c" + std::to_string(values_++); }
  void computation(const std::string& text) { computations_ += text; }
  bool is_tpu() const { return is_tpu_; }

  std::string text(std::int64_t partitions, bool is_scheduled = true) const {
    return std::string("HloModule numbers") + (is_scheduled ? ", is_scheduled=true" : "") +
           ", num_partitions=" + std::to_string(partitions) + "\n\nadd {\n" +
           "  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n" + computations_ +
           "\nENTRY main {\n" + entry_ + results() + "}\n";
  }

 private:
  // So many that the table of pointers to them is longer than one allocation.
  static std::string results() {
    constexpr int kResults = 513;
    std::string types;
    std::string values;
    for (int i = 0; i < kResults; ++i) {
      types += i == 0 ? "f32[]" : ", f32[]";
      values += i == 0 ? "zero" : ", zero";
    }
    return "  ROOT t = (" + types + ") tuple(" + values + ")\n";
  }

  bool is_tpu_;
  std::string computations_;
  std::string entry_ = "  zero = f32[] constant(0)\n  i = s32[] constant(1)\n";
  int parameters_ = 0;
  int values_ = 0;
};

std::string product(int m, int n, int k, int batch = 1) {
  const std::string b = batch > 1 ? std::to_string(batch) + "," : "";
  return b + std::to_string(m) + "," + std::to_string(k) + ";" + b + std::to_string(k) + "," + std::to_string(n) + ";" +
         b + std::to_string(m) + "," + std::to_string(n);
}

void add_dot(Program& program, const std::string& type, const std::string& sizes, const std::string& more = "") {
  const std::size_t first = sizes.find(';');
  const std::size_t second = sizes.find(';', first + 1);
  const std::string out = sizes.substr(second + 1);
  const bool batched = std::count(out.begin(), out.end(), ',') == 2;
  const std::string left = program.parameter(program.shape(type, sizes.substr(0, first)));
  const std::string right = program.parameter(program.shape(type, sizes.substr(first + 1, second - first - 1)));
  program.add(program.shape(type == "bf16" || type == "f16" || type == "f64" ? type : "f32", out),
              "dot(" + left + ", " + right + "), " +
                  (batched ? "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                             "rhs_contracting_dims={1}"
                           : "lhs_contracting_dims={1}, rhs_contracting_dims={0}") +
                  more);
}

void add_products(Program& program) {
  for (const char* type : {"bf16", "f16", "f32", "f64", "f8e4m3fn", "f4e2m1fn", "s8", "s4"}) {
    add_dot(program, type, product(4096, 4096, 4096));
    add_dot(program, type, product(8, 2048, 2048));  // waits for the weights
    add_dot(program, type, product(300, 300, 300));  // leaves tiles in part empty
  }
  add_dot(program, "f32", product(2048, 2048, 2048), ", operand_precision={highest,highest}");
  add_dot(program, "f32", product(2048, 2048, 2048), ", algorithm=dot_tf32_tf32_f32");
  if (program.is_tpu()) {  // a product that waits for nothing but its result
    const std::string near = program.parameter(program.shape("bf16", "128,128", 1));
    program.add(program.shape("f32", "128,128", 1),
                "dot(" + near + ", " + near + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    return;
  }
  // GPU: what the choice of tiles, of parts of K and of stream-K turns on.
  for (const char* type : {"f32", "bf16"}) {
    for (const int m : {64, 128, 256, 512, 1024, 4096}) {
      for (const int n : {64, 128, 256, 1024, 4096}) {
        for (const int k : {256, 768, 1024, 2048, 3072, 8192}) add_dot(program, type, product(m, n, k));
      }
    }
    for (const int m : {256, 1024}) add_dot(program, type, product(m, 512, 512, 16));
    add_dot(program, type, product(128, 2048, 2048, 4));
    add_dot(program, type, product(64, 64, 1 << 20));
  }
}

// `count` lines that each apply `opcode` to the result of the one before. `y` is the first operand, and `b` the last
// result. An element of a GPU's kernel takes time of its own, which hides less than that.
std::string chain(const std::string& shape, const std::string& opcode, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const std::string from = i == 0 ? "y" : "b" + std::to_string(i - 1);
    lines += "  b" + (i + 1 < count ? std::to_string(i) : std::string()) + " = " + shape + " " + opcode + "(" + from +
             (opcode == "add" ? ", " + from : "") + ")\n";
  }
  return lines;
}
constexpr int kLongChain = 80;

void add_vectors(Program& program) {
  for (const char* type : {"f32", "bf16", "f16", "f64"}) {
    const std::string shape = program.shape(type, "1024,1024");
    const std::string x = program.parameter(shape);
    program.add(shape, "add(" + x + ", " + x + ")");
    if (!program.is_tpu()) {
      const std::string large = program.shape(type, "4096,4096");
      const std::string name = program.name();
      program.computation(name + " {\n  y = " + large + " parameter(0)\n" + chain(large, "add", kLongChain) +
                          "  ROOT n = " + large + " negate(b)\n}\n");
      program.add(large, "fusion(" + program.parameter(large) + "), kind=kLoop, calls=" + name);
    }
    // Another layout, whole rows in other places, and a reduction over lanes.
    program.add(program.shape(type, "1024,1024", 0, true), "copy(" + x + ")");
    const std::string cube = program.parameter(program.shape(type, "64,64,1024"));
    program.add(program.shape(type, "64,64,1024"), "transpose(" + cube + "), dimensions={1,0,2}");
  }
  const std::string x = program.parameter(program.shape("f32", "1024,1024"));
  const std::string column = std::string("f32[1024]{0") + (program.is_tpu() ? ":T(1024)}" : "}");
  program.add(column, "reduce(" + x + ", zero), dimensions={1}, to_apply=add");
  if (program.is_tpu()) {
    // Windows of eight rows of registers with eight in each, and windows that add to one register and to eight.
    const std::string near = program.parameter(program.shape("f32", "1024,1024", 1));
    const auto windows = [](const std::string& bounds) {
      return ", to_apply=add, backend_config={\"window_config\":{\"output_window_bounds\":[" + bounds + "]}}";
    };
    program.add("f32[1024]{0:T(1024)S(1)}", "reduce(" + near + ", zero), dimensions={1}" + windows("8,8"));
    program.add("f32[1024]{0:T(1024)S(1)}", "reduce(" + near + ", zero), dimensions={0}" + windows("64,1"));
    program.add("f32[1024]{0:T(1024)S(1)}", "reduce(" + near + ", zero), dimensions={0}" + windows("32,8"));
    // One in a fusion, of several sums.
    const std::string name = program.name();
    const std::string shape = program.shape("f32", "1024,1024", 1);
    program.computation(
        name + " {\n  y = " + shape + " parameter(0)\n  z = f32[] constant(0)\n  n = " + shape +
        " negate(y)\n  ROOT r = f32[1024]{0:T(1024)S(1)} reduce(n, z), dimensions={0}, to_apply=add\n}\n");
    program.add("f32[1024]{0:T(1024)S(1)}",
                "fusion(" + near + "), kind=kLoop, calls=" + name +
                    ", backend_config={\"window_config\":{\"output_window_bounds\":[32,8]}}");
    // The totals of exponentials, and their shares of them.
    const std::string shares = program.name();
    program.computation(shares + " {\n  y = " + shape + " parameter(0)\n  z = f32[] constant(0)\n  e = " + shape +
                        " exponential(y)\n  t = " + shape +
                        " reduce-window(e, z), window={size=1x2047 pad=0_0x1023_1023}, to_apply=add\n  ROOT r = " +
                        shape + " divide(e, t)\n}\n");
    program.add(shape, "fusion(" + near + "), kind=kOutput, calls=" + shares);
    // A value for each row, which is spread over its lanes.
    const std::string values = program.parameter("f32[1024]{0:T(1024)S(1)}");
    program.add(program.shape("f32", "1024,1024", 1), "broadcast(" + values + "), dimensions={0}");
  }
  const std::string row = program.parameter(program.shape("f32", "1,1024"));
  program.add(program.shape("f32", "1024,1024"), "dynamic-update-slice(" + x + ", " + row + ", i, i)");
}

void add_memory(Program& program) {
  const std::string x = program.parameter(program.shape("f32", "4096,4096"));
  // Reads alone, writes alone.
  program.add("f32[]", "reduce(" + x + ", zero), dimensions={0,1}, to_apply=add");
  program.add(program.shape("f32", "4096,4096"), "broadcast(zero), dimensions={}");
  const std::string in_host = program.parameter(program.shape("f32", "4096,4096", 5));
  program.add(program.shape("f32", "4096,4096"), "copy(" + in_host + ")");
  if (!program.is_tpu()) return;
  const std::string near = program.add(program.shape("f32", "512,512", 1), "copy(" + x + ")");
  program.add("f32[]{:S(1)}", "reduce(" + near + ", zero), dimensions={0,1}, to_apply=add");
  program.add(program.shape("f32", "512,512", 1), "broadcast(zero), dimensions={}");
  program.add(program.shape("f32", "512,512", 1), "add(" + near + ", " + near + ")");
  // Rows of an update that covers tiles in part.
  const std::string stack = program.parameter("f32[4096,16,512]{2,1,0:T(8,128)}");
  const std::string layer = program.parameter("f32[4096,1,512]{2,1,0:T(1,128)}");
  program.add("f32[4096,16,512]{2,1,0:T(8,128)}", "dynamic-update-slice(" + stack + ", " + layer + ", i, i, i)");
  // Rows that are found by number, and columns that wait for one another.
  const std::string rows = program.parameter("s32[4096]{0:T(1024)}");
  const std::string found = program.add(program.shape("f32", "4096,512"),
                                        "gather(" + near + ", " + rows +
                                            "), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                                            "index_vector_dim=1, slice_sizes={1,512}");
  const std::string narrow =
      program.add(program.shape("f32", "512,128", 1), "slice(" + near + "), slice={[0:512], [0:128]}");
  program.add(program.shape("f32", "4096,128"), "gather(" + narrow + ", " + rows +
                                                    "), offset_dims={1}, collapsed_slice_dims={0}, "
                                                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}");
  program.add(program.shape("f32", "512,512", 1),
              "scatter(" + near + ", " + rows + ", " + found +
                  "), update_window_dims={1}, inserted_window_dims={0}, "
                  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  program.add(program.shape("f32", "512,512", 1), "custom-call(" + near + "), custom_call_target=\"Cholesky\"");
}

// A loop, and on GPUs a command buffer.
void add_control(Program& program) {
  program.computation(
      "body {\n  s = (s32[]) parameter(0)\n  n = s32[] get-tuple-element(s), index=0\n  k = s32[] constant(1)\n"
      "  m = s32[] add(n, k)\n  ROOT r = (s32[]) tuple(m)\n}\n"
      "condition {\n  s = (s32[]) parameter(0)\n  n = s32[] get-tuple-element(s), index=0\n  k = s32[] constant(9)\n"
      "  ROOT r = pred[] compare(n, k), direction=LT\n}\n");
  const std::string start = program.add("(s32[])", "tuple(i)");
  program.add("(s32[])", "while(" + start + "), condition=condition, body=body, backend_config=" +
                             R"({"known_trip_count":{"n":"8"}})");
  program.computation("command_buffer {\n  x = f32[64]{0} parameter(0)\n  ROOT y = f32[64]{0} add(x, x)\n}\n");
  program.add("f32[64]{0}", "call(" + program.parameter("f32[64]{0}") + "), to_apply=command_buffer");
}

// Groups of `size` devices of which neighbours are `stride` apart, among `devices`.
std::string groups(std::int64_t size, std::int64_t stride, std::int64_t devices) {
  std::string text;
  for (std::int64_t first = 0; first < devices; ++first) {
    if (first / stride % size != 0) continue;
    text += text.empty() ? "{" : ",{";
    for (std::int64_t i = 0; i < size; ++i) text += (i == 0 ? "" : ",") + std::to_string(first + i * stride);
    text += "}";
  }
  return "replica_groups={" + text + "}";
}

void add_collectives(Program& program, std::int64_t devices, const std::vector<std::int64_t>& sizes) {
  int channel = 0;
  const auto more = [&channel] { return ", channel_id=" + std::to_string(++channel) + ", use_global_device_ids=true"; };
  const auto whole = [](std::int64_t rows) { return std::to_string(rows) + ",1024"; };
  const std::int64_t rows = 64 * devices;
  const std::string x = program.parameter(program.shape("f32", whole(rows)));
  // Messages of an all-to-all that are not small ones of NCCL.
  const std::string large = program.parameter(program.shape("f32", whole(16 * rows)));
  for (const std::int64_t size : sizes) {
    for (const std::int64_t stride : {std::int64_t{1}, devices / size}) {
      const std::string among = groups(size, stride, devices);
      const auto shape = [&](std::int64_t n) { return program.shape("f32", whole(n)); };
      program.add(shape(rows * size), "all-gather(" + x + "), dimensions={0}, " + among + more());
      program.add(shape(rows / size), "reduce-scatter(" + x + "), dimensions={0}, to_apply=add, " + among + more());
      program.add(shape(rows), "all-reduce(" + x + "), to_apply=add, " + among + more());
      for (const auto& [array, height] : {std::pair(x, rows), std::pair(large, 16 * rows)}) {
        program.add(shape(height), "all-to-all(" + array + "), dimensions={0}, " + among +
                                       ", channel_id=" + std::to_string(++channel));
      }
    }
  }
}

// A gather among devices that are no axis of the mesh: the first and the last, the second and the last but one.
void add_scattered(Program& program, std::int64_t devices) {
  std::string pairs;
  for (std::int64_t i = 0; i < devices / 2; ++i) {
    pairs += (i == 0 ? "{" : ",{") + std::to_string(i) + "," + std::to_string(devices - 1 - i) + "}";
  }
  program.add(program.shape("f32", "2048,1024"), "all-gather(" + program.parameter(program.shape("f32", "1024,1024")) +
                                                     "), dimensions={0}, replica_groups={" + pairs +
                                                     "}, channel_id=999, use_global_device_ids=true");
}

// A gather that a fusion starts, work that hides the rest of it, and the fusion that ends it.
void add_started_gather(Program& program, std::int64_t devices) {
  const std::string part = program.shape("f32", "1024,1024");
  const std::string whole = program.shape("f32", std::to_string(1024 * devices) + ",1024");
  const std::string gather = "  g = " + whole + " all-gather(p), dimensions={0}, channel_id=1, " +
                             groups(devices, 1, devices) + ", use_global_device_ids=true\n";
  program.computation("start {\n  p = " + part + " parameter(0)\n" + gather + "  ROOT s = (" + part + ", " + whole +
                      ") custom-call(g), custom_call_target=\"AsyncCollectiveStart\"\n}\n" + "done {\n  p = " + part +
                      " parameter(0)\n  o = " + whole + " parameter(1)\n" + gather + "  ROOT d = " + whole +
                      " custom-call(p, o, g), custom_call_target=\"AsyncCollectiveDone\"\n}\n");
  const std::string start = program.add("(" + part + ", " + whole + ")",
                                        "fusion(" + program.parameter(part) + "), kind=kCustom, calls=start");
  const std::string from = program.add(part, "get-tuple-element(" + start + "), index=0");
  const std::string into = program.add(whole, "get-tuple-element(" + start + "), index=1");
  const std::string work = program.shape("f32", "16384,16384");
  program.add(work, "negate(" + program.parameter(work) + ")");
  program.add(whole, "fusion(" + from + ", " + into + "), kind=kCustom, calls=done");
}

// Two small operations that begin at once, by programs on the SparseCores 1 and 3. A device that lacks the second runs
// them one after the other.
void add_sparse_cores(Program& program) {
  const std::string array = program.shape("f32", "8,128");
  const std::string x = program.parameter(array);
  std::vector<std::string> starts;
  for (const char* core : {"1", "3"}) {
    const std::string name = std::string("on_core_") + core;
    program.computation(name + " {\n  p = " + array + " parameter(0)\n  ROOT n = " + array +
                        " negate(p)\n}, execution_thread=\"sparsecore\"\n");
    starts.push_back(program.add("((" + array + "), " + array + ", s32[])",
                                 "async-start(" + x + "), async_execution_thread=\"sparsecore\", calls=" + name +
                                     ", backend_config={\"megachip_parallelism_config\":{\"cores\":[\"" + core +
                                     "\"]}}"));
  }
  for (const std::string& start : starts) program.add(array, "async-done(" + start + ")");
}

// Gathers that are ready from the beginning, other work, then what uses the gathers, for a program without a schedule.
void add_gathers_ahead(Program& program, std::int64_t devices) {
  constexpr int kGathers = 6;
  std::vector<std::string> gathered;
  gathered.reserve(kGathers);
  for (int i = 0; i < kGathers; ++i) {
    gathered.push_back(program.add(program.shape("f32", std::to_string(64 * devices) + ",1024"),
                                   "all-gather(" + program.parameter(program.shape("f32", "64,1024")) +
                                       "), dimensions={0}, " + groups(devices, 1, devices) +
                                       ", channel_id=" + std::to_string(i + 1) + ", use_global_device_ids=true"));
  }
  const std::string work = program.shape("f32", "8192,8192");
  for (int i = 0; i < kGathers; ++i) program.add(work, "negate(" + program.parameter(work) + ")");
  for (const std::string& one : gathered) {
    program.add(program.shape("f32", std::to_string(64 * devices) + ",1024"), "negate(" + one + ")");
  }
}

// A product beside a gather that ends before it.
void add_product_beside_gather(Program& program, std::int64_t devices) {
  const std::int64_t rows = 131072 / devices;
  const std::string part = program.shape("bf16", std::to_string(rows) + ",4096");
  const std::string whole = program.shape("bf16", std::to_string(rows * devices) + ",4096");
  const std::string start = program.add("(" + part + ", " + whole + ")",
                                        "all-gather-start(" + program.parameter(part) + "), dimensions={0}, " +
                                            groups(devices, 1, devices) + ", channel_id=1, use_global_device_ids=true");
  add_dot(program, "bf16", product(16384, 16384, 16384));
  program.add(whole, "all-gather-done(" + start + ")");
}

// Messages: to a neighbour and back, or round; of several sizes, from those with a flag in every word up.
void add_messages(Program& program, std::int64_t devices) {
  int channel = 1000;
  for (const std::int64_t kib : {4, 256, 768, 4096, 65536, 1 << 20}) {
    const std::string message = program.parameter(program.shape("f32", std::to_string(kib) + ",256"));
    for (const bool round : {false, true}) {
      std::string pairs;
      for (std::int64_t i = 0; i < devices; ++i) {
        const std::int64_t to = round ? (i + 1) % devices : i ^ 1;
        if (to < devices) pairs += (pairs.empty() ? "{" : ",{") + std::to_string(i) + "," + std::to_string(to) + "}";
      }
      program.add(program.shape("f32", std::to_string(kib) + ",256"), "collective-permute(" + message +
                                                                          "), source_target_pairs={" + pairs +
                                                                          "}, channel_id=" + std::to_string(++channel));
    }
  }
}

// The call of a GPU's library that an operation's weight concerns; empty if the weight is that of an opcode.
std::string library_call(const std::string& op, Program& program) {
  if (op == "radix-sort") {
    const std::string rows = program.parameter("f32[128,131072]{1,0}");
    return program.add("(f32[128,131072]{1,0}, u8[9999]{0})",
                       "custom-call(" + rows + "), custom_call_target=\"xla.gpu.ext.cub_sort_keys\"");
  }
  if (op == "topk") {
    const std::string rows = program.parameter("f32[8192,1024]{1,0}");
    return program.add("(f32[8192,8]{1,0}, s32[8192,8]{1,0})",
                       "custom-call(" + rows + "), custom_call_target=\"__gpu$TopK\"");
  }
  if (op == "convolution" || op == "convolution-word") {
    const bool is_deep = op == "convolution";
    const std::string image = is_deep ? "bf16[64,56,56,192]{3,2,1,0}" : "bf16[128,229,229,3]{3,2,1,0}";
    const std::string filter = is_deep ? "bf16[192,7,7,1]{3,2,1,0}" : "bf16[64,7,7,3]{3,2,1,0}";
    const std::string result = is_deep ? image : "bf16[128,112,112,64]{3,2,1,0}";
    const std::string window =
        is_deep ? "window={size=7x7 pad=3_3x3_3}, feature_group_count=192" : "window={size=7x7 stride=2x2}";
    return program.add("(" + result + ", u8[1024]{0})",
                       "custom-call(" + program.parameter(image) + ", " + program.parameter(filter) + "), " + window +
                           ", dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convForward\"");
  }
  const std::string matrices = "f32[4096,32,32]{2,1,0}";
  if (op == "cholesky") {
    return program.add("(" + matrices + ", s32[4096]{0})",
                       "custom-call(" + program.parameter(matrices) + "), custom_call_target=\"cusolver_potrf_ffi\"");
  }
  if (op == "triangular-solve") {
    const std::string a = program.parameter(matrices);
    return program.add("(" + matrices + ", s8[65536]{0})",
                       "custom-call(" + a + ", " + a + "), custom_call_target=\"__cublas$triangularSolve\"");
  }
  return "";
}

// One fusion for each opcode and unit. Each fusion also has so much other work of the unit that the unit limits it.
void add_weights(Program& program, const VectorUnit& unit) {
  for (const OpWeight& weight : unit.weights) {
    if (!library_call(weight.op, program).empty()) continue;
    if (weight.op == "integer-reduce") continue;  // of kernels alone
    const bool is_integer = weight.op.rfind("integer-", 0) == 0;
    const bool is_conversion = weight.op.rfind("convert-", 0) == 0;
    const std::vector<std::string> words = absl::StrSplit(weight.op, '-');  // "convert", "f32", "s8"
    const bool is_narrow = weight.op == "divide-bf16";
    const std::vector<std::string> parts = absl::StrSplit(weight.op, "-by-");  // "integer-divide", "constant"
    const bool is_symmetric = weight.op == "clamp-symmetric";
    const std::string opcode = is_integer                                   ? parts[0].substr(8)
                               : is_conversion || is_narrow || is_symmetric ? words[0]
                                                                            : parts[0];
    if (opcode == "sort") {
      program.computation(
          "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
          "  ROOT c = pred[] compare(a, b), direction=LT\n}\n");
      const std::string keys = program.parameter("f32[65536]{0}");
      program.add("f32[65536]{0}", "sort(" + keys + "), dimensions={0}, to_apply=less");
      if (!program.is_tpu()) {  // by blocks of few threads
        const std::string rows = program.parameter("f32[1048576,16]{1,0}");
        program.add("f32[1048576,16]{1,0}", "sort(" + rows + "), dimensions={1}, to_apply=less");
      }
      continue;
    }
    if (opcode == "reduce") {
      program.computation("sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n");
      const std::string zero = program.parameter("f32[]");
      const std::string rows = program.parameter(program.shape("f32", "16384,1024"));
      program.add(program.shape("f32", "1024"), "reduce(" + rows + ", " + zero + "), dimensions={0}, to_apply=sum");
      const std::string lanes = program.parameter(program.shape("f32", "65536,128"));
      program.add(program.shape("f32", "65536"), "reduce(" + lanes + ", " + zero + "), dimensions={1}, to_apply=sum");
      continue;
    }
    if (opcode == "reduce-window") {
      program.computation(
          "wide_sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n");
      const std::string zero = program.parameter("f32[]");
      const std::string rows = program.parameter(program.shape("f32", "16384,1024"));
      program.add(program.shape("f32", "16384,1024"),
                  "reduce-window(" + rows + ", " + zero + "), window={size=33x1 pad=32_0x0_0}, to_apply=wide_sum");
      continue;
    }
    if (opcode == "gather") {
      const std::string table = program.parameter(program.shape("bf16", "16384,4096"));
      const std::string places = program.parameter("s32[65536,1]{1,0}");
      program.add(program.shape("bf16", "65536,4096"),
                  "gather(" + table + ", " + places +
                      "), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                      "slice_sizes={1,4096}");
      continue;
    }
    if (opcode == "copy") {  // of rows that are all in one bank of VMEM
      const std::string rows = program.parameter("f32[32,1024,128]{2,0,1:T(8,128)S(1)}");
      program.add("f32[32,1024,128]{2,1,0:T(8,128)S(1)}", "copy(" + rows + ")");
      continue;
    }
    if (opcode == "transpose") {
      const std::string rows = program.parameter("f32[512,16,128]{2,1,0:T(8,128)S(1)}");
      program.add("f32[512,16,128]{2,0,1:T(8,128)S(1)}", "copy(" + rows + ")");
      continue;
    }
    if (opcode == "packed-shift") {
      const std::string rows = program.parameter("bf16[8192,1024]{1,0:T(8,128)(2,1)S(1)}");
      program.add("bf16[8000,1024]{1,0:T(8,128)(2,1)S(1)}", "slice(" + rows + "), slice={[3:8003], [0:1024]}");
      continue;
    }
    if (opcode == "packed-transpose") {
      const std::string rows = program.parameter("bf16[512,16,128]{2,1,0:T(8,128)(2,1)S(1)}");
      program.add("bf16[512,16,128]{2,0,1:T(8,128)(2,1)S(1)}", "copy(" + rows + ")");
      continue;
    }
    const std::string small = program.shape(is_conversion || is_narrow ? words[1]
                                            : is_integer               ? "s32"
                                                                       : "f32",
                                            "8,1024");
    const std::string result = is_conversion ? program.shape(words[2], "8,1024") : small;
    const std::string large = program.shape("f32", "16384,1024");
    std::string arguments = "(x)";
    if (opcode == "clamp") arguments = is_symmetric ? "(d, x, c)" : "(x, x, x)";
    if (opcode == "iota") arguments = "(), iota_dimension=0";
    for (const char* binary : {"power", "atan2", "divide", "multiply", "remainder", "minimum", "maximum"}) {
      if (opcode == binary) arguments = "(x, x)";
    }
    std::string second;
    if (parts.size() > 1) {
      const char* const constant = parts[1] == "shift"      ? "8"
                                   : parts[1] == "quarters" ? "1.5"
                                   : is_integer             ? "7"
                                                            : "2.7";
      second = std::string("  k = ") + (is_integer ? "s32" : "f32") + "[] constant(" + constant + ")\n  c = " + small +
               " broadcast(k), dimensions={}\n";
      arguments = "(x, c)";
    }
    if (is_symmetric) {
      second = "  k = f32[] constant(2)\n  l = f32[] constant(-2)\n  c = " + small +
               " broadcast(k), dimensions={}\n  d = " + small + " broadcast(l), dimensions={}\n";
    }
    if (is_conversion && words.back() == "rounded") {
      second = "  r = " + small + " round-nearest-even(x)\n";
      arguments = "(r)";
    }
    for (const char* other : {"add", "tanh"}) {
      const int count = program.is_tpu() ? 1 : kLongChain;
      const std::string name = program.name();
      program.computation(name + " {\n  x = " + small + " parameter(0)\n  y = " + large + " parameter(1)\n" + second +
                          "  a = " + result + " " + opcode + arguments + "\n" + chain(large, other, count) +
                          "  ROOT t = (" + result + ", " + large + ") tuple(a, b)\n}\n");
      program.add("(" + result + ", " + large + ")", "fusion(" + program.parameter(small) + ", " +
                                                         program.parameter(large) + "), kind=kLoop, calls=" + name);
    }
  }
}

// What a GPU does piece by piece: a slice with a stride, gathers, and scatters of words and of half words. And products
// of odd rows, and a sort in passes.
void add_pieces(Program& program) {
  const std::string keys = program.parameter("f32[4194304]{0}");
  program.add("(f32[4194304]{0}, u8[9999]{0})",
              "custom-call(" + keys + "), custom_call_target=\"xla.gpu.ext.cub_sort_keys\"");
  const std::string wide = program.parameter(program.shape("f32", "8192,8192"));
  program.add(program.shape("f32", "8192,256"), "slice(" + wide + "), slice={[0:8192], [0:8192:32]}");
  const std::string indices = program.parameter("s32[1048576,1]{1,0}");
  const std::string across = program.parameter("f32[65536,16]{0,1}");
  program.add(program.shape("f32", "1048576,16"),
              "gather(" + across + ", " + indices +
                  "), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                  "slice_sizes={1,16}");
  for (const char* type : {"f32", "bf16"}) {
    const std::string sum = program.name();
    program.computation(sum + " {\n  x = " + type + "[] parameter(0)\n  y = " + type +
                        "[] parameter(1)\n  ROOT s = " + type + "[] add(x, y)\n}\n");
    const std::string table = program.shape(type, "65536,4");
    program.add(table, "scatter(" + program.parameter(table) + ", " + indices + ", " +
                           program.parameter(program.shape(type, "1048576,4")) +
                           "), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                           "index_vector_dim=1, to_apply=" +
                           sum);
    program.add(program.shape(type, "8192,8193"), "dot(" + program.parameter(program.shape(type, "8192,8192")) + ", " +
                                                      program.parameter(program.shape(type, "8192,8193")) +
                                                      "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  }
}

// Fusions for a GPU in tiles: one of small blocks, one whose threads exchange its tile, and one that loads nothing
// while it computes.
void add_tiled(Program& program) {
  const auto add = [&](const std::string& array, const std::string& tile, const std::string& body) {
    const std::string name = program.name();
    program.computation(name + " {\n  x = " + array + " parameter(0)\n" + body + "}\n");
    program.add(array, "fusion(" + program.parameter(array) + "), kind=kCustom, calls=" + name +
                           ", backend_config={\"fusion_backend_config\":{\"kind\":\"__triton\","
                           "\"block_level_fusion_config\":{\"num_warps\":\"8\",\"output_tiles\":[{\"sizes\":[" +
                           tile + "]}]}}}");
  };
  const std::string small = program.shape("bf16", "4194304,8");
  add(small, "\"1\",\"8\"", "  ROOT n = " + small + " negate(x)\n");
  const std::string sum = program.name();
  program.computation(sum + " {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n");
  const std::string rows = program.shape("f32", "64,512,1024");
  const std::string sums = program.shape("f32", "64,512");
  for (const char* tile : {"\"16\",\"1\",\"1024\"", "\"1\",\"16\",\"1024\""}) {
    add(rows, tile,
        "  z = f32[] constant(0)\n  s = " + sums + " reduce(x, z), dimensions={2}, to_apply=" + sum +
            "\n  b = " + rows + " broadcast(s), dimensions={0,1}\n  ROOT q = " + rows + " divide(x, b)\n");
  }
}

// A program of one of two slices, which exchange an array.
std::string between_slices(const std::string& type) {
  const std::string attributes =
      "channel_id=1, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="
      "\"xla_megascale_runtime\",_xla_host_transfer_rendezvous=\"k\",_xla_megascale_reduce_operation=\"SUM\","
      "_xla_megascale_target=\"{1,2}x{0:3}\",_xla_megascale_transfer_type=\"" +
      type + "\"}\n";
  const std::string array = "f32[1048576]{0:T(1024)}";
  return "HloModule m, is_scheduled=true, num_partitions=4\nENTRY main {\n  x = " + array +
         " parameter(0)\n  tok = token[] after-all()\n  s = (" + array + ", u32[], token[]) send(x, tok), " +
         attributes + "  r = (" + array + ", u32[], token[]) recv(tok), " + attributes +
         "  sd = token[] send-done(s), channel_id=1\n  ROOT rd = (" + array + ", token[]) recv-done(r), " +
         "channel_id=1\n}\n";
}

// Products that keep a device busy until halfway between the burst rate and the sustained one, the same work of each
// type.
void add_long_products(Program& program, const Device& device, const std::vector<const char*>& types) {
  constexpr double kSeconds = 0.06;
  constexpr int kSize = 16384;
  for (const char* type : types) {
    const double flops = kSeconds / static_cast<double>(types.size()) * device.matrix.peak.f16;
    const double count = std::ceil(flops / (2.0 * kSize * kSize * kSize));
    for (double i = 0; i < count; ++i) add_dot(program, type, product(kSize, kSize, kSize));
  }
}

// Attention by a library, forward and backward, of each size of heads and of 8-bit floats.
std::string library_attention() {
  std::string text = "HloModule m, is_scheduled=true, num_partitions=1\nENTRY main {\n";
  int count = 0;
  std::string results;
  std::string types;
  for (const char* type : {"bf16", "f8e4m3fn"}) {
    for (const char* head : {"64", "128", "256"}) {
      const std::string array = std::string(type) + "[4,16,4096," + head + "]";
      const std::string name = std::to_string(count++);
      text += "  q" + name + " = " + array + " parameter(" + name + ")\n";
      for (const char* direction : {"", "Backward"}) {
        const std::string call = std::string("a") + name + direction;
        text += "  " + call + " = " + array + " custom-call(q" + name + ", q" + name + ", q" + name +
                "), custom_call_target=\"__cudnn$fmhaSoftmax" + direction +
                "\", backend_config={\"cudnn_fmha_backend_config\":{\"intermediate_tensor_shape\":{\"dimensions\":"
                "[\"4\",\"16\",\"4096\",\"4096\"]},\"mask_type\":\"CAUSAL\"}}\n";
        results += (results.empty() ? "" : ", ") + call;
        types += (types.empty() ? "" : ", ") + array;
      }
    }
  }
  return text + "  ROOT t = (" + types + ") tuple(" + results + ")\n}\n";
}

}  // namespace

std::vector<Case> cases_for(const Device& device) {
  const bool is_tpu = device.tpu() != nullptr;
  const auto make = [](const Program& program, std::int64_t partitions, PredictOptions options = {}) {
    return Case{parsed(program.text(partitions)), std::move(options)};
  };
  std::vector<Case> cases;
  Program local(is_tpu);
  add_products(local);
  add_vectors(local);
  add_memory(local);
  add_control(local);
  cases.push_back(make(local, 1));
  if (device.gpu() != nullptr || !device.matrix.sustained.bf16.is_none()) {
    Program busy(is_tpu);
    add_long_products(busy, device, {"bf16", "f16", "f8e4m3fn"});
    cases.push_back(make(busy, 1));
    Program busy_f32(is_tpu);
    add_long_products(busy_f32, device, {"f32"});
    cases.push_back(make(busy_f32, 1));
  }
  if (device.gpu() != nullptr) {
    Program pieces(is_tpu);
    add_pieces(pieces);
    cases.push_back(make(pieces, 1));
    Program tiled(is_tpu);
    add_tiled(tiled);
    cases.push_back(make(tiled, 1));
    cases.push_back(Case{parsed(library_attention()), {}});
    for (const char* form : {"mosaic", "triton", "triton_call"}) {
      cases.push_back(Case{parsed(source_text("tests/corpus/y_gpu_" + std::string(form) + ".hlo")), {}});
    }
  }
  if (is_tpu) {
    for (const char* kernel : {"matmul", "loops", "copies", "turned", "looped"}) {
      cases.push_back(Case{parsed(source_text("tests/kernel/samples/" + std::string(kernel) + ".hlo")), {}});
    }
  }

  // The devices of a chip, of a slice and of several slices; of a node and of several nodes.
  Program joined(is_tpu);
  const std::int64_t domain = is_tpu ? 4 * device.devices_per_chip : std::max<std::int64_t>(device.scale_up.domain, 2);
  std::vector<std::int64_t> sizes = {domain};
  if (device.devices_per_chip > 1 && is_tpu) sizes.push_back(device.devices_per_chip);
  add_collectives(joined, domain, sizes);
  add_scattered(joined, domain);
  add_messages(joined, domain);
  cases.push_back(make(joined, domain));
  Program unscheduled(is_tpu);
  add_gathers_ahead(unscheduled, domain);
  cases.push_back(Case{parsed(unscheduled.text(domain, false)), {}});
  PredictOptions apart;
  if (device.gpu() != nullptr) {
    Program beside(is_tpu);
    add_product_beside_gather(beside, domain);
    cases.push_back(make(beside, domain));
  }
  if (is_tpu) {
    Program started(is_tpu);
    add_started_gather(started, domain);
    cases.push_back(make(started, domain));
    if (!device.ici.slices.empty()) {
      // The largest slice, where all axes are rings.
      std::int64_t chips = 1;
      for (const std::int64_t size : device.ici.slices.back()) chips *= size;
      const std::int64_t devices = chips * device.devices_per_chip;
      Program whole(is_tpu);
      whole.add(whole.shape("f32", std::to_string(64 * devices) + ",1024"),
                "all-gather(" + whole.parameter(whole.shape("f32", "64,1024")) + "), dimensions={0}, " +
                    groups(devices, 1, devices) + ", channel_id=1, use_global_device_ids=true");
      cases.push_back(make(whole, devices));
    }
    Program sparse(is_tpu);
    add_sparse_cores(sparse);
    cases.push_back(make(sparse, 1));
    apart.topology = std::to_string(domain);
    apart.slices = 2;
    cases.push_back(Case{parsed(between_slices("ALL_REDUCE")), {}});
    cases.push_back(Case{parsed(between_slices("REDUCE_SCATTER")), {}});
  }
  Program across(is_tpu);
  add_collectives(across, 2 * domain, {2 * domain});
  add_messages(across, 2 * domain);
  cases.push_back(make(across, 2 * domain, apart));
  if (!is_tpu) {  // so many that few channels are left for a message
    Program many(is_tpu);
    add_messages(many, 16 * domain);
    cases.push_back(make(many, 16 * domain));
  }
  return cases;
}

Case elementwise_case(const Device& device) {
  Program weighed(device.tpu() != nullptr);
  add_weights(weighed, device.vector);
  return Case{parsed(weighed.text(1)), {}};
}

}  // namespace hloroof::internal

#include "lib/report/csv.h"

#include <charconv>

#include "lib/report/prediction_json.h"

namespace hloroof::inline v0 {
namespace {

void append(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
  } else {
    line += '"';
    for (char c : text) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += ',';
}

void append(std::string& line, double number) {
  char buffer[32];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
  line += ',';
}

}  // namespace

std::string predictions_csv(const std::vector<std::pair<std::string, StepPrediction>>& predictions) {
  std::string out =
      "file,device,topology,name,computation,opcode,category,executions,seconds,total_seconds,exposed_seconds,bound,"
      "flops,"
      "transcendentals,hbm_bytes,vmem_bytes,wire_bytes,logical_bytes,padded_bytes,efficiency,source,op_name,source_"
      "file,"
      "source_line\n";
  for (const auto& [file, p] : predictions) {
    for (const OpPrediction& op : p.ops) {
      append(out, file);
      append(out, p.device);
      append(out, p.topology);
      append(out, op.name);
      append(out, op.computation);
      append(out, op.opcode);
      append(out, op.category);
      append(out, op.executions);
      append(out, op.seconds);
      append(out, op.total_seconds);
      append(out, op.exposed_seconds);
      append(out, op.bound);
      append(out, op.work.flops);
      append(out, op.work.transcendentals);
      append(out, op.work.read.hbm + op.work.written.hbm);
      append(out, op.work.read.vmem + op.work.written.vmem);
      append(out, op.work.wire_bytes);
      append(out, op.work.logical_bytes);
      append(out, op.work.padded_bytes);
      if (op.seconds > 0) {
        append(out, op.efficiency);
      } else {
        out += ',';
      }
      append(out, cost_source_name(op.source));
      append(out, op.op_name);
      append(out, op.source_file);
      if (op.source_line > 0) out += std::to_string(op.source_line);
      out += '\n';
    }
  }
  return out;
}

}  // namespace hloroof::inline v0

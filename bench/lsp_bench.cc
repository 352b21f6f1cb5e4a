// Times the answers of the language server as a client sees them, over pipes.
//
//   lsp_bench [--keystrokes N] FILE DEVICE [FILE DEVICE ...]
//
// Prints one table per file: the median and the longest wall time of each request, the same in CPU time, and the size
// of its answer. The CPU time is that of the server and of the client, which only writes and reads. A first answer
// includes sending and parsing the text and, if it has times, predicting it. A keystroke is answered with the errors of
// the text.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/reference.h"
#include "lib/fronts/lsp/server.h"
#include "lib/fronts/rpc/descriptor_buffer.h"

namespace {

using namespace hloroof::internal;

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Writes to a pipe.
class PipeWriter : public std::streambuf {
 public:
  explicit PipeWriter(int descriptor) : descriptor_(descriptor) {}

 protected:
  int_type overflow(int_type c) override {
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    std::streamsize done = 0;
    while (done < size) {
      const ssize_t wrote = write(descriptor_, bytes + done, static_cast<std::size_t>(size - done));
      if (wrote <= 0) break;
      done += wrote;
    }
    return done;
  }

 private:
  int descriptor_;
};

// A server in a thread, and its client.
class BenchSession {
 public:
  BenchSession(const std::string& text, const std::string& device) : text_(text), device_(device) {
    if (pipe(to_server_.data()) != 0 || pipe(to_client_.data()) != 0) std::exit(1);
    server_ = std::thread([this] {
      DescriptorBuffer in(to_server_[0]);
      PipeWriter out_buffer(to_client_[1]);
      std::ostream out(&out_buffer);
      LanguageServer server(in, out, EditorSettings(), [&in](std::chrono::milliseconds time) { return in.wait(time); });
      server.run();
    });
    out_buffer_ = std::make_unique<PipeWriter>(to_server_[1]);
    out_ = std::make_unique<std::ostream>(out_buffer_.get());
    in_ = std::make_unique<DescriptorBuffer>(to_client_[0]);
    reader_ = std::make_unique<MessageReader>(*in_, Framing::kHeaders);
    const Json refresh = {{"refreshSupport", true}};
    request("initialize", {{"capabilities", {{"workspace", {{"inlayHint", refresh}, {"codeLens", refresh}}}}},
                           {"initializationOptions", {{"device", device}}}});
  }
  ~BenchSession() {
    request("shutdown", nullptr);
    notify("exit", nullptr);
    server_.join();
    for (const int end : {to_server_[0], to_server_[1], to_client_[0], to_client_[1]}) close(end);
  }
  BenchSession(const BenchSession&) = delete;
  BenchSession& operator=(const BenchSession&) = delete;

  void notify(std::string_view method, Json params) {
    write_message(*out_, Framing::kHeaders, json_text(notification_json(method, std::move(params))));
  }
  void open() {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", kUri}, {"languageId", "hlo"}, {"version", 1}, {"text", text_}}}});
  }
  // The text of the answer.
  std::string request(std::string_view method, Json params) {
    write_message(*out_, Framing::kHeaders, json_text(request_json(++last_id_, method, std::move(params))));
    const std::string id = "\"id\":" + std::to_string(last_id_) + ",";
    return await(id, /*is_answer=*/true);
  }
  std::string about(std::string_view method, Json more = Json::object()) {
    more["textDocument"] = {{"uri", kUri}};
    return request(method, std::move(more));
  }
  // The next message from the server, or the next answer, that has `mark`.
  std::string await(const std::string& mark, bool is_answer) {
    std::string text;
    while (reader_->read(text) == MessageReader::Result::kMessage) {
      const bool has_method = text.find("\"method\"") != std::string::npos;
      if (has_method != is_answer && text.find(mark) != std::string::npos) return text;
    }
    std::exit(1);
  }

  static constexpr const char* kUri = "file:///bench.hlo";

 private:
  const std::string& text_;
  std::string device_;
  std::array<int, 2> to_server_{};
  std::array<int, 2> to_client_{};
  std::thread server_;
  std::unique_ptr<PipeWriter> out_buffer_;
  std::unique_ptr<std::ostream> out_;
  std::unique_ptr<DescriptorBuffer> in_;
  std::unique_ptr<MessageReader> reader_;
  int last_id_ = 0;
};

struct Measured {
  std::string what;
  std::vector<double> times;
  std::vector<double> cpu_times;
  std::size_t bytes = 0;

  template <typename Ask>
  void measure(Ask&& ask) {
    const Clock::time_point begin = Clock::now();
    const double cpu_begin = bench::cpu_seconds();
    bytes = ask().size();
    times.push_back(milliseconds_since(begin));
    cpu_times.push_back(1e3 * (bench::cpu_seconds() - cpu_begin));
  }
  void print() {
    std::sort(times.begin(), times.end());
    std::sort(cpu_times.begin(), cpu_times.end());
    std::printf("%-42s %5zu %9.1f %9.1f %9.1f %9.1f %8.1f\n", what.c_str(), times.size(), times[times.size() / 2],
                times.back(), cpu_times[cpu_times.size() / 2], cpu_times.back(), static_cast<double>(bytes) / 1e3);
  }
};

Json line_range(std::size_t first, std::size_t last) {
  return Json{{"start", {{"line", first}, {"character", 0}}}, {"end", {{"line", last}, {"character", 0}}}};
}

void measure_first_answers(const std::string& text, const std::string& device, std::vector<Measured>& rows) {
  constexpr int kSessions = 7;
  const std::pair<const char*, const char*> methods[] = {
      {"first answer: folding ranges", "textDocument/foldingRange"},
      {"first answer: lenses with times", "textDocument/codeLens"},
      {"first answer: all semantic tokens", "textDocument/semanticTokens/full"}};
  for (const auto& [what, method] : methods) {
    Measured& row = rows.emplace_back(Measured{what, {}, {}, 0});
    for (int i = 0; i < kSessions; ++i) {
      BenchSession session(text, device);
      row.measure([&, name = method] {
        session.open();
        return session.about(name);
      });
    }
  }
}

void measure_session(const std::string& text, const std::string& device, int keystrokes, std::vector<Measured>& rows) {
  constexpr int kRepeats = 30;
  const Lines lines(text);
  const Outline outline(text, lines);
  const OutlineInstruction& middle = outline.instructions()[outline.instructions().size() / 2];
  const std::size_t line = lines.line_of(middle.begin);
  const Json position = {{"line", line}, {"character", middle.name - lines.begin(line)}};
  BenchSession session(text, device);
  session.open();
  session.about("textDocument/codeLens");
  const auto repeat = [&](const char* what, const char* method, const Json& more) {
    Measured& row = rows.emplace_back(Measured{what, {}, {}, 0});
    for (int i = 0; i < kRepeats; ++i) row.measure([&] { return session.about(method, more); });
  };
  repeat("hover", "textDocument/hover", {{"position", position}});
  repeat("hints of 100 lines", "textDocument/inlayHint", {{"range", line_range(line, line + 100)}});
  repeat("semantic tokens of 100 lines", "textDocument/semanticTokens/range",
         {{"range", line_range(line, line + 100)}});
  repeat("definition", "textDocument/definition", {{"position", position}});
  repeat("references", "textDocument/references", {{"position", position}});
  repeat("completion of a name", "textDocument/completion", {{"position", position}});
  repeat("lenses", "textDocument/codeLens", Json::object());
  // Breaks the name of an instruction, and repairs it.
  std::vector<Measured> typed = {{"keystroke that makes errors: diagnostics", {}, {}, 0},
                                 {"keystroke that repairs them: diagnostics", {}, {}, 0},
                                 {"hints of 100 lines after a keystroke", {}, {}, 0},
                                 {"changed semantic tokens after a keystroke", {}, {}, 0}};
  session.about("textDocument/semanticTokens/full");
  int tokens_id = 1;
  for (int i = 0; i < keystrokes; ++i) {
    const bool is_repair = i % 2 == 1;
    Json range = {{"start", position}, {"end", position}};
    if (is_repair) range["end"]["character"] = position["character"].get<std::size_t>() + 1;
    const Json change = {{"range", range}, {"text", is_repair ? "" : "x"}};
    const std::string version = std::to_string(i + 2);
    typed[is_repair ? 1 : 0].measure([&] {
      session.notify("textDocument/didChange", {{"textDocument", {{"uri", BenchSession::kUri}, {"version", i + 2}}},
                                                {"contentChanges", Json::array({change})}});
      return session.await("\"version\":" + version + "}", /*is_answer=*/false);
    });
    typed[2].measure([&] {
      return session.about("textDocument/inlayHint", {{"range", line_range(line, line + 100)}});
    });
    typed[3].measure([&] {
      return session.about("textDocument/semanticTokens/full/delta",
                           {{"previousResultId", std::to_string(tokens_id++)}});
    });
  }
  rows.insert(rows.end(), typed.begin(), typed.end());
}

}  // namespace

int main(int argc, char** argv) {
  int keystrokes = 100;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 2 && arguments[0] == "--keystrokes") {
    keystrokes = std::atoi(arguments[1].c_str());
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.size() < 2 || arguments.size() % 2 != 0 || keystrokes < 2) {
    std::fprintf(stderr, "usage: lsp_bench [--keystrokes N] FILE DEVICE [FILE DEVICE ...]\n");
    return 1;
  }
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    std::ifstream file(arguments[i], std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    const std::string text = bytes.str();
    if (Outline(text, Lines(text)).instructions().empty()) {
      std::fprintf(stderr, "%s: no HLO text\n", arguments[i].c_str());
      return 1;
    }
    std::printf("%s on %s: %.2f MB\n", arguments[i].substr(arguments[i].rfind('/') + 1).c_str(),
                arguments[i + 1].c_str(), static_cast<double>(text.size()) / 1e6);
    std::printf("%-42s %5s %9s %9s %9s %9s %8s\n", "", "times", "median ms", "most ms", "cpu ms", "most cpu", "kB");
    std::vector<Measured> rows;
    measure_first_answers(text, arguments[i + 1], rows);
    measure_session(text, arguments[i + 1], keystrokes, rows);
    for (Measured& row : rows) row.print();
  }
  return 0;
}

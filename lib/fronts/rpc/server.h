// A JSON-RPC server on a pair of streams: a table of methods, and a loop that answers one message after the other.
//
//   RpcServer server(in, out, {.framing = Framing::kLines});
//   server.on_request("add", [](const Json& params) -> Reply { ... });
//   server.on_notification("exit", [&](const Json&) { server.stop(); });
//   server.run();
//
// The loop ends only at the end of the input or at stop(). A malformed message gets an error response. Each request
// gets exactly one response: what is malformed gets an error with the id that could be read, or null.
//
// The server has one thread. Before it handles a message, it reads all that have arrived, so that a request that was
// cancelled while it waited is not computed, and a handler sees with `is_busy()` that newer messages wait.
#ifndef HLOROOF_LIB_FRONTS_RPC_SERVER_H_
#define HLOROOF_LIB_FRONTS_RPC_SERVER_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "lib/base/json.h"
#include "lib/fronts/rpc/framing.h"
#include "lib/fronts/rpc/message.h"

namespace hloroof::internal::inline rpc {

struct RpcOptions {
  Framing framing = Framing::kHeaders;
  FramingLimits framing_limits{};
  JsonLimits json_limits = kMessageLimits;
  // The notification that cancels a request, and its parameter with the id of the request.
  std::string cancel_method = "$/cancelRequest";
  std::string cancel_key = "id";
  bool answers_cancelled = true;  // with the error kRequestCancelled; otherwise not at all
};

class RpcServer {
 public:
  using RequestHandler = std::function<Reply(const Json& params)>;
  using NotificationHandler = std::function<void(const Json& params)>;
  // Does one piece of work. Returns whether there is more to do.
  using IdleWork = std::function<bool()>;
  // Returns an error for a message that must not be handled now, such as one before `initialize`.
  using Guard = std::function<std::optional<RpcError>(const Message& message)>;
  // Receives the result of a request to the client, or its error.
  using ResponseHandler = std::function<void(const Message& response)>;

  RpcServer(std::streambuf& in, std::ostream& out, RpcOptions options = {});

  void on_request(std::string_view method, RequestHandler handler);
  void on_notification(std::string_view method, NotificationHandler handler);
  // Called when no message waits, until it returns false or a message arrives.
  void on_idle(IdleWork work) { idle_ = std::move(work); }
  // Like on_idle, for work that takes long: called when the idle work is done and `wait` for `delay` returns false.
  // `wait` returns whether bytes arrive within that time; without it the work begins at once.
  using Wait = std::function<bool(std::chrono::milliseconds)>;
  void on_quiet(IdleWork work, std::chrono::milliseconds delay, Wait wait = nullptr);
  void set_guard(Guard guard) { guard_ = std::move(guard); }

  // Sends a message to the client.
  void notify(std::string_view method, Json params);
  void request(std::string_view method, Json params, ResponseHandler handler = nullptr);

  // Answers messages until the end of the input or stop().
  void run();
  void stop() { is_stopped_ = true; }
  // Whether messages wait for an answer.
  bool is_busy();

 private:
  struct Queued {
    Message message;
    std::optional<RpcError> error;  // set if the text was not a message
    bool is_cancelled = false;
  };

  bool work_until_input();
  bool read_one();
  void read_arrived();
  void cancel(const Json& params);
  void handle(Queued& queued);
  Reply answer(const Message& message);
  void send(const Json& json);

  MessageReader reader_;
  std::ostream& out_;
  RpcOptions options_;
  std::map<std::string, RequestHandler, std::less<>> requests_;
  std::map<std::string, NotificationHandler, std::less<>> notifications_;
  std::map<std::int64_t, ResponseHandler> awaited_;
  IdleWork idle_;
  IdleWork quiet_;
  std::chrono::milliseconds quiet_delay_{0};
  Wait wait_;
  Guard guard_;
  std::deque<Queued> queue_;
  std::int64_t last_id_ = 0;
  bool at_end_ = false;
  bool is_stopped_ = false;
};

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_SERVER_H_

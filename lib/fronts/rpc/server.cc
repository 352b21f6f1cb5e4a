#include "lib/fronts/rpc/server.h"

#include <exception>
#include <utility>

namespace hloroof::internal::inline rpc {
namespace {

// How far the server reads ahead of what it answers.
constexpr std::size_t kMostQueued = 4096;
constexpr std::size_t kMostAwaited = 1024;  // requests to a client that answers none

// Runs a handler. What it throws, such as for want of memory, is an error of this message and not the end of the
// session.
template <typename Function>
std::optional<RpcError> guarded(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return RpcError{RpcCode::kInternalError, error.what(), nullptr};
  }
  return std::nullopt;
}

}  // namespace

RpcServer::RpcServer(std::streambuf& in, std::ostream& out, RpcOptions options)
    : reader_(in, options.framing, options.framing_limits), out_(out), options_(std::move(options)) {}

void RpcServer::on_request(std::string_view method, RequestHandler handler) {
  requests_.insert_or_assign(std::string(method), std::move(handler));
}

void RpcServer::on_notification(std::string_view method, NotificationHandler handler) {
  notifications_.insert_or_assign(std::string(method), std::move(handler));
}

void RpcServer::send(const Json& json) { write_message(out_, options_.framing, json_text(json)); }

void RpcServer::notify(std::string_view method, Json params) { send(notification_json(method, std::move(params))); }

void RpcServer::request(std::string_view method, Json params, ResponseHandler handler) {
  const std::int64_t id = ++last_id_;
  if (handler != nullptr) awaited_.emplace(id, std::move(handler));
  if (awaited_.size() > kMostAwaited) awaited_.erase(awaited_.begin());
  send(request_json(id, method, std::move(params)));
}

// Reads one message into the queue. Returns false at the end of the input.
bool RpcServer::read_one() {
  std::string text;
  Queued queued;
  switch (reader_.read(text)) {
    case MessageReader::Result::kEnd: at_end_ = true; return false;
    case MessageReader::Result::kMalformed: queued.error = RpcError{RpcCode::kParseError, text, nullptr}; break;
    case MessageReader::Result::kMessage:
      if (const auto failed =
              guarded([&] { queued.error = parse_message(text, options_.json_limits, queued.message); });
          failed) {
        queued.error = failed;
      }
      break;
  }
  if (!queued.error && queued.message.kind == Message::Kind::kNotification &&
      queued.message.method == options_.cancel_method) {
    cancel(queued.message.params);
    return true;
  }
  queue_.push_back(std::move(queued));
  return true;
}

// Bounds the queue: at most kMostQueued messages, each within FramingLimits.
void RpcServer::read_arrived() {
  std::size_t read = 0;
  while (!at_end_ && queue_.size() < kMostQueued && read < kMostQueued && reader_.has_pending() && read_one()) ++read;
}

void RpcServer::cancel(const Json& params) {
  const Json* id = find(params, {options_.cancel_key});
  if (id == nullptr) return;
  for (Queued& queued : queue_) {
    if (!queued.error && queued.message.kind == Message::Kind::kRequest && queued.message.id == *id) {
      queued.is_cancelled = true;
    }
  }
}

Reply RpcServer::answer(const Message& message) {
  const auto handler = requests_.find(message.method);
  if (handler == requests_.end()) {
    return RpcError{RpcCode::kMethodNotFound, "there is no method '" + message.method + "'", nullptr};
  }
  Reply reply;
  if (const auto failed = guarded([&] { reply = handler->second(message.params); }); failed) return *failed;
  return reply;
}

void RpcServer::handle(Queued& queued) {
  const Message& message = queued.message;
  if (queued.error) return send(response_json(message.id, *std::move(queued.error)));
  if (message.kind == Message::Kind::kResponse) {
    const auto awaited =
        message.id.is_number_integer() ? awaited_.find(message.id.get<std::int64_t>()) : awaited_.end();
    if (awaited == awaited_.end()) return;
    const ResponseHandler handler = std::move(awaited->second);
    awaited_.erase(awaited);
    (void)guarded([&] { handler(message); });
    return;
  }
  std::optional<RpcError> refused = guard_ != nullptr ? guard_(message) : std::nullopt;
  if (message.kind == Message::Kind::kRequest) {
    if (queued.is_cancelled) {
      if (!options_.answers_cancelled) return;
      refused = RpcError{RpcCode::kRequestCancelled, "the request was cancelled", nullptr};
    }
    return send(response_json(message.id, refused ? Reply(*std::move(refused)) : answer(message)));
  }
  const auto handler = notifications_.find(message.method);
  if (refused || handler == notifications_.end()) return;
  (void)guarded([&] { handler->second(message.params); });
}

bool RpcServer::is_busy() { return !queue_.empty() || (!at_end_ && reader_.has_pending()); }

void RpcServer::on_quiet(IdleWork work, std::chrono::milliseconds delay, Wait wait) {
  quiet_ = std::move(work);
  quiet_delay_ = delay;
  wait_ = std::move(wait);
}

// Runs the idle work, then the quiet work. Returns false as soon as a message arrives.
bool RpcServer::work_until_input() {
  for (const IdleWork* work : {&idle_, &quiet_}) {
    if (*work == nullptr) continue;
    bool has_work = true;
    while (has_work) {
      if (is_busy()) return false;
      if (work == &quiet_ && wait_ != nullptr && wait_(quiet_delay_)) return false;
      if (guarded([&] { has_work = (*work)(); })) has_work = false;
    }
  }
  return true;
}

void RpcServer::run() {
  bool has_work = true;
  while (!is_stopped_ && out_.good()) {
    read_arrived();
    if (!queue_.empty()) {
      Queued queued = std::move(queue_.front());
      queue_.pop_front();
      handle(queued);
      has_work = true;
      continue;
    }
    if (at_end_) return;
    if (has_work && !work_until_input()) continue;
    has_work = false;
    read_one();
  }
}

}  // namespace hloroof::internal::inline rpc

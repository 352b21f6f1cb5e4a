#include "hloroof/device.h"
#include "lib/base/strings.h"
#include "lib/fronts/lsp/server.h"
#include "lib/hardware/named_target.h"

namespace hloroof::internal::inline lsp {
namespace {

RpcError failed(const absl::Status& status) {
  return {RpcCode::kRequestFailed, std::string(from_absl(status.message())), nullptr};
}

// The string at `index` of the arguments of a command; empty if there is none.
std::string argument_at(const Json& arguments, std::size_t index) {
  if (index >= arguments.size() || !arguments[index].is_string()) return "";
  return arguments[index].get<std::string>();
}

}  // namespace

void LanguageServer::add_commands() {
  rpc_.on_request("workspace/executeCommand", [this](const Json& params) { return execute(params); });
}

Reply LanguageServer::execute(const Json& params) {
  const std::string command = string_at(params, {"command"}).value_or("");
  const Json& arguments = array_at(params, {"arguments"});
  if (command == "hloroof.devices") return Json(device_names());
  if (command == "hloroof.report") return open_report(arguments);
  if (command == "hloroof.chooseDevice") {
    choose_device();
    return Json(nullptr);
  }
  if (command == "hloroof.setDevice") {
    const std::string device = argument_at(arguments, 0);
    const absl::StatusOr<Target> target = named_target(device);
    if (!target.ok()) return failed(target.status());
    change_settings({{"device", device}, {"topology", argument_at(arguments, 1)}});
    return Json(nullptr);
  }
  return RpcError{RpcCode::kInvalidParams, "there is no command '" + command + "'", nullptr};
}

// Asks the user, who chooses one of the names or none.
void LanguageServer::choose_device() {
  Json actions = Json::array();
  for (const std::string& name : device_names()) actions.push_back({{"title", name}});
  rpc_.request("window/showMessageRequest",
               {{"type", 3}, {"message", "Predict times on which device?"}, {"actions", std::move(actions)}},
               [this](const Message& answer) {
                 if (const auto title = string_at(answer.result, {"title"})) {
                   change_settings({{"device", *title}, {"topology", ""}});
                 }
               });
}

Reply LanguageServer::open_report(const Json& arguments) {
  const std::string uri = argument_at(arguments, 0);
  Open* open = uri.empty() && open_.size() == 1 ? open_.begin()->second.get() : find_open(uri);
  if (open == nullptr) return RpcError{RpcCode::kInvalidParams, "the document is not open: " + uri, nullptr};
  const absl::StatusOr<std::string> path = write_report_page(view_of(*open));
  if (!path.ok()) return failed(path.status());
  const std::string page = uri_of_path(*path);
  if (shows_documents_) rpc_.request("window/showDocument", {{"uri", page}, {"external", true}});
  return Json{{"uri", page}};
}

}  // namespace hloroof::internal::inline lsp

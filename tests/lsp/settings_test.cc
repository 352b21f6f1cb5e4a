#include "lib/fronts/lsp/settings.h"

#include <algorithm>
#include <tuple>

#include "tests/dump.h"
#include "tests/lsp/session.h"

using namespace hloroof::internal;

namespace {

auto values_of(const EditorSettings& settings) {
  return std::tuple(settings.device, settings.topology, settings.minimum_share, settings.inlay_hints,
                    settings.code_lenses, settings.minimum_severity, settings.ignored);
}

Json package() { return *parse_json<Json>(source_text("examples/editor/vscode/package.json"), "package.json"); }

// A value that is not the default one.
Json other_value(const Json& property) {
  const Json& standard = property.at("default");
  if (standard.is_boolean()) return !standard.get<bool>();
  if (standard.is_number()) return standard.get<double>() + 0.1;
  if (standard.is_array()) return Json::array({"unscheduled"});
  return property.contains("enum") ? property.at("enum").back() : Json("other");
}

}  // namespace

TEST_CASE("The server reads each setting of the extension, and has its defaults") {
  const Json properties = package().at("contributes").at("configuration").at("properties");
  CHECK(properties.size() == 8);
  for (const auto& [name, property] : properties.items()) {
    if (name == "hloroof.command") continue;
    CAPTURE(name);
    for (const bool is_other : {false, true}) {
      Json value = is_other ? other_value(property) : property.at("default");
      for (std::size_t dot = name.rfind('.'), end = name.size(); end != std::string::npos;) {
        const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
        Json outer = Json::object();
        outer[name.substr(begin, end - begin)] = std::move(value);
        value = std::move(outer);
        end = dot;
        dot = dot == std::string::npos || dot == 0 ? std::string::npos : name.rfind('.', dot - 1);
      }
      EditorSettings settings;
      read_settings(value, settings);
      CHECK((values_of(settings) != values_of(EditorSettings())) == is_other);
    }
  }
}

TEST_CASE("The server announces the commands of the extension") {
  Session session;
  const int id = session.initialize();
  session.run();
  const Json announced = session.result(id).at("capabilities").at("executeCommandProvider").at("commands");
  const Json commands = package().at("contributes").at("commands");
  for (const Json& command : commands) {
    CHECK(std::count(announced.begin(), announced.end(), command.at("command")) == 1);
  }
}

TEST_CASE("The files of the extension are JSON") {
  for (const char* name : {"language-configuration.json", "syntaxes/hlo.tmLanguage.json"}) {
    CAPTURE(name);
    CHECK(parse_json<Json>(source_text("examples/editor/vscode/" + std::string(name)), name).ok());
  }
}

// Starts `hloroof lsp`. The client registers the commands that the server announces.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const settings = workspace.getConfiguration("hloroof");
  const server = { command: settings.get("command"), args: ["lsp"] };
  client = new LanguageClient("hloroof", "HLO", server, {
    documentSelector: [{ language: "hlo" }],
    initializationOptions: settings,
    synchronize: { configurationSection: "hloroof" },
  });
  return client.start();
};

exports.deactivate = function () {
  return client ? client.stop() : undefined;
};

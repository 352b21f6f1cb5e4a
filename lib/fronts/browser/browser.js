// Reads the dropped file, predicts it with the library, and shows the report in a frame.
"use strict";

const at = (id) => document.getElementById(id);
const FOLDER = "/dump";

let library = null;  // the program; null after it has failed, for example for want of memory
let dump = null;     // {name, bytes} of the last file
let shown = "";      // the address of the report

async function load() {
  if (library) return;
  const module = await loadHloroof();
  module.FS.mkdir(FOLDER);
  library = {
    files: module.FS,
    page: module.cwrap("hloroof_page", "string", ["string", "string", "string"]),
    devices: module.cwrap("hloroof_devices", "string", []),
  };
}

function fail(message) {
  at("error").textContent = message;
  at("error").hidden = false;
  at("drop").hidden = false;
  at("report").hidden = true;
  at("state").textContent = "";
}

function show(page, milliseconds) {
  if (shown) URL.revokeObjectURL(shown);
  shown = URL.createObjectURL(new Blob([page], {type: "text/html"}));
  at("error").hidden = true;
  at("drop").hidden = true;
  at("report").hidden = false;
  at("report").src = shown;
  at("state").textContent = `${dump.name}: ${Math.round(milliseconds)} ms`;
}

// A file name as a path component; the report shows it.
const pathOf = (name) => `${FOLDER}/${name.replaceAll("/", "_") || "module"}`;

async function predict() {
  if (!dump) return;
  at("state").textContent = "Predicting ...";
  await new Promise((next) => setTimeout(next));  // lets the browser draw that
  const begin = performance.now();
  const path = pathOf(dump.name);
  try {
    await load();
    library.files.writeFile(path, dump.bytes);
    const answer = library.page(path, at("device").value, at("topology").value.trim());
    library.files.unlink(path);
    if (answer[0] === "+") {
      show(answer.slice(1), performance.now() - begin);
    } else {
      fail(answer.slice(1).replaceAll(`${FOLDER}/`, ""));
    }
  } catch (error) {
    library = null;  // its memory may be full; the next file gets a new one
    fail(`The library ended: ${error.message ?? error}. The file may be too large for the memory of a browser.`);
  }
}

async function open(file) {
  if (!file) return;
  try {
    dump = {name: file.name, bytes: new Uint8Array(await file.arrayBuffer())};
  } catch (error) {
    return fail(`Cannot read ${file.name}: ${error.message}`);
  }
  await predict();
}

async function begin() {
  await load();
  for (const {name, title} of JSON.parse(library.devices())) at("device").add(new Option(`${title} (${name})`, name));
  at("device").value = "tpu_v5e";
  at("device").onchange = predict;
  at("topology").onchange = predict;
  at("file").onchange = () => open(at("file").files[0]);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
  addEventListener("dragleave", () => document.body.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    open(event.dataTransfer.files[0]);
  });
  at("state").textContent = "";
  document.body.dataset.ready = "yes";
}

begin().catch((error) => fail(`The library does not load: ${error.message ?? error}`));

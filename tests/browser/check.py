"""Opens dumps with the page of cmake/browser.sh in headless Chromium: check.py SITE [DUMP DEVICE TOPOLOGY] [--picture FILE]

Serves a copy of the page with a script that drops files on it and sends back what the page then shows. Prints the time from
the drop to the report. Without a dump, it opens examples/ffn_block.v5e_2x4.hlo and texts that are wrong.
"""
import argparse
import base64
import functools
import http.server
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

SOURCE = pathlib.Path(__file__).parents[2]

# Drops the files one after the other, and writes what the page shows for each into the document.
SCRIPT = """
(async () => {
  const cases = CASES;
  const seen = [];
  const until = async (holds) => { while (!holds()) await new Promise((next) => setTimeout(next, 5)); };
  await until(() => document.body.dataset.ready);
  for (const {name, text, device, topology} of cases) {
    at("device").value = device;
    at("topology").value = topology;
    at("report").hidden = true;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name));
    const begin = performance.now();
    dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
    at("error").hidden = true;
    await until(() => !at("report").hidden || !at("error").hidden);
    const failed = !at("error").hidden;
    let verdict = "";
    if (!failed) {
      await new Promise((next) => at("report").addEventListener("load", next, {once: true}));
      verdict = at("report").contentDocument.getElementById("verdict").textContent;
    }
    seen.push({name, milliseconds: performance.now() - begin, verdict, error: failed ? at("error").textContent : ""});
  }
  await fetch("seen", {method: "POST", body: JSON.stringify(seen)});
})();
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and puts what is posted into `seen`."""

    def __init__(self, *arguments, seen, **named):
        self.seen = seen
        super().__init__(*arguments, **named)

    def do_POST(self):
        self.seen.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def run(site, cases, picture=None):
    """What the page shows for each case: a list of {name, milliseconds, verdict, error}."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "site")
        shutil.copytree(site, copy)
        page = (copy / "index.html").read_text()
        (copy / "check.js").write_text(SCRIPT.replace("CASES", json.dumps(cases)))
        (copy / "index.html").write_text(page.replace("</body>", '<script src="check.js"></script></body>'))
        seen = queue.Queue()
        handler = functools.partial(Handler, directory=copy, seen=seen)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                       f"--user-data-dir={folder}/profile"]
            url = f"http://127.0.0.1:{server.server_port}/index.html"
            browser = subprocess.Popen([*command, "--remote-debugging-port=0", url], stderr=subprocess.DEVNULL)
            try:
                result = seen.get(timeout=120)
            except queue.Empty:
                sys.exit("the page shows nothing after two minutes")
            finally:
                browser.kill()
                browser.wait()
            if picture:
                subprocess.run([*command, "--virtual-time-budget=60000", f"--screenshot={picture}", url],
                               stderr=subprocess.DEVNULL, timeout=300, check=True)
            server.shutdown()
        return result


def case(name, data, device="tpu_v5e", topology=""):
    return {"name": name, "text": base64.b64encode(data).decode(), "device": device, "topology": topology}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("site")
    parser.add_argument("dump", nargs="*")
    parser.add_argument("--picture")
    arguments = parser.parse_args()
    if arguments.dump:
        path, *place = arguments.dump
        cases = [case(pathlib.Path(path).name, pathlib.Path(path).read_bytes(), *place)] * 2
        for seen in run(arguments.site, cases, arguments.picture):
            print(f"{seen['name']}: {seen['milliseconds']:.0f} ms  {seen['verdict'] or seen['error']}")
        return
    block = (SOURCE / "examples/ffn_block.v5e_2x4.hlo").read_bytes()
    packed = (SOURCE / "examples/decode_step_free_cache.v5e.hlo.gz").read_bytes()
    good, zipped, wrong, empty, small, again = run(arguments.site, [
        case("ffn_block.v5e_2x4.hlo", block), case("decode.hlo.gz", packed), case("a/b<i>.hlo", block[:-40] + b"$"), case("empty", b""),
        case("ffn_block.v5e_2x4.hlo", block, topology="1x1"), case("ffn_block.v5e_2x4.hlo", block, "tpu_v6e", "2x4")])
    assert "ms" in good["verdict"] or "us" in good["verdict"], good
    assert zipped["verdict"] and not zipped["error"], zipped
    assert "a_b<i>.hlo:448:" in wrong["error"] and "^" in wrong["error"] and "/dump" not in wrong["error"], wrong
    assert "empty" in empty["error"], empty
    assert "devices" in small["error"], small
    assert again["verdict"] and again["verdict"] != good["verdict"], again
    print(f"passed; the first report after {good['milliseconds']:.0f} ms")


main()

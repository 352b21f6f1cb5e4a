"""XLA's cost analysis through jaxlib, in a separate process, because some texts make XLA abort."""
import json
import os
import subprocess
import sys
import tempfile

WORKER = r"""
import json, os, sys
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
from jaxlib import _hlo, _jax
client = jax.devices("cpu")[0].client
options = _hlo.HloPrintOptions()
options.print_metadata = False
options.print_backend_config = False
options.print_control_dependencies = False
options.print_operand_shape = True
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    try:
        module = _hlo.hlo_module_from_text(request["text"])
        if request["want"] == "text":
            answer = module.to_string(options)
        else:
            answer = dict(_jax.hlo_module_cost_analysis(client, module))
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
"""


class Reference:
    """Answers one request at a time. A crash counts as an answer."""

    def __init__(self, python):
        self.python = python
        self.process = None
        if not self._start():
            raise RuntimeError(f"{python} has no jaxlib")

    def _start(self):
        self.process = subprocess.Popen(
            [self.python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        return self.process.stdout.readline().strip() == "ready"

    def _ask(self, want, text):
        try:
            self.process.stdin.write(json.dumps({"want": want, "text": text}) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        self.process.wait()
        self._start()
        return {"error": "XLA aborted"}

    def costs(self, text):
        """The properties of the module by key, or {"error": ...}."""
        return self._ask("costs", text)

    def text(self, text):
        """The module printed with operand shapes and without metadata, or {"error": ...}."""
        return self._ask("text", text)


def find_reference():
    """The reference behind HLOROOF_JAX_PYTHON, or None with the reason on stderr."""
    python = os.environ.get("HLOROOF_JAX_PYTHON")
    if not python:
        print("skipped: HLOROOF_JAX_PYTHON names no Python with jaxlib", file=sys.stderr)
        return None
    try:
        return Reference(python)
    except (OSError, RuntimeError) as error:
        print(f"skipped: {error}", file=sys.stderr)
        return None


def run_tool(tool, texts):
    """Our answers for `texts`, as counts_dump prints them."""
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        file.write("\n// -----\n".join(texts))
        file.flush()
        done = subprocess.run([tool, file.name], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]

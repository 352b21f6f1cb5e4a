"""Checks the reading and writing of protos against XLA.

    protos.py PROTO_TO_TEXT FOLDER...     dumps (*.hlo), protos (*.pb) and cases (*.txt, parts between lines that begin with ###)

XLA converts every text that it can parse to an HloModuleProto. Then
- our text of the proto is XLA's text of it. The order of computations may differ as long as callees precede callers, because
  XLA reorders them when it reads a proto;
- the proto that comes of reading and writing it has the same bytes;
- the proto that we write of XLA's text is the same program: XLA prints both alike, with the values of all constants.
Exits with 77 without jaxlib.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FRAMES = r'(?m)^\d+ ["{].*\n|stack_frame_id=\d+'
WORKER = f"FRAMES = {FRAMES!r}" + r"""
import json, re, sys
from jaxlib import _hlo
full = _hlo.HloPrintOptions()
full.print_large_constants = True
def read(path):
    return _hlo.HloModule.from_serialized_hlo_module_proto(open(path, "rb").read())
def blocks(text):
    # XLA numbers the names, places and frames of stacks anew when it reads a proto, and may reorder computations.
    return [line for block in sorted(b.strip() for b in re.sub(FRAMES, "", text).split("\n\n")) for line in block.split("\n")]
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    answer = ""
    try:
        if "source" in request:
            source, out = request["source"], request["out"]
            if source.endswith(".pb"):
                proto = open(source, "rb").read()
            else:
                proto = _hlo.hlo_module_from_text(open(source).read()).as_serialized_hlo_module_proto()
            module = _hlo.HloModule.from_serialized_hlo_module_proto(proto)
            text, values = module.to_string(), module.to_string(full)
            open(out + ".pb", "wb").write(proto)
            open(out + ".txt", "w").write(text)
            open(out + ".hlo", "w").write(values)
        else:
            theirs, ours = (blocks(read(request[k]).to_string(full)) for k in ("theirs", "ours"))
            if theirs != ours:
                answer = next((f"{x[:400]}\n      {y[:400]}" for x, y in zip(theirs, ours) if x != y), "one is longer")
    except Exception as error:
        answer = str(error)[:400]
    print(json.dumps(answer), flush=True)
"""


class Worker:
    """A process with jaxlib, which is started again when XLA aborts it."""

    def __init__(self, python):
        self.python = python
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.works = self.process.stdout.readline().strip() == "ready"

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            return json.loads(answer)
        self.start()
        return "XLA aborts"


def sources(folders, scratch):
    """Files with one module each."""
    for folder in folders:
        for path in sorted(p for kind in ("*.hlo", "*.pb") for p in pathlib.Path(folder).rglob(kind)):
            if path.stat().st_size < 4_000_000:
                yield path
        for path in sorted(pathlib.Path(folder).glob("*.txt")):
            for number, part in enumerate(re.split(r"(?m)^### (.*)$", path.read_text())[2::2]):
                whole = scratch / f"{path.stem}-{number}.hlo"
                whole.write_text(part if part.lstrip().startswith("HloModule") else f"HloModule m\nENTRY e {{{part}}}\n")
                yield whole


def blocks(text):
    # Ignores space in braces and the index comments in literals of four or more dimensions.
    text = re.sub(r"/\*i\d+=\d+\*/ ?", "", text).replace("{ ", "{").replace(" }", "}")
    # Newer XLA prints the order in place of the type of a comparison, and also that a topk is not stable. We print what the
    # proto has, which older XLA reads.
    text = re.sub(r"(largest=\w+), is_stable=false", r"\1", text.replace("type=TOTALORDER", "order=TOTAL"))
    return sorted(block.strip() for block in text.split("\n\n") if block.strip())


def without_renumbering(text):
    # XLA numbers stack frames anew when it reads a proto, and its Python interface does not read the assignment of devices.
    return re.sub(FRAMES + r"|, (?:num_partitions|replica_count)=\d+", "", text)


def differences(theirs, worker):
    """What differs, by check."""
    ours = theirs.with_suffix(".ours")
    if not ours.exists():
        yield "our text", "not read"
    elif blocks(without_renumbering(ours.read_text())) != blocks(without_renumbering(theirs.with_suffix(".txt").read_text())):
        yield "our text", "differs"
    again, written = theirs.with_suffix(".again"), theirs.with_suffix(".written")
    if not again.exists():
        yield "proto to proto", "not written"
    elif again.read_bytes() != theirs.read_bytes():
        yield "proto to proto", "other bytes"
    if not written.exists():
        yield "text to proto", "not written"
    elif answer := worker.ask(theirs=str(theirs), ours=str(written)):
        yield "text to proto", answer


def main():
    tool, folders = sys.argv[1], sys.argv[2:]
    python = os.environ.get("HLOROOF_JAX_PYTHON") or sys.executable
    worker = Worker(python)
    if not worker.works:
        print(f"skipped: {python} has no jaxlib")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "cases").mkdir()
        (scratch / "protos").mkdir()
        paths = {}
        for number, path in enumerate(sources(folders, scratch / "cases")):
            paths[number] = path
            worker.ask(source=str(path), out=str(scratch / "protos" / str(number)))
        ran = subprocess.run([tool, str(scratch / "protos")], capture_output=True, text=True)
        counts = {"our text": 0, "proto to proto": 0, "text to proto": 0}
        compared = refused = 0
        for number, path in paths.items():
            theirs = scratch / "protos" / f"{number}.pb"
            if not theirs.with_suffix(".hlo").exists():
                continue
            if theirs.with_suffix(".refused").exists():
                refused += 1
                continue
            compared += 1
            for check, what in differences(theirs, worker):
                counts[check] += 1
                print(f"{path}: {check}: {what}")
        if keep := os.environ.get("HLOROOF_KEEP_PROTOS"):
            shutil.copytree(scratch, keep, dirs_exist_ok=True)
    print(ran.stderr, end="")
    print(f"{compared} protos compared, {refused} that XLA accepts refused; differences: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
    sys.exit(1 if any(counts.values()) or compared == 0 else 0)


main()

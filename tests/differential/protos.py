"""Checks that the text of XLA's protos equals the text that XLA prints.

    protos.py PROTO_TO_TEXT FOLDER...     dumps (*.hlo) and cases (*.txt, parts between lines that begin with ###)

XLA converts every text that it can parse to an HloModuleProto, and both sides print the proto. The order of computations may
differ as long as callees precede callers, because XLA reorders them when it reads a proto. Exits with 77 without jaxlib.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WORKER = r"""
import json, sys
from jaxlib import _hlo
print("ready", flush=True)
for line in sys.stdin:
    source, out = json.loads(line)
    try:
        proto = _hlo.hlo_module_from_text(open(source).read()).as_serialized_hlo_module_proto()
        text = _hlo.HloModule.from_serialized_hlo_module_proto(proto).to_string()
        open(out + ".pb", "wb").write(proto)
        open(out + ".txt", "w").write(text)
    except Exception as error:
        pass
    print("done", flush=True)
"""


def start(python):
    process = subprocess.Popen(
        [python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return process if process.stdout.readline().strip() == "ready" else None


def texts(folders, scratch):
    """Files with one module each."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.hlo")):
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
    return sorted(block.strip() for block in text.split("\n\n") if block.strip())


def main():
    import json

    tool, folders = sys.argv[1], sys.argv[2:]
    python = os.environ.get("HLOROOF_JAX_PYTHON") or sys.executable
    worker = start(python)
    if worker is None:
        print(f"skipped: {python} has no jaxlib")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "cases").mkdir()
        (scratch / "protos").mkdir()
        sources = {}
        for number, path in enumerate(texts(folders, scratch / "cases")):
            sources[str(number)] = path
            worker.stdin.write(json.dumps([str(path), str(scratch / "protos" / str(number))]) + "\n")
            worker.stdin.flush()
            if not worker.stdout.readline():  # XLA aborted
                worker = start(python)
        ran = subprocess.run([tool, str(scratch / "protos")], capture_output=True, text=True)
        compared = different = 0
        for number, path in sources.items():
            theirs = scratch / "protos" / f"{number}.txt"
            ours = theirs.with_suffix(".ours")
            if not theirs.exists():
                continue
            compared += 1
            if not ours.exists() or blocks(ours.read_text()) != blocks(theirs.read_text()):
                different += 1
                print(f"{path}: {'differs' if ours.exists() else 'not read'}")
    print(ran.stderr, end="")
    print(f"{compared} protos compared, {different} differ")
    sys.exit(1 if different or compared == 0 else 0)


main()

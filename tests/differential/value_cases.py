#!/usr/bin/env python3
"""Compares tests/text/value_cases.tsv with XLA's parser.

Needs a Python with jaxlib: python tests/differential/value_cases.py. Without jaxlib it prints a note and exits with 0.
Parses each case inside a small module in a worker process, because some texts make XLA abort. The verdict must equal the third
column of the table. --update rewrites the column instead.
"""

import argparse
import json
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parent.parent / "text" / "value_cases.tsv"

ADD = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
P = "  p = f32[4,4] parameter(0)\n"
CONV = "  p = f32[1,8,8,4] parameter(0)\n  q = f32[3,3,4,4] parameter(1)\n"

# opcode: (computations, instructions before, the instruction up to its attributes, attributes it needs)
TEMPLATES = {
    "copy": ("", P, "f32[4,4] copy(p)", {}),
    "tuple": ("", P, "(f32[4,4], f32[4,4]) tuple(p, p)", {}),
    "parameter": ("", "", "(f32[4,4], f32[2]) parameter(0)", {}),
    "convolution": ("", CONV, "f32[1,8,8,4] convolution(p, q)", {"dim_labels": "b01f_01io->b01f"}),
    "pad": ("", P + "  q = f32[] parameter(1)\n", "f32[8,8] pad(p, q)", {}),
    "slice": ("", P, "f32[2,2] slice(p)", {}),
    "transpose": ("", P, "f32[4,4] transpose(p)", {}),
    "compare": ("", P, "pred[4,4] compare(p, p)", {"direction": "EQ"}),
    "dot": ("", P, "f32[4,4] dot(p, p)", {"lhs_contracting_dims": "{1}", "rhs_contracting_dims": "{0}"}),
    "rng": ("", "  p = f32[] parameter(0)\n", "f32[4,4] rng(p, p)", {}),
    "rng-bit-generator": ("", "  p = u64[2] parameter(0)\n", "(u64[2], u32[4]) rng-bit-generator(p)", {}),
    "fft": ("", "  p = c64[4,4] parameter(0)\n", "c64[4,4] fft(p)", {"fft_length": "{4}", "fft_type": "FFT"}),
    "triangular-solve": ("", P, "f32[4,4] triangular-solve(p, p)", {}),
    "custom-call": ("", P, "f32[4,4]{1,0} custom-call(p)", {"custom_call_target": '"x"'}),
    "batch-norm-inference": ("", P + "  q = f32[4] parameter(1)\n",
                             "f32[4,4] batch-norm-inference(p, q, q, q, q)", {"feature_index": "1", "epsilon": "1"}),
    "all-reduce": (ADD, P, "f32[4,4] all-reduce(p)", {"to_apply": "add"}),
    "collective-permute": ("", P, "f32[4,4] collective-permute(p)", {}),
    "tanh": ("", P, "f32[4,4] tanh(p)", {}),
    "domain": ("", P, "f32[4,4] domain(p)", {}),
    "fusion": ("f { ROOT a = f32[4,4] parameter(0) }\n", P, "f32[4,4] fusion(p)", {"calls": "f"}),
    "copy-start": ("", P, "(f32[4,4], f32[4,4], u32[]) copy-start(p)", {}),
    "reduce-precision": ("", P, "f32[4,4] reduce-precision(p)", {"exponent_bits": "8", "mantissa_bits": "7"}),
}
HEADER_BODY = (
    "ENTRY e {\n  p = f32[4,4] parameter(0)\n  q = (f32[], f32[2]) parameter(1)\n  c = f32[4,4] copy(p)\n"
    "  z = f32[] constant(0)\n  ROOT t = (f32[4,4], f32[]) tuple(c, z)\n}\n")


def module_of(opcode, text):
    if opcode == "HloModule":
        return f"HloModule m, {text}\n{HEADER_BODY}"
    if opcode == "constant":
        shape, literal = text.split(" ", 1)
        return f"HloModule m\nENTRY e {{\n  ROOT c = {shape} constant({literal})\n}}\n"
    computations, before, head, needed = TEMPLATES[opcode]
    name = text.split("=", 1)[0]
    extra = "".join(f", {k}={v}" for k, v in needed.items() if k != name)
    return f"HloModule m\n{computations}ENTRY e {{\n{before}  ROOT c = {head}{extra}, {text}\n}}\n"


WORKER = """
import json, sys
from jaxlib import _hlo
for line in sys.stdin:
    try:
        _hlo.hlo_module_from_text(json.loads(line))
        print("accept", flush=True)
    except Exception:
        print("reject", flush=True)
"""


class Xla:
    """A worker process that parses modules. It is restarted when XLA aborts."""

    def __init__(self):
        self.process = None

    def verdict(self, text):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer:
            return answer
        self.process = None
        return "abort"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="rewrite the recorded verdicts of XLA")
    options = parser.parse_args()
    try:
        import jaxlib  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("skipped: this Python has no jaxlib")
        return 0

    xla = Xla()
    lines, cases, differences = [], 0, 0
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            columns = line.split("\t")
            opcode, text, recorded = columns[:3]
            cases += 1
            found = xla.verdict(module_of(opcode, text.replace("\\n", "\n")))
            if found != recorded:
                differences += 1
                print(f"{TABLE.name}:{number}: XLA {found}s, recorded is {recorded}: {opcode} {text}")
                columns[2] = found
                line = "\t".join(columns)
        lines.append(line)
    if options.update:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    print(f"{cases} cases, {differences} differences from the record, jaxlib {jaxlib.__version__}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares shape inference with XLA's: infer_shape.py TOOL TABLE FOLDER... [--update].

First checks that XLA's answers equal those recorded in TABLE (tests/text/infer_shape_cases.txt); --update records them. Then
removes all result shapes that XLA can infer from the dumps below the folders. XLA must print the same canonical form for that
text and for our print of it.
"""

import argparse
import pathlib
import re
import sys

from parsers import SKIPPED, Ours, Xla

SHAPE = re.compile(r"([a-z0-9]+)\[([^\]]*)\](\{[^}]*\})")
ROOT = re.compile(r"ROOT %?r = (.*?) [a-z0-9\-]+\(")
# An instruction of the default form: name, result shape, opcode.
INSTRUCTION = re.compile(r"^( *(?:ROOT )?%[^ ]+ = )((?:\((?:[^()]|\([^()]*\))*\)|[a-z0-9]+\[[^ ]*)) ([a-z0-9\-]+)\(")
# The shape of a broadcast cannot be inferred. XLA aborts on a get-tuple-element of a non-tuple, which does not occur here. For
# all other opcodes XLA infers the shape that it prints, except for types that the compiler chose.
OPCODES = set(
    """abs acos acosh asin asinh atanh cbrt ceil cosine cosh erf exponential exponential-minus-one floor is-finite log
    log-plus-one logistic negate not popcnt real imag round-nearest-afz round-nearest-even rsqrt sign sine sinh sqrt tan tanh
    copy add-dependency after-all add subtract multiply mulhi divide remainder power atan2 maximum minimum and or xor
    shift-left shift-right-arithmetic shift-right-logical complex compare clamp select transpose reverse pad concatenate
    get-dimension-size set-dimension-size tuple get-tuple-element reduce reduce-window select-and-scatter sort topk gather
    scatter dot ragged-dot convolution fft cholesky triangular-solve call while conditional partition-id replica-id
    domain""".split())


def without_row_major(shapes):
    """The text without layouts {n-1,...,0}, as in the table."""
    def plain(match):
        rank = len([d for d in match[2].split(",") if d])
        row_major = "{" + ",".join(str(i) for i in reversed(range(rank))) + "}"
        return f"{match[1]}[{match[2]}]" if match[3] == row_major else match[0]

    return SHAPE.sub(plain, shapes)


def check_table(xla, path, update):
    lines = path.read_text(encoding="utf-8").splitlines()
    at = lines.index("----") + 1
    computations = "\n".join(line for line in lines[: at - 1] if not line.startswith("#"))
    differences = 0
    for number in range(at, len(lines)):
        columns = lines[number].split("\t")
        operands = "".join(f"  p{i} = {shape} parameter({i})\n" for i, shape in enumerate(columns[0].split("; ")) if shape)
        instruction = columns[1].replace("\\n", "\n")
        text = f"HloModule m\n{computations}\nENTRY e {{\n{operands}  ROOT r = {instruction}\n}}\n"
        answer, printed = xla.ask("default", text.encode())
        if answer == "accept":
            answer = without_row_major(ROOT.search(printed)[1])
        if answer != columns[2]:
            differences += 1
            print(f"{path.name}:{number + 1}: XLA says {answer}, recorded is {columns[2]}: {columns[0]} {columns[1]}")
            columns[2] = answer
            lines[number] = "\t".join(columns)
    if update:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        differences = 0
    print(f"{len(lines) - at} cases, {differences} differ from the record")
    return differences


def strip(text, opcodes):
    """The text without the result shapes of `opcodes`, and their number."""
    stripped = 0
    lines = text.split("\n")
    for i, line in enumerate(lines):
        match = INSTRUCTION.match(line)
        if match and match[3] in opcodes:
            lines[i] = match[1] + line[match.end(2) + 1 :]
            stripped += 1
    return "\n".join(lines), stripped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    xla, ours = Xla(), Ours(args.tool)
    differences = check_table(xla, args.table, args.update)
    same, shapes, skipped = 0, 0, 0
    for path in sorted(file for folder in args.folders for file in folder.rglob("*.hlo")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        # Types that the compiler chose, s32 for a dot of s8, contradict each other once inferred; then the opcodes for
        # which it does so keep their shapes.
        for kept in ((), ("dot", "convolution", "copy")):
            less, stripped = strip(text, OPCODES.difference(kept))
            if stripped == 0:
                break
            verdict, expected = xla.ask("print", less.encode("utf-8", "surrogateescape"))
            if verdict == "accept":
                break
        if stripped == 0 or verdict != "accept":
            skipped += 1
            continue
        parsed, printed = ours.ask("print", less.encode("utf-8", "surrogateescape"))
        if parsed:
            verdict, got = xla.ask("print", printed)
        if not parsed or verdict != "accept" or got != expected:
            differences += 1
            print(f"{path.name}: " + (printed if not parsed else "another program")[:600])
            continue
        same += 1
        shapes += stripped
    print(f"{same} dumps without {shapes} result shapes are read as XLA reads them; {skipped} have none XLA can do without")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()

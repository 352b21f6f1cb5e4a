"""Compares accepted and rejected texts with XLA: mutations.py TOOL SOURCE_DIR [FOLDER...] [--count N] [--seed S] [--show N].

Mutates the cases in tests/text/cases and small dumps at one or two places, so that most of the text remains well-formed. Our
parser is strict. Differences are grouped by the message of the rejecting side. Those that match a line of
known_differences.txt are counted; any other is printed and fails the run.
"""

import argparse
import collections
import pathlib
import random
import re
import sys

from parsers import SKIPPED, Ours, Xla

WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.\-]*")
NUMBER = re.compile(rb"(?<![A-Za-z0-9_.\-])\d+")
ATTRIBUTE = re.compile(rb", ([a-z_\-]+)=(\{[^{}]*\}|\"[^\"\n]*\"|[A-Za-z0-9_.%\-]+)")
SHAPE = re.compile(rb"\b(?:pred|[sufb]f?\d+|c64|token)\[[^\]]*\](?:\{[^}]*\})?")
RESULT = re.compile(rb"(?<== )(?:\((?:[^()\n]|\([^()\n]*\))*\)|[a-z0-9]+\[[^ \n]*) (?=[a-z\-]+\()")
LITERAL = re.compile(rb"constant\(([^\n]*?)\)")
NUMBERS = [b"0", b"1", b"2", b"3", b"-1", b"7", b"100", b"2147483648", b"9223372036854775807", b"18446744073709551616", b"1.5", b"x"]
SHAPES = [b"f32[]", b"f32[2]", b"f32[2]{0}", b"s32[]", b"pred[]", b"(f32[2], s32[])", b"()", b"token[]", b"f32[2,3]{0,1}",
          b"bf16[0]", b"f32[<=4]", b"f32[?]", b"f32[2]{1}", b"f32[2,2]{1,0:T(8,128)}", b"u4[4]{0:E(4)}", b"opaque[]"]
LITERALS = [b"0", b"1", b"-1", b"1.5", b"true", b"nan", b"-inf", b"{}", b"{1, 2}", b"{{1, 2}, {3, 4}}", b"{...}", b"(1, 2)", b"1e39",
            b"300", b"-129", b"4294967296", b"65520", b"\"a\""]
# Pieces of layouts, correct and not, that go between the other characters of a layout.
LAYOUT_PIECES = [b"T(8,128)", b"(2,1)", b"T()", b"(", b")", b"*", b",", b" ", b":", b"x", b"-", b"8", b"S(1)", b"E(4)", b"L(1)",
                 b"D(D,C)", b"#(u32)", b"*(u8)", b"M(64)", b"SC(0:4)", b"P(f32[2])", b"->", b"=", b"|", b"{}", b"\"8\"", b"%a", b"1.5"]
OPCODES = [b"add", b"abs", b"copy", b"tuple", b"reshape", b"transpose", b"broadcast", b"reduce", b"dot", b"compare", b"convert",
           b"slice", b"concatenate", b"while", b"fusion", b"call", b"custom-call", b"get-tuple-element", b"bitcast", b"iota",
           b"select", b"clamp", b"all-reduce", b"all-gather-start", b"copy-start", b"copy-done", b"send", b"after-all", b"sort",
           b"gather", b"scatter", b"parameter", b"constant", b"abs-start", b"abs-done", b"convolution", b"pad", b"rng", b"map"]


def cases(path):
    """The texts of a file in the form of tests/text/cases/README.md."""
    for part in path.read_bytes().split(b"### ")[1:]:
        head, _, body = part.partition(b"\n")
        if head.split(b"|")[2].strip() == b"body":
            body = b"HloModule m\n\nENTRY e {\n" + body + b"}\n"
        yield body


def replace(text, span, new):
    return text[: span[0]] + new + text[span[1] :]


def pick(rng, pattern, text, group=0):
    found = list(pattern.finditer(text))
    return rng.choice(found).span(group) if found else None


def mutate(rng, text):
    """(what was done, the text)"""
    kind = rng.choice(["delete line", "repeat line", "swap lines", "truncate line", "truncate text", "number", "name", "shape",
                       "literal", "opcode", "delete attribute", "repeat attribute", "move attribute", "delete byte",
                       "repeat byte", "operand", "delete result shape", "layout", "called computation"])
    lines = text.split(b"\n")
    if kind.endswith("line") or kind == "swap lines":
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        if kind == "delete line":
            del lines[i]
        elif kind == "repeat line":
            lines.insert(j, lines[i])
        elif kind == "swap lines":
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines[i] = lines[i][: rng.randrange(len(lines[i]) + 1)]
        return kind, b"\n".join(lines)
    if kind == "truncate text":
        return kind, text[: rng.randrange(len(text))]
    if kind in ("delete byte", "repeat byte"):
        i = rng.randrange(len(text))
        return kind, text[:i] + (b"" if kind == "delete byte" else text[i : i + 1]) + text[i + (kind == "delete byte") :]
    if kind == "layout":
        span = pick(rng, re.compile(rb"(?<=\])\{[^{}\n]*\}"), text)
        if span is not None:
            at = rng.randint(span[0] + 1, span[1] - 1)
            span = (at, rng.randint(at, min(at + 2, span[1] - 1)))
        new = rng.choice(LAYOUT_PIECES)
    elif kind == "called computation":  # one computation for two callers
        pattern = re.compile(rb"(?:calls|to_apply|body|condition|called_computations)=\{?(%?[A-Za-z0-9_.\-]+)")
        span, source = pick(rng, pattern, text, 1), pick(rng, pattern, text, 1)
        new = b"" if source is None else text[source[0] : source[1]]
    elif kind == "number":
        span, new = pick(rng, NUMBER, text), rng.choice(NUMBERS)
    elif kind == "shape":
        span, new = pick(rng, SHAPE, text), rng.choice(SHAPES)
    elif kind == "literal":
        span, new = pick(rng, LITERAL, text, 1), rng.choice(LITERALS)
    elif kind == "opcode":
        span, new = pick(rng, re.compile(rb" ([a-z][a-z\-]*)\("), text, 1), rng.choice(OPCODES)
    elif kind == "operand":
        span, new = pick(rng, re.compile(rb"(?<=[(,] )?%[A-Za-z0-9_.\-]+, "), text), b""
    elif kind == "delete result shape":
        span, new = pick(rng, RESULT, text), b""
    elif kind == "delete attribute":
        span, new = pick(rng, ATTRIBUTE, text), b""
    else:
        pattern = WORD if kind == "name" else ATTRIBUTE
        span, source = pick(rng, pattern, text), pick(rng, pattern, text)
        if span is None:
            return kind, text
        new = text[source[0] : source[1]]
        if kind == "repeat attribute":
            new = text[span[0] : span[1]] + new
        elif kind == "move attribute":
            ends = [m.end() for m in re.finditer(rb"\)", text)] or [len(text)]
            at = rng.choice(ends)
            return kind, text[:at] + new + text[at:]
    return kind, text if span is None else replace(text, span, new)


def known_differences():
    """The patterns of messages: `ours: PATTERN` if only our parser rejects the text, `xla: PATTERN` if only XLA does."""
    known = []
    for line in pathlib.Path(__file__).with_name("known_differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            side, _, pattern = line.partition(": ")
            known.append((side, re.compile(pattern)))
    return known


def summary(message):
    """A message without names and numbers, by which differences are grouped."""
    head = message.split("error: ", 1)[-1].split("\n", 1)[0]
    return re.sub(r"\d+", "N", head)[:110]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("source")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=1, help="examples of each unexplained difference")
    parser.add_argument("--largest", type=int, default=12000, help="bytes of the dumps that are changed")
    args = parser.parse_args()
    xla, ours = Xla(), Ours(args.tool)
    source = pathlib.Path(args.source)
    bases = [text for path in sorted(source.glob("tests/text/cases/*.txt")) for text in cases(path)]
    bases += [path.read_bytes() for folder in args.folders for path in sorted(pathlib.Path(folder).rglob("*.hlo"))
              if path.stat().st_size < args.largest]
    if not bases:
        print("skipped: no texts to change")
        sys.exit(SKIPPED)
    known = known_differences()
    rng = random.Random(args.seed)
    verdicts, explained, unexplained = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for _ in range(args.count):
        kinds, text = [], rng.choice(bases)
        for _ in range(rng.choice([1, 1, 1, 2])):
            if text:
                kind, text = mutate(rng, text)
                kinds.append(kind)
        theirs, their_message = xla.ask("verdict", text)
        accepted, our_message = ours.ask("verdict", text)
        verdicts[("accept" if accepted else "reject", theirs)] += 1
        if theirs in ("abort", "hang") or accepted == (theirs == "accept"):
            continue
        side = "xla" if accepted else "ours"
        message = their_message if accepted else our_message
        for index, (where, pattern) in enumerate(known):
            if where == side and pattern.search(message):
                explained[index] += 1
                break
        else:
            unexplained[(side, summary(message))].append((kinds, text, message))
    for (mine, theirs), n in sorted(verdicts.items()):
        print(f"{n:7} we {mine}, XLA: {theirs}")
    for index, n in explained.most_common():
        print(f"{n:7} known: {known[index][0]} refuses: {known[index][1].pattern}")
    for (side, what), found in sorted(unexplained.items(), key=lambda item: -len(item[1])):
        print(f"{len(found):7} NEW: {side} refuses: {what}")
        for kinds, text, message in sorted(found, key=lambda f: len(f[1]))[: args.show]:
            print(f"--- {', '.join(kinds)}\n{message[:700]}\n--- the text\n{text.decode('utf-8', 'replace')[:1500]}\n---")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the `xla` counts with XLA's cost analysis, key by key.

    HLOROOF_JAX_PYTHON=.../python counts.py --tool counts_dump [--golden FILE [--write]] [--corpus FOLDER]
                                            [--generate N [--seed S]]

--golden    the cases of a file; XLA's counts must equal those in the file. --write updates the file.
--corpus    every module below FOLDER, and every distinct instruction of them as a separate module
--generate  N random modules of one instruction

Exits with 1 if anything differs, and with 77 if there is no jaxlib.
"""
import argparse
import collections
import glob
import json
import os
import re
import sys

import generate
import instructions
import reference

# In XLA, the keys of these opcodes are sums over unrelated instructions. Only the totals are meaningful.
CALLS = re.compile(r" (call|while|conditional|\S+-start)\(")
TOTALS = ("flops", "transcendentals", "bytes accessed")


def differences(text, xla, ours, single):
    """[(key, XLA's value, ours)] where they differ."""
    if "error" in ours:
        return [("error", None, ours["error"])]
    keys = list(TOTALS)
    entry = text[text.rindex("\nENTRY"):]
    if single and not CALLS.search(entry):
        keys.append("bytes accessedout{}")
        # XLA leaves keys on a fusion for inner instructions that have more operands than the fusion.
        keys += [key for key in ours if re.fullmatch(r"bytes accessed\d+\{\}", key)]
    return [(key, xla.get(key, 0.0), ours.get(key, 0.0)) for key in keys if xla.get(key, 0.0) != ours.get(key, 0.0)]


def compare(tool, ref, cases, show, single=True):
    """Compares both for [(what, text)], prints the differences and returns their number."""
    bad, refused, by_opcode = 0, collections.Counter(), collections.Counter()
    ours = reference.run_tool(tool, [text for _, text in cases])
    for (what, text), mine in zip(cases, ours):
        xla = ref.costs(text)
        if "error" in xla:
            refused[what] += 1
            if show > 1:
                print(f"refused {what}: {xla['error'][:300]}\n{text}")
            continue
        by_opcode[what] += 1
        found = differences(text, xla, mine, single)
        if found:
            bad += 1
            if bad <= 20:
                print(f"DIFFERENT {what}: {found}")
                if show:
                    print(text)
    print(f"{sum(by_opcode.values())} compared, {bad} different, {sum(refused.values())} refused by XLA {dict(refused)}")
    if single:
        print("  " + ", ".join(f"{opcode} {n}" for opcode, n in sorted(by_opcode.items())))
    return bad


def golden(path, ref, write):
    """Checks or writes the `// xla:` line of each case."""
    cases = open(path, encoding="utf-8").read().split("\n// -----\n")
    bad = 0
    for i, case in enumerate(cases):
        text = re.sub(r"^//.*\n", "", case, flags=re.M)
        costs = {k: v for k, v in ref.costs(text).items() if not k.startswith("utilization")}
        line = "// xla: " + json.dumps(costs, sort_keys=True)
        if line in case.splitlines():
            continue
        bad += 1
        print(f"{case.splitlines()[0]}\n  XLA says {line}")
        cases[i] = re.sub(r"^// xla:.*$", lambda _: line, case, count=1, flags=re.M)
    if write:
        open(path, "w", encoding="utf-8").write("\n// -----\n".join(cases))
        return 0
    print(f"{len(cases)} golden cases, {bad} of which XLA sees otherwise")
    return bad


def corpus_cases(folder, ref):
    """The distinct single instructions below `folder`, and the modules themselves."""
    cases, whole = {}, []
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.hlo"), recursive=True)):
        text = open(path, encoding="utf-8", errors="replace").read()
        printed = ref.text(text)
        if not isinstance(printed, str):
            continue
        whole.append((os.path.relpath(path, folder), printed))
        for opcode, module in instructions.single_instruction_modules(printed):
            cases.setdefault(instructions.anonymous(module), (opcode, module))
    return list(cases.values()), whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", help="the built counts_dump")
    parser.add_argument("--golden")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--corpus")
    parser.add_argument("--generate", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="1: print the modules that differ; 2: those XLA refuses, too")
    args = parser.parse_args()
    ref = reference.find_reference()
    if ref is None:
        return 77
    bad = 0
    if args.golden:
        bad += golden(args.golden, ref, args.write)
    if args.generate:
        bad += compare(args.tool, ref, generate.cases(args.generate, args.seed), args.show)
    if args.corpus:
        single, whole = corpus_cases(args.corpus, ref)
        bad += compare(args.tool, ref, single, args.show)
        print("whole modules:")
        bad += compare(args.tool, ref, whole, 0, single=False)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compiles updates of one row of each tile ahead of time for a TPU, and prints the bundles of their final code.

    updates.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. The update is that of a scan which stacks the gradients of its layers along the
second minor dimension. Its bundles are for each row of the update. `model` is what vector.update_row_cycles and
vector.update_store_cycles charge.
"""

import json
import re
import subprocess

from compile_grid import arguments_of, code_of_each, line_of

STACK = 16


def programs():
    """Yields (name, function, [(shape, type), ...])."""
    import jax

    def update(stack, row, i):
        return jax.lax.dynamic_update_slice(stack, row, (0, i, 0))

    for rows, width in ((28672, 128), (7168, 512), (3584, 1024), (3584, 4096)):
        for dtype in ("float32", "bfloat16"):
            yield (f"{dtype}, {rows} rows of {width // 128} registers", update,
                   [((rows, STACK, width), dtype), ((rows, 1, width), dtype), ((), "int32")])


def numbers(arguments):
    """The numbers of the device by path."""
    device = "tpu_v7x" if arguments.generation == "7x" else f"tpu_{arguments.generation}"
    shown = subprocess.run([arguments.hloroof, "devices", "show", device, "--format", "json"], capture_output=True, text=True,
                           check=True)
    return {parameter["path"]: parameter["value"] for parameter in json.loads(shown.stdout)["parameters"]}


def main():
    arguments = arguments_of(__doc__)
    known = numbers(arguments)
    row, store = (known[f"vector.update_{name}_cycles"] for name in ("row", "store"))
    print(f"{'update':40} {'bundles':>8} {'model':>8}")
    for name, text, ops in code_of_each(arguments, programs):
        rows, registers = map(int, re.findall(r"(\d+) (?:rows|registers)", name))
        for op in ops:
            if " dynamic-update-slice(" not in line_of(text, op) or op["busy_cycles"] is None:
                continue
            bundles = op["busy_cycles"] + op["empty_cycles"]
            print(f"{name:40} {bundles / rows:8.2f} {row + registers * store:8.2f}", flush=True)


if __name__ == "__main__":
    main()

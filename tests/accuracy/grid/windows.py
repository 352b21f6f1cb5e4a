#!/usr/bin/env python3
"""Compiles maxima over windows ahead of time for a TPU, and prints the bundles of their final code for a register of the result.

    windows.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Arrays have batch, height, width and features: tiles are of width and features.
Beside the bundles are the instructions of the ALUs and the loads and stores, for each register as well, and the opcode: the
compiler puts some of them into fusions, whose code is another.
"""

import math
import re

from compile_grid import arguments_of, code_of_each, line_of

SHAPES = [(16, 112, 112, 128), (16, 56, 56, 256), (16, 56, 56, 512), (16, 112, 224, 128), (16, 56, 56, 128)]
WINDOWS = [((3, 3), (1, 1)), ((3, 3), (2, 2)), ((3, 3), (2, 1)), ((3, 3), (1, 2)), ((2, 2), (2, 2)), ((5, 5), (1, 1)),
           ((1, 3), (1, 1)), ((1, 5), (1, 1)), ((1, 9), (1, 1)), ((1, 2), (1, 2)), ((3, 1), (1, 1))]


def maxima():
    """Yields (name, function, [(shape, type)])."""
    import jax

    for shape in SHAPES:
        for dtype in ("float32", "bfloat16"):
            for size, stride in WINDOWS if shape == SHAPES[0] else WINDOWS[:2]:
                name = f"{'x'.join(map(str, size))}, stride {'x'.join(map(str, stride))} of {dtype}{list(shape)}"
                window = lambda x, s=size, t=stride: jax.lax.reduce_window(x, -float("inf"), jax.lax.max, (1, *s, 1), (1, *t, 1), "SAME")
                yield name, window, [(shape, dtype)]


def instructions(op, unit, registers):
    """The instructions of a unit for each register."""
    return sum(u["instructions"] for u in op["units"] if u["unit"] == unit) / registers


def main():
    arguments = arguments_of(__doc__)
    print(f"{'maximum over':56} {'opcode':14} {'bundles':>8} {'ALUs':>6} {'loads':>6} {'stores':>6}")
    for name, text, ops in code_of_each(arguments, maxima):
        op = max(ops, key=lambda op: op["busy_cycles"] or 0)
        result = re.search(r"= (\w+)\[([\d,]+)\]\S* ([\w-]+)\(", line_of(text, op))
        *major, width, features = map(int, result.group(2).split(","))
        registers = math.prod(major) * math.ceil(width / 8) * math.ceil(features / 128)  # of 32-bit elements
        print(f"{name:56} {result.group(3):14} {op['busy_cycles'] / registers:8.2f} {instructions(op, 'VALU', registers):6.1f}"
              f" {instructions(op, 'VLD', registers):6.1f} {instructions(op, 'VST', registers):6.1f}", flush=True)


if __name__ == "__main__":
    main()

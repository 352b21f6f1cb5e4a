#!/usr/bin/env python3
"""Compiles reductions ahead of time for a TPU, and prints the bundles of their final code for each register of the operand.

    reductions.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Beside the bundles are the windows in which the compiler cuts the operand, and how
many loads and stores a bundle has that has some. The numbers of reductions and of VMEM in the device files are from it.
"""

import math

from compile_grid import arguments_of, code_of_each, line_of, rate, window_of

SHAPES = [(64, 256, 512), (16, 1024, 512), (256, 256, 128), (1024, 8, 1024), (8, 256, 4096), (512, 64, 256)]
AXES = [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)]


def reductions():
    """Yields (name, function, [(shape, type)])."""
    import jax.numpy as jnp

    for dtype in ("float32", "bfloat16"):
        for shape in SHAPES if dtype == "float32" else SHAPES[:1]:
            for axes in AXES:
                name = f"sum over {''.join(map(str, axes))} of {dtype}{list(shape)}"
                yield name, lambda x, a=axes: jnp.sum(x, a), [(shape, dtype)]
                if shape == SHAPES[0]:
                    squares = lambda x, a=axes: jnp.sum((x * x * (x + 1)).astype(jnp.float32), a)
                    yield name.replace("sum", "sum of x * x * (x + 1)"), squares, [(shape, dtype)]


def main():
    arguments = arguments_of(__doc__)
    registers = {name: math.prod(shapes[0][0]) / 1024 for name, _, shapes in reductions()}
    print(f"{'reduction':58} {'window':16} {'bundles':>8} {'loads':>6} {'stores':>6}")
    for name, text, ops in code_of_each(arguments, reductions):
        op = max(ops, key=lambda op: op["busy_cycles"] or 0)
        print(f"{name:58} {window_of(line_of(text, op)):16} {op['busy_cycles'] / registers[name]:8.2f}"
              f" {rate(op, 'VLD'):6.2f} {rate(op, 'VST'):6.2f}", flush=True)


if __name__ == "__main__":
    main()

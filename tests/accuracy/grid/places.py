#!/usr/bin/env python3
"""Compiles operations that move elements or add up arrays ahead of time for a TPU, and prints the bundles of their final code.

    places.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. The bundles are for each register of the result, beside the window that the text
states, and the loads and stores of a bundle that has some; `S(1)` marks results in VMEM. The numbers of shifts, of gathered rows,
of windows, of the banks of VMEM and of the stores of two cores are from it.
"""

import itertools
import math
import re

from compile_grid import arguments_of, code_of_each, line_of, rate, window_of

SHAPE = (2048, 1024)  # 256 x 8 tiles
BITS = {"f32": 32, "bf16": 16, "s8": 8}


def moves():
    """Yields (name, function, shapes) of operations that only move elements."""
    import jax
    import jax.numpy as jnp

    kept = jax.lax.optimization_barrier
    for rows, lanes in ((8, 0), (3, 0), (0, 128), (0, 7), (3, 7)):
        yield f"pad by {rows} rows, {lanes} lanes", lambda x, r=rows, c=lanes: jnp.pad(x, ((r, -r % 8), (c, -c % 128))), [SHAPE]
        yield f"slice from {rows}, {lanes}", lambda x, r=rows, c=lanes: kept(x[r:, c:]), [SHAPE]
    for width in (512, 500):
        yield (f"concatenation at lane {width}", lambda a, b: kept(jnp.concatenate([a, b], 1)),
               [(2048, width), (2048, 1024 - width)])
    for permutation in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
        yield f"transpose to {permutation}", lambda x, p=permutation: kept(jnp.transpose(x, p)), [(64, 256, 512)]
    yield "broadcast to rows", lambda x: kept(jnp.broadcast_to(x[None, :], SHAPE)), [(1024,)]
    yield "broadcast to lanes", lambda x: kept(jnp.broadcast_to(x[:, None], SHAPE)), [(2048,)]


def sums():
    """Yields (name, function, shapes) of sums of several arrays with several results, and of one that the compiler keeps in VMEM."""
    import jax

    yield "sum, and the sum of its rows", lambda x: jax.lax.optimization_barrier(x + 1).sum(0), [SHAPE]
    for shape in (SHAPE, (2040, 1152)):
        for arrays in range(1, 6):
            for results in (1, 2):
                def add(*operands, results=results):
                    total = sum(operands[1:], operands[0])
                    return tuple(total * (i + 2) for i in range(results))

                yield f"sum of {arrays} of {list(shape)}, {results} results", add, [shape] * arrays


def programs():
    """Yields (name, function, [(shape, type), ...]) of all of them in both types."""
    for dtype in ("float32", "bfloat16"):
        for name, function, shapes in itertools.chain(moves(), sums()):
            yield f"{name}, {dtype}", function, [(shape, dtype) for shape in shapes]


def registers_of(dtype, dimensions):
    """The registers of an array with tiles of 8 rows and 128 lanes."""
    *major, width = dimensions
    rows = math.prod(major[:-1]) * math.ceil((major[-1:] or [1])[0] / 8)
    return rows * math.ceil(width / 128) * BITS.get(dtype, 32) / 32


def main():
    arguments = arguments_of(__doc__)
    print(f"{'operation':52} {'op':12} {'window':10} {'bundles':>8} {'loads':>6} {'stores':>6}")
    for name, text, ops in code_of_each(arguments, programs):
        for op in ops:
            line = line_of(text, op)
            result = re.search(r"= \(?(\w+)\[([\d,]+)\].*?[})] ([\w-]+)\(%", line)
            if not result or op["busy_cycles"] is None:
                continue
            registers = registers_of(result.group(1), map(int, result.group(2).split(",")))
            place = " S(1)" if "S(1)" in result.group(0) else ""
            print(f"{name:52} {result.group(3) + place:12} {window_of(line):10} {op['busy_cycles'] / registers:8.2f}"
                  f" {rate(op, 'VLD'):6.2f} {rate(op, 'VST'):6.2f}", flush=True)


if __name__ == "__main__":
    main()

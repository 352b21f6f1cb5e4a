#!/usr/bin/env python3
"""Compiles reductions ahead of time for a TPU, and prints the bundles of their final code for each register of the operand.

    reductions.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Beside the bundles are the windows in which the compiler cuts the operand, and how
many loads and stores a bundle has that has some. The numbers of reductions and of VMEM in the device files are from it.
"""

import re
import tempfile

from compile_grid import arguments_of, chip_of, empty, ops_of_code

SHAPES = [(64, 256, 512), (16, 1024, 512), (256, 256, 128), (1024, 8, 1024), (8, 256, 4096), (512, 64, 256)]
AXES = [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)]


def reductions():
    """Yields (name, function, shape, type)."""
    import jax.numpy as jnp

    for dtype in ("float32", "bfloat16"):
        for shape in SHAPES if dtype == "float32" else SHAPES[:1]:
            for axes in AXES:
                name = f"sum over {''.join(map(str, axes))} of {dtype}{list(shape)}"
                yield name, lambda x, a=axes: jnp.sum(x, a), shape, dtype
                if shape == SHAPES[0]:
                    squares = lambda x, a=axes: jnp.sum((x * x * (x + 1)).astype(jnp.float32), a)
                    yield name.replace("sum", "sum of x * x * (x + 1)"), squares, shape, dtype


def rate(op, unit):
    """The instructions of a unit in each bundle that has some."""
    return next((u["instructions"] / u["cycles"] for u in op["units"] if u["unit"] == unit and u["cycles"]), 0)


def main():
    arguments = arguments_of(__doc__)
    with tempfile.TemporaryDirectory() as dump:
        chip = chip_of(arguments.generation, dump)
        import jax

        on_chip = jax.sharding.SingleDeviceSharding(chip)
        print(f"{'reduction':58} {'window':16} {'bundles':>8} {'loads':>6} {'stores':>6}")
        for name, function, shape, dtype in reductions():
            if not re.search(arguments.only, name):
                continue
            empty(dump)
            operand = jax.ShapeDtypeStruct(shape, dtype, sharding=on_chip)
            text = jax.jit(function, out_shardings=on_chip).lower(operand).compile().as_text()
            op = max(ops_of_code(arguments.hloroof, arguments.generation, dump), key=lambda op: op["busy_cycles"] or 0)
            line = next((line for line in text.splitlines() if f"{op['op']} = " in line), "")
            window = re.search(r'"output_window_bounds":\[([^\]]*)\]', line)
            registers = shape[0] * shape[1] * shape[2] / 1024
            print(f"{name:58} {window.group(1).replace(chr(34), '') if window else '':16} {op['busy_cycles'] / registers:8.2f}"
                  f" {rate(op, 'VLD'):6.2f} {rate(op, 'VST'):6.2f}", flush=True)


if __name__ == "__main__":
    main()

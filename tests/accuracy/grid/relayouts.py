#!/usr/bin/env python3
"""Compiles copies that change a layout ahead of time for a TPU, and compares their final code with the model.

    relayouts.py HLOROOF GENERATION        (GENERATION: v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Prints for each copy the time of its final code, with transfers at the rate of
HBM that `hloroof bundles` assumes, and that of the model.
"""

import sys
import tempfile

from compile_grid import chip_of, empty, ops_of_code

# shape, dimensions of the operand and of the result with the slowest first, type
COPIES = [
    ((768, 768, 256), (0, 2, 1), (0, 1, 2), "float32"),
    ((5, 3328, 1536), (0, 2, 1), (0, 1, 2), "float32"),
    ((4096, 4096), (1, 0), (0, 1), "float32"),
    ((4096, 4096), (1, 0), (0, 1), "bfloat16"),
    ((4, 4096, 8, 256), (0, 1, 2, 3), (0, 2, 3, 1), "bfloat16"),
    ((32, 512, 32, 64), (0, 2, 3, 1), (0, 2, 1, 3), "bfloat16"),
    ((32, 512, 32, 64), (0, 1, 2, 3), (0, 2, 3, 1), "bfloat16"),
]
ROWS = (8192, 1536)  # of bf16, one below the other in a tile, that become rows of f32 with a tile each


def main():
    hloroof, generation = sys.argv[1:]
    with tempfile.TemporaryDirectory() as dump:
        chip = chip_of(generation, dump)
        import jax
        import jax.numpy as jnp
        from jax.experimental.layout import Format, Layout

        on_chip = jax.sharding.SingleDeviceSharding(chip)

        def report(what, function, operand, result):
            empty(dump)
            jax.jit(function, out_shardings=result).lower(operand).compile()
            op = max(ops_of_code(hloroof, generation, dump), key=lambda op: op["seconds"] or 0)
            model = op["model_seconds"]
            print(f"{what:58} {op['seconds'] * 1e6:8.1f} us  model {model * 1e6:8.1f} us  {op['seconds'] / model:5.2f}")

        for shape, before, after, dtype in COPIES:
            operand = jax.ShapeDtypeStruct(shape, dtype, sharding=Format(Layout(before), on_chip))
            report(f"{dtype}{list(shape)} {before} to {after}", lambda x: x.copy(), operand, Format(Layout(after), on_chip))
        rows, columns = ROWS
        report(f"rows of {rows} x {columns} with a tile each", lambda x: x.astype(jnp.float32).reshape(rows, 1, columns),
               jax.ShapeDtypeStruct(ROWS, jnp.bfloat16, sharding=on_chip), on_chip)


if __name__ == "__main__":
    main()

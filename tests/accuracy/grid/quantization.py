#!/usr/bin/env python3
"""Compiles conversions to narrow types ahead of time for a TPU, and prints the operations of their final code.

    quantization.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Bundles and operations of the ALUs are for each register of 32-bit elements. The
weights of `vector.weights` that end in -rounded and -symmetric are from it.
"""

from compile_grid import arguments_of, code_of_each

SHAPE = (2048, 1024)
REGISTERS = SHAPE[0] * SHAPE[1] / 1024


def conversions():
    """Yields (name, function)."""
    import jax.numpy as jnp

    for name, to, low, high in (("s8", jnp.int8, -127, 127), ("s4", jnp.int4, -7, 7), ("u8", jnp.uint8, 0, 255),
                                ("s32", jnp.int32, -127, 127)):
        yield f"{name}", lambda x, to=to: x.astype(to)
        yield f"rounded {name}", lambda x, to=to: jnp.round(x).astype(to)
        for order, f in {
                "rounded, clamped": lambda x, a, b: jnp.clip(jnp.round(x), a, b),
                "clamped, rounded": lambda x, a, b: jnp.round(jnp.clip(x, a, b)),
                "clamped": jnp.clip,
        }.items():
            yield f"{order} {name}", lambda x, f=f, to=to, a=low, b=high: f(x, a, b).astype(to)
        yield f"rounded, clamped to 1e6 {name}", lambda x, to=to: jnp.clip(jnp.round(x), -1e6, 1e6).astype(to)
    yield "rounded", jnp.round
    yield "clamped to +-127", lambda x: jnp.clip(x, -127, 127)
    yield "clamped to -1, 127", lambda x: jnp.clip(x, -1, 127)


def programs():
    """Yields (name, function, [(shape, type)]) in both types."""
    for dtype in ("float32", "bfloat16"):
        for name, function in conversions():
            yield f"{name}, {dtype}", function, [(SHAPE, dtype)]


def main():
    arguments = arguments_of(__doc__)
    print(f"{'operation':44} {'bundles':>8} {'operations':>11}")
    for name, _, ops in code_of_each(arguments, programs):
        for op in ops:
            if op["busy_cycles"] is None:
                continue
            alu = sum(unit["instructions"] for unit in op["units"] if unit["unit"] == "VALU")
            print(f"{name:44} {op['busy_cycles'] / REGISTERS:8.2f} {alu / REGISTERS:11.2f}", flush=True)


if __name__ == "__main__":
    main()

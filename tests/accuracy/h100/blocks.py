"""Compiles loops and concatenations ahead of time for an H100, and prints their blocks of threads beside those of the model.

    python3 blocks.py h100.txtpb hloroof          (jax, jax-cuda12-plugin and jax-cuda12-pjrt 0.10.2; no GPU)

h100.txtpb is XLA's description of the GPU (xla/backends/gpu/target_config/specs). Prints a line for each kernel that XLA calls a loop
or a concatenation: its name, its blocks and the threads of one (`thunk_sequence.txt`), the elements of the result for each thread, and
the blocks that `hloroof explain` counts. Ends with 1 if two of these differ.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

DUMP = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = f"--xla_dump_to={DUMP} --xla_dump_hlo_as_text"

from ahead import on_one_device  # noqa: E402  after the flags
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

SQUARE = (8192, 8192)
F32, BF16, S8, S32 = "float32", "bfloat16", "int8", "int32"


def programs():
    """Yields (name, function, [(shape, type), ...])."""
    one = [(SQUARE, F32)]
    for name in ("exp", "tanh", "sin", "cos", "tan", "log1p"):
        yield name, getattr(jnp, name), one
    yield "power", jnp.power, one * 2
    for dtype in (F32, BF16, S8):
        yield f"add_{dtype}", lambda a: a + 1, [(SQUARE, dtype)]
        yield f"zeros_{dtype}", lambda a, t=dtype: jnp.zeros(SQUARE, t) + a, [((), dtype)]
    for shape in ((8191, 8191), (8191, 8190), (8192, 8193), (2048, 1020)):
        yield "add_{}_{}".format(*shape), lambda a: a + 1, [(shape, F32)]
    yield "two_results", lambda a: (a + 1, a * 2), [(SQUARE, BF16)]
    yield "to_f8", lambda a: a.astype("float8_e4m3fn"), [(SQUARE, BF16)]
    yield "reverse", lambda a: a[::-1], [(SQUARE, BF16)]
    yield "pad", lambda a: jnp.pad(a, ((0, 0), (3, 2))), one
    yield "select", lambda a, b: jnp.where(a > 0, a, b), [(SQUARE, BF16)] * 2
    yield "rows", lambda a, i: a[i], [((65536, 4096), BF16), ((16384,), S32)]
    yield "elements", lambda a, i: a[i], [((67108864,), F32), ((16777216,), S32)]
    zero = lambda: jnp.int32(0)  # noqa: E731
    yield ("update", lambda a, b, i: jax.lax.dynamic_update_slice(a, b, (i, zero())),
           [(SQUARE, BF16), ((2048, 8192), BF16), ((), S32)])
    yield "slice", lambda a, i: jax.lax.dynamic_slice(a, (i, zero()), (2048, 8192)) * 2, [(SQUARE, BF16), ((), S32)]
    for window, stride in (((1, 9), (1, 1)), ((3, 3), (2, 2))):
        yield (f"windows_{window[0]}", lambda a, w=window, s=stride: jax.lax.reduce_window(a, 0.0, jax.lax.add, w, s, "SAME"),
               one)
    for shift, width in ((5, 8192), (6, 8192), (8, 8192), (4, 8192), (5, 8195), (64, 128)):
        yield f"roll_{shift}_{width}", lambda a, s=shift: jnp.roll(a, s, 1), [((8192, width), BF16)]
    for parts, width in ((2, 513), (3, 513), (4, 514), (5, 514), (10, 512), (12, 512)):
        yield f"join_{parts}_{width}", lambda *a: jnp.concatenate(a, 1), [((8192, width), F32)] * parts
    three = [((8192, 513), F32)] * 3
    yield "join_and_add", lambda *a: jnp.concatenate([x * 2 for x in a], 1) + 1, three
    yield "join_twice", lambda a, b, c: jnp.concatenate([jnp.exp(a), b, c], 1) * jnp.concatenate([c, b, a], 1), three


def blocks_of_model(hloroof, text):
    """By the name of each op: the blocks that the model counts."""
    told = subprocess.run([hloroof, "predict", text, "--device", "h100_sxm", "--format", "json"], capture_output=True, text=True,
                          check=True)
    prediction = json.loads(told.stdout)

    def blocks(term):
        if term["name"] == "blocks of threads started":
            return term["amount"]
        return max((blocks(child) for child in term.get("children", [])), default=0)

    return {op["name"]: blocks(prediction["terms"][op["terms"]]) for op in prediction["ops"] if op["terms"] is not None}


def main():
    description, hloroof = sys.argv[1:]
    sharding = on_one_device(description)
    print(f"{'program':18} {'kernel':36} {'blocks':>9} {'threads':>7} {'elements':>8} {'model':>9}")
    differ = 0
    for name, function, shapes in programs():
        def program(*arguments, function=function):
            return function(*arguments)

        program.__name__ = f"p_{name}"
        operands = [jax.ShapeDtypeStruct(shape, dtype, sharding=sharding) for shape, dtype in shapes]
        jax.jit(program, out_shardings=sharding).lower(*operands).compile()
        (thunks,) = glob.glob(f"{DUMP}/*.jit_p_{name}.thunk_sequence.txt")
        (text,) = glob.glob(f"{DUMP}/*.jit_p_{name}.*gpu_after_optimizations.txt")
        model = blocks_of_model(hloroof, text)
        with open(text) as file:
            loops = {m[1]: m[2] for m in re.finditer(r"%(\S+) = \(?\w+\[([\d,]*)\].*kind=k(?:Loop|Input)", file.read())}
        with open(thunks) as file:
            launches = re.findall(r"\] (\S+) grid: \[(\d+), \d+, \d+\] threads: \[(\d+),", file.read())
        for kernel, grid, threads in launches:
            if kernel not in loops:
                continue
            elements = 1
            for size in filter(None, loops[kernel].split(",")):
                elements *= int(size)
            differ += int(grid) != model[kernel]
            print(f"{name:18} {kernel:36} {grid:>9} {threads:>7} {elements / int(grid) / int(threads):8.2f} {model[kernel]:9.0f}")
    print(f"{differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())

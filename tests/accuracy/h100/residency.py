"""Compiles fusions of long rows ahead of time for an H100, and asks ptxas for their registers.

    python3 residency.py h100.txtpb ptxas       (jax and jax-cuda12-plugin 0.10.2; no GPU)

h100.txtpb is XLA's description of the GPU (xla/backends/gpu/target_config/specs). Prints a line for each program: the
elements and the registers of a thread, the blocks that a multiprocessor holds of which the registers are the limit, and
the instructions of PTX for each element.
"""

import glob
import math
import os
import re
import sys
import tempfile

from ahead import on_one_device, registers
import jax
import jax.numpy as jnp
from norms import layer_norm, rms_norm

REGISTERS = 65536  # of a multiprocessor; a thread has a multiple of 8 (CUDA C++ Programming Guide, compute capability 9.0)
f32 = jnp.float32


def softmax(x):
    return jax.nn.softmax(x, -1)


def masked(x):
    mask = jnp.tril(jnp.ones(x.shape[-2:], bool))
    return jax.nn.softmax(jnp.where(mask, x.astype(f32) / 8, -1e9), -1).astype(x.dtype)


def gradient(x, t):
    return jax.vjp(lambda x: jax.nn.softmax(x.astype(f32), -1).astype(x.dtype), x)[1](t)


def programs():
    for name, dtype in {"bf16": jnp.bfloat16, "f32": f32}.items():
        for columns in (4096, 8192, 16384):
            x = ((2**26 // columns, columns), dtype)
            vector = ((columns,), f32)
            if columns != 8192:
                yield f"r_softmax_{name}_{columns}", softmax, x
            yield f"r_ln_{name}_{columns}", layer_norm, x, vector, vector
            yield f"r_rms_{name}_{columns}", rms_norm, x, vector
        x = ((192, 1024, 1024), dtype)
        yield f"att_sm_{name}", masked, x
        yield f"att_smb_{name}", gradient, x, x


def main():
    sharding = on_one_device(sys.argv[1])
    for name, function, *arrays in programs():
        arguments = [jax.ShapeDtypeStruct(shape, dtype, sharding=sharding) for shape, dtype in arrays]
        with tempfile.TemporaryDirectory() as folder:
            lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cuda",))
            text = lowered.compile(compiler_options={"xla_dump_to": folder}).as_text()
            ptx = max(glob.glob(folder + "/*.ptx"), key=os.path.getsize)
            used, spilled = next(iter(registers(sys.argv[2], ptx).values()))
            with open(ptx) as file:
                instructions = len(re.findall(r"^\s+(?:@\S+ )?[a-z][\w.]*\s.*;", file.read(), re.M))
        warps, tile = re.search(r'"num_warps":"(\d+)","output_tiles":\[\{"sizes":\[([^\]]*)\]', text).groups()
        threads = 32 * int(warps)
        elements = math.prod(int(size.strip('"')) for size in tile.split(",")) // threads
        blocks = REGISTERS // (threads * -(-used // 8) * 8)
        print(f"{name:22} {elements:3} {used:4} {blocks:3} {instructions / elements:6.1f} {spilled}")


if __name__ == "__main__":
    main()

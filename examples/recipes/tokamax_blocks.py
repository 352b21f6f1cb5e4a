"""tokamax: which block sizes suit its ragged product for a mixture of experts, without a chip to tune on?

    pip install tokamax jax libtpu hloroof
    python examples/recipes/tokamax_blocks.py

tokamax.autotune runs the kernel on the TPU that is there. Here libtpu compiles it for one that is not, and hloroof follows its body.
How the rows fall to the experts is data: the prediction assumes a list that callers make, and says so.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from tokamax.config import cross_compile
from tokamax.ops.tpu import RaggedDot, RaggedDotConfig

import hloroof

DEVICE = "tpu_v6e"
TOKENS, EXPERTS, WIDTH, HIDDEN = 8192, 16, 2048, 4096


def experts(x, weights, rows, *, tile_m, tile_k, tile_n):
    product = RaggedDot(config=RaggedDotConfig(tile_m=tile_m, tile_k=tile_k, tile_n=tile_n))
    return product(x, weights, group_sizes=rows, preferred_element_type=jnp.bfloat16)


arguments = [
    jax.ShapeDtypeStruct((TOKENS, WIDTH), jnp.bfloat16),
    jax.ShapeDtypeStruct((EXPERTS, WIDTH, HIDDEN), jnp.bfloat16),
    jax.ShapeDtypeStruct((EXPERTS,), jnp.int32),
]
tiles = {"tile_m": [128, 512], "tile_k": [2048], "tile_n": [512, 1024, 2048]}
with cross_compile(True):  # tokamax does not ask which device is there
    default = hloroof.kernel(experts, arguments, DEVICE, tile_m=128, tile_k=128, tile_n=128)
    sweep = hloroof.sweep_kernel(experts, arguments, DEVICE, tiles)
print(f"in blocks of 128: {default.seconds * 1e3:.2f} ms, bound by {default.bound}")
for assumption in default.calls[0].assumptions:
    print(f"assumed: {assumption}")
print(sweep)

# %% [markdown]
# # Which block sizes suit this kernel?
#
# A Pallas matmul is priced before it has run anywhere: JAX traces it, libtpu compiles it for a TPU that is not there, and
# hloroof follows the kernel's body step by step. A sweep ranks block sizes, and says why some cannot run.
#
# Needs `pip install jax libtpu hloroof`. The cells run in a notebook or as a script.

# %%
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import hloroof

# %% [markdown]
# The kernel: `z = x @ y` by blocks, with the sum over `k` in scratch memory.


# %%
def add_product(x, y, z, total):
    @pl.when(pl.program_id(2) == 0)
    def _():
        total[...] = jnp.zeros_like(total)

    total[...] += jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        z[...] = total[...].astype(z.dtype)


def matmul(x, y, *, block_m, block_n, block_k):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        add_product,
        grid=(m // block_m, n // block_n, k // block_k),
        in_specs=[
            pl.BlockSpec((block_m, block_k), lambda i, j, k: (i, k)),
            pl.BlockSpec((block_k, block_n), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((block_m, block_n), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((block_m, block_n), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
    )(x, y)


ARGUMENTS = [jax.ShapeDtypeStruct((8192, 8192), jnp.bfloat16)] * 2

# %% [markdown]
# One configuration. `print(p.step)` shows the whole report, and `p.step.terms_of(p.calls[0].op)` has the time of each part of the body.

# %%
p = hloroof.kernel(matmul, ARGUMENTS, "tpu_v6e", block_m=512, block_n=512, block_k=512)
print(p)

# %% [markdown]
# All combinations, fastest first.

# %%
sweep = hloroof.sweep_kernel(
    matmul, ARGUMENTS, "tpu_v6e", {"block_m": [512, 1024, 2048], "block_n": [512, 1024, 2048], "block_k": [512, 1024]}
)
print(sweep)

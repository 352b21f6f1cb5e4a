# %% [markdown]
# # One function on three TPU generations
#
# Which TPU suits this layer? `hloroof.jax.compile_for` compiles ahead of time, so no TPU is needed. The compiler of each
# generation decides fusions and layouts, and hloroof predicts how long the result takes.
#
# Needs `pip install jax libtpu hloroof`. The cells run in a notebook or as a script.

# %%
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp

import hloroof.jax

# %% [markdown]
# The program: a gated feed-forward layer in bf16, 4096 tokens.


# %%
def layer(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


ARGUMENTS = [
    jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in [(4096, 4096), (4096, 14336), (4096, 14336), (14336, 4096)]
]

# %% [markdown]
# The predictions. A notebook draws a prediction if it is the last expression of a cell. These are the headlines.

# %%
predictions = {
    name: hloroof.jax.compile_for(layer, ARGUMENTS, name).predict() for name in ("tpu_v5e", "tpu_v5p", "tpu_v6e")
}

print(f"{'':10}{'step ms':>9}{'MFU':>8}  bound")
for name, p in predictions.items():
    print(f"{name:10}{p.step_seconds * 1e3:9.3f}{p.mfu:8.1%}  {p.bound}")

# %% [markdown]
# Which ops take the time on the slowest, and would faster memory help it?

# %%
slowest = max(predictions.values(), key=lambda p: p.step_seconds)
for op in slowest.top_ops(3):
    print(f"{op.exposed_seconds * 1e3:9.3f} ms  {op.bound:8} {op.name}")
print(slowest.sweep(set={"hbm.bandwidth": ["1x", "2x"]}))

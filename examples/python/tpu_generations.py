# %% [markdown]
# # One function on three TPU generations
#
# Which TPU suits this layer? JAX compiles ahead of time for a named topology, so no TPU is needed. The compiler of each
# generation decides fusions and layouts, and hloroof predicts how long the result takes.
#
# Needs `pip install jax libtpu hloroof`. The cells run in a notebook or as a script.

# %%
import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")  # not a TPU VM, so there is no metadata server

import jax
import jax.numpy as jnp
from jax.experimental import topologies

import hloroof

# %% [markdown]
# The program: a gated feed-forward layer in bf16, 4096 tokens.


# %%
def layer(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


SHAPES = [(4096, 4096), (4096, 14336), (4096, 14336), (14336, 4096)]

# %% [markdown]
# The smallest topology of each generation. The program is compiled for one of its chips.

# %%
GENERATIONS = {"tpu_v5e": "v5e:2x2", "tpu_v5p": "v5p:2x2x1", "tpu_v6e": "v6e:2x2"}


@functools.cache
def compile_for(topology: str):
    device = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices[0]
    sharding = jax.sharding.SingleDeviceSharding(device)
    arguments = [jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=sharding) for shape in SHAPES]
    return jax.jit(layer).lower(*arguments).compile()


# %% [markdown]
# The predictions. A notebook shows a prediction as a table if it is the last expression of a cell. These are the headlines.

# %%
predictions = {name: hloroof.predict_step_time(compile_for(topology), name) for name, topology in GENERATIONS.items()}

print(f"{'':10}{'step ms':>9}{'MFU':>8}  bound")
for name, p in predictions.items():
    print(f"{name:10}{p.step_seconds * 1e3:9.3f}{p.mfu:8.1%}  {p.bound}")

# %% [markdown]
# Which ops take the time? One table has the rows of all predictions.

# %%
rows = [row for p in predictions.values() for row in p.records()]

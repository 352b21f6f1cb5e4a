# %% [markdown]
# # From a function to a decision
#
# Which mesh suits this layer on 16 chips, and what limits it there? Nothing runs on a TPU: `hloroof.jax.compile_for` compiles
# ahead of time, and the prediction answers further questions.
#
# Needs `pip install jax libtpu hloroof`. The cells run in a notebook or as a script.

# %%
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import hloroof.jax


def layer(weights, x):
    hidden = jax.nn.silu(x @ weights["gate"]) * (x @ weights["up"])
    return jax.lax.with_sharding_constraint(hidden @ weights["down"], P("data", None))


def array(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.bfloat16)


ARGUMENTS = ({"gate": array(4096, 14336), "up": array(4096, 14336), "down": array(14336, 4096)}, array(32768, 4096))
SHARDINGS = ({"gate": P("data", "model"), "up": P("data", "model"), "down": P("model", "data")}, P("data", None))

# %% [markdown]
# Two meshes. The first compile of each takes seconds; then it is in the cache.

# %%
by_mesh = {}
for data, model in [(16, 1), (4, 4)]:
    compiled = hloroof.jax.compile_for(
        layer, ARGUMENTS, "tpu_v5e:4x4", mesh={"data": data, "model": model}, in_shardings=SHARDINGS
    )
    by_mesh[f"{data} x {model}"] = compiled.predict()

for mesh, p in by_mesh.items():
    print(f"{mesh:8}{p.step_seconds * 1e3:9.3f} ms  bound by {p.bound}, {p.exposed_communication_seconds * 1e3:.3f} ms exposed")

# %% [markdown]
# A notebook draws a prediction if it is the last expression of a cell: `by_mesh["4 x 4"]`. What does the other mesh change?

# %%
wide, square = by_mesh.values()
change = wide.diff(square, limit=3)
print(change["step_change_seconds"] * 1e3, "ms")
print(change)

# %% [markdown]
# Where does the longest op get its time from, and what if links were twice as fast?

# %%
print(square.explain(square.top_ops(1)[0].name)["op"]["bound"])
print(square.what_if(set={"ici.link_bandwidth": "2x"}).step_seconds / square.step_seconds)
print(square.sweep(devices=["tpu_v5e:4x4", "tpu_v6e:4x4"], set={"hbm.bandwidth": ["1x", "2x"]}))
square.html("step.html")  # the page, with an explanation of every op

"""Makes the dumps mlp_step.v5e_*.hlo of this folder: one training step of two layers with fully sharded weights (FSDP).

    python tests/scale/mlp_step.py 8 16

Needs JAX, libtpu and the Python package hloroof; made with JAX 0.12.0 and libtpu 0.0.52.
"""
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import hloroof.jax

TOPOLOGIES = {4: "2x2", 8: "2x4", 16: "4x4", 32: "4x8"}
WIDTH, HIDDEN, BATCH = 2048, 8192, 1024
SHARDINGS = {"up": P("data"), "down": P(None, "data")}
# Products that pass blocks round a ring have as many steps as the ring has devices, which is another program at each size.
OPTIONS = {"xla_jf_spmd_threshold_for_windowed_einsum_mib": "1000000"}


def loss(weights, x):
    weights = jax.tree.map(lambda w: w.astype(jnp.bfloat16), weights)
    y = x + jax.nn.relu(x @ weights["up"]) @ weights["down"]
    return jnp.mean(jnp.square(y.astype(jnp.float32)))


def step(weights, x):
    return jax.tree.map(lambda w, g: w - 1e-3 * g, weights, jax.grad(loss)(weights, x))


def compiled(devices):
    weights = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in {"up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}.items()}
    program = hloroof.jax.compile_for(
        step,
        (weights, jax.ShapeDtypeStruct((BATCH * devices, WIDTH), jnp.bfloat16)),
        "tpu_v5e:" + TOPOLOGIES[devices],
        mesh={"data": devices},
        in_shardings=(SHARDINGS, P("data")),
        out_shardings=SHARDINGS,
        donate_argnums=0,
        options=OPTIONS,
    )
    return without_places(program.as_text())


def without_places(text):
    """Without the tables of source files, which name paths."""
    text = re.sub(r"\n\nFileNames\n.*?StackFrames\n.*?\n\n", "\n\n", text, flags=re.DOTALL)
    return re.sub(r", metadata=\{stack_frame_id=\d+\}| stack_frame_id=\d+", "", text)


if __name__ == "__main__":
    for count in map(int, sys.argv[1:]):
        pathlib.Path(__file__).with_name(f"mlp_step.v5e_{count}.hlo").write_text(compiled(count))

"""Makes the dumps ring_step.v5e_*.hlo of this folder: two products whose weights go round a ring of devices, block by block.

    python tests/scale/ring_step.py 4 8

Needs JAX, libtpu and the Python package hloroof; made with JAX 0.12.0 and libtpu 0.0.52.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

import hloroof.jax
from mlp_step import TOPOLOGIES, without_places

WIDTH, HIDDEN, BATCH = 4096, 8192, 1024


def ring_product(x, block):
    """x @ w, of whose rows each device has a block."""
    count, here, rows = lax.axis_size("data"), lax.axis_index("data"), block.shape[0]

    def round_of(i, carried):
        total, block = carried
        columns = lax.dynamic_slice(x, (0, (here - i) % count * rows), (x.shape[0], rows))
        return total + columns @ block, lax.ppermute(block, "data", [(j, (j + 1) % count) for j in range(count)])

    zero = lax.pcast(jnp.zeros((x.shape[0], block.shape[1]), x.dtype), ("data",), to="varying")
    return lax.fori_loop(0, count, round_of, (zero, block))[0]


def step(weights, x):
    y = ring_product(jax.nn.gelu(ring_product(x, weights["up"])), weights["down"])
    return jax.tree.map(lambda w: w * 0.99, weights), y


def compiled(devices):
    specs = (P("data"), P("data"))

    def everywhere(weights, x):
        return jax.shard_map(step, mesh=jax.sharding.get_abstract_mesh(), in_specs=specs, out_specs=specs)(weights, x)

    shapes = {"up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}
    weights = {name: jax.ShapeDtypeStruct(shape, jnp.bfloat16) for name, shape in shapes.items()}
    program = hloroof.jax.compile_for(
        everywhere,
        (weights, jax.ShapeDtypeStruct((BATCH * devices, WIDTH), jnp.bfloat16)),
        "tpu_v5e:" + TOPOLOGIES[devices],
        mesh={"data": devices},
        in_shardings=specs,
        out_shardings=specs,
        donate_argnums=0,
    )
    return without_places(program.as_text())


if __name__ == "__main__":
    for count in map(int, sys.argv[1:]):
        pathlib.Path(__file__).with_name(f"ring_step.v5e_{count}.hlo").write_text(compiled(count))

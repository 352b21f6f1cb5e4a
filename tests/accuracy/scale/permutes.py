"""Shows what libtpu makes of rings by the number of devices.

    python permutes.py

compiles two programs ahead of time for topologies of several TPUs, and prints a row for each: whether the permutes of a ring that the
program itself has (lax.ppermute in a loop) have a start and a done, and how many permutes and gathers the products of two layers with
sharded weights become (rings of products, windowed einsums). The numbers are in data/hardware (`ici.async_permute_devices`) and in
lib/scale/rounds.cc. Needs JAX, libtpu and the Python package hloroof.
"""
import re

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

import compiled_sizes
import hloroof.jax

OWN = [("tpu_v5e", t) for t in ("2x2", "2x4", "4x4", "4x8", "8x8", "16x16")] + [("tpu_v6e", "4x4"), ("tpu_v6e", "4x8"), ("tpu_v5p", "4x4x4")]
PRODUCTS = [("tpu_v5e", t) for t in ("2x2", "2x4", "4x4", "4x8", "8x8")] + [("tpu_v6e", "2x2"), ("tpu_v6e", "4x4"), ("tpu_v5p", "4x4x4")]


def devices_of(topology):
    count = 1
    for size in topology.split("x"):
        count *= int(size)
    return count


def own_ring(x):
    def everywhere(block):
        count = lax.axis_size("data")

        def round_of(_, carried):
            total, block = carried
            return total + block @ block, lax.ppermute(block, "data", [(i, (i + 1) % count) for i in range(count)])

        zero = lax.pcast(jnp.zeros(block.shape, block.dtype), ("data",), to="varying")
        return lax.fori_loop(0, count, round_of, (zero, block))[0]

    return jax.shard_map(everywhere, mesh=jax.sharding.get_abstract_mesh(), in_specs=P("data"), out_specs=P("data"))(x)


def counts(text):
    return [len(re.findall(rf" {opcode}\(", text)) for opcode in ("collective-permute", "collective-permute-start", "all-gather")]


def row(what, device, topology, program):
    waited, started, gathers = counts(program.as_text())
    print(f"| {what} | {device} | {devices_of(topology)} | {waited} | {started} | {gathers} |", flush=True)


if __name__ == "__main__":
    print("| program | device | devices | permutes without a start | with one | all-gathers |\n|---|---|---|---|---|---|")
    for device, topology in OWN:
        count = devices_of(topology)
        x = jax.ShapeDtypeStruct((1024 * count, 1024), jnp.bfloat16)
        program = hloroof.jax.compile_for(own_ring, (x,), f"{device}:{topology}", mesh={"data": count}, in_shardings=P("data"))
        row("its own ring", device, topology, program)
    for device, topology in PRODUCTS:
        step = compiled_sizes.rings_of(devices_of(topology))
        row("products", device, topology, compiled_sizes.compile_step(step, f"{device}:{topology}", devices_of(topology)))

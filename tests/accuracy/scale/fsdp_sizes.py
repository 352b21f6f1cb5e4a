"""Compares scaled programs with compiled ones at four sizes.

    python fsdp_sizes.py build/release/hloroof

compiles training steps with fully sharded weights (FSDP) ahead of time for 4, 8, 16 and 32 devices of a TPU v5e, predicts each, predicts
what `hloroof scale` makes of those for 16 and for 8, and writes the tables of README.md beside this file. One step is of a stack of
transformer blocks, and one of two layers whose products pass blocks round a ring. Needs JAX, libtpu and the Python package hloroof.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import hloroof.jax

TOPOLOGIES = {4: "2x2", 8: "2x4", 16: "4x4", 32: "4x8"}
GIVEN = (16, 8)
# From how many MiB of an operand on a product passes blocks round a ring, in place of a gather before it or a sum after it.
THRESHOLD = "xla_jf_spmd_threshold_for_windowed_einsum_mib"
LAYERS, WIDTH, HIDDEN, HEADS, SEQUENCE, BATCH = 8, 2048, 8192, 16, 2048, 4


def shapes():
    def weight(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    return {
        "qkv": weight(LAYERS, WIDTH, 3 * WIDTH),
        "out": weight(LAYERS, WIDTH, WIDTH),
        "up": weight(LAYERS, WIDTH, HIDDEN),
        "down": weight(LAYERS, HIDDEN, WIDTH),
    }


def shardings():
    return {"qkv": P(None, "data"), "out": P(None, "data"), "up": P(None, "data"), "down": P(None, None, "data")}


def normalized(x):
    return (x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6)).astype(x.dtype)


def block(x, weights):
    weights = jax.tree.map(lambda w: w.astype(jnp.bfloat16), weights)
    q, k, v = jnp.split(normalized(x) @ weights["qkv"], 3, -1)
    q, k, v = (a.reshape(*a.shape[:2], HEADS, -1) for a in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 11.0
    mask = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    attention = jax.nn.softmax(jnp.where(mask, scores.astype(jnp.float32), -1e30), -1).astype(x.dtype)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", attention, v).reshape(x.shape) @ weights["out"]
    return x + jax.nn.gelu(normalized(x) @ weights["up"]) @ weights["down"], None


def loss(weights, x):
    x, _ = jax.lax.scan(jax.checkpoint(block), x, weights)
    return jnp.mean(jnp.square(x.astype(jnp.float32)))


def step(state, x):
    gradients = jax.grad(loss)(state["weights"], x)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], gradients)
    weights = jax.tree.map(lambda w, m: w - 1e-3 * m, state["weights"], momentum)
    return {"weights": weights, "momentum": momentum}


def ring_step(weights, x):
    def loss(weights):
        y = jax.nn.gelu(x @ weights["up"]) @ weights["down"]
        return jnp.mean(jnp.square(y.astype(jnp.float32)))

    return jax.tree.map(lambda w, g: w - 1e-3 * g, weights, jax.grad(loss)(weights))


def blocks_of(devices):
    """The step of the blocks, its arguments, their shardings, and from how many MiB on products are rings."""
    state = {"weights": shapes(), "momentum": shapes()}
    x = jax.ShapeDtypeStruct((BATCH * devices, SEQUENCE, WIDTH), jnp.bfloat16)
    return step, (state, x), {"weights": shardings(), "momentum": shardings()}, "1000000"


def rings_of(devices):
    weights = {"up": jax.ShapeDtypeStruct((4096, 16384), jnp.bfloat16), "down": jax.ShapeDtypeStruct((16384, 4096), jnp.bfloat16)}
    x = jax.ShapeDtypeStruct((2048 * devices, 4096), jnp.bfloat16)
    return ring_step, (weights, x), {"up": P("data"), "down": P("data")}, "0"


def compiled(program, devices, folder):
    function, arguments, state_shardings, threshold = program(devices)
    done = hloroof.jax.compile_for(
        function,
        arguments,
        "tpu_v5e:" + TOPOLOGIES[devices],
        mesh={"data": devices},
        in_shardings=(state_shardings, P("data")),
        out_shardings=state_shardings,
        donate_argnums=0,
        options={THRESHOLD: threshold},
    )
    path = folder / f"{program.__name__}.v5e-{devices}.hlo"
    path.write_text(done.as_text())
    return path


def answer(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--device", "tpu_v5e", "--format", "json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main(command, folder, program):
    lines = ["| devices | compiled, predicted | scaled from 16, predicted | | scaled from 8, predicted | |", "|---|---|---|---|---|---|"]
    paths = {devices: compiled(program, devices, folder) for devices in TOPOLOGIES}
    for devices, path in paths.items():
        step_seconds = answer(command, "predict", path)["step_seconds"]
        cells = [str(devices), f"{step_seconds * 1e3:.1f} ms"]
        for given in GIVEN:
            if devices == given:
                cells += ["", ""]
                continue
            scaled = answer(command, "scale", paths[given], "--axis", f"data={devices}")["scaled"]["step_seconds"]
            cells += [f"{scaled * 1e3:.1f} ms", f"{(scaled / step_seconds - 1) * 100:+.1f} %"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    readme = pathlib.Path(__file__).with_name("README.md")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(temporary)
        for mark, program in (("table", blocks_of), ("rings", rings_of)):
            table = main(sys.argv[1], folder, program)
            before, _, rest = readme.read_text().partition(f"<!-- {mark} -->\n")
            after = rest.partition(f"<!-- end of {mark} -->\n")[2]
            readme.write_text(f"{before}<!-- {mark} -->\n{table}<!-- end of {mark} -->\n{after}")
            print(table, end="")

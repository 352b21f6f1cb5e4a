"""Compares scaled programs with compiled ones at four sizes.

    python compiled_sizes.py build/release/hloroof [FOLDER]

compiles training steps ahead of time for 4, 8, 16 and 32 devices of a TPU v5e, predicts each, predicts what `hloroof scale` makes
of the program of each size for each other size, and writes the tables of README.md beside this file. FOLDER keeps the programs, and
those that it has are not compiled again. Needs JAX, libtpu and the Python package hloroof.
"""
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Callable, Optional, Sequence

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import hloroof.jax

TOPOLOGIES = {4: "2x2", 8: "2x4", 16: "4x4", 32: "4x8"}
BAD_INPUT = 1  # the exit code of a refusal
# From how many MiB of an operand on a product passes blocks round a ring, in place of a gather before it or a sum after it.
THRESHOLD = "xla_jf_spmd_threshold_for_windowed_einsum_mib"
LAYERS, WIDTH, HIDDEN, HEADS, SEQUENCE, BATCH = 8, 2048, 8192, 16, 2048, 4


@dataclasses.dataclass(frozen=True)
class Step:
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    state_shardings: Any
    threshold: Optional[str] = "1000000"  # from how many MiB on products are rings; None: as the compiler does by default
    shards: Sequence[str] = ()  # the options --shard, for a tensor axis
    donates: bool = True


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
    """A stack of transformer blocks with fully sharded weights."""
    state = {"weights": shapes(), "momentum": shapes()}
    x = jax.ShapeDtypeStruct((BATCH * devices, SEQUENCE, WIDTH), jnp.bfloat16)
    return Step(step, (state, x), {"weights": shardings(), "momentum": shardings()})


def default_of(devices):
    """The same without an option of the compiler, which makes rings of the products."""
    return dataclasses.replace(blocks_of(devices), threshold=None)


def rings_of(devices):
    """Two layers whose products pass blocks of the weights or of their gradients round a ring, in both directions and twice in each trip."""
    weights = {"up": jax.ShapeDtypeStruct((4096, 16384), jnp.bfloat16), "down": jax.ShapeDtypeStruct((16384, 4096), jnp.bfloat16)}
    x = jax.ShapeDtypeStruct((2048 * devices, 4096), jnp.bfloat16)
    return Step(ring_step, (weights, x), {"up": P("data"), "down": P("data")}, threshold="0")


def tensor_step(weights, x):
    def layer(x, w):
        hidden = jax.lax.with_sharding_constraint(jax.nn.gelu(x @ w["up"]), P(None, "data"))
        return x + jax.lax.with_sharding_constraint(hidden @ w["down"], P("data")), None

    def loss(weights):
        return jnp.mean(jnp.square(jax.lax.scan(layer, x, weights)[0].astype(jnp.float32)))

    return jax.tree.map(lambda w, g: w - (1e-3 * g).astype(w.dtype), weights, jax.grad(loss)(weights))


def tensor_of(devices):
    """Layers of which each device has a part of the hidden dimension, and between them a part of the sequence: activations and their sums go
    round a ring."""
    weights = {"up": jax.ShapeDtypeStruct((6, 4096, 16384), jnp.bfloat16), "down": jax.ShapeDtypeStruct((6, 16384, 4096), jnp.bfloat16)}
    x = jax.ShapeDtypeStruct((8192, 4096), jnp.bfloat16)
    shardings = {"up": P(None, None, "data"), "down": P(None, "data")}
    return Step(tensor_step, (weights, x), shardings, threshold="0", shards=("0=1", "1=2", "2=0"))


def data_step(weights, x):
    def loss(weights):
        y = x
        for name in sorted(weights):
            y = y + jax.nn.gelu(y @ weights[name].astype(y.dtype)) @ weights[name].T.astype(y.dtype)
        return jnp.mean(jnp.square(y.astype(jnp.float32)))

    return jax.tree.map(lambda w, g: w - 1e-3 * g, weights, jax.grad(loss)(weights))


def data_of(devices):
    """Three layers with the same weights on each device."""
    weights = {f"w{i}": jax.ShapeDtypeStruct((2048, 8192), jnp.float32) for i in range(3)}
    x = jax.ShapeDtypeStruct((2048 * devices, 2048), jnp.bfloat16)
    return Step(data_step, (weights, x), {name: P() for name in weights})


def undonated_of(devices):
    """The same without donation."""
    return dataclasses.replace(data_of(devices), donates=False)


def compile_step(step, device, devices):
    return hloroof.jax.compile_for(
        step.function,
        step.arguments,
        device,
        mesh={"data": devices},
        in_shardings=(step.state_shardings, P("data")),
        out_shardings=step.state_shardings,
        donate_argnums=0 if step.donates else None,
        options=None if step.threshold is None else {THRESHOLD: step.threshold},
    )


def compiled(program, devices, folder):
    path = folder / f"{program.__name__}.v5e-{devices}.hlo"
    if not path.exists():
        path.write_text(compile_step(program(devices), "tpu_v5e:" + TOPOLOGIES[devices], devices).as_text())
    return path


def answer(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--device", "tpu_v5e", "--format", "json"], check=True, capture_output=True)
    return json.loads(done.stdout)


def difference(command, given, devices, expected, shards):
    """How far the scaled step is from the compiled one; of what is refused, in parentheses, how far it would be."""
    options = [text for shard in shards for text in ("--shard", shard)]
    for form, more in (("{}", ()), ("refused ({})", ("--as-given",))):
        try:
            scaled = answer(command, "scale", given, "--axis", f"0={devices}", *options, *more)["scaled"]["step_seconds"]
        except subprocess.CalledProcessError as error:
            if error.returncode != BAD_INPUT:
                raise
            continue
        return form.format(f"{(scaled / expected - 1) * 100:+.1f} %")
    return "refused"


def main(command, folder, program):
    sizes = " | ".join(f"from {devices}" for devices in TOPOLOGIES)
    lines = [f"| devices | compiled, predicted | {sizes} |", "|---|---|" + "---|" * len(TOPOLOGIES)]
    paths = {devices: compiled(program, devices, folder) for devices in TOPOLOGIES}
    for devices, path in paths.items():
        expected = answer(command, "predict", path)["step_seconds"]
        cells = [str(devices), f"{expected * 1e3:.1f} ms"]
        for given, source in paths.items():
            shards = program(given).shards
            cells.append("" if given == devices else difference(command, source, devices, expected, shards))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


PROGRAMS = {"blocks": blocks_of, "default": default_of, "rings": rings_of, "tensor": tensor_of, "data": data_of, "undonated": undonated_of}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    readme = pathlib.Path(__file__).with_name("README.md")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(temporary)
        for mark, program in PROGRAMS.items():
            table = main(sys.argv[1], folder, program)
            before, _, rest = readme.read_text().partition(f"<!-- {mark} -->\n")
            after = rest.partition(f"<!-- end of {mark} -->\n")[2]
            readme.write_text(f"{before}<!-- {mark} -->\n{table}<!-- end of {mark} -->\n{after}")
            print(f"{mark}\n{table}", flush=True)

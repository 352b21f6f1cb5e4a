"""Prints how early rankings of hloroof.tune agree with the final one, and what they save, as a table.

    python bench/early_ranks.py [--spaces NAME...] [--keep FILE] [--read FILE]

The Python needs this package, JAX and libtpu. For each candidate of each space, the program is compiled up to the stages "scheduler" and
"optimized", and to the end, one after the other, so that what else the machine does slows down all of them. Seconds are means over the
candidates, of the wall and, in brackets, of user CPU with the processes that the compile starts; a prediction is part of each.
Candidates an hour are those of one worker: before, all are compiled to the end; after, all up to the stage, and the best quarter to the
end, at least four and those that tie with the last. Kendall's tau-b is of the predicted steps at the stage and at the end.
"""

import argparse
import contextlib
import functools
import json
import os
import resource
import time

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")

from hloroof import tune
from hloroof.tune import _stages, _worker

# ---- A stack of transformer layers, and how it is split over chips ---------------------------------------------------------------

EMBED, HIDDEN, HEADS, HEAD, LENGTH, LAYERS = 1024, 4096, 8, 128, 1024, 4


def layers(mesh, rule, batch):
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    fsdp = "data" if rule == "fsdp" else None
    shapes = {
        "qkv": ((3, EMBED, HEADS, HEAD), P(None, fsdp, "model", None)),
        "output": ((HEADS, HEAD, EMBED), P("model", None, fsdp)),
        "up": ((EMBED, HIDDEN), P(fsdp, "model")),
        "down": ((HIDDEN, EMBED), P("model", fsdp)),
    }
    activations = P("data", "model", None) if rule == "sequence" else P("data", None, None)

    def layer(x, w):
        y = x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6).astype(x.dtype)
        query, key, value = jnp.einsum("bse,nehd->nbshd", y, w["qkv"])
        scores = jnp.einsum("bshd,bthd->bhst", query, key).astype(jnp.float32) * HEAD**-0.5
        attended = jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores).astype(x.dtype), value)
        x = jax.lax.with_sharding_constraint(x + jnp.einsum("bshd,hde->bse", attended, w["output"]), activations)
        return jax.lax.with_sharding_constraint(x + jax.nn.gelu(x @ w["up"]) @ w["down"], activations), None

    def step(weights, x):
        return jax.lax.scan(layer, x, weights)[0]

    weights = {name: jax.ShapeDtypeStruct((LAYERS, *shape), jnp.bfloat16) for name, (shape, _) in shapes.items()}
    specs = {name: P(None, *spec) for name, (_, spec) in shapes.items()}
    x = jax.ShapeDtypeStruct((batch, LENGTH, EMBED), jnp.bfloat16)
    return tune.Program(
        step, (weights, x), mesh=mesh, in_shardings=(specs, activations), out_shardings=activations, examples=batch
    )


# ---- A scan, how far it is unrolled and what it keeps ----------------------------------------------------------------------------


def scan(unroll, policy, width):
    import jax
    import jax.numpy as jnp

    def cell(x, w):
        return x + jnp.tanh(x @ w["in"]) @ w["out"], None

    policies = {
        "all": lambda f: f,
        "none": jax.checkpoint,
        "dots": functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable),
    }

    def step(weights, x):
        def loss(weights):
            return jnp.mean(jax.lax.scan(policies[policy](cell), x, weights, unroll=unroll)[0].astype(jnp.float32) ** 2)

        return jax.grad(loss)(weights)

    shape = (8, width, width)
    return tune.Program(
        step, ({name: jax.ShapeDtypeStruct(shape, jnp.bfloat16) for name in ("in", "out")},
               jax.ShapeDtypeStruct((4096, width), jnp.bfloat16)),
    )  # fmt: skip


# ---- A Pallas kernel and its blocks ----------------------------------------------------------------------------------------------


def kernel(block_m, block_n, block_k):
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    m = n = k = 4096

    def body(x, y, out, sums):
        @pl.when(pl.program_id(2) == 0)
        def _():
            sums[...] = jnp.zeros_like(sums)

        sums[...] += jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == k // block_k - 1)
        def _():
            out[...] = sums[...].astype(out.dtype)

    def product(x, y):
        return pl.pallas_call(
            body,
            grid=(m // block_m, n // block_n, k // block_k),
            in_specs=[
                pl.BlockSpec((block_m, block_k), lambda i, j, l: (i, l)),
                pl.BlockSpec((block_k, block_n), lambda i, j, l: (l, j)),
            ],
            out_specs=pl.BlockSpec((block_m, block_n), lambda i, j, l: (i, j)),
            out_shape=jax.ShapeDtypeStruct((m, n), jnp.bfloat16),
            scratch_shapes=[pltpu.VMEM((block_m, block_n), jnp.float32)],
        )(x, y)

    def step(x, y):
        return jax.nn.relu(product(x, y)) @ y

    return tune.Program(step, (jax.ShapeDtypeStruct((m, k), jnp.bfloat16), jax.ShapeDtypeStruct((k, n), jnp.bfloat16)))


# ---- Layers on one chip, and flags of the compiler -------------------------------------------------------------------------------


def flagged(hidden):
    import jax
    import jax.numpy as jnp

    def step(weights, x):
        for w in weights:
            x = jax.nn.gelu(x @ w["up"]) @ w["down"] + x
            x = x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6).astype(x.dtype)
        return x

    layer = {"up": jax.ShapeDtypeStruct((1024, hidden), jnp.bfloat16), "down": jax.ShapeDtypeStruct((hidden, 1024), jnp.bfloat16)}
    return tune.Program(step, ([layer] * 2, jax.ShapeDtypeStruct((8192, 1024), jnp.bfloat16)), examples=hidden)


SPACES = {
    "layers": tune.Space(
        "tpu_v5e:2x4",
        layers,
        {"mesh": tune.meshes(8, "data", "model"), "rule": ["fsdp", "replicated", "sequence"], "batch": [16]},
    ),
    "scan": tune.Space("tpu_v5e", scan, {"unroll": [1, 2, 4], "policy": ["all", "none", "dots"], "width": [1024]}),
    "kernel": tune.Space(
        "tpu_v5e",
        kernel,
        {"block_m": [256, 512, 1024], "block_n": [256, 512], "block_k": [512, 1024]},
    ),
    "flags": tune.Space(
        "tpu_v5e",
        flagged,
        {"hidden": [2048, 4096]},
        xla_flags={"xla_tpu_scoped_vmem_limit_kib": [None, 4096, 49152, 98304]},
    ),
}
STAGES = ("scheduler", "optimized", "end")


def seconds():
    """Of the wall, and of user CPU with the processes that have ended."""
    return time.monotonic(), sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def measure(space):
    """For each candidate, its outcome and its seconds by stage."""
    evaluator = _worker.Evaluator(space.build, space.device, tuple(space.xla_flags))
    evaluator.evaluate(space.candidates()[0], "scheduler")  # loads JAX and the compiler
    for candidate in space.candidates():
        row = {}
        for stage in STAGES:
            before = seconds()
            outcome, _ = evaluator.evaluate(candidate, stage)
            row[stage] = outcome, *(after - first for first, after in zip(before, seconds()))
        yield row


def facts(row):
    """What the table needs of a candidate, as JSON."""
    found = {"candidate": row["end"][0].candidate}
    for stage, (outcome, wall, user) in row.items():
        names = ("status", "reason", "hlo", "early_hlo")
        found[stage] = {name: getattr(outcome, name) for name in names}
        found[stage].update(reached=outcome.stage, seconds=outcome.seconds_per_example, wall=wall, user=user)
    return found


def mean(rows, stage, what):
    return sum(row[stage][what] for row in rows) / len(rows)


def line(name, rows, stage):
    """The row of the table for a space and a stage."""
    able = [row for row in rows if all(row[at]["status"] == "ok" for at in (stage, "end"))]
    ranked = sorted(able, key=lambda row: row[stage]["seconds"])
    count = _stages.cut([row[stage]["seconds"] for row in ranked], 0.25)
    best = min(row["end"]["seconds"] for row in able)
    kept = min(row["end"]["seconds"] for row in ranked[:count])
    tau = _stages.kendall([tuple(row[at]["seconds"] for at in (stage, "end")) for row in able])
    early, end, before, after = (mean(rows, at, what) for what in ("wall", "user") for at in (stage, "end"))
    share = count / len(rows)
    return [
        name,
        str(len(rows)) + (f", {len(rows) - len(able)} cannot run" if len(able) < len(rows) else ""),
        stage,
        str(len({row[stage]["hlo"] for row in able})),
        "-" if tau is None else f"{tau:.2f}",
        "yes" if kept <= best * (1 + 1e-6) else f"no, by {100 * (kept / best - 1):.1f} %",
        f"{early:.1f} ({before:.1f})",
        f"{end:.1f} ({after:.1f})",
        f"{3600 / end:.0f} ({3600 / after:.0f})",
        f"{3600 / (early + share * end):.0f} ({3600 / (before + share * after):.0f})",
    ]


COLUMNS = ("space", "candidates", "ranked by", "different HLO", "tau", "the best is kept", "s to the stage", "s to the end", "an hour before",
           "an hour after")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--spaces", nargs="+", choices=SPACES, default=list(SPACES))
    parser.add_argument("--keep", metavar="FILE", help="also append a line of JSON for each candidate to this file")
    parser.add_argument("--read", metavar="FILE", help="print the table of such a file, and compile nothing")
    given = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    read = {}
    if given.read:
        with open(given.read) as file:
            for text in file:
                row = json.loads(text)
                read.setdefault(row["space"], []).append(row)
    with open(given.keep, "a") if given.keep else contextlib.nullcontext() as file:
        for name in read or given.spaces:
            rows = read.get(name, [])
            for row in [] if read else measure(SPACES[name]):
                rows.append(facts(row))
                if file is not None:
                    file.write(json.dumps({"space": name, **rows[-1]}) + "\n")
                    file.flush()
            for stage in STAGES[:2]:
                print(f"| {' | '.join(line(name, rows, stage))} |", flush=True)


if __name__ == "__main__":
    main()

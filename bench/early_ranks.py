"""Prints how early rankings of hloroof.tune agree with the final one, and what they save, as a table.

    python bench/early_ranks.py [--spaces NAME...] [--candidates FILE]

The Python needs this package, JAX and libtpu. For each candidate of each space, the program is compiled up to the stages "scheduler" and
"optimized", and to the end, one after the other, so that what else the machine does slows down all of them. Seconds are of the wall
and, in brackets, of user CPU, also of the processes that the compile starts; a prediction is part of each. Candidates an hour are
those of one worker by the wall: before, all are compiled to the end; after, the best quarter is, at least four.
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


def mean(rows, stage, index):
    return sum(row[stage][index] for row in rows) / len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--spaces", nargs="+", choices=SPACES, default=list(SPACES))
    parser.add_argument("--candidates", help="also write a line of JSON for each candidate to this file")
    given = parser.parse_args()
    print("| space | candidates | programs | ranked by | tau | best is kept | seconds a candidate | an hour before | after | |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with open(given.candidates, "a") if given.candidates else contextlib.nullcontext() as file:
        for name in given.spaces:
            rows = []
            for row in measure(SPACES[name]):
                rows.append(row)
                if file is None:
                    continue
                facts = {stage: {"status": o.status, "reason": o.reason, "seconds": o.seconds_per_example, "stage": o.stage, "hlo": o.hlo,
                                 "wall": wall, "user": user} for stage, (o, wall, user) in row.items()}  # fmt: skip
                file.write(json.dumps({"space": name, "candidate": row["end"][0].candidate, **facts}) + "\n")
                file.flush()
            for stage in STAGES[:2]:
                able = [row for row in rows if all(row[at][0].status == "ok" for at in (stage, "end"))]
                distinct = {row[stage][0].hlo: row for row in reversed(able)}.values()
                ranked = sorted(distinct, key=lambda row: row[stage][0].seconds_per_example)
                count = _stages.wanted(0.25, len(ranked))
                best = min(row["end"][0].seconds_per_example for row in able)
                kept = min(row["end"][0].seconds_per_example for row in ranked[:count])
                tau = _stages.kendall([tuple(row[at][0].seconds_per_example for at in (stage, "end")) for row in distinct])
                share = count / len(rows)
                early, end = mean(rows, stage, 1), mean(rows, "end", 1)
                cells = [
                    name,
                    f"{len(rows)}, {len(able)} can run",
                    str(len(ranked)),
                    stage,
                    "-" if tau is None else f"{tau:.2f}",
                    "yes" if kept <= best * (1 + 1e-6) else f"no, {100 * (kept / best - 1):.1f} % slower",
                    f"{early:.1f} ({mean(rows, stage, 2):.1f}) instead of {end:.1f} ({mean(rows, 'end', 2):.1f})",
                    f"{3600 / end:.0f}",
                    f"{3600 / (early + share * end):.0f}",
                    f"{count} to the end",
                ]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

# %% [markdown]
# # Which mesh, remat and batch for a small transformer on 16 chips?
#
# Sixteen v5e chips can be 16-way data parallel, 16-way tensor parallel, or anything between. The backward pass can keep what the
# forward pass computed, or compute it again. A larger batch uses the chips better until it does not fit. `hloroof.tune` compiles
# every combination ahead of time, predicts it, and ranks them by step time per sequence. No TPU is needed.
#
#     python examples/python/tune_transformer.py                                           # or, with more to choose:
#     python -m hloroof.tune examples/python/tune_transformer.py:space --folder runs/transformer --html tune.html
#
# Needs `pip install jax libtpu hloroof`, and matplotlib for the plot.

# %%
import functools
import os

from hloroof import tune

LAYERS, LENGTH, EMBED, HIDDEN, HEADS, HEAD, VOCAB = 32, 1024, 512, 2048, 4, 128, 4096

# %% [markdown]
# The program: a training step in bf16 with AdamW's two moments in f32. The layers are a scan, so that the compile takes seconds.


# %%
def loss(params, tokens, remat):
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    def norm(x):
        return x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6).astype(x.dtype)

    def layer(x, w):
        y = norm(x)
        query, key, value = (jnp.einsum("bse,ehd->bshd", y, w[name]) for name in ("query", "key", "value"))
        scores = jnp.einsum("bshd,bthd->bhst", query, key) * HEAD**-0.5
        scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e30)
        attended = jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores.astype(jnp.float32)).astype(x.dtype), value)
        x = x + jnp.einsum("bshd,hde->bse", attended, w["output"])
        x = jax.lax.with_sharding_constraint(x, P("data", None, None))
        y = norm(x)
        y = jax.nn.silu(y @ w["gate"]) * (y @ w["up"])
        return jax.lax.with_sharding_constraint(x + y @ w["down"], P("data", None, None)), None

    body = {"none": layer, "full": jax.checkpoint(layer)}[remat]
    x = jax.lax.with_sharding_constraint(params["embed"][tokens[:, :-1]], P("data", None, None))
    x, _ = jax.lax.scan(body, x, params["layers"])
    logits = (norm(x) @ params["embed"].T).astype(jnp.float32)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1))


def train_step(state, tokens, remat):
    import jax
    import jax.numpy as jnp

    params, first, second = state
    gradients = jax.grad(loss)(params, tokens, remat)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g.astype(jnp.float32), first, gradients)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * jnp.square(g.astype(jnp.float32)), second, gradients)
    params = jax.tree.map(lambda p, m, v: (p - 1e-3 * m / (jnp.sqrt(v) + 1e-8)).astype(p.dtype), params, first, second)
    return params, first, second


# %% [markdown]
# `build` makes the program of one candidate. Weights are split over `model` as Megatron does, and over `data` as well (FSDP).


# %%
def build(mesh, remat, batch):
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    shapes = {
        "query": ((EMBED, HEADS, HEAD), P(None, "data", "model", None)),
        "key": ((EMBED, HEADS, HEAD), P(None, "data", "model", None)),
        "value": ((EMBED, HEADS, HEAD), P(None, "data", "model", None)),
        "output": ((HEADS, HEAD, EMBED), P(None, "model", None, "data")),
        "gate": ((EMBED, HIDDEN), P(None, "data", "model")),
        "up": ((EMBED, HIDDEN), P(None, "data", "model")),
        "down": ((HIDDEN, EMBED), P(None, "model", "data")),
    }

    def weights(dtype):
        layers = {name: jax.ShapeDtypeStruct((LAYERS, *shape), dtype) for name, (shape, _) in shapes.items()}
        return {"embed": jax.ShapeDtypeStruct((VOCAB, EMBED), dtype), "layers": layers}

    specs = {"embed": P("model", "data"), "layers": {name: spec for name, (_, spec) in shapes.items()}}
    state = weights(jnp.bfloat16), weights(jnp.float32), weights(jnp.float32)
    tokens = jax.ShapeDtypeStruct((batch, LENGTH + 1), jnp.int32)
    return tune.Program(
        functools.partial(train_step, remat=remat),
        (state, tokens),
        mesh=mesh,
        in_shardings=((specs, specs, specs), P("data", None)),
        out_shardings=(specs, specs, specs),
        donate_argnums=(0,),
        examples=batch,
    )


# %% [markdown]
# The candidates. A larger batch only needs more memory, so where one does not fit, the larger ones are not compiled.

# %%
space = tune.Space(
    "tpu_v5e:4x4",
    build,
    {"mesh": tune.meshes(16, "data", "model", most={"model": 4}), "remat": ["none", "full"], "batch": [64, 256]},
    grows=["batch"],
)

# %% [markdown]
# The ranking. `why` says where a candidate spends more time per sequence than the best.

# %%
if __name__ == "__main__":
    results = tune.run(space, folder=os.environ.get("TUNE_FOLDER"))
    print(results)

# %% [markdown]
# With JAX 0.12, libtpu 0.0.50 and all candidates compiled to the end (`tune.run(..., early=False)`; by default, the best four are):
#
#     rank   mesh             remat  batch  an example  relative     step      peak     MFU  why
#        1*  data=16 model=1  full   64        1.33 ms      1.00  85.3 ms   322 MiB  31.9 %  vpu 32.9 %, mxu 26.6 %, latency 18.2 %
#        2   data=16 model=1  full   256       1.44 ms      1.08   368 ms  1.18 GiB  29.5 %  +838 us hbm; recomputes 65.2 us more
#        3   data=16 model=1  none   64        1.66 ms      1.24   106 ms  7.67 GiB  20.3 %  +384 us hbm, +116 us latency, ...
#        4   data=8 model=2   full   64        1.72 ms      1.29   110 ms   453 MiB  24.7 %  +572 us ici; recomputes 127 us more
#        5   data=8 model=2   none   64        1.75 ms      1.32   112 ms  8.67 GiB  19.2 %  +456 us ici, +427 us hbm
#        6   data=8 model=2   full   256       1.95 ms      1.47   500 ms  1.79 GiB  21.7 %  +817 us hbm, +556 us ici; ...
#        7   data=4 model=4   none   64        2.50 ms      1.88   160 ms  10.7 GiB  13.4 %  +1.37 ms ici, +517 us hbm
#        8   data=4 model=4   full   64        2.66 ms      2.00   170 ms   786 MiB  16.0 %  +1.71 ms ici; recomputes 317 us more
#        9   data=4 model=4   full   256       3.07 ms      2.30   785 ms  3.10 GiB  13.9 %  +1.69 ms ici, +1.15 ms hbm; ...
#        -   data=16 model=1  none   256             -                                       the compiler: Ran out of memory on HBM, ...
#        ...
#
# Recomputing is faster here, although it is more work: without it every layer writes its attention scores, 1024 x 1024 for each
# head, and reads them again, and that takes more time of HBM than the recomputation takes of the matrix and vector units. The
# weights are so small that each chip could hold them many times over, so tensor parallelism gains nothing and adds transfers of
# activations over ICI in each layer, which grow with the width of `model`. The larger batch does not fit without
# recomputation, and with it the larger arrays no longer stay on the chip between the ops: more HBM time per sequence.

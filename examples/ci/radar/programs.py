"""Programs that the radar compiles with two versions of JAX and libtpu: a decode step, a training step and a block of experts."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def rms_norm(x, scale):
    variance = jnp.mean(jnp.square(x.astype(jnp.float32)), axis=-1, keepdims=True)
    return (x * jax.lax.rsqrt(variance + 1e-6)).astype(x.dtype) * scale


# ---- One token for each of 64 sequences, on one chip ---------------------------------------------------------------------------

LAYERS, BATCH, LENGTH, EMBED, HIDDEN, HEADS, KV_HEADS, HEAD, VOCAB = 4, 64, 2048, 2048, 8192, 16, 4, 128, 131072


def decode_step(weights, cache, token, position):
    def layer(x, inputs):
        w, keys, values = inputs
        normed = rms_norm(x, w["attention_norm"])
        query = (normed @ w["query"]).reshape(BATCH, KV_HEADS, HEADS // KV_HEADS, HEAD)
        key = (normed @ w["key"]).reshape(BATCH, KV_HEADS, 1, HEAD)
        value = (normed @ w["value"]).reshape(BATCH, KV_HEADS, 1, HEAD)
        keys = jax.lax.dynamic_update_slice(keys, key, (0, 0, position, 0))
        values = jax.lax.dynamic_update_slice(values, value, (0, 0, position, 0))
        scores = jnp.einsum("bkgd,bktd->bkgt", query, keys, preferred_element_type=jnp.float32) / HEAD**0.5
        scores = jnp.where(jnp.arange(LENGTH) <= position, scores, -1e30)
        attended = jnp.einsum("bkgt,bktd->bkgd", jax.nn.softmax(scores, axis=-1).astype(x.dtype), values)
        x = x + attended.reshape(BATCH, HEADS * HEAD) @ w["output"]
        normed = rms_norm(x, w["ffn_norm"])
        return x + (jax.nn.silu(normed @ w["gate"]) * (normed @ w["up"])) @ w["down"], (keys, values)

    x = weights["embedding"][token]
    x, cache = jax.lax.scan(layer, x, (weights["layers"], *cache))
    return jnp.argmax(rms_norm(x, weights["norm"]) @ weights["embedding"].T, axis=-1), cache


def decode_arguments():
    layers = {
        "attention_norm": array(LAYERS, EMBED),
        "query": array(LAYERS, EMBED, HEADS * HEAD),
        "key": array(LAYERS, EMBED, KV_HEADS * HEAD),
        "value": array(LAYERS, EMBED, KV_HEADS * HEAD),
        "output": array(LAYERS, HEADS * HEAD, EMBED),
        "ffn_norm": array(LAYERS, EMBED),
        "gate": array(LAYERS, EMBED, HIDDEN),
        "up": array(LAYERS, EMBED, HIDDEN),
        "down": array(LAYERS, HIDDEN, EMBED),
    }
    weights = {"embedding": array(VOCAB, EMBED), "norm": array(EMBED), "layers": layers}
    cache = (array(LAYERS, BATCH, KV_HEADS, LENGTH, HEAD),) * 2
    return weights, cache, array(BATCH, dtype=jnp.int32), array(dtype=jnp.int32)


# ---- Rows of a table, as embeddings of many features are looked up -------------------------------------------------------------


def lookup(table, ids, weight):
    """The rows of many ids, summed by example, and a product."""
    return table[ids].sum(axis=1) @ weight


# ---- A training step, fully sharded over eight devices -------------------------------------------------------------------------


def train_step(params, batch):
    def loss(params):
        def block(x, w):
            hidden = jax.nn.silu(rms_norm(x, 1) @ w["gate"]) * (x @ w["up"])
            return x + hidden @ w["down"], None

        x = params["embedding"][batch["tokens"]]
        x, _ = jax.lax.scan(jax.checkpoint(block), x, params["layers"])
        logits = (x @ params["embedding"].T).astype(jnp.float32)
        logs = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logs, batch["targets"][..., None], axis=-1).mean()

    gradients = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 1e-3 * g.astype(p.dtype), params, gradients)


def train_arguments():
    layers = {"gate": array(4, 2048, 8192), "up": array(4, 2048, 8192), "down": array(4, 8192, 2048)}
    tokens = array(16, 1024, dtype=jnp.int32)
    return {"embedding": array(32768, 2048), "layers": layers}, {"tokens": tokens, "targets": tokens}


TRAIN_SHARDINGS = {"embedding": P("data", None), "layers": {name: P(None, "data", None) for name in ("gate", "up", "down")}}


# ---- A block of experts, whose tokens are exchanged ----------------------------------------------------------------------------

EXPERTS, CAPACITY = 32, 256


def experts(x, router, up, down):
    """Each token goes to its best expert; a group of tokens has CAPACITY places at each."""
    scores = jax.nn.softmax((x @ router).astype(jnp.float32), axis=-1)
    best, weight = jnp.argmax(scores, axis=-1), jnp.max(scores, axis=-1)
    chosen = jax.nn.one_hot(best, EXPERTS, dtype=jnp.int32)
    place = jnp.cumsum(chosen, axis=1) * chosen - 1
    dispatch = jax.nn.one_hot(place, CAPACITY, dtype=x.dtype)  # group, token, expert, place; none for -1 and beyond
    inputs = jax.lax.with_sharding_constraint(jnp.einsum("gsec,gsd->egcd", dispatch, x), P("expert"))
    hidden = jax.nn.silu(jnp.einsum("egcd,edf->egcf", inputs, up))
    outputs = jax.lax.with_sharding_constraint(jnp.einsum("egcf,efd->egcd", hidden, down), P("expert"))
    combine = dispatch * weight[..., None, None].astype(x.dtype)
    return x + jax.lax.with_sharding_constraint(jnp.einsum("gsec,egcd->gsd", combine, outputs), P("expert"))


def programs():
    yield "decode", decode_step, decode_arguments(), {"donate_argnums": 1}
    ids = array(4096, 32, dtype=jnp.int32)
    yield "lookup", lookup, (array(1048576, 128, dtype=jnp.float32), ids, array(128, 1024, dtype=jnp.float32))
    batch = {"tokens": P("data"), "targets": P("data")}
    yield "train", train_step, train_arguments(), {
        "mesh": {"data": 8}, "in_shardings": (TRAIN_SHARDINGS, batch), "out_shardings": TRAIN_SHARDINGS, "donate_argnums": 0,
    }  # fmt: skip
    arguments = (array(8, 4096, 2048), array(2048, EXPERTS), array(EXPERTS, 2048, 4096), array(EXPERTS, 4096, 2048))
    yield "experts", experts, arguments, {
        "mesh": {"expert": 8}, "in_shardings": (P("expert"), P(), P("expert"), P("expert")), "out_shardings": P("expert"),
    }  # fmt: skip

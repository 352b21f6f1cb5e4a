"""The JAX programs of the dumps in this folder. Run this file to make the dumps again.

    pip install jax==0.10.2 libtpu==0.0.42.1
    python examples/programs.py            # writes the dumps in examples/

Compiles ahead of time for a TPU topology, so no TPU is needed. hloroof itself does not need this file or these packages.
"""

import gzip
import os
import pathlib
import sys

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_INCLUDE_FULL_TRACEBACKS_IN_LOCATIONS", "0")

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.experimental.layout import Format, Layout
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

# The source lines in a dump name examples/programs.py, independent of the working directory.
jax.config.update("jax_hlo_source_file_canonicalization_regex", r"^.*/(?=examples/programs\.py$)")


def mesh_on(topology, axes):
    devices = topologies.get_topology_desc(topology_name=topology, platform="tpu").devices
    count = int(np.prod(list(axes.values())))
    return Mesh(np.array(devices[:count]).reshape(tuple(axes.values())), tuple(axes))


def array(mesh, shape, dtype, *spec):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def ffn_block():
    """A gated feed-forward block over 4 x 2 chips, fully sharded on one axis and tensor parallel on the other.

    The weights are gathered over `data` before use, and the activations over `model`. The hidden dimension remains sharded
    over `model`, so the output is reduced over `model` and scattered along the sequence.
    """
    mesh = mesh_on("v5e:2x4", {"data": 4, "model": 2})
    batch, seq, embed, hidden = 32, 1024, 4096, 14336

    def ffn(x, w_gate, w_up, w_down):
        split = NamedSharding(mesh, P("data", None, "model"))
        whole = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data", None, None)))
        gate = jax.lax.with_sharding_constraint(jnp.einsum("bsd,df->bsf", whole, w_gate), split)
        up = jax.lax.with_sharding_constraint(jnp.einsum("bsd,df->bsf", whole, w_up), split)
        return x + jnp.einsum("bsf,fd->bsd", jax.nn.silu(gate) * up, w_down)

    x = array(mesh, (batch, seq, embed), jnp.bfloat16, "data", "model", None)
    w_in = array(mesh, (embed, hidden), jnp.bfloat16, "data", "model")
    w_out = array(mesh, (hidden, embed), jnp.bfloat16, "model", "data")
    return jax.jit(ffn, out_shardings=x.sharding).lower(x, w_in, w_in, w_out)


def decode_step(lower=None):
    """One token for each of 16 sequences through a 16-layer transformer on one chip, with a KV cache of 2,048 positions."""
    mesh = mesh_on("v5e:2x2", {"one": 1})
    layers, batch, length, embed, hidden, heads, kv_heads, head, vocab = 16, 16, 2048, 2048, 8192, 32, 8, 64, 32768

    def rms_norm(x, scale):
        variance = jnp.mean(jnp.square(x.astype(jnp.float32)), axis=-1, keepdims=True)
        return (x * jax.lax.rsqrt(variance + 1e-6)).astype(x.dtype) * scale

    def layer(x, weights, cache, index, position):
        normed = rms_norm(x, weights["attention_norm"])
        query = (normed @ weights["query"]).reshape(batch, kv_heads, heads // kv_heads, head)
        key = (normed @ weights["key"]).reshape(1, batch, kv_heads, 1, head)
        value = (normed @ weights["value"]).reshape(1, batch, kv_heads, 1, head)
        cache = {
            "key": jax.lax.dynamic_update_slice(cache["key"], key, (index, 0, 0, position, 0)),
            "value": jax.lax.dynamic_update_slice(cache["value"], value, (index, 0, 0, position, 0)),
        }
        keys = jax.lax.dynamic_index_in_dim(cache["key"], index, 0, keepdims=False)
        values = jax.lax.dynamic_index_in_dim(cache["value"], index, 0, keepdims=False)
        scores = jnp.einsum("bkgd,bktd->bkgt", query, keys, preferred_element_type=jnp.float32) / head**0.5
        scores = jnp.where(jnp.arange(length) <= position, scores, -1e30)
        probabilities = jax.nn.softmax(scores, axis=-1).astype(x.dtype)
        attended = jnp.einsum("bkgt,bktd->bkgd", probabilities, values).reshape(batch, heads * head)
        x = x + attended @ weights["output"]
        normed = rms_norm(x, weights["ffn_norm"])
        x = x + (jax.nn.silu(normed @ weights["gate"]) * (normed @ weights["up"])) @ weights["down"]
        return x, cache

    def step(weights, cache, token, position):
        def body(index, carry):
            x, cache = carry
            mine = jax.tree.map(lambda w: jax.lax.dynamic_index_in_dim(w, index, 0, keepdims=False), weights["layers"])
            return layer(x, mine, cache, index, position)

        x = weights["embedding"][token]
        x, cache = jax.lax.fori_loop(0, layers, body, (x, cache))
        logits = rms_norm(x, weights["norm"]) @ weights["embedding"].T
        return jnp.argmax(logits, axis=-1), cache

    def w(*shape):
        return array(mesh, shape, jnp.bfloat16)

    weights = {
        "embedding": w(vocab, embed),
        "norm": w(embed),
        "layers": {
            "attention_norm": w(layers, embed),
            "query": w(layers, embed, heads * head),
            "key": w(layers, embed, kv_heads * head),
            "value": w(layers, embed, kv_heads * head),
            "output": w(layers, heads * head, embed),
            "ffn_norm": w(layers, embed),
            "gate": w(layers, embed, hidden),
            "up": w(layers, embed, hidden),
            "down": w(layers, hidden, embed),
        },
    }
    cache = {name: w(layers, batch, kv_heads, length, head) for name in ("key", "value")}
    token = array(mesh, (batch,), jnp.int32)
    position = array(mesh, (), jnp.int32)
    return (lower or lower_step)(step, weights, cache, token, position)


def narrow_heads():
    """Attention scores of 33 queries with 17 heads of size 5, to show how tiles of 8 x 128 pad narrow dimensions."""
    mesh = mesh_on("v5e:2x2", {"one": 1})

    def scores(query, key):
        return jax.nn.softmax(jnp.einsum("bqhd,bkhd->bqhk", query, key), axis=-1)

    return jax.jit(scores).lower(
        array(mesh, (512, 33, 17, 5), jnp.float32), array(mesh, (512, 33, 17, 5), jnp.float32))


def lower_step(step, weights, cache, token, position):
    return jax.jit(step, donate_argnums=1).lower(weights, cache, token, position)


def lower_step_with_free_cache(step, weights, cache, token, position):
    """The same step, but the compiler chooses the layout in which the cache is passed from step to step."""
    def sharding(tree):
        return jax.tree.map(lambda x: x.sharding, tree)

    free = jax.tree.map(lambda x: Format(Layout.AUTO, x.sharding), cache)
    step = jax.jit(
        step,
        donate_argnums=1,
        in_shardings=(sharding(weights), free, sharding(token), sharding(position)),
        out_shardings=(sharding(token), free))
    return step.lower(weights, jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), cache), token, position)


DUMPS = {
    "ffn_block.v5e_2x4.hlo": ffn_block,
    "decode_step.v5e.hlo": decode_step,
    "decode_step_free_cache.v5e.hlo.gz": lambda: decode_step(lower_step_with_free_cache),
    "narrow_heads.v5e.hlo": narrow_heads,
}


def main():
    folder = pathlib.Path(__file__).resolve().parent
    for name, program in DUMPS.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        text = program().compile().as_text()
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        print(f"{name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
